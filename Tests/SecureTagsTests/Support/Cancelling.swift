/// Runs `body` in a task that is cancelled after this number of yields.
func cancelling(after yields: Int, _ body: @escaping @Sendable () async throws -> Void) async {
  let task = Task { try await body() }
  for _ in 0..<yields { await Task.yield() }
  task.cancel()
  _ = await task.result
}
