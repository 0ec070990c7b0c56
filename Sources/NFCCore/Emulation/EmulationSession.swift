import Synchronization

/// One activation of the card that a reader acts as, until the other side deselects it or takes its field away.
///
/// A phone deselects a card and comes back several times during one tap: each time is a session of its own.
public final class EmulationSession: Sendable {
  /// The commands, in order; ends with the session.
  public let commands: AsyncStream<EmulatedCommand>

  private let continuation: AsyncStream<EmulatedCommand>.Continuation
  private let ending = Mutex<EmulationRelease?>(nil)

  /// How the session has ended; `nil` while it lasts.
  public var release: EmulationRelease? { ending.withLock { $0 } }

  init() { (commands, continuation) = AsyncStream.makeStream() }

  func deliver(_ command: EmulatedCommand) { continuation.yield(command) }

  func end(_ release: EmulationRelease) {
    ending.withLock { $0 = release }
    continuation.finish()
  }
}

/// The sessions of a reader that acts as a card; see ``Reader/emulate(_:)``. It can be iterated once.
public struct EmulationSessions: AsyncSequence, Sendable {
  let reader: Reader
  let configuration: EmulationConfiguration

  /// Iterates over the sessions. The reader acts as a card until the iteration ends.
  public final class Iterator: AsyncIteratorProtocol {
    private let run: EmulationRun<EmulationSession>

    init(_ sessions: EmulationSessions) {
      let (reader, configuration) = (sessions.reader, sessions.configuration)
      run = EmulationRun(reader, keeping: .bufferingOldest(EmulationSessions.longestQueue)) { _ in
        configuration
      } responder: { sessions in
        SessionResponder(
          sessions, limit: configuration.answerLimit,
          longest: reader.capabilities.emulation?.maximumAnswerLength ?? 0)
      }
    }

    /// Returns the next session, as soon as it begins.
    ///
    /// - Throws: ``NFCError/Code/readerLost``; ``NFCError/Code/unsupported`` if the reader cannot act as a card.
    public func next() async throws -> EmulationSession? { try await run.next() }
  }

  /// Sessions that nobody takes are answered 6F00; no more than this many are kept.
  fileprivate static let longestQueue = 64

  public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension Reader {
  /// Acts as a card of ISO/IEC 14443-4 type A, until the iteration ends or its task is cancelled.
  ///
  /// ```swift
  /// for try await session in reader.emulate(try EmulationConfiguration(aids: ["F001020304"])) {
  ///   for await command in session.commands {
  ///     try await command.respond(with: [0x90, 0x00])
  ///   }
  /// }
  /// ```
  ///
  /// The reader arms itself again at once after each session, and looks for no tags meanwhile: other calls throw
  /// ``NFCError/Code/readerUnavailable``. A reader of a stranger can end the process that drives this one (libnfc 1.8.0
  /// ends it if the reader uses node addresses): open it with `isolated:` in front of its connection string.
  ///
  /// The iteration throws ``NFCError/Code/unsupported`` for a reader that cannot act as a card, and
  /// ``NFCError/Code/readerLost``.
  public nonisolated func emulate(_ configuration: EmulationConfiguration) -> EmulationSessions {
    EmulationSessions(reader: self, configuration: configuration)
  }
}

/// Passes sessions and commands to whoever iterates over them.
final class SessionResponder: EmulationResponder {
  private struct State {
    var session: EmulationSession?
    var exchange: EmulationExchange?
  }

  private let state = Mutex(State())
  private let sessions: AsyncThrowingStream<EmulationSession, any Error>.Continuation
  private let limit: Duration
  private let longest: Int

  init(
    _ sessions: AsyncThrowingStream<EmulationSession, any Error>.Continuation, limit: Duration,
    longest: Int
  ) {
    self.sessions = sessions
    self.limit = limit
    self.longest = longest
  }

  func activated() {
    let session = EmulationSession()
    state.withLock { $0.session = session }
    sessions.yield(session)
  }

  func answer(to command: [UInt8]) async throws -> [UInt8] {
    let exchange = EmulationExchange(longest: longest)
    let session = state.withLock { state in
      state.exchange = exchange
      return state.session
    }
    session?.deliver(EmulatedCommand(command, exchange))
    let answer = await exchange.answer(within: limit)
    try Task.checkCancellation()
    return answer
  }

  func sent() {
    let exchange = state.withLock { state in
      defer { state.exchange = nil }
      return state.exchange
    }
    exchange?.sent()
  }

  func released(_ release: EmulationRelease) {
    let state = state.withLock { state in
      defer { state = State() }
      return state
    }
    state.exchange?.released()
    state.session?.end(release)
  }
}
