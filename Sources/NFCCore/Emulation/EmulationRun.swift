/// A reader that acts as a card, and what happens to it, as long as this value is referenced.
final class EmulationRun<Element: Sendable> {
  typealias Continuation = AsyncThrowingStream<Element, any Error>.Continuation

  private var elements: AsyncThrowingStream<Element, any Error>.AsyncIterator
  private let task: Task<Void, Never>
  private let token = EmulationToken()

  /// - Parameters:
  ///   - limit: how many elements are kept for whoever iterates.
  ///   - configuration: how the reader acts as a card.
  ///   - responder: answers the commands and passes on what happens.
  init(
    _ reader: Reader, keeping limit: Continuation.BufferingPolicy = .unbounded,
    _ configuration: (Continuation) -> EmulationConfiguration,
    responder: (Continuation) -> some EmulationResponder
  ) {
    let (stream, continuation) = AsyncThrowingStream<Element, any Error>.makeStream(
      bufferingPolicy: limit)
    elements = stream.makeAsyncIterator()
    let loop = EmulationLoop(
      reader: reader, configuration: configuration(continuation),
      responder: responder(continuation), token: token)
    task = Task {
      do {
        try await loop.run()
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
  }

  deinit {
    token.stop()
    task.cancel()
  }

  func next() async throws -> Element? {
    try await withTaskCancellationHandler {
      try await elements.next()
    } onCancel: { [token, task] in
      token.stop()
      task.cancel()
    }
  }
}
