/// A FeliCa Lite or Lite-S: a ``FeliCaLiteCore`` and a name.
protocol FeliCaLiteChip: VirtualChip {
  var core: FeliCaLiteCore { get set }
}

extension FeliCaLiteChip {
  public var identifier: [UInt8] { core.idm }
  public var modulation: RadioFrame.Modulation { .feliCa }

  /// S_PAD0 to S_PAD13, REG, ID, D_ID, SER_C, SYS_C, CKV, CK and MC, and for a Lite-S WCNT: 16 bytes
  /// each.
  public var memory: [UInt8] {
    get { core.memory }
    set { core.memory = newValue }
  }

  public var irreversibleState: IrreversibleState { core.irreversibleState }

  public mutating func powerOff() { core.powerOff() }
  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? { core.receive(frame) }
}
