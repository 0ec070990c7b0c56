import NFC
import TestSupport
import Testing
import VirtualNFC

/// A virtual reader with tags in its field, opened by the real libnfc.
struct Bench: Sendable {
  let field = VirtualField()
  let virtual: VirtualReader
  let reader: Reader
  private let place: BenchPlaces.Place
  private let watch: FieldWatch

  init(
    _ tags: VirtualTag..., trace: (@Sendable (TraceEvent) -> Void)? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    ReplayedReaders.begin()
    place = await BenchPlaces.shared.take()
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
  ) async throws -> (result: Result, commands: Int, exchanges: Int) {
    virtual.setFaults([])
    let result = try await body()
    let statistics = virtual.statistics
    return (result, statistics.commands, statistics.exchanges)
  }
}

extension Bench {
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

/// Bounds how many benches there are at a time: each has seven files open, and libnfc bears no
/// descriptor above 1023.
private actor BenchPlaces {
  static let shared = BenchPlaces()

  /// Gives its place back when it goes.
  final class Place: Sendable {
    deinit { Task { await BenchPlaces.shared.giveBack() } }
  }

  private var free = 32
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func take() async -> Place {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
    return Place()
  }

  private func giveBack() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
