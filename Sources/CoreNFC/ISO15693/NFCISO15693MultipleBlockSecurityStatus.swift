/// Whether blocks are locked.
public struct NFCISO15693MultipleBlockSecurityStatus {
  /// A status byte a block; bit 0 is set in a locked one.
  public var blockSecurityStatus: [Int]

  public init(blockSecurityStatus: [Int]) {
    self.blockSecurityStatus = blockSecurityStatus
  }
}
