import NFC

/// Shows on a terminal the progress of a command that waits or works. Nothing is shown if there is no
/// terminal.
enum Progress {
  private static let second = Duration.seconds(1)
  /// The time within which a tag that is already in the field is found, so that no prompt is needed.
  private static let patience = Duration.milliseconds(300)

  /// Runs `body`, and shows its duration in seconds after the first second.
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

  /// Prompts for a tag while `body` waits for it, and shows the remaining seconds.
  ///
  /// - Parameter tag: the description of the tag, with its article.
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

  /// Ends the display. Nothing is shown after it returns.
  private static func end(_ ticker: Task<Void, any Error>) async {
    ticker.cancel()
    _ = await ticker.result
    Terminal.clearStatus()
  }
}
