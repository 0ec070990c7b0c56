import Dispatch
import NFC
import ReaderThread
import Synchronization

/// One session on its reader, from opening it to letting go of it.
///
/// It runs on a thread of its own, and its waits on a dispatch queue: a program may block all threads of
/// Swift's pool while it waits for a completion handler.
final class SessionRun: Sendable {
  let commands: CommandQueue
  private let core: SessionCore
  private let request: SessionRequest
  private let environment: NFCEnvironment
  private let thread: ReaderThread
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let failure = Mutex<String?>(nil)
  private let restarts = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

  init(
    _ core: SessionCore, _ request: SessionRequest, _ environment: NFCEnvironment,
    thread: ReaderThread
  ) {
    self.core = core
    self.request = request
    self.environment = environment
    self.thread = thread
    commands = CommandQueue(on: thread)
  }

  /// - Parameters:
  ///   - session: kept alive until its end has been told.
  ///   - before: what has to have let go of the reader first.
  func start(_ session: SessionReference, after before: [SessionRun]) {
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
      for run in before { await run.finished() }
      await serve(session)
      limit?.cancel()
      finish(session)
    }
    self.task.withLock { $0 = task }
    if !core.isActive { task.cancel() }
  }

  /// Opens the readers, and has them until the session ends.
  private func serve(_ session: SessionReference) async {
    do {
      let readers = try await SessionReaders(environment.readers, request)
      do {
        for notice in readers.notices { present(.notice(notice)) }
        await session.tell(on: core.queue) { $0.tellActive() }
        try await find(readers, session)
      } catch {
        end(error)
      }
      await commands.drain()
      await readers.close()
    } catch {
      end(error)
    }
  }

  private func finish(_ session: SessionReference) {
    restarts.continuation.finish()
    present(.ended(core.alertMessage, failure: failure.withLock { $0 }))
    SessionRegistry.shared.remove(core)
    core.tellEnd(session)
  }

  private func end(_ error: any Error) {
    core.end(NFCReaderError(sessionEnd: error))
  }

  private func finished() async { await task.withLock { $0 }?.value }

  /// - Parameter failure: what the person is told instead of the alert message.
  func cancel(failure: String?) {
    self.failure.withLock { $0 = failure }
    commands.cancel()
    task.withLock { $0 }?.cancel()
  }

  func restart() { restarts.continuation.yield() }

  func present(_ moment: NFCPresentation) { environment.presenter.present(moment) }

  // MARK: Finding tags

  /// Goes on until the session ends.
  private func find(_ readers: SessionReaders, _ session: SessionReference) async throws {
    var signals = restarts.stream.makeAsyncIterator()
    while true {
      let tags = try await readers.nextTags(core)
      core.found(tags)
      if await session.tell(on: core.queue, { $0.tell(tags) }) {
        // Nothing is polled for until the program asks for it.
        guard await signals.next() != nil else { throw CancellationError() }
      } else {
        try await readMessages(readers, tags, session)
      }
    }
  }

  /// Reads for a delegate that takes no tags, each tag once for as long as it stays.
  private func readMessages(
    _ readers: SessionReaders, _ tags: [TagObject], _ session: SessionReference
  ) async throws {
    var presence = TagPresence()
    var tags = tags
    while true {
      for tag in presence.arrivals(among: tags) {
        guard let message = try await read(tag) else {
          presence.forget(tag)
          continue
        }
        await session.tell(on: core.queue) { $0.tell([NFCNDEFMessage(message)]) }
        if case .messages(invalidateAfterFirstRead: true) = request.purpose {
          throw NFCReaderError(.readerSessionInvalidationErrorFirstNDEFTagRead)
        }
      }
      try await Pause.sleep(SessionReaders.pause)
      tags = try await readers.tags(core)
    }
  }

  /// `nil` for a tag without a message, or one that could not be read; it is tried again while it stays.
  private func read(_ tag: TagObject) async throws -> NDEFMessage? {
    do {
      try await tag.native.connect()
      return try await tag.native.readNDEF()
    } catch let error as NFCError where error.code != .readerLost {
      return nil
    }
  }
}

extension SessionReference {
  /// Tells the session something on its queue, and waits until it has been told.
  func tell<Answer: Sendable>(
    on queue: DispatchQueue, _ body: @escaping @Sendable (NFCReaderSession) -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body(self.session)) }
    }
  }
}
