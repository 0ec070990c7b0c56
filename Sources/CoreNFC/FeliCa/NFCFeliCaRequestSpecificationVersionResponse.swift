import Foundation

/// The version of a card's operating system: three digits in two bytes, the least significant byte first.
public struct NFCFeliCaRequestSpecificationVersionResponse {
  /// Status flag 1: 0 if the card has accepted the command.
  public var statusFlag1: Int
  /// Status flag 2: the reason for a refusal.
  public var statusFlag2: Int
  /// The basic version, two bytes; `nil` if the card has refused the command.
  public var basicVersion: Data?
  /// Two bytes for each option, DES first.
  public var optionVersion: Data?

  /// Creates an answer.
  public init(statusFlag1: Int, statusFlag2: Int, basicVersion: Data?, optionVersion: Data?) {
    self.statusFlag1 = statusFlag1
    self.statusFlag2 = statusFlag2
    self.basicVersion = basicVersion
    self.optionVersion = optionVersion
  }
}
