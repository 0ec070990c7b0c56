import NFC

/// Runs a command that acts as a card.
enum Emulation {
  /// What the command does with a reader; it ends with the reader or when the task is cancelled.
  typealias Body = @Sendable (Reader, EmulationLog) async throws -> Void

  private static let isolation = "isolated:"

  /// Opens a reader that can be a card and runs `body` until enough taps have come, the time is over, or the command is
  /// interrupted.
  static func run(
    _ options: GlobalOptions, _ emulation: EmulationOptions, _ body: @escaping Body
  ) async throws {
    try await Output.whileRead {
      var isolated = options
      let name = try await readerName(options)
      if let name { isolated.readers = [isolatedName(name)] }
      try await naming(name) {
        try await Session.run(isolated) { session in
          guard let reader = session.group.all.first(where: { $0.capabilities.emulation != nil })
          else { throw cannotBeCard(session.group.first.connectionString) }
          let log = EmulationLog(
            reader: name ?? reader.connectionString, isJSON: options.json, taps: emulation.taps,
            reportsCommands: emulation.commands)
          do {
            try await serve(reader, log, options.timeout, body)
          } catch {
            try? await log.close()
            throw error
          }
          try await log.close()
        }
      }
    }
  }

  /// Names the reader in a failure as the command line does.
  private static func naming(
    _ name: String?, _ body: () async throws -> Void
  ) async throws {
    do {
      try await body()
    } catch var failure as Failure {
      if let name, !name.hasPrefix(isolation) {
        failure.reason = failure.reason.replacing(isolation + name, with: name)
        failure.advice = failure.advice?.replacing(isolation + name, with: name)
      }
      throw failure
    }
  }

  private static func serve(
    _ reader: Reader, _ log: EmulationLog, _ timeout: Duration?, _ body: @escaping Body
  ) async throws {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await body(reader, log)
        try Task.checkCancellation()
        return true
      }
      group.addTask {
        while try await !log.tick() { try await Task.sleep(for: EmulationLog.period) }
        return true
      }
      if let timeout {
        group.addTask {
          try await Task.sleep(for: timeout)
          guard await log.hasBeenActivated else {
            throw Failure(
              .notThere, "no reader has come within \(timeout.secondsText) seconds",
              advice: "hold a phone to the reader, or wait longer with --timeout")
          }
          return true
        }
      }
      defer { group.cancelAll() }
      _ = try await group.next()
    }
  }

  /// The connection string of the reader to use; `nil` for one that this process has itself.
  private static func readerName(_ options: GlobalOptions) async throws -> String? {
    guard !options.hasOwnReaders else { return nil }
    if let name = options.readers.first ?? Reader.nameInEnvironment {
      guard options.readers.count < 2 else {
        throw Failure(.usage, "one reader acts as a card", advice: "give --reader once")
      }
      return name
    }
    let attempts = try await ReaderSearch.open(naming: [])
    var found: [String] = []
    var name: String?
    for attempt in attempts {
      guard let reader = attempt.reader else { continue }
      found.append(reader.connectionString)
      if name == nil, reader.capabilities.emulation != nil { name = reader.connectionString }
      await reader.close()
    }
    if let name { return name }
    guard let first = found.first else {
      if let problem = attempts.compactMap(\.problem).first { throw Failure(problem) }
      throw Failure(try await ReaderSearch.noReaderFound())
    }
    throw cannotBeCard(first)
  }

  /// Puts libnfc into its own process, because libnfc ends the process that it runs in if a strange reader addresses
  /// nodes (1.8.0, `pn53x_transceive`). Without the program for that, it stays in this one.
  private static func isolatedName(_ name: String) -> String {
    let address = ReaderAddress(isolation + name)
    guard !name.hasPrefix(isolation), !name.hasPrefix("pcsc:"),
      ReaderSources.source(of: ReaderAddress(name)) != nil,
      ReaderSources.source(of: address) != nil,
      IsolatedReaders.areAvailable
    else { return name }
    return address.description
  }

  private static func cannotBeCard(_ name: String) -> Failure {
    Failure(
      .noReader, "the reader \(name) cannot act as a card",
      advice: "use a PN532, on a serial line, I2C or SPI; nfc readers says which can")
  }
}
