import Foundation

/// The version of a card's operating system: three digits in two bytes, the least significant byte first.
public struct NFCFeliCaRequestSpecificationVersionResponse {
  public var statusFlag1: Int
  public var statusFlag2: Int
  public var basicVersion: Data?
  /// Two bytes for each option, DES first.
  public var optionVersion: Data?

  public init(statusFlag1: Int, statusFlag2: Int, basicVersion: Data?, optionVersion: Data?) {
    self.statusFlag1 = statusFlag1
    self.statusFlag2 = statusFlag2
    self.basicVersion = basicVersion
    self.optionVersion = optionVersion
  }
}
