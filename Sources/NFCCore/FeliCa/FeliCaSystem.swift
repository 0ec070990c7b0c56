/// One of the systems of a card: a separate logical card.
public struct FeliCaSystem: Hashable, Sendable {
  /// The system code that Polling requests.
  public var code: UInt16
  /// The IDm, eight bytes, which commands address the system with.
  public var idm: [UInt8]
  /// The PMm, eight bytes.
  public var pmm: [UInt8]

  /// Creates a system of a card.
  public init(code: UInt16, idm: [UInt8], pmm: [UInt8]) {
    self.code = code
    self.idm = idm
    self.pmm = pmm
  }
}
