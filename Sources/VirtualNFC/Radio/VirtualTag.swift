import Synchronization

/// A tag that can be placed in a ``VirtualField``: a chip behind a lock.
///
/// A tag is an object, not a value: what a reader writes to it stays on it when it leaves the field
/// and is there when it comes back, as with a real one.
public final class VirtualTag: Sendable {
  private let state: Mutex<any VirtualChip>

  /// The chip's name as `nfc --virtual` takes it, for instance `ntag216`.
  public let name: String

  /// The UID, IDm, PUPI or serial number, in the order in which readers print it.
  public let identifier: [UInt8]

  /// The air interface that the tag answers on.
  public let modulation: RadioFrame.Modulation

  public init(_ chip: some VirtualChip) {
    name = chip.name
    identifier = chip.identifier
    modulation = chip.modulation
    state = Mutex(chip)
  }

  /// The chip as it is now: a copy, which makes another tag of the same memory.
  public var chip: any VirtualChip { state.withLock { $0 } }

  /// The non-volatile memory; see ``VirtualChip/memory``.
  public var memory: [UInt8] {
    get { state.withLock { $0.memory } }
    set { state.withLock { $0.memory = newValue } }
  }

  /// Looks at the chip, or changes it, as a value of its own type; `nil` if it is of another type.
  public func withChip<Chip: VirtualChip, Result: Sendable>(
    _ type: Chip.Type, _ body: (inout Chip) throws -> Result
  ) rethrows -> Result? {
    try state.withLock { any in
      guard var chip = any as? Chip else { return nil }
      defer { any = chip }
      return try body(&chip)
    }
  }

  func withAnyChip<Result: Sendable>(_ body: (any VirtualChip) -> Result) -> Result {
    chip.withLock { body($0) }
  }

  func setPower(_ isOn: Bool) {
    state.withLock { isOn ? $0.powerOn() : $0.powerOff() }
  }

  func receive(_ frame: RadioFrame) -> RadioFrame? {
    state.withLock { $0.receive(frame) }
  }

  /// An answer, and how long the tag takes for it.
  struct TimedAnswer {
    var frame: RadioFrame
    var delay: Duration
  }

  /// Takes a frame when the carrier has been on for some time.
  func receive(_ frame: RadioFrame, at time: Duration) -> TimedAnswer? {
    state.withLock { chip in
      chip.carrierHasLasted(time)
      return chip.receive(frame).map {
        TimedAnswer(frame: $0, delay: chip.responseTime(to: frame, $0))
      }
    }
  }
}
