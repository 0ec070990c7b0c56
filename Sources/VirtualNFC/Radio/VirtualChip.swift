/// The behaviour of a tag's chip: a value that takes frames and gives frames.
///
/// A chip does no I/O, starts nothing and reads no clock, so that it can be copied, compared and
/// tested without a reader. It behaves as the silicon does: it is silent where the silicon is
/// silent, and it keeps what is in its memory when the field goes.
public protocol VirtualChip: Sendable {
  /// The chip's name as `nfc --virtual` takes it, for instance `ntag216`.
  var name: String { get }

  /// The UID, IDm, PUPI or serial number, in the order in which readers print it.
  var identifier: [UInt8] { get }

  /// The air interface that the chip answers on.
  var modulation: RadioFrame.Modulation { get }

  /// The non-volatile memory as one run of bytes, in the order in which a dump of it is kept; empty
  /// for a chip without one. Setting it is what a programming machine does: no lock forbids it, and
  /// a value of another size is cut or leaves the rest as it was.
  var memory: [UInt8] { get set }

  /// What is final on the chip now, by bits that no command clears: lock bits, one-time bits, counters and the
  /// like. ``VirtualTag`` compares it before and after each frame. Chips without any need not have it.
  var irreversibleState: IrreversibleState { get }

  /// The carrier was switched on: the chip starts from its power-on state.
  mutating func powerOn()

  /// The carrier has gone: everything but the memory is forgotten.
  mutating func powerOff()

  /// Reports how long the carrier has been on. Called before each frame, for chips in which something takes time.
  mutating func carrierHasLasted(_ time: Duration)

  /// Takes one frame and gives the answer, `nil` for silence.
  mutating func receive(_ frame: RadioFrame) -> RadioFrame?

  /// How long after the end of a request the answer to it begins. A reader that waits for less has no
  /// answer.
  func responseTime(to request: RadioFrame, _ answer: RadioFrame) -> Duration
}

extension VirtualChip {
  public var irreversibleState: IrreversibleState { IrreversibleState() }

  public mutating func powerOn() {}

  public mutating func carrierHasLasted(_ time: Duration) {}

  /// What real tags of the same kind need for such a command.
  public func responseTime(to request: RadioFrame, _ answer: RadioFrame) -> Duration {
    RadioTiming.responseTime(to: request, answer)
  }
}
