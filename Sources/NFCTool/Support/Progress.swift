import NFC

/// Says what takes longer than a second, on a terminal.
enum Progress {
  private static let patience = Duration.seconds(1)

  static func during<Result: Sendable>(
    _ text: String, _ body: () async throws -> Result
  ) async throws -> Result {
    guard Terminal.hasStatus else { return try await body() }
    let ticker = Task {
      var seconds = 0
      while !Task.isCancelled {
        try await Task.sleep(for: patience)
        seconds += 1
        Terminal.show("\(text)… \(seconds) s")
      }
    }
    defer {
      ticker.cancel()
      Terminal.clearStatus()
    }
    return try await body()
  }
}
