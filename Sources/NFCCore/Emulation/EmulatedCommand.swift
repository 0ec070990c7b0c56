import Synchronization

/// A command of another reader to the card that this reader acts as. It is answered once, by
/// ``respond(with:)``; one that is dropped is answered 6F00.
public final class EmulatedCommand: Sendable {
  /// The bytes of the command, usually an APDU of ISO/IEC 7816-4. There may be any number, also none.
  public let bytes: [UInt8]

  private let exchange: EmulationExchange

  init(_ bytes: [UInt8], _ exchange: EmulationExchange) {
    self.bytes = bytes
    self.exchange = exchange
  }

  deinit { exchange.give(up: "the command was dropped") }

  /// Sends the answer, and returns once it has been sent.
  ///
  /// - Parameter answer: data and status word.
  /// - Throws: ``NFCError/Code/invalidParameter`` for an answer without a status word, or a second one;
  ///   ``NFCError/Code/commandTooLong`` for one that is longer than the reader can send; the command is still open
  ///   after both. ``NFCError/Code/tagConnectionLost`` if the other side has left, or it is too late.
  public func respond(with answer: [UInt8]) async throws {
    try await exchange.respond(with: answer)
  }
}

/// The open command of a session, between what answers it and the reader's loop.
final class EmulationExchange: Sendable {
  private struct State {
    var answer: [UInt8]?
    /// Waits until the answer was sent.
    var sender: CheckedContinuation<Void, any Error>?
    /// Waits for the answer.
    var receiver: CheckedContinuation<[UInt8], Never>?
    /// Why no answer is accepted any more.
    var ending: NFCError?
  }

  private let state = Mutex(State())
  private let longest: Int

  /// - Parameter longest: the maximum length of an answer.
  init(longest: Int) { self.longest = longest }

  func respond(with answer: [UInt8]) async throws {
    guard answer.count >= 2 else {
      throw NFCError(.invalidParameter, "an answer ends in a status word of two bytes")
    }
    guard answer.count <= longest else {
      throw NFCError(
        .commandTooLong,
        "an answer has at most \(longest) bytes on this reader, not \(answer.count)")
    }
    try await withCheckedThrowingContinuation { continuation in
      let (error, receiver) = state.withLock { state in
        if let ending = state.ending {
          return (ending as NFCError?, nil as CheckedContinuation<[UInt8], Never>?)
        }
        guard state.answer == nil else {
          return (NFCError(.invalidParameter, "the command has been answered"), nil)
        }
        state.answer = answer
        state.sender = continuation
        defer { state.receiver = nil }
        return (nil, state.receiver)
      }
      if let error { continuation.resume(throwing: error) }
      receiver?.resume(returning: answer)
    }
  }

  /// Waits for the answer; after this time, it is 6F00.
  func answer(within limit: Duration) async -> [UInt8] {
    let timer = Task {
      try? await Task.sleep(for: limit)
      if !Task.isCancelled { give(up: "the answer came too late") }
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state in
          if let answer = state.answer { return answer as [UInt8]? }
          if state.ending != nil { return EmulationConfiguration.noAnswer }
          state.receiver = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      give(up: "the card has ended")
    }
  }

  /// Answers 6F00, unless there is an answer.
  func give(up reason: String) {
    let receiver = state.withLock { state in
      guard state.answer == nil, state.ending == nil else {
        return nil as CheckedContinuation<[UInt8], Never>?
      }
      state.ending = NFCError(.tagConnectionLost, reason)
      defer { state.receiver = nil }
      return state.receiver
    }
    receiver?.resume(returning: EmulationConfiguration.noAnswer)
  }

  func sent() { end(nil) }
  func released() { end(NFCError(.tagConnectionLost, "the other side has left")) }

  private func end(_ error: NFCError?) {
    let sender = state.withLock { state in
      state.ending =
        state.ending ?? error ?? NFCError(.invalidParameter, "the command has been answered")
      defer { state.sender = nil }
      return state.sender
    }
    if let error { sender?.resume(throwing: error) } else { sender?.resume() }
  }
}
