import NFC
import TestSupport
import Testing
import VirtualNFC

/// A virtual reader with tags in its field, opened by the real libnfc.
struct Bench: Sendable {
  let field = VirtualField()
  let virtual: VirtualReader
  let reader: Reader
  private let slot: BenchSlots.Slot
  private let watch: FieldWatch

  init(
    _ tags: VirtualTag..., trace: (@Sendable (TraceEvent) -> Void)? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    ReplayedReaders.begin()
    slot = await BenchSlots.shared.take()
    watch = FieldWatch(field, sourceLocation)
    virtual = try VirtualReader(field, trace: trace)
    for tag in tags { field.place(tag) }
    reader = try await Reader.open(virtual.connectionString)
  }

  /// The first tag that polling finds, connected.
  func tag(_ options: PollingOptions = .all) async throws -> DetectedTag {
    for try await tag in reader.tags(polling: options) {
      try await tag.connect()
      return tag
    }
    throw NFCError(.noTag, "polling ended")
  }

  /// Runs `body` and says how many commands the chip was given for it, and how many frames went out.
  func counting<Result>(
    _ body: () async throws -> Result
  ) async rethrows -> (result: Result, commands: Int, exchanges: Int) {
    virtual.setFaults([])
    let result = try await body()
    let statistics = virtual.statistics
    return (result, statistics.commands, statistics.exchanges)
  }
}

extension Bench {
  /// Waits until the chip has received this many commands since its faults were set.
  func waitForCommands(_ count: Int = 1) async throws {
    try await within(.seconds(10)) {
      while virtual.statistics.commands < count { try await Task.sleep(for: .milliseconds(1)) }
    }
  }

  /// The first tag that polling finds.
  func firstTag(_ options: PollingOptions = .all) async throws -> DetectedTag? {
    for try await tag in reader.tags(polling: options) { return tag }
    return nil
  }
}

/// Runs `body`, cancelled and failed if it takes longer.
func within<Result: Sendable>(
  _ limit: Duration, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  try await withThrowingTaskGroup(of: Result.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      throw TimeLimitExceeded(limit: limit)
    }
    defer { group.cancelAll() }
    guard let result = try await group.next() else { throw TimeLimitExceeded(limit: limit) }
    return result
  }
}

struct TimeLimitExceeded: Error {
  let limit: Duration
}

/// Limits the number of benches at the same time: each has seven files open, and libnfc supports no
/// descriptor above 1023.
private actor BenchSlots {
  static let shared = BenchSlots()

  /// Returns the slot when it is released.
  final class Slot: Sendable {
    deinit { Task { await BenchSlots.shared.release() } }
  }

  private var free = 32
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async -> Slot {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
    return Slot()
  }

  private func release() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
