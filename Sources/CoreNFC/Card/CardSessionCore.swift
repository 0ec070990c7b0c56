import NFC
import Synchronization

/// The state of a card session, and its reader.
final class CardSessionCore: Sendable {
  private struct State {
    var isEmulating = false
    var hasStarted = false
    var ending: CardSession.Error?
    var alertMessage = ""
    /// The loop that acts as a card.
    var task: Task<Void, Never>?
    var limit: Pause.Cancellation?
    /// Whether ``CardSession/Event/readerDetected`` was not followed by its end yet.
    var isReaderThere = false
  }

  /// The one session that has a reader.
  private static let isTaken = Mutex(false)

  let events = CardEventQueue()
  private let state = Mutex(State())
  private let readers: Readers
  private let reader: Reader
  private let environment: NFCEnvironment
  private let filter: ApplicationFilter
  private let isExclusive: Bool

  /// A command waits this long until the program has started to emulate and answered; the chip asks the reader for time
  /// meanwhile, and does not say that the reader has gone.
  private static let answerLimit = Duration.seconds(10)
  private static let pause = Duration.milliseconds(5)

  private init(_ readers: Readers, _ reader: Reader, _ environment: NFCEnvironment) {
    self.readers = readers
    self.reader = reader
    self.environment = environment
    filter = ApplicationFilter(
      environment.information.cardApplicationPrefixes ?? [], matchesPrefixes: true)
    isExclusive = environment.limits.allowsOneSession
  }

  // MARK: Beginning

  static func open(_ environment: NFCEnvironment) async throws(CardSession.Error) -> CardSessionCore
  {
    let isExclusive = environment.limits.allowsOneSession
    if isExclusive {
      let isFree = isTaken.withLock { isTaken in
        defer { isTaken = true }
        return !isTaken
      }
      guard isFree else { throw .systemNotAvailable }
    }
    guard let (readers, reader) = await cardReader(environment) else {
      if isExclusive { isTaken.withLock { $0 = false } }
      throw .systemNotAvailable
    }
    let core = CardSessionCore(readers, reader, environment)
    core.events.post(.sessionStarted)
    core.arm()
    return core
  }

  private static func cardReader(_ environment: NFCEnvironment) async -> (Readers, Reader)? {
    guard let readers = try? await environment.readers.open(.iso14443) else { return nil }
    if let reader = readers.all.first(where: { $0.capabilities.emulation != nil }) {
      return (readers, reader)
    }
    await readers.close()
    return nil
  }

  static func isEligible(_ environment: NFCEnvironment) async -> Bool {
    if isTaken.withLock({ $0 }) { return true }
    guard let (readers, _) = await cardReader(environment) else { return false }
    await readers.close()
    return true
  }

  // MARK: The program

  var isEmulating: Bool { state.withLock { $0.isEmulating } }

  var alertMessage: String {
    get { state.withLock { $0.alertMessage } }
    set { state.withLock { $0.alertMessage = newValue } }
  }

  func start() throws(CardSession.Error) {
    let (ending, isFirst, isArmed) = state.withLock {
      state -> (CardSession.Error?, Bool, Bool) in
      guard state.ending == nil, !state.isEmulating else { return (state.ending, false, true) }
      state.isEmulating = true
      return (nil, true, state.task != nil)
    }
    if let ending { throw ending }
    guard isFirst else { return }
    if !isArmed { arm() }
    environment.presenter.present(
      .began(alertMessage) { [weak self] in self?.end(.userInvalidated) })
    guard let duration = environment.limits.sessionDuration else { return }
    let limit = Pause.after(duration) { [weak self] in self?.end(.maxSessionDurationReached) }
    state.withLock { $0.limit = limit }
  }

  func stop(_ status: CardSession.EmulationUIStatus) async {
    let (task, wasEmulating) = halt()
    await task?.value
    guard wasEmulating else { return }
    environment.presenter.present(
      .ended(alertMessage, failure: status == .failure ? "emulation has failed" : nil))
  }

  /// Stops to act as a card.
  @discardableResult
  private func halt() -> (task: Task<Void, Never>?, wasEmulating: Bool) {
    let (task, limit, wasEmulating) = state.withLock { state in
      defer {
        state.isEmulating = false
        (state.task, state.limit) = (nil, nil)
      }
      return (state.task, state.limit, state.isEmulating)
    }
    limit?.cancel()
    task?.cancel()
    return (task, wasEmulating)
  }

  /// Ends the session. The first reason counts.
  func end(_ reason: CardSession.Error) {
    let isFirst = state.withLock { state in
      defer { state.ending = state.ending ?? reason }
      return state.ending == nil
    }
    guard isFirst else { return }
    let (task, wasEmulating) = halt()
    if wasEmulating {
      environment.presenter.present(
        .ended(alertMessage, failure: reason == .invalidated ? nil : "\(reason)"))
    }
    let (events, readers, isExclusive) = (events, readers, isExclusive)
    Task {
      await task?.value
      await readers.close()
      if isExclusive { Self.isTaken.withLock { $0 = false } }
      events.finish(reason)
    }
  }

  // MARK: The reader

  private func arm() {
    let configuration: EmulationConfiguration = {
      var configuration = EmulationConfiguration(identity: .random)
      configuration.answerLimit = Self.answerLimit
      return configuration
    }()
    let task = Task { [weak self, reader] in
      do {
        for try await session in reader.emulate(configuration) {
          guard let self else { return }
          await self.serve(session)
        }
      } catch is CancellationError {
      } catch {
        self?.end(.systemNotAvailable)
      }
    }
    let isUnwanted = state.withLock { state in
      if state.ending == nil { state.task = task }
      return state.ending != nil
    }
    if isUnwanted { task.cancel() }
  }

  private func serve(_ session: EmulationSession) async {
    events.post(.readerDetected)
    state.withLock { $0.isReaderThere = true }
    var filter = filter
    for await command in session.commands {
      await waitForStart(whileOpen: session)
      guard !Task.isCancelled, session.release == nil else { continue }
      switch filter.decide(command.bytes) {
      case .deliver:
        state.withLock { $0.isReaderThere = true }
        events.post(
          .received(CardSession.APDU(command) { [weak self] in self?.halt() }))
      case .answer(let answer, let leaves):
        try? await command.respond(with: answer)
        if leaves { readerLeft() }
      }
    }
    readerLeft()
  }

  private func readerLeft() {
    let wasThere = state.withLock { state in
      defer { state.isReaderThere = false }
      return state.isReaderThere
    }
    if wasThere { events.post(.readerDeselected) }
  }

  /// Waits until the program starts emulation, or the reader has gone: a program may start only when it has seen a
  /// reader, and the chip asks the reader for time meanwhile.
  private func waitForStart(whileOpen session: EmulationSession) async {
    while session.release == nil, state.withLock({ !$0.isEmulating && $0.ending == nil }) {
      do { try await Task.sleep(for: Self.pause) } catch { return }
    }
  }
}
