import CReadLoop
import NFC
import VirtualNFC

/// Measures the time that Swift adds to an exchange: the public interface against the same loop in
/// C with libnfc, alternately, on the same virtual reader.
enum ExchangeBenchmark {
  private static let rounds = 6
  private static let command: [UInt8] = [0x30, 0x04]

  private enum Way: String, CaseIterable {
    case c = "C over libnfc"
    case exclusive = "Swift, in an exclusive scope"
    case awaited = "Swift, awaited one by one"
    case isolatedExclusive =
      "Swift, in an exclusive scope, libnfc in its own process (`isolated:`)"
    case isolatedAwaited = "Swift, awaited one by one, libnfc in its own process (`isolated:`)"
  }

  /// - Parameter reads: the number of reads in each way and round.
  static func run(reads: Int = 10_000) async throws {
    let field = VirtualField()
    let virtual = try VirtualReader(field)
    defer { virtual.close() }
    field.place(.ntag216())
    var measured: [Way: [Double]] = [:]
    func measureInC() throws {
      let nanoseconds = c_read_loop(virtual.connectionString, Int32(reads))
      guard nanoseconds > 0 else { throw BenchmarkFailure("the C loop failed (\(nanoseconds))") }
      measured[.c, default: []].append(Double(nanoseconds) / 1000 / Double(reads))
    }
    for round in 0..<rounds {
      // Neither always runs first.
      if round.isMultiple(of: 2) { try measureInC() }
      let own = try await measure(reads, virtual.connectionString)
      measured[.exclusive, default: []].append(own.exclusive)
      measured[.awaited, default: []].append(own.awaited)
      let isolated = try await measure(reads, "isolated:" + virtual.connectionString)
      measured[.isolatedExclusive, default: []].append(isolated.exclusive)
      measured[.isolatedAwaited, default: []].append(isolated.awaited)
      if !round.isMultiple(of: 2) { try measureInC() }
    }
    let medians = measured.mapValues(NFCBenchmark.median)
    guard let yardstick = medians[.c] else { throw BenchmarkFailure("nothing was measured") }
    print("| \(reads) READs of an NTAG216, median of \(rounds) rounds | µs per exchange | ratio |")
    print("| --- | --- | --- |")
    for way in Way.allCases {
      guard let time = medians[way] else { continue }
      print(
        "| \(way.rawValue) | \(NFCBenchmark.decimal(time, 1))",
        "| \(NFCBenchmark.decimal(time / yardstick, 2)) |")
    }
  }

  private static func measure(
    _ reads: Int, _ address: String
  ) async throws -> (exclusive: Double, awaited: Double) {
    let reader = try await Reader.open(address)
    guard case .miFare(let tag) = try await reader.firstTag(polling: .iso14443a) else {
      throw BenchmarkFailure("no tag")
    }
    _ = try await tag.sendMiFareCommand(command)
    let exclusive = try await time(reads) {
      try await tag.exclusively { link in
        for _ in 0..<reads { _ = try link.transceive(command) }
      }
    }
    let awaited = try await time(reads) {
      for _ in 0..<reads { _ = try await tag.sendMiFareCommand(command) }
    }
    await reader.close()
    return (exclusive, awaited)
  }

  /// Returns microseconds per exchange.
  private static func time(
    _ reads: Int, _ body: () async throws -> Void
  ) async throws -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .microseconds(1) / Double(reads)
  }
}
