/// A Topaz: a ``TopazCore``, and how NDEF lies in its memory.
protocol TopazChip: VirtualChip {
  static var defaultUID: [UInt8] { get }
  /// How many bytes an NDEF message and its TLV have.
  static var areaSize: Int { get }

  var core: TopazCore { get set }

  /// As it leaves the factory.
  init(blank uid: [UInt8])

  /// Puts a capability container, the control TLVs and the area with the message into the memory.
  mutating func format(area: [UInt8])
}

extension TopazChip {
  init(uid: [UInt8]?, area: [UInt8]?) {
    self.init(blank: uid ?? Self.defaultUID)
    if let area { format(area: area) }
  }

  public var identifier: [UInt8] { Array(core.uid.prefix(4)) }
  public var modulation: RadioFrame.Modulation { .typeA }

  /// All blocks. Writing does not change the UID at their beginning.
  public var memory: [UInt8] {
    get { core.memory }
    set { core.setMemory(newValue) }
  }

  public var irreversibleState: IrreversibleState { core.irreversibleState }

  public mutating func powerOn() { core.setPower() }
  public mutating func powerOff() { core.setPower() }
}
