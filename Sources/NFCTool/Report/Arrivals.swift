import Synchronization

/// The tags that have arrived at several readers, each of which reports its own.
///
/// A reader that reports the last tag ends the polling of all readers, and with it what they are still asking the tags
/// that they report. Therefore, it waits until they have finished.
final class Arrivals: Sendable {
  private struct State {
    var count = 0
    /// The number of tags that are being reported.
    var unfinished = 0
    /// Whether no more tags are reported.
    var isClosed: Bool
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>
  /// The number of tags to report, or `nil` for all.
  private let limit: Int?

  /// - Parameter limit: the number of tags to report, or `nil` for all.
  init(upTo limit: Int?) {
    self.limit = limit
    state = Mutex(State(isClosed: limit == 0))
  }

  /// The number of tags that have been reported.
  var count: Int { state.withLock(\.count) }

  /// Counts a tag and reports it, unless enough tags have arrived. May be called for several tags at the same time.
  ///
  /// - Parameter body: asks the tag what is reported of it, and prints that.
  /// - Returns: whether to report more tags; if not, all reports have ended.
  func report(_ body: () async throws -> Void) async throws -> Bool {
    let isReported = state.withLock { state in
      guard !state.isClosed else { return false }
      state.count += 1
      state.unfinished += 1
      if state.count == limit { state.isClosed = true }
      return true
    }
    if isReported {
      defer { finishOne() }
      try await body()
    }
    guard state.withLock(\.isClosed) else { return true }
    await finish()
    return false
  }

  /// Reports no more tags, and waits until the reports that have begun have ended.
  func close() async {
    state.withLock { $0.isClosed = true }
    await finish()
  }

  private func finishOne() {
    let waiting = state.withLock { state in
      state.unfinished -= 1
      guard state.unfinished == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  private func finish() async {
    await withCheckedContinuation { continuation in
      let isFinished = state.withLock { state in
        if state.unfinished > 0 { state.waiting.append(continuation) }
        return state.unfinished == 0
      }
      if isFinished { continuation.resume() }
    }
  }
}
