import SwiftNFCCore

/// The calls of one reader of a recording, and the position of the playback.
struct ReplayScript {
  /// The answer to a call.
  enum Answer {
    case outcome(RecordedCall.Outcome)
    /// The recording has no such call at this position.
    case mismatch(ReplayReader.Mismatch)
    /// The recording of this reader ends here.
    case end(ReplayReader.Mismatch)
  }

  private struct Step {
    let line: Int
    let call: RecordedCall
  }

  private let steps: [Step]
  private let order: ReplayReader.Order
  private let lastLine: Int
  private var position = 0
  /// The position of the searches that found nothing and were answered last.
  private var idleStart: Int?

  init(_ recording: Recording, reader: Int, order: ReplayReader.Order) {
    steps = recording.entries.compactMap { entry in
      guard case .call(let call) = entry.line, call.reader == reader else { return nil }
      return Step(line: entry.number, call: call)
    }
    self.order = order
    lastLine = recording.entries.last?.number ?? 1
  }

  /// The line of the last answered call.
  var line: Int { position > 0 ? steps[position - 1].line : lastLine }

  /// Returns the recorded outcome of a call.
  ///
  /// - Parameters:
  ///   - shown: the request in the form that an error may show.
  ///   - elapsed: the time since the playback started.
  mutating func answer(
    _ request: RecordedCall.Request, shown: RecordedCall.Request, after elapsed: Duration
  ) -> Answer {
    switch order {
    case .recorded: inOrder(request, shown, elapsed)
    case .any: byLookup(request, shown)
    }
  }

  /// Returns the recorded capabilities of the reader for a tag, if they were recorded at this
  /// position.
  mutating func capabilities(for identifier: [UInt8]) -> ReaderCapabilities? {
    var found: ReaderCapabilities?
    while position < steps.count, case .capabilities(let other) = steps[position].call.request {
      if other == identifier, case .capabilities(let limits) = steps[position].call.outcome {
        found = limits
      }
      position += 1
    }
    guard found == nil, order == .any else { return found }
    for step in steps {
      if step.call.request == .capabilities(identifier),
        case .capabilities(let limits) = step.call.outcome
      {
        found = limits
      }
    }
    return found
  }

  /// The next random number that was drawn before anything else happened; in any order, the next of its length.
  mutating func randomNumber(_ count: Int) -> [UInt8]? {
    var later = Array(position..<steps.count)
    switch order {
    case .recorded: later = Array(later.prefix { steps[$0].call.request.isIncidental })
    // From the beginning again after the last.
    case .any: later += Array(0..<position)
    }
    for index in later where steps[index].call.request == .randomNumber(count: count) {
      guard case .answer(let number) = steps[index].call.outcome else { continue }
      position = index + 1
      return number.bytes
    }
    return nil
  }

  // MARK: In order

  private mutating func inOrder(
    _ request: RecordedCall.Request, _ shown: RecordedCall.Request, _ elapsed: Duration
  ) -> Answer {
    skipIncidental()
    if position < steps.count, steps[position].call.request.matches(request) { return take() }
    if skipIdle(to: request) { return take() }
    if position < steps.count, isIdleAgain(request) {
      return .outcome(request.findsNothing ? .done : .targets([]))
    }
    guard position < steps.count else {
      if elapsed < length + Self.grace, let outcome = lastOutcome(of: request) {
        return .outcome(outcome)
      }
      return .end(mismatch(shown))
    }
    return .mismatch(mismatch(shown))
  }

  private mutating func skipIncidental() {
    while position < steps.count, steps[position].call.request.isIncidental { position += 1 }
  }

  private mutating func take() -> Answer {
    let call = steps[position].call
    if call.isIdle { idleStart = idleStart ?? position } else { idleStart = nil }
    position += 1
    return .outcome(call.outcome)
  }

  /// Skips searches that found nothing, if the request comes right after them.
  private mutating func skipIdle(to request: RecordedCall.Request) -> Bool {
    var next = position
    while next < steps.count, steps[next].call.isIdle {
      next += 1
      guard next < steps.count else { return false }
      if steps[next].call.request.matches(request) {
        position = next
        return true
      }
    }
    return false
  }

  /// A command that polls for some time makes more rounds if they take less time: at the end, the
  /// field is assumed to remain unchanged for the recorded time.
  private func lastOutcome(of request: RecordedCall.Request) -> RecordedCall.Outcome? {
    guard request.isSearch else { return nil }
    let last = steps.last { $0.call.request.matches(request) }
    switch last?.call.outcome {
    case .done: return .done
    case .targets(let targets): return .targets(targets)
    default: return nil
    }
  }

  /// The recorded duration of the reader's calls, including pauses.
  private var length: Duration {
    guard let first = steps.first, let last = steps.last else { return .zero }
    return last.call.time + last.call.duration - first.call.time
  }

  private static let grace = Duration.seconds(1)

  /// Returns whether the same search was already made without success since something was last
  /// found.
  private func isIdleAgain(_ request: RecordedCall.Request) -> Bool {
    guard request.isSearch, let idleStart else { return false }
    return steps[idleStart..<position].contains { $0.call.request.matches(request) }
  }

  // MARK: By lookup

  private mutating func byLookup(
    _ request: RecordedCall.Request, _ shown: RecordedCall.Request
  ) -> Answer {
    let later = steps.indices[position...].first { steps[$0].call.request.matches(request) }
    guard
      let index = later ?? steps.indices.first(where: { steps[$0].call.request.matches(request) })
    else { return .mismatch(mismatch(shown)) }
    position = index
    return take()
  }

  private func mismatch(_ request: RecordedCall.Request) -> ReplayReader.Mismatch {
    guard order == .recorded else {
      return ReplayReader.Mismatch(
        line: lastLine, description: "the recording does not have \(request), to line \(lastLine)")
    }
    guard position < steps.count else {
      return ReplayReader.Mismatch(
        line: lastLine, description: "the recording ends at line \(lastLine), before \(request)")
    }
    let step = steps[position]
    return ReplayReader.Mismatch(
      line: step.line,
      description:
        "line \(step.line) of the recording has \(step.call.request.kind), not \(request)")
  }
}
