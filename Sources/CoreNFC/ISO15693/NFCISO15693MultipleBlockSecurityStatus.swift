/// Whether blocks are locked.
public struct NFCISO15693MultipleBlockSecurityStatus {
  /// One status byte per block; bit 0 is set for a locked block.
  public var blockSecurityStatus: [Int]

  /// Creates the status of blocks.
  public init(blockSecurityStatus: [Int]) {
    self.blockSecurityStatus = blockSecurityStatus
  }
}
