import Synchronization

/// Stands for the one part of a program that makes a reader act as a card.
final class EmulationToken: Sendable {
  private let stopped = Mutex(false)

  /// Whether it has been asked to end, so that the reader can be used for something else.
  var isStopped: Bool { stopped.withLock { $0 } }
  func stop() { stopped.withLock { $0 = true } }
}

extension Reader {
  /// Makes sure that an operation does not disturb a reader that acts as a card: it is refused, unless the card is
  /// about to end anyway; then it ends now.
  func leaveEmulation(for operation: Operation) throws {
    guard let emulation, operation.emulation !== emulation else { return }
    guard emulation.isStopped else {
      throw NFCError(
        .readerUnavailable, "the reader acts as a card; end that before you use it otherwise")
    }
    try end(emulation)
  }

  fileprivate func begin(_ token: EmulationToken) throws {
    guard capabilities.emulation != nil else {
      throw NFCError(
        .unsupported, "the reader \(name) cannot act as a card; a PN532 can",
        cause: .unsupportedByReader)
    }
    emulation = token
    // Tags that were found before are lost: there is no carrier any more.
    connected = nil
    epoch += 1
  }

  fileprivate func end(_ token: EmulationToken) throws {
    guard emulation === token else { return }
    emulation = nil
    // Its carrier was off, and tags have started again.
    fieldState = .used
    try driver.endEmulation()
  }
}

/// What answers the commands of one reader after the other.
protocol EmulationResponder: Sendable {
  /// A session begins.
  func activated()
  /// Returns the answer to a command.
  func answer(to command: [UInt8]) async throws -> [UInt8]
  /// The last answer was sent. Called on the reader's thread.
  func sent()
  /// The session has ended; an answer that is under way was not sent.
  func released(_ release: EmulationRelease)
}

/// Arms a reader as a card, passes the commands to a responder, and arms again after each session.
struct EmulationLoop<Responder: EmulationResponder>: Sendable {
  let reader: Reader
  let configuration: EmulationConfiguration
  let responder: Responder
  let token: EmulationToken

  /// The time in which the commands that arm a reader have certainly reached it.
  private let armingTime = Duration.milliseconds(150)
  /// A reader that is silent is noticed when this has passed, and the card is armed again.
  private let wait = Duration.seconds(5)
  /// How often a reader may fail within ``lossPeriod`` before it counts as lost.
  private let maximumLosses = 5
  private let lossPeriod = Duration.seconds(10)

  /// Runs until the task is cancelled.
  ///
  /// - Throws: ``NFCError/Code/unsupported``, ``NFCError/Code/readerUnavailable``, ``NFCError/Code/readerLost``;
  ///   `CancellationError`.
  func run() async throws {
    let outcome: Result<Void, any Error>
    do {
      try await reader.perform { [token] reader, _ in try reader.begin(token) }
      try await serveAll()
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    token.stop()
    // Also if the task was cancelled: the reader must look for tags as before.
    let (reader, token) = (reader, token)
    _ = await Task.detached {
      try? await reader.perform(for: token) { reader, _ in try reader.end(token) }
    }.value
    try outcome.get()
  }

  private func serveAll() async throws {
    var losses: [ContinuousClock.Instant] = []
    var isReady = false
    while true {
      try Task.checkCancellation()
      // The driver returns only when something has come: the reader is armed a moment before.
      let notice =
        isReady
        ? nil
        : Task { [armingTime, onReady = configuration.onReady] in
          try await Task.sleep(for: armingTime)
          onReady?()
        }
      defer { notice?.cancel() }
      do {
        let isActivated = try await step {
          try $0.waitForActivation(as: configuration.identity, timeout: wait)
        }
        if let notice {
          if isActivated, !isReady {
            notice.cancel()
            // It has come before the moment was over, unless it has.
            if case .failure = await notice.result { configuration.onReady?() }
          }
          isReady = true
        }
        if isActivated { try await serve() }
      } catch let error as NFCError {
        guard [.readerLost, .readerUnavailable].contains(error.code) else { throw error }
        losses = losses.filter { .now - $0 < lossPeriod } + [.now]
        guard losses.count < maximumLosses else { throw lost(error) }
        try await recover(error)
      }
    }
  }

  /// Reaches a reader again that has failed; its process may have ended, or a plug may have been loose.
  private func recover(_ error: NFCError) async throws {
    do {
      try await reader.perform(for: token) { reader, _ in
        guard reader.canReconnect else { throw error }
        try reader.reconnect()
      }
    } catch is NFCError {
      throw lost(error)
    }
  }

  private func lost(_ error: NFCError) -> NFCError {
    NFCError(.readerLost, error.reason, cause: error.cause)
  }

  private func step<Result: Sendable>(
    _ body: @Sendable (any ReaderDriver) throws -> Result
  ) async throws -> Result {
    try await reader.perform(for: token) { reader, _ in try body(reader.driver) }
  }

  /// Serves one session.
  private func serve() async throws {
    responder.activated()
    do {
      responder.released(try await session())
    } catch {
      responder.released(.reader)
      throw error
    }
  }

  private func session() async throws -> EmulationRelease {
    var count = 0
    var applications = configuration.applications
    applications.activate()
    var reception = try await step { try $0.receiveCommand(timeout: wait) }
    while true {
      switch reception {
      case .released(let release): return release
      case .nothing: reception = try await step { try $0.receiveCommand(timeout: wait) }
      case .command(let command):
        count += 1
        guard count <= configuration.maximumCommands else { return .reader }
        let answer: [UInt8]
        let isDelivered: Bool
        switch applications.decide(command) {
        case .deliver: (answer, isDelivered) = (try await responder.answer(to: command), true)
        case .answer(let bytes, _): (answer, isDelivered) = (bytes, false)
        }
        reception = try await step { [responder] driver in
          if let release = try driver.answerCommand(answer) { return .released(release) }
          if isDelivered { responder.sent() }
          return try driver.receiveCommand(timeout: wait)
        }
      }
    }
  }
}
