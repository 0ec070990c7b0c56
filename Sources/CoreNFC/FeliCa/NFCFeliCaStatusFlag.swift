/// The status flags of an answer; both are 0 unless the card has refused the command.
public struct NFCFeliCaStatusFlag {
  /// Status flag 1: 0 if the card has accepted the command.
  public var statusFlag1: Int
  /// Status flag 2: the reason for a refusal.
  public var statusFlag2: Int

  /// Creates the flags of an answer.
  public init(statusFlag1: Int, statusFlag2: Int) {
    self.statusFlag1 = statusFlag1
    self.statusFlag2 = statusFlag2
  }
}
