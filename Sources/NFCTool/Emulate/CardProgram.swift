import NFC
import Synchronization

/// A program that answers the commands to a card, line by line.
protocol CardProgram: Sendable {
  /// A session begins.
  ///
  /// - Throws: ``Failure`` `program` if the program ends again and again.
  func begin(_ uid: [UInt8]) async throws
  /// Returns the answer to a command; 6F00 if none comes in time.
  func answer(to command: [UInt8], within limit: Duration) async -> [UInt8]
  /// The session has ended.
  func end(_ release: EmulationRelease)
  func stop() async
}

/// The questions to a program and the lines that it answers with.
final class LineQuestions: Sendable {
  private struct State {
    var waiting: CheckedContinuation<String?, Never>?
    /// The number of questions whose answers did not come in time, and are dropped when they come.
    var late = 0
    var isEnded = false
  }

  private let state = Mutex(State())

  /// Asks a question by `send`, and waits for the next line.
  func ask(within limit: Duration, _ send: () -> Void) async -> String? {
    let timer = Task {
      try? await Task.sleep(for: limit)
      if !Task.isCancelled { self.giveUp() }
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isEnded = state.withLock { state in
          if !state.isEnded { state.waiting = continuation }
          return state.isEnded
        }
        if isEnded { continuation.resume(returning: nil) } else { send() }
      }
    } onCancel: {
      giveUp()
    }
  }

  private func giveUp() {
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      if state.waiting != nil { state.late += 1 }
      return state.waiting
    }
    waiting?.resume(returning: nil)
  }

  /// A line has come.
  func take(_ line: String) {
    let waiting = state.withLock { state -> CheckedContinuation<String?, Never>? in
      guard state.late == 0 else {
        state.late -= 1
        return nil
      }
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: line)
  }

  /// No more lines come.
  func end() {
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      state.isEnded = true
      return state.waiting
    }
    waiting?.resume(returning: nil)
  }

  static let noAnswer: [UInt8] = [0x6F, 0x00]

  /// Returns the bytes of an answer; 6F00 if it is none, or longer than one command of the reader carries.
  static func answer(_ line: String?) -> [UInt8] {
    guard let line, let bytes = [UInt8](hexadecimal: line.filter { !$0.isWhitespace }),
      (2...258).contains(bytes.count)
    else { return noAnswer }
    return bytes
  }
}

/// A program that this one starts, and starts again if it has ended.
final class ExecutedCard: CardProgram {
  private struct State {
    var running: Process?
    var ends: [ContinuousClock.Instant] = []
  }

  /// The program while it runs.
  private final class Process: Sendable {
    let lines: LineProcess
    let questions = LineQuestions()
    private let ended = Mutex(false)

    init(_ lines: LineProcess) {
      self.lines = lines
      Task { [questions, weak self] in
        for await line in lines.lines { questions.take(line) }
        self?.ended.withLock { $0 = true }
        questions.end()
      }
    }

    var hasEnded: Bool { ended.withLock { $0 } }
  }

  private static let (maximumEnds, period) = (3, Duration.seconds(10))

  private let command: String
  private let state = Mutex(State())

  init(_ command: String) throws {
    self.command = command
    try start()
  }

  private func start() throws {
    do {
      let process = Process(try LineProcess(program: "/bin/sh", arguments: ["-c", command]))
      state.withLock { $0.running = process }
    } catch {
      throw Failure(.program, "the program cannot be started: \(error)")
    }
  }

  func begin(_ uid: [UInt8]) async throws {
    if state.withLock({ $0.running?.hasEnded ?? true }) {
      let count = state.withLock { state in
        state.ends = state.ends.filter { .now - $0 < Self.period } + [.now]
        return state.ends.count
      }
      guard count < Self.maximumEnds else {
        throw Failure(
          .program, "the program has ended \(count) times in 10 seconds",
          advice: "it must read commands until its standard input ends")
      }
      try start()
    }
    state.withLock { $0.running }?.lines.write("+ " + uid.hexadecimal)
  }

  func answer(to command: [UInt8], within limit: Duration) async -> [UInt8] {
    guard let running = state.withLock({ $0.running }) else { return LineQuestions.noAnswer }
    return LineQuestions.answer(
      await running.questions.ask(within: limit) { running.lines.write(command.hexadecimal) })
  }

  func end(_ release: EmulationRelease) {
    state.withLock { $0.running }?.lines.write("- " + release.rawValue)
  }

  func stop() async {
    await state.withLock { $0.running }?.lines.stop(grace: .milliseconds(100))
  }
}
