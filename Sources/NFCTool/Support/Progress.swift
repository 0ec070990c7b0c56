import NFC

/// What a person at a terminal sees while a command waits or works; nothing anywhere else.
enum Progress {
  private static let second = Duration.seconds(1)
  /// A tag that is there is found within this time, and nobody has to be asked for it.
  private static let patience = Duration.milliseconds(300)

  /// Shows how many seconds `body` has taken, from the first on.
  static func during<Result: Sendable>(
    _ text: String, _ body: () async throws -> Result
  ) async throws -> Result {
    try await showing(
      {
        var seconds = 0
        while true {
          try await Task.sleep(for: second)
          seconds += 1
          Terminal.show("\(text)… \(seconds) s")
        }
      }, body)
  }

  /// Asks for a tag while `body` waits for it, and shows how many seconds are left.
  ///
  /// - Parameter tag: with its article.
  static func asking<Result: Sendable>(
    for tag: String, within time: Duration, _ body: () async throws -> Result
  ) async throws -> Result {
    try await showing(
      {
        let clock = ContinuousClock()
        let deadline = clock.now + time
        try await Task.sleep(for: patience)
        while true {
          let seconds = max(.zero, deadline - clock.now).components.seconds
          Terminal.show("Hold \(tag) to the reader… \(seconds) s")
          try await Task.sleep(for: second)
        }
      }, body)
  }

  private static func showing<Result: Sendable>(
    _ status: @escaping @Sendable () async throws -> Void, _ body: () async throws -> Result
  ) async throws -> Result {
    guard Terminal.hasStatus else { return try await body() }
    let ticker = Task { try await status() }
    do {
      let result = try await body()
      await end(ticker)
      return result
    } catch {
      await end(ticker)
      throw error
    }
  }

  /// Nothing is shown any more when it returns.
  private static func end(_ ticker: Task<Void, any Error>) async {
    ticker.cancel()
    _ = await ticker.result
    Terminal.clearStatus()
  }
}
