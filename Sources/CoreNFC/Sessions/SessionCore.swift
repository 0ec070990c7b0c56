import Dispatch
import Foundation
import NFC
import ReaderThread
import Synchronization

/// What a session does from its beginning to its end.
///
/// It holds its session only from ``begin(_:)`` to the end. All that it tells the program it tells on
/// the session's queue; the reader runs elsewhere.
final class SessionCore: Sendable {
  enum Purpose: Sendable {
    case tags(NFCTagReaderSession.PollingOption)
    case messages(invalidateAfterFirstRead: Bool)
    /// What needs a service that Apple alone has.
    case unsupported(String)
  }

  let purpose: Purpose
  let queue: DispatchQueue
  private let state = Mutex(SessionState())
  private let message = Mutex("")
  private let run = Mutex<SessionRun?>(nil)
  private let reference = WeakSession()

  init(purpose: Purpose, queue: DispatchQueue) {
    self.purpose = purpose
    self.queue = queue
  }

  /// Unchecked because a weak reference changes by itself only, and does so under a lock of the runtime.
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
      let run = SessionRun(self, request, environment, thread: try ReaderThread())
      self.run.withLock { $0 = run }
      // Ended meanwhile, by another thread: the run finds out at its first step.
      run.start(kept, after: before.compactMap { $0.run.withLock { $0 } })
    } catch {
      SessionRegistry.shared.remove(self)
      let reason = NFCReaderError(sessionEnd: error)
      _ = state.withLock { $0.end(reason) }
      environment.presenter.present(.ended(alertMessage, failure: reason.told))
      tellEnd(kept)
    }
  }

  func invalidate(_ session: NFCReaderSession, message: String?) {
    let wasActive = isActive
    guard end(.init(.readerSessionInvalidationErrorUserCanceled), message: message) else { return }
    if !wasActive { tellEnd(SessionReference(session)) }
  }

  /// Ends the session; says whether it had not ended before.
  @discardableResult func end(_ reason: NFCReaderError, message: String? = nil) -> Bool {
    guard state.withLock({ $0.end(reason) }) else { return false }
    run.withLock { $0 }?.cancel(failure: message ?? reason.told)
    return true
  }

  /// The last thing that a session does.
  func tellEnd(_ kept: SessionReference) {
    guard let reason = state.withLock({ $0.finish() }) else { return }
    run.withLock { $0 = nil }
    queue.async { kept.session.tellEnd(reason) }
  }

  // MARK: Tags

  func found(_ tags: [TagObject]) { state.withLock { $0.found(tags) } }

  func restartPolling() {
    guard state.withLock({ $0.restart() }) else { return }
    run.withLock { $0 }?.restart()
  }

  func isAvailable(_ tag: TagObject) -> Bool { state.withLock { $0.isAvailable(tag) } }

  func checkConnected(_ tag: TagObject) throws {
    let (connected, isAvailable) = state.withLock { ($0.connected, $0.isAvailable(tag)) }
    guard isAvailable else { throw NFCReaderError(.readerTransceiveErrorTagConnectionLost) }
    guard connected === tag else { throw NFCReaderError(.readerTransceiveErrorTagNotConnected) }
  }

  /// Keeps in mind what a failure says of the tag.
  func noting(_ error: NFCReaderError, of tag: TagObject) -> NFCReaderError {
    if error.code == .readerTransceiveErrorTagConnectionLost { state.withLock { $0.lose(tag) } }
    return error
  }

  func connect(_ tag: Any, _ completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    guard let tag = tag as? TagObject, tag.core === self else {
      return complete { completionHandler(NFCReaderError(.readerErrorInvalidParameter)) }
    }
    submit({ completionHandler($0.failure) }) { [self] in
      guard isAvailable(tag) else {
        throw NFCReaderError(.readerTransceiveErrorTagConnectionLost)
      }
      if connectedTag === tag { return }
      do {
        try await tag.native.connect()
        try await tag.prepare()
        state.withLock { $0.connect(tag) }
      } catch {
        throw noting(NFCReaderError(error), of: tag)
      }
    }
  }

  // MARK: Commands

  /// Runs a command after all those before it, and completes it on the session's queue.
  func submit<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, any Error>) -> Void,
    _ operation: @escaping @Sendable () async throws -> Value
  ) {
    let ended = NFCReaderError(.readerTransceiveErrorSessionInvalidated)
    guard let run = run.withLock({ $0 }) else { return complete { completion(.failure(ended)) } }
    run.commands.add { [self] in
      guard isActive else { return complete { completion(.failure(ended)) } }
      do {
        let value = try await operation()
        complete { completion(.success(value)) }
      } catch {
        let error = isActive ? error : ended
        complete { completion(.failure(error)) }
      }
    }
  }

  private func complete(_ completion: @escaping @Sendable () -> Void) {
    queue.async(execute: completion)
  }
}
