/// The status flags of an answer; both are 0 unless the card has refused the command.
public struct NFCFeliCaStatusFlag {
  public var statusFlag1: Int
  public var statusFlag2: Int

  public init(statusFlag1: Int, statusFlag2: Int) {
    self.statusFlag1 = statusFlag1
    self.statusFlag2 = statusFlag2
  }
}
