#if canImport(Glibc)
import Glibc
import Synchronization

/// The work of a virtual reader's thread: receives bytes, splits them into frames, runs the commands and
/// sends the answers.
struct VirtualReaderLoop {
  /// The state shared by the thread and the owner of the reader.
  final class Shared: Sendable {
    struct State {
      /// The terminal; `nil` after the line has been closed.
      var terminal: PseudoTerminal?
      var isClosing = false
      /// The faults that have not yet been passed to the chip.
      var faults: [Fault]?
      /// Whether the chip is about to lose its supply for a moment.
      var cyclesPower = false
      var statistics = VirtualReader.Statistics()
    }

    let state: Mutex<State>

    init(_ terminal: PseudoTerminal) {
      state = Mutex(State(terminal: terminal))
    }

    func close() {
      state.withLock {
        $0.isClosing = true
        $0.terminal?.wake()
      }
    }

    /// The command that is waiting may have its answer now.
    func wake() { state.withLock { $0.terminal?.wake() } }
  }

  private let shared: Shared
  private var chip: PN532Chip
  private var frames = PN532FrameReader()
  private var pending: PN532Chip.Pending?
  /// The faults of the command that is pending, which concern its answer.
  private var pendingEffects: [Fault.Effect] = []
  private let pace: VirtualReader.Pace
  private var trace: (@Sendable (TraceEvent) -> Void)?
  /// An answer that is sent before the next ACK.
  private var held: [UInt8] = []
  /// The last answer, which is sent again when the host requests it with NACK.
  private var lastReply: [UInt8] = []
  private var isLineClosed = false

  /// The interval at which the chip searches again for a target that a pending command waits for, unless it takes
  /// the time of a real one.
  private static let pendingPeriodMilliseconds: Int32 = 10
  /// The maximum variation of the delay before a reader begins to communicate with a tag.
  private static let longestBeginning = Duration.milliseconds(100)

  init(
    shared: Shared, chip: PN532Chip, pace: VirtualReader.Pace,
    trace: (@Sendable (TraceEvent) -> Void)?
  ) {
    self.shared = shared
    self.chip = chip
    self.pace = pace
    self.trace = trace
    self.chip.trace = trace
    let start = ContinuousClock.now
    self.chip.clock = {
      let time = start.duration(to: .now)
      return time - Self.longestBeginning * Int(time / Self.longestBeginning)
    }
  }

  mutating func run() {
    while !isLineClosed {
      let (terminal, isClosing) = shared.state.withLock { ($0.terminal, $0.isClosing) }
      guard let terminal, !isClosing else { break }
      let limit: Int32? =
        pending != nil
        ? pendingPeriodMilliseconds : frames.isWithinFrame ? Self.linePeriodMilliseconds : nil
      switch terminal.wait(milliseconds: limit, endsWhenHungUp: limit != nil) {
      case .woken:
        if pending != nil { proceed(terminal) }
      case .hungUp:
        // A frame that a terminated host has not completed must not swallow the next host's first bytes.
        // The chip continues with its command, but nobody waits for the answer.
        frames.abandon()
        if pending != nil { proceed(terminal) }
        sleep(milliseconds: Self.pendingPeriodMilliseconds)
      case .timeout:
        if pending != nil { proceed(terminal) }
      case .bytes(let bytes): take(bytes, terminal)
      }
    }
    chip.setCarrier(false)
    shared.state.withLock { $0.terminal = nil }
  }

  /// The time until the chip searches again for the target that the pending command waits for.
  private var pendingPeriodMilliseconds: Int32 {
    guard pace.contains(.air), let period = pending?.period else {
      return Self.pendingPeriodMilliseconds
    }
    // The search before has taken its part of the period.
    return Int32(max(0, (period - chip.airTime) / .milliseconds(1)))
  }

  /// The interval at which to check whether a program has exited in the middle of a frame.
  private static let linePeriodMilliseconds: Int32 = 100

  private mutating func take(_ bytes: [UInt8], _ terminal: PseudoTerminal) {
    cyclePower()
    // At a rate other than the chip's, bytes are noise. The ACK after SetSerialBaudRate may be read here
    // after its sender has changed the rate. A pseudo-terminal that is closed right after the ACK and
    // opened again at the new rate loses the ACK; a serial line does not.
    let rate = terminal.baudRate
    if let next = chip.nextBaudRate, rate == next { chip.hostAcknowledges() }
    let isReadable = chip.nextBaudRate != nil || rate.map { $0 == chip.baudRate } ?? true
    guard isReadable else { return frames.abandon() }
    pass(chip.baudRate, bytes.count)
    for event in frames.feed(chip.hear(bytes)) { handle(event, terminal) }
  }

  /// Sleeps while the bytes are on the line, if the line takes real time.
  private func pass(_ baudRate: Int, _ count: Int) {
    guard pace.contains(.line) else { return }
    sleep(.microseconds(count * 10 * 1_000_000 / baudRate))
  }

  private func sleep(_ time: Duration) {
    let parts = time.components
    usleep(UInt32(clamping: parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000))
  }

  private func sleep(milliseconds: Int32) { sleep(.milliseconds(milliseconds)) }

  private mutating func cyclePower() {
    let isCycled = shared.state.withLock { state in
      defer { state.cyclesPower = false }
      return state.cyclesPower
    }
    guard isCycled else { return }
    pending = nil
    frames.abandon()
    chip.powerUp()
  }

  private mutating func handle(_ event: PN532FrameReader.Event, _ terminal: PseudoTerminal) {
    switch event {
    case .damaged:
      break
    case .acknowledge:
      // The host aborts the running command (6.2.1.3, and 6.3.1.3 d).
      pending = nil
      if chip.target.isArmed { chip.target.leave() }
      chip.hostAcknowledges()
    case .negativeAcknowledge:
      if !lastReply.isEmpty { send(lastReply, terminal) }
    case .command(let command):
      pending = nil
      takeFaults()
      let effects = chip.faults.nextCommand(command)
      for case .commandBroken in effects { return }
      trace?(.command(command))
      if effects.contains(where: { if case .lineCloses = $0 { true } else { false } }) {
        isLineClosed = true
        return
      }
      guard !chip.faults.isSilent else {
        count()
        return
      }
      acknowledge(effects, terminal)
      if Self.suppliesFail(effects) {
        count()
        chip.powerUp()
        return
      }
      // Until there is an answer to this command, there is none to repeat.
      lastReply = []
      chip.airTime = .zero
      chip.isInterrupted = { terminal.receives(within: .zero) }
      let outcome = chip.execute(command)
      guard !isAborted(terminal) else { return count() }
      switch outcome {
      case .reply(let data): reply(data, effects, terminal)
      case .syntaxError:
        trace?(.reply([]))
        lastReply = PN532Frame.fixed(PN532Frame.error, hasAmble: chip.sendsAmble)
        count()
        send(lastReply, terminal)
      case .pending(let waiting):
        (pending, pendingEffects) = (waiting, effects)
        count()
      }
    }
  }

  private mutating func acknowledge(_ effects: [Fault.Effect], _ terminal: PseudoTerminal) {
    if !held.isEmpty { send(held, terminal) }
    held = []
    var times = 1
    for effect in effects {
      switch effect {
      case .acknowledgeLost: times = 0
      case .acknowledgeDoubled: times = 2
      case .acknowledgeLate(let time): sleep(time)
      default: break
      }
    }
    for _ in 0..<times {
      send(PN532Frame.fixed(PN532Frame.acknowledge, hasAmble: chip.sendsAmble), terminal)
    }
  }

  private static func suppliesFail(_ effects: [Fault.Effect]) -> Bool {
    effects.contains { if case .supplyFails = $0 { true } else { false } }
  }

  private mutating func proceed(_ terminal: PseudoTerminal) {
    guard var waiting = pending else { return }
    chip.airTime = .zero
    let data = chip.proceed(&waiting)
    guard !isAborted(terminal) else { return pending = nil }
    pending = data == nil ? waiting : nil
    if let data { reply(data, pendingEffects, terminal) }
  }

  private mutating func reply(
    _ data: [UInt8], _ effects: [Fault.Effect], _ terminal: PseudoTerminal
  ) {
    trace?(.reply(data))
    var frame = PN532Frame.encode(
      [PN532Frame.chipToHost] + data, hasAmble: chip.sendsAmble)
    lastReply = frame
    // The count comes before the answer, so that a program that has received the answer sees it.
    count()
    for effect in effects {
      switch effect {
      case .replyLost: return
      case .replyBroken: frame[frame.count - 2] ^= 0xFF
      case .replyReplaced(let bytes): frame = bytes
      case .replyContentReplaced(let content):
        frame = PN532Frame.encode(content, hasAmble: chip.sendsAmble)
      case .replyByteLost(let place) where frame.indices.contains(place): frame.remove(at: place)
      case .replyByteAdded(let byte, let place) where place <= frame.count && place >= 0:
        frame.insert(byte, at: place)
      case .replyHeld:
        held = frame
        return
      default: break
      }
    }
    send(frame, terminal)
  }

  private func send(_ bytes: [UInt8], _ terminal: PseudoTerminal) {
    pass(chip.baudRate, bytes.count)
    terminal.send(bytes)
  }

  /// Waits while frames are on the air, if they take real time. A host that sends something meanwhile aborts the
  /// command (6.2.1.3): there is no answer to it.
  private func isAborted(_ terminal: PseudoTerminal) -> Bool {
    pace.contains(.air) && terminal.receives(within: chip.airTime)
  }

  private mutating func takeFaults() {
    shared.state.withLock { state in
      guard let faults = state.faults else { return }
      chip.faults.faults = faults
      state.faults = nil
    }
  }

  private func count() {
    shared.state.withLock { state in
      guard state.faults == nil else { return }
      state.statistics.commands = chip.faults.commands
      state.statistics.exchanges = chip.faults.exchanges
    }
  }
}
#endif
