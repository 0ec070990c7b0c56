import Synchronization

/// A tag for a ``VirtualField``: a chip that several threads can use.
///
/// A tag is an object, not a value: like a real one, it keeps what a reader has written to it when
/// it leaves the field and returns.
public final class VirtualTag: Sendable {
  private struct State {
    var chip: any VirtualChip
    /// The irreversible state after the last frame; `nil` if the memory has been set directly since then.
    var known: IrreversibleState?
    var changes: [IrreversibleChange] = []
    var allowed: Set<IrreversibleChange.Kind> = []
    var unexpected: [IrreversibleChange] = []

    /// The number of bits of REQA and WUPA.
    private static let shortFrame = 7

    /// Passes a frame to the chip and records the irreversible changes that it causes.
    mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
      // A short frame only requests an answer (ISO/IEC 14443-3, 6.1.5.1) and changes nothing, and a
      // search sends many of them.
      guard frame.bitCount != Self.shortFrame else { return chip.receive(frame) }
      let before = known ?? chip.irreversibleState
      let answer = chip.receive(frame)
      let after = chip.irreversibleState
      let new = after.changes(since: before)
      changes += new
      unexpected += new.filter { !allowed.contains($0.kind) }
      known = after
      return answer
    }
  }

  private let state: Mutex<State>

  /// The chip's name for `nfc --virtual`, for instance `ntag216`.
  public let name: String

  /// The UID, IDm, PUPI or serial number, in the order in which readers print it.
  public let identifier: [UInt8]

  /// The air interface that the tag answers on.
  public let modulation: RadioFrame.Modulation

  /// Creates a tag with this chip, in its current state.
  public init(_ chip: some VirtualChip) {
    name = chip.name
    identifier = chip.identifier
    modulation = chip.modulation
    state = Mutex(State(chip: chip))
  }

  /// The current state of the chip: a copy, which can be used to create another tag with the same
  /// memory.
  public var chip: any VirtualChip { state.withLock { $0.chip } }

  /// The non-volatile memory; see ``VirtualChip/memory``.
  public var memory: [UInt8] {
    get { state.withLock { $0.chip.memory } }
    set {
      state.withLock {
        $0.chip.memory = newValue
        $0.known = nil
      }
    }
  }

  /// All irreversible changes that readers have made with commands, in order: lock bits, one-time
  /// bits, counters, frozen settings. Changes through ``memory`` or ``withChip(_:_:)`` are not
  /// included, because no command makes them.
  ///
  /// A test of a procedure that must not change anything irreversibly checks this at its end:
  ///
  /// ```swift
  /// try await tag.ndef?.writeNDEF(message)
  /// #expect(virtualTag.irreversibleChanges.isEmpty)
  /// ```
  public var irreversibleChanges: [IrreversibleChange] { state.withLock { $0.changes } }

  /// The irreversible changes that a procedure may make from now on, because its caller has
  /// requested them by name; none at first.
  public var allowedChanges: Set<IrreversibleChange.Kind> {
    get { state.withLock { $0.allowed } }
    set { state.withLock { $0.allowed = newValue } }
  }

  /// The ``irreversibleChanges`` except those whose kind was in ``allowedChanges`` when they were
  /// made.
  public var unexpectedChanges: [IrreversibleChange] { state.withLock { $0.unexpected } }

  /// Empties ``irreversibleChanges`` and ``unexpectedChanges``, for instance between two parts of a
  /// test. The state of the chip does not change.
  public func forgetIrreversibleChanges() {
    state.withLock {
      $0.changes = []
      $0.unexpected = []
    }
  }

  /// Accesses the chip as its own value type, to read or change it; `nil` if it is of another type.
  public func withChip<Chip: VirtualChip, Result: Sendable>(
    _ type: Chip.Type, _ body: (inout Chip) throws -> Result
  ) rethrows -> Result? {
    try state.withLock { state in
      guard var chip = state.chip as? Chip else { return nil }
      defer {
        state.chip = chip
        state.known = nil
      }
      return try body(&chip)
    }
  }

  /// Whether the tag answers no search; see ``VirtualChip/isHidden``.
  var isHidden: Bool { state.withLock { $0.chip.isHidden } }

  func withAnyChip<Result: Sendable>(_ body: (any VirtualChip) -> Result) -> Result {
    state.withLock { body($0.chip) }
  }

  func setPower(_ isOn: Bool) {
    state.withLock { isOn ? $0.chip.powerOn() : $0.chip.powerOff() }
  }

  func receive(_ frame: RadioFrame) -> RadioFrame? {
    state.withLock { $0.receive(frame) }
  }

  /// An answer, and the time that the tag needs for it.
  struct TimedAnswer {
    var frame: RadioFrame
    var delay: Duration
  }

  /// Receives a frame after the carrier has been on for this time.
  func receive(_ frame: RadioFrame, at time: Duration) -> TimedAnswer? {
    state.withLock { state in
      state.chip.carrierHasLasted(time)
      return state.receive(frame).map {
        TimedAnswer(frame: $0, delay: state.chip.responseTime(to: frame, $0))
      }
    }
  }
}
