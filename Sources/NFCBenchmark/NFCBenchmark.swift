import CReadLoop
import Foundation
import NFC
import NFCCore
import VirtualNFC

/// What Swift adds to an exchange, and to the start of a program; how fast messages are decoded; what
/// other programs send for the same work. Ratios measured in one run, as Markdown tables.
///
/// Arguments: the paths of the nfc tool, of CTouchToAnswer, and of a Python that has ndeflib and nfcpy. What a
/// missing one is needed for is left out. With `touch` as the first argument only the time from touch to answer
/// is measured, with `watch` only what `nfc watch` can carry.
@main
struct NFCBenchmark {
  private static let reads = 10_000
  private static let rounds = 6

  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "watch", let tool = arguments.dropFirst().first {
      let numbers = arguments.dropFirst(2).compactMap { Int($0) }
      return try await WatchBenchmark.run(
        tool: tool, watchers: numbers.first ?? 50, taps: numbers.dropFirst().first ?? 10_000)
    }
    let isTouchOnly = arguments.first == "touch"
    if isTouchOnly { arguments = arguments.dropFirst() } else { try await exchanges() }
    if let tool = arguments.popFirst() {
      if !isTouchOnly { try StartBenchmark.run(tool: tool) }
      if let other = arguments.popFirst() { try TouchBenchmark.run(tool: tool, other: other) }
    }
    guard let python = arguments.popFirst(), !isTouchOnly else { return }
    try MessageBenchmark.run(python: python)
    try await PeerCounts.run(python: python)
  }

  // MARK: Exchanges

  private static func exchanges() async throws {
    let field = VirtualField()
    let virtual = try VirtualReader(field)
    field.place(.ntag216())
    var inC: [Double] = []
    var inProcedure: [Double] = []
    var awaited: [Double] = []
    var isolated: [Double] = []
    func measureC() throws {
      let nanoseconds = c_read_loop(virtual.connectionString, Int32(reads))
      guard nanoseconds > 0 else { throw BenchmarkFailure("the C loop failed (\(nanoseconds))") }
      inC.append(Double(nanoseconds) / 1000 / Double(reads))
    }
    func measureSwift() async throws {
      let reader = try await Reader.open(virtual.connectionString)
      guard case .miFare(let tag)? = try await reader.firstTag() else {
        throw BenchmarkFailure("no tag")
      }
      try await tag.connect()
      _ = try await tag.sendMiFareCommand([0x30, 0x04])
      inProcedure.append(
        try await time { try await tag.sendMiFareCommand([0x30, 0x04], times: reads) })
      awaited.append(
        try await time { for _ in 0..<reads { _ = try await tag.sendMiFareCommand([0x30, 0x04]) } })
      await reader.close()
    }
    func measureIsolated() async throws {
      let reader = try await Reader.open("isolated:" + virtual.connectionString)
      guard case .miFare(let tag)? = try await reader.firstTag() else {
        throw BenchmarkFailure("no tag")
      }
      try await tag.connect()
      _ = try await tag.sendMiFareCommand([0x30, 0x04])
      isolated.append(
        try await time { try await tag.sendMiFareCommand([0x30, 0x04], times: reads) })
      await reader.close()
    }
    for round in 0..<rounds {
      // Neither always runs first.
      if round.isMultiple(of: 2) { try measureC() }
      try await measureSwift()
      try await measureIsolated()
      if !round.isMultiple(of: 2) { try measureC() }
    }
    let yardstick = median(inC)
    print("| \(reads) READs of an NTAG216, median of \(rounds) rounds | µs an exchange | ratio |")
    print("| --- | --- | --- |")
    report("C over libnfc", yardstick, yardstick)
    report("Swift, inside a procedure", median(inProcedure), yardstick)
    report("Swift, awaited one by one", median(awaited), yardstick)
    report("Swift, inside a procedure, libnfc in a process of its own", median(isolated), yardstick)
  }

  private static func report(_ name: String, _ microseconds: Double, _ yardstick: Double) {
    print("| \(name)", String(format: "| %.1f | %.2f |", microseconds, microseconds / yardstick))
  }

  /// Microseconds an exchange.
  private static func time(_ body: () async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .microseconds(1) / Double(reads)
  }

  static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  static func decimal(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }
}

/// Why nothing could be measured.
struct BenchmarkFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension Reader {
  nonisolated func firstTag(_ options: PollingOptions = .iso14443) async throws -> DetectedTag? {
    for try await tag in tags(polling: options) { return tag }
    return nil
  }
}
