import Foundation
import NFC
import SwiftNFCCore

/// Measures the time that Swift adds to an exchange and to the start of a program, the speed of
/// decoding messages, and what other programs send for the same work. Prints the ratios measured in
/// one run as Markdown tables.
///
/// Arguments: the paths of the nfc tool, of CTouchToAnswer, and of a Python that has ndeflib and
/// nfcpy. Measurements that need a missing one are left out. The first argument may also be
/// `exchanges`, `touch` (the time from touch to answer), `poll` (the time until a tag is reported, with
/// the paths of nfc and CPollLoop), `card` (a reader as a card), `document` (a travel document) or `watch` (the capacity of `nfc watch`),
/// to make only these measurements.
@main
struct NFCBenchmark {
  static func main() async throws {
    var arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "watch", let tool = arguments.dropFirst().first {
      let numbers = arguments.dropFirst(2).compactMap { Int($0) }
      return try await WatchBenchmark.run(
        tool: tool, watchers: numbers.first ?? 50, taps: numbers.dropFirst().first ?? 10_000)
    }
    if arguments.first == "poll", let tool = arguments.dropFirst().first,
      let other = arguments.dropFirst(2).first
    {
      let arrivals = arguments.dropFirst(3).first.flatMap { Int($0) } ?? 50
      return try await PollBenchmark.run(tool: tool, other: other, arrivals: arrivals)
    }
    if arguments.first == "exchanges" {
      let reads = arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
      return try await ExchangeBenchmark.run(reads: max(1, reads))
    }
    if arguments.first == "card", let tool = arguments.dropFirst().first {
      return try CardBenchmark.run(tool: tool)
    }
    if arguments.first == "document", let tool = arguments.dropFirst().first {
      return try DocumentBenchmark.run(tool: tool)
    }
    let isTouchOnly = arguments.first == "touch"
    if isTouchOnly { arguments = arguments.dropFirst() } else { try await ExchangeBenchmark.run() }
    if let tool = arguments.popFirst() {
      if !isTouchOnly { try StartBenchmark.run(tool: tool) }
      if !isTouchOnly { try CardBenchmark.run(tool: tool) }
      if !isTouchOnly { try DocumentBenchmark.run(tool: tool) }
      if let other = arguments.popFirst() { try TouchBenchmark.run(tool: tool, other: other) }
    }
    guard let python = arguments.popFirst(), !isTouchOnly else { return }
    try MessageBenchmark.run(python: python)
    try await PeerCounts.run(python: python)
  }

  static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  static func decimal(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
  }
}

/// The reason why nothing could be measured.
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
