import Dispatch
import NFC
import SwiftNFCBackground
import ReaderThread
import Synchronization

/// One session on its reader, from opening it to letting go of it.
///
/// It runs on its own thread, and its waits on a dispatch queue: a program may block all threads of
/// Swift's pool while it waits for a completion handler.
///
/// Calls in this type may be blocked by a reader or a daemon that does not answer. When the session
/// has ended, its reader has a moment to be released; then the end is reported anyway, and the
/// blocked call continues alone.
final class SessionRun: Sendable {
  let commands: CommandQueue
  private let core: SessionCore
  private let request: SessionRequest
  private let environment: NFCEnvironment
  private let thread: ReaderThread
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let failure = Mutex<String?>(nil)
  private let session: SessionReference
  private let finish = Latch()
  /// The time limit for releasing a reader.
  private static let releaseTime = Duration.seconds(1)
  private let restarts = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  /// The search that the program has requested last, until it begins.
  private let requested = Mutex<Search?>(nil)

  private enum Search: Sendable {
    case asBegun
    case configured(NFCTagReaderSession.Configuration)
  }

  init(
    _ core: SessionCore, _ session: SessionReference, _ request: SessionRequest,
    _ environment: NFCEnvironment, thread: ReaderThread
  ) {
    self.core = core
    self.session = session
    self.request = request
    self.environment = environment
    self.thread = thread
    commands = CommandQueue(on: thread)
  }

  /// - Parameter before: the runs that must release the reader first.
  func start(after before: [SessionRun]) {
    present(
      .began(core.alertMessage) { [weak core] in
        core?.end(NFCReaderError(.readerSessionInvalidationErrorUserCanceled))
      })
    let limit = environment.limits.sessionDuration.map { duration in
      Pause.after(duration) { [weak core] in
        core?.end(NFCReaderError(.readerSessionInvalidationErrorSessionTimeout))
      }
    }
    let task = Task(executorPreference: thread) { [self] in
      for run in before { await run.finish.wait() }
      await serve()
      limit?.cancel()
      reportEnd()
    }
    self.task.withLock { $0 = task }
    // It was ended before it had a run, or before the run had a task.
    if !core.isActive { stop() }
  }

  /// Opens the readers, and has them until the session ends.
  private func serve() async {
    // Background reading yields to a session.
    let lease = environment.readers.areMachines ? ReaderLease.take() : nil
    defer { withExtendedLifetime(lease) {} }
    do {
      let readers = try await environment.readers.open(request.polling)
      do {
        if case .passes(let configurations) = request.purpose {
          try await readPasses(configurations, readers)
        } else {
          let tags = try search(request, readers)
          try await notify { $0.notifyActive() }
          try await find(tags, readers)
        }
      } catch {
        end(error)
      }
      await commands.drain()
      await readers.close()
    } catch {
      end(error)
    }
  }

  /// Begins a search, and tells the person what it leaves out.
  private func search(_ request: SessionRequest, _ readers: Readers) throws -> SessionTags {
    let tags = try SessionTags(readers, request, core) { [weak self] reader, _ in
      self?.present(.notice("the reader \(reader.name) was lost; the others continue"))
    }
    for notice in SessionTags.notices(readers, request) { present(.notice(notice)) }
    return tags
  }

  /// Reports the end of the session, unless that was done.
  private func reportEnd() {
    guard finish.open() else { return }
    restarts.continuation.finish()
    commands.abandon()
    present(.ended(core.alertMessage, failure: failure.withLock { $0 }))
    SessionRegistry.shared.remove(core)
    core.notifyInvalidated(session)
  }

  private func end(_ error: any Error) {
    core.end(NFCReaderError(sessionEnd: error))
  }

  /// - Parameter failure: shown to the person instead of the alert message.
  func cancel(failure: String?) {
    self.failure.withLock { $0 = failure }
    stop()
  }

  private func stop() {
    commands.cancel()
    task.withLock { $0 }?.cancel()
    _ = Pause.after(Self.releaseTime) { [weak self] in self?.reportEnd() }
  }

  /// Calls the delegate on the session's queue, and waits until it has returned. A delegate that blocks, or a queue
  /// that runs nothing, is not waited for when the session has ended: it must not keep the reader.
  ///
  /// - Throws: `CancellationError` if the session has ended before.
  private func notify<Answer: Sendable>(
    _ body: @escaping @Sendable (NFCReaderSession) -> Answer
  ) async throws -> Answer {
    let (answers, continuation) = AsyncStream<Answer>.makeStream()
    core.queue.async { [core, session] in
      if core.isActive { continuation.yield(body(session.session)) }
      continuation.finish()
    }
    var iterator = answers.makeAsyncIterator()
    // Nothing comes for a cancelled task, either.
    guard let answer = await iterator.next() else { throw CancellationError() }
    try Task.checkCancellation()
    return answer
  }

  /// - Parameter configuration: what to search for; `nil` for what the session began with.
  func restart(_ configuration: NFCTagReaderSession.Configuration?) {
    requested.withLock { $0 = configuration.map(Search.configured) ?? .asBegun }
    restarts.continuation.yield()
  }

  func present(_ moment: NFCPresentation) { environment.presenter.present(moment) }

  // MARK: Passes

  /// Continues until the session ends.
  private func readPasses(
    _ configurations: [PassConfiguration], _ readers: Readers
  ) async throws {
    let reading = PassSessionReading(configurations, readers)
    try reading.prepare()
    try await notify { $0.notifyActive() }
    var passedOver = Set<[UInt8]>()
    while true {
      let found = try await reading.phone(except: passedOver)
      guard let answers = try await reading.answers(of: found) else {
        // A card that is not a phone, or a phone that has left.
        passedOver = reading.otherCards
        try await Pause.sleep(SessionTags.pause)
        continue
      }
      try await notify { $0.notifyPasses(answers.map(NFCVASResponse.init)) }
      try await reading.waitUntilGone(found)
    }
  }

  // MARK: Finding tags

  /// Continues until the session ends.
  private func find(_ begun: SessionTags, _ readers: Readers) async throws {
    var signals = restarts.stream.makeAsyncIterator()
    var tags = begun
    var isConfigured = false
    while true {
      if let found = try await tags.next(unless: { [self] in requested.withLock { $0 != nil } }) {
        let objects = found.map(\.tag)
        core.found(objects)
        guard try await notify({ $0.notifyDetected(objects) }) else {
          try await readMessages(&tags, found)
          continue
        }
      }
      // Polling does not start until the program requests it.
      switch try await nextSearch(&signals) {
      case .configured(let configuration):
        // The request may have come just before the tags.
        core.found([])
        tags = try search(SessionRequest(.tags(configuration), environment), readers)
        isConfigured = true
      case .asBegun where isConfigured:
        tags = try search(request, readers)
        isConfigured = false
      case .asBegun: break
      }
    }
  }

  /// Waits for a request to search. A signal without one belongs to a search that has begun.
  private func nextSearch(
    _ signals: inout AsyncStream<Void>.Iterator
  ) async throws -> Search {
    while true {
      let search = requested.withLock { requested in
        defer { requested = nil }
        return requested
      }
      if let search { return search }
      guard await signals.next() != nil else { throw CancellationError() }
    }
  }

  /// Reads for a delegate without the method for tags, each tag once for as long as it stays.
  private func readMessages(
    _ tags: inout SessionTags, _ first: [SessionTags.Found]
  ) async throws {
    var found = first
    while true {
      for tag in found.filter(\.isNew).map(\.tag) {
        guard let message = try await read(tag) else {
          tags.forget(tag)
          continue
        }
        try await notify { $0.notifyMessages([NFCNDEFMessage(message)]) }
        if case .messages(invalidateAfterFirstRead: true) = request.purpose {
          throw NFCReaderError(.readerSessionInvalidationErrorFirstNDEFTagRead)
        }
      }
      try await Pause.sleep(SessionTags.pause)
      found = try await tags.inField()
    }
  }

  /// Returns `nil` for a tag without a message, or one that could not be read; it is tried again
  /// while it stays.
  private func read(_ tag: TagObject) async throws -> NDEFMessage? {
    do {
      try await tag.native.connect()
      return try await tag.native.readNDEF(.strict)
    } catch let error as NFCError where error.code != .readerLost {
      return nil
    }
  }
}
