/// The behavior of a tag's chip: a value that receives and returns frames.
///
/// A chip does no I/O, starts nothing and reads no clock, so that it can be copied, compared and
/// tested without a reader. It behaves like the silicon: it is silent when the silicon is silent,
/// and its memory persists when the field disappears.
public protocol VirtualChip: Sendable {
  /// The chip's name for `nfc --virtual`, for instance `ntag216`.
  var name: String { get }

  /// The UID, IDm, PUPI or serial number, in the order in which readers print it.
  var identifier: [UInt8] { get }

  /// The air interface that the chip answers on.
  var modulation: RadioFrame.Modulation { get }

  /// The non-volatile memory as one sequence of bytes, in the order of a dump; empty for a chip
  /// without memory. Setting it acts like a programming machine: no lock prevents it; a longer
  /// value is cut off, and a shorter one leaves the rest unchanged.
  var memory: [UInt8] { get set }

  /// The irreversible state of the chip: lock bits, one-time bits, counters and the like, which no
  /// command clears. ``VirtualTag`` compares it before and after each frame. Chips without
  /// irreversible state need not implement it.
  var irreversibleState: IrreversibleState { get }

  /// Whether the chip answers no search: in privacy mode, or after it was destroyed. A reader that finds
  /// tags itself does not see it. Chips without such a state need not implement it.
  var isHidden: Bool { get }

  /// Switches the carrier on: the chip starts from its power-on state.
  mutating func powerOn()

  /// Switches the carrier off: everything except the memory is lost.
  mutating func powerOff()

  /// Reports the time for which the carrier has been on. Called before each frame, for chips whose
  /// behavior depends on time.
  mutating func carrierHasLasted(_ time: Duration)

  /// Receives one frame and returns the answer, `nil` for silence.
  mutating func receive(_ frame: RadioFrame) -> RadioFrame?

  /// Returns the time from the end of a request to the beginning of its answer. A reader that waits
  /// for less receives no answer.
  func responseTime(to request: RadioFrame, _ answer: RadioFrame) -> Duration
}

extension VirtualChip {
  public var irreversibleState: IrreversibleState { IrreversibleState() }

  public var isHidden: Bool { false }

  public mutating func powerOn() {}

  public mutating func carrierHasLasted(_ time: Duration) {}

  /// Returns the time that real tags of the same kind need for such a command.
  public func responseTime(to request: RadioFrame, _ answer: RadioFrame) -> Duration {
    RadioTiming.responseTime(to: request, answer)
  }
}
