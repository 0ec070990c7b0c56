import VirtualNFC

/// A chip that passes everything on to another chip, and changes some of its frames.
///
/// A conforming type implements `receive(_:)` and holds the other chip.
public protocol ForwardingChip: VirtualChip {
  /// The type of the other chip.
  associatedtype Chip: VirtualChip

  /// The other chip.
  var chip: Chip { get set }
}

extension ForwardingChip {
  public var name: String { chip.name }
  public var identifier: [UInt8] { chip.identifier }
  public var modulation: RadioFrame.Modulation { chip.modulation }
  public var memory: [UInt8] {
    get { chip.memory }
    set { chip.memory = newValue }
  }
  public var irreversibleState: IrreversibleState { chip.irreversibleState }
  public var isHidden: Bool { chip.isHidden }
  public mutating func powerOn() { chip.powerOn() }
  public mutating func powerOff() { chip.powerOff() }
  public mutating func carrierHasLasted(_ time: Duration) { chip.carrierHasLasted(time) }
  public func responseTime(to request: RadioFrame, _ answer: RadioFrame) -> Duration {
    chip.responseTime(to: request, answer)
  }
}
