/// A Topaz: a ``TopazCore``, and the place of NDEF in its memory.
protocol TopazChip: VirtualChip {
  static var defaultUID: [UInt8] { get }
  /// The number of bytes for an NDEF message and its TLV.
  static var areaSize: Int { get }

  var core: TopazCore { get set }

  /// Creates a chip as on delivery.
  init(blank uid: [UInt8])

  /// Writes a capability container, the control TLVs and the area with the message to the memory.
  mutating func format(area: [UInt8])
}

extension TopazChip {
  init(uid: [UInt8]?, area: [UInt8]?) {
    self.init(blank: uid ?? Self.defaultUID)
    if let area { format(area: area) }
  }

  public var identifier: [UInt8] { Array(core.uid.prefix(4)) }
  public var modulation: RadioFrame.Modulation { .typeA }

  /// All blocks. Setting them does not change the UID at their beginning.
  public var memory: [UInt8] {
    get { core.memory }
    set { core.setMemory(newValue) }
  }

  public var irreversibleState: IrreversibleState { core.irreversibleState }

  public mutating func powerOn() { core.setPower() }
  public mutating func powerOff() { core.setPower() }
}
