#if canImport(Glibc)
import Synchronization

/// What a virtual reader's thread does: bytes in, frames cut, commands run, answers out.
struct VirtualReaderLoop {
  /// What the thread and the owner of the reader both see.
  final class Shared: Sendable {
    struct State {
      /// `nil` once the line is closed.
      var terminal: PseudoTerminal?
      var isClosing = false
      /// New faults that the chip has not seen yet.
      var faults: [Fault]?
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
  }

  private let shared: Shared
  private var chip: PN532Chip
  private var frames = PN532FrameReader()
  private var pending: PN532Chip.Pending?
  private var trace: (@Sendable (TraceEvent) -> Void)?
  /// Sent again when the host asks by NACK.
  private var lastReply: [UInt8] = []
  private var isLineClosed = false

  /// A host that pauses longer than this within a frame has died; no byte of it is waited for.
  private static let longestPauseMilliseconds: Int32 = 100
  /// The chip looks again for a target that a waiting command wants.
  private static let pendingPeriodMilliseconds: Int32 = 10

  init(shared: Shared, field: VirtualField, trace: (@Sendable (TraceEvent) -> Void)?) {
    self.shared = shared
    self.trace = trace
    chip = PN532Chip(field: field)
    chip.trace = trace
  }

  mutating func run() {
    while !isLineClosed {
      let (terminal, isClosing) = shared.state.withLock { ($0.terminal, $0.isClosing) }
      guard let terminal, !isClosing else { break }
      let limit: Int32? =
        pending != nil
        ? Self.pendingPeriodMilliseconds
        : frames.isWithinFrame ? Self.longestPauseMilliseconds : nil
      switch terminal.wait(milliseconds: limit, endsWhenHungUp: limit != nil) {
      case .woken: continue
      case .hungUp:
        // The host has died. What it began must not swallow the next one's first bytes, and nobody
        // waits for an answer.
        frames.abandon()
        pending = nil
      case .timeout:
        if pending == nil {
          frames.abandon()
        } else {
          proceed(terminal)
        }
      case .bytes(let bytes):
        for event in frames.feed(bytes) { handle(event, terminal) }
      }
    }
    chip.setCarrier(false)
    shared.state.withLock { $0.terminal = nil }
  }

  private mutating func handle(_ event: PN532FrameReader.Event, _ terminal: PseudoTerminal) {
    switch event {
    case .damaged:
      break
    case .acknowledge:
      // The host gives up the running command (6.2.1.3, and 6.3.1.3 d).
      pending = nil
    case .negativeAcknowledge:
      if !lastReply.isEmpty { terminal.send(lastReply) }
    case .command(let command):
      pending = nil
      takeFaults()
      let effects = chip.faults.nextCommand()
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
      terminal.send(PN532Frame.acknowledge)
      switch chip.execute(command) {
      case .reply(let data): reply(data, effects, terminal)
      case .syntaxError:
        trace?(.reply([]))
        lastReply = PN532Frame.error
        count()
        terminal.send(PN532Frame.error)
      case .pending(let waiting):
        pending = waiting
        count()
      }
    }
  }

  private mutating func proceed(_ terminal: PseudoTerminal) {
    guard var waiting = pending else { return }
    let data = chip.proceed(&waiting)
    pending = data == nil ? waiting : nil
    if let data { reply(data, [], terminal) }
  }

  private mutating func reply(
    _ data: [UInt8], _ effects: [Fault.Effect], _ terminal: PseudoTerminal
  ) {
    trace?(.reply(data))
    var frame = PN532Frame.encode([PN532Frame.chipToHost] + data)
    lastReply = frame
    // Before the answer, so that a program that has it sees the count.
    count()
    for effect in effects {
      switch effect {
      case .replyLost: return
      case .replyBroken: frame[frame.count - 2] ^= 0xFF
      case .replyReplaced(let bytes): frame = bytes
      default: break
      }
    }
    terminal.send(frame)
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
