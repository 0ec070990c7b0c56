import Dispatch
import Foundation
import NFC
import ReaderThread
import Synchronization

/// The work of a session from its beginning to its end.
///
/// It holds its session only from ``begin(_:)`` to the end. Everything that it reports to the program it
/// reports on the session's queue; the reader runs elsewhere.
///
/// ```
///   program            NFCReaderSession ── the delegate's methods, on the queue
///      │ begin, invalidate, connect       ▲
///      ▼                                  │ notify…
///   SessionCore ── SessionState           │  what may happen now: a value
///      │ start, cancel, restart           │
///      ▼                                  │
///   SessionRun ───────────────────────────┘  the session's life, on a thread of its own
///      │              └─ CommandQueue        the program's commands, one after the other
///      ▼
///   SessionTags ── TagRecognition            finds tags, and makes them the program's
/// ```
///
/// The program uses the core, from any thread: the core decides based on its state and delegates.
/// The run does what takes time. The run ends the session through the core, ``end(_:message:)``,
/// like the program, and is cancelled by that; then it releases the readers and reports the end.
final class SessionCore: Sendable {
  enum Purpose: Sendable {
    case tags(NFCTagReaderSession.Configuration)
    case messages(invalidateAfterFirstRead: Bool)
    case passes([PassConfiguration])
  }

  let purpose: Purpose
  let queue: DispatchQueue
  private let state = Mutex(SessionState())
  private let message = Mutex("")
  private let run = Mutex<SessionRun?>(nil)
  private let reference = WeakSession()
  /// When the connected tag answered last.
  private let lastAnswer = Mutex<ContinuousClock.Instant?>(nil)

  init(purpose: Purpose, queue: DispatchQueue) {
    self.purpose = purpose
    self.queue = queue
  }

  /// Unchecked because a weak reference changes only automatically, under a lock of the runtime.
  private final class WeakSession: @unchecked Sendable {
    private let lock = NSLock()
    private weak var stored: NFCReaderSession?
    var session: NFCReaderSession? {
      get { lock.withLock { stored } }
      set { lock.withLock { stored = newValue } }
    }
  }

  var session: NFCReaderSession? { reference.session }
  var isActive: Bool { state.withLock { $0.isActive } }
  var connectedTag: TagObject? { state.withLock { $0.connected } }

  var alertMessage: String {
    get { message.withLock { $0 } }
    set {
      message.withLock { $0 = newValue }
      if isActive { run.withLock { $0 }?.present(.message(newValue)) }
    }
  }

  // MARK: Beginning and end

  func begin(_ session: NFCReaderSession) {
    guard state.withLock({ $0.begin() }) else { return }
    reference.session = session
    let environment = NFCEnvironment.current
    let kept = SessionReference(session)
    do {
      let request = try SessionRequest(purpose, environment)
      guard
        let before = SessionRegistry.shared.admit(
          self, session, exclusively: environment.limits.allowsOneSession)
      else { throw NFCReaderError(.readerSessionInvalidationErrorSystemIsBusy) }
      let run = SessionRun(self, kept, request, environment, thread: try ReaderThread.forReader())
      self.run.withLock { $0 = run }
      // Another thread has ended it meanwhile: the run finds out at its first step.
      run.start(after: before.compactMap { $0.run.withLock { $0 } })
    } catch {
      SessionRegistry.shared.remove(self)
      let reason = NFCReaderError(sessionEnd: error)
      _ = state.withLock { $0.end(reason) }
      environment.presenter.present(.ended(alertMessage, failure: reason.userFacingReason))
      notifyInvalidated(kept)
    }
  }

  func invalidate(_ session: NFCReaderSession, message: String?) {
    let wasActive = isActive
    guard end(.init(.readerSessionInvalidationErrorUserCanceled), message: message) else { return }
    if !wasActive { notifyInvalidated(SessionReference(session)) }
  }

  /// Ends the session; says whether it had not ended before.
  @discardableResult func end(_ reason: NFCReaderError, message: String? = nil) -> Bool {
    guard state.withLock({ $0.end(reason) }) else { return false }
    run.withLock { $0 }?.cancel(failure: message ?? reason.userFacingReason)
    return true
  }

  /// The last thing that a session does.
  func notifyInvalidated(_ kept: SessionReference) {
    guard let reason = state.withLock({ $0.finish() }) else { return }
    run.withLock { $0 = nil }
    queue.async { kept.session.notifyInvalidated(reason) }
  }

  // MARK: Tags

  func found(_ tags: [TagObject]) { state.withLock { $0.found(tags) } }

  /// - Parameter configuration: what to search for this time, also if nothing was found so far.
  func restartPolling(_ configuration: NFCTagReaderSession.Configuration? = nil) {
    guard state.withLock({ $0.restart(always: configuration != nil) }) else { return }
    run.withLock { $0 }?.restart(configuration)
  }

  func isReachable(_ tag: TagObject) -> Bool { state.withLock { $0.isReachable(tag) } }
  func isConnected(_ tag: TagObject) -> Bool { state.withLock { $0.isConnected(tag) } }

  /// Makes sure that commands are sent to a tag.
  ///
  /// Apple's documentation requires `connect(to:)`. An iPhone does not for a card that it has found by an application,
  /// and programs rely on that; for a MIFARE tag, its error is "Tag is not connected". For other tags nothing is known:
  /// as with a card, the first command connects if the session is not connected to any tag.
  func requireConnection(to tag: TagObject) async throws {
    let (connected, isReachable) = state.withLock { ($0.connected, $0.isReachable(tag)) }
    guard isReachable else { throw NFCReaderError(.readerTransceiveErrorTagConnectionLost) }
    if connected === tag { return }
    guard connected == nil, !tag.requiresConnection else {
      throw NFCReaderError(.readerTransceiveErrorTagNotConnected)
    }
    try await establishConnection(to: tag)
  }

  private func establishConnection(to tag: TagObject) async throws {
    state.withLock { $0.disconnect() }
    do {
      try await tag.native.connect()
      try await tag.prepare()
      guard state.withLock({ $0.connect(tag) }) else {
        throw NFCReaderError(.readerTransceiveErrorTagConnectionLost)
      }
      noteAnswer()
    } catch {
      throw noting(NFCReaderError(error), of: tag)
    }
  }

  // MARK: Presence

  /// For so long an answer counts for the presence of its tag.
  private static let answerLifetime = Duration.milliseconds(250)
  /// The time that a presence check, or the command before it, may block its caller. While a
  /// command is running, the tag is assumed to be present.
  private static let presencePatience = DispatchTimeInterval.milliseconds(500)

  /// The connected tag has answered.
  func noteAnswer() { lastAnswer.withLock { $0 = .now } }

  private var hasAnsweredLately: Bool {
    lastAnswer.withLock { $0 }.map { ContinuousClock.now - $0 < Self.answerLifetime } ?? false
  }

  /// Returns whether a tag is connected and in the field: asks it, unless it has just answered.
  /// Blocks meanwhile.
  func isAvailable(_ tag: TagObject) -> Bool {
    guard isConnected(tag), let run = run.withLock({ $0 }) else { return false }
    if hasAnsweredLately { return true }
    let end = DispatchSemaphore(value: 0)
    let check = CommandQueue.Command { [self] in
      await checkPresence(of: tag)
      end.signal()
    } abandon: {
      end.signal()
    }
    run.commands.add(check)
    _ = end.wait(timeout: .now() + Self.presencePatience)
    return isConnected(tag)
  }

  private func checkPresence(of tag: TagObject) async {
    // The command before it may have said so.
    guard isConnected(tag), !hasAnsweredLately else { return }
    do {
      if try await tag.native.isPresent() {
        noteAnswer()
      } else {
        state.withLock { $0.lose(tag) }
      }
    } catch let error as NFCError {
      // Without its reader, or from the reader's point of view, the tag is no longer connected.
      if [.tagConnectionLost, .readerLost, .tagNotConnected].contains(error.code) {
        state.withLock { $0.lose(tag) }
      }
    } catch {
      // Cancelled: the session has ended.
    }
  }

  /// Records what a failure says about the tag.
  func noting(_ error: NFCReaderError, of tag: TagObject) -> NFCReaderError {
    if error.isTagLoss { state.withLock { $0.lose(tag) } }
    return error
  }

  func connect(_ tag: Any, _ completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    guard let tag = tag as? TagObject, tag.core === self else {
      return complete { completionHandler(NFCReaderError(.readerErrorInvalidParameter)) }
    }
    submit({ completionHandler($0.failure) }) { [self] in
      guard isReachable(tag) else {
        throw NFCReaderError(.readerTransceiveErrorTagConnectionLost)
      }
      if connectedTag === tag { return }
      try await establishConnection(to: tag)
    }
  }

  // MARK: Commands

  /// Runs a command after all those before it, and completes it on the session's queue.
  func submit<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
    _ operation: @escaping @Sendable () async throws -> Value
  ) {
    let ended = NFCReaderError(.readerTransceiveErrorSessionInvalidated)
    let completion = Completion<Value> { [self] result in complete { completion(result) } }
    guard let run = run.withLock({ $0 }) else { return completion.complete(.failure(ended)) }
    let command = CommandQueue.Command { [self] in
      guard isActive else { return completion.complete(.failure(ended)) }
      do {
        completion.complete(.success(try await operation()))
      } catch {
        completion.complete(.failure(isActive ? error : ended))
      }
    } abandon: {
      completion.complete(.failure(ended))
    }
    run.commands.add(command)
  }

  private func complete(_ completion: @escaping @Sendable () -> Void) {
    queue.async(execute: completion)
  }
}
