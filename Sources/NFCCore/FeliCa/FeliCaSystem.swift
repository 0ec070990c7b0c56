/// One of the systems of a card: a logical card of its own.
public struct FeliCaSystem: Hashable, Sendable {
  /// What Polling asks for.
  public var code: UInt16
  /// Eight bytes, by which commands name the system.
  public var idm: [UInt8]
  /// Eight bytes.
  public var pmm: [UInt8]

  /// A system of a card.
  public init(code: UInt16, idm: [UInt8], pmm: [UInt8]) {
    self.code = code
    self.idm = idm
    self.pmm = pmm
  }
}
