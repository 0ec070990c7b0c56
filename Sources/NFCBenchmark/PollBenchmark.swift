import Foundation
import SwiftNFCCore
import VirtualNFC

/// Measures how long a tag that comes at a random moment is not reported, and how long one that has gone is, by `nfc
/// poll`, by `nfc watch`, which also reads its message, and by a plain loop in C over libnfc that looks for fewer
/// technologies. They run by turns, on virtual readers whose air takes its time.
enum PollBenchmark {
  /// The number of turns of each program.
  private static let turns = 5
  /// The time for which a tag stays after it was reported, and is away after its departure was.
  private static let (stay, absence) = (Duration.milliseconds(300), 200...500)
  /// The time for which a waiting program is observed.
  private static let observation = Duration.seconds(10)

  private enum Program: CaseIterable {
    case loop
    case poll
    case watch
  }

  private struct Row {
    let name: String
    let tag: @Sendable () throws -> VirtualTag
    /// Whether the loop in C looks for it.
    var isCommon = true
  }

  private struct Times {
    var arrivals: [Double] = []
    var departures: [Double] = []
  }

  private static let rows = [
    Row(name: "NTAG216", tag: { try .ntag216(ndef: message) }),
    Row(name: "Type 4 B", tag: { .type4B() }),
    Row(name: "Type 3", tag: { .type3() }),
    Row(name: "Topaz 512", tag: { .topaz512() }),
    Row(name: "NFC Barcode", tag: { .nfcBarcode() }, isCommon: false),
    Row(name: "B'", tag: { .calypsoBPrime() }, isCommon: false),
    Row(name: "ST SRx", tag: { .srix4k() }, isCommon: false),
    Row(name: "ASK CTx", tag: { .askCTx() }, isCommon: false),
    Row(name: "iCLASS", tag: { .iClass() }, isCommon: false),
  ]

  /// A link of 20 bytes.
  private static let message: [UInt8] = [0xD1, 0x01, 0x0C, 0x55, 0x04] + Array("example.com".utf8)

  /// - Parameters:
  ///   - tool: the path of nfc.
  ///   - other: the path of CPollLoop.
  ///   - arrivals: the number of arrivals per tag and program, at least one per turn.
  static func run(tool: String, other: String, arrivals: Int = 50) async throws {
    let arrivals = max(arrivals, turns)
    try await load(tool)
    try await run(tool, other, arrivals, pace: .realTime, "115 200 baud")
    try await run(tool, other, arrivals, pace: .air, "a line without delays")
  }

  private static func run(
    _ tool: String, _ other: String, _ arrivals: Int, pace: VirtualReader.Pace, _ title: String
  ) async throws {
    print(
      "\n| PN532, \(title), real air time, \(arrivals) arrivals, median / 95 of 100, ms | C loop | nfc poll | nfc watch | left: C loop | left: nfc poll |"
    )
    print("| --- | --- | --- | --- | --- | --- |")
    for row in rows {
      var times: [Program: Times] = [:]
      for _ in 0..<turns {
        for program in Program.allCases where row.isCommon || program != .loop {
          try await measure(
            row, program, tool, other, arrivals / turns, pace, &times[program, default: Times()])
        }
      }
      let columns = [
        times[.loop]?.arrivals, times[.poll]?.arrivals, times[.watch]?.arrivals,
        times[.loop]?.departures, times[.poll]?.departures,
      ]
      print("|", row.name, "|", columns.map(text).joined(separator: " | "), "|")
      fflush(nil)
    }
  }

  private static func text(_ times: [Double]?) -> String {
    guard let times, !times.isEmpty else { return "–" }
    let sorted = times.sorted()
    return [sorted[sorted.count / 2], sorted[sorted.count * 95 / 100]]
      .map { NFCBenchmark.decimal($0, 0) }.joined(separator: " / ")
  }

  private static func start(
    _ program: Program, _ tool: String, _ other: String, on reader: VirtualReader
  ) throws -> Child {
    let environment = ["LIBNFC_AUTO_SCAN": "false", "XDG_RUNTIME_DIR": NSTemporaryDirectory()]
    let reader = reader.connectionString
    return switch program {
    case .loop: try Child(other, [reader], environment: environment)
    case .poll: try Child(tool, ["poll", "--json", "--reader", reader], environment: environment)
    case .watch:
      try Child(
        tool, ["watch", "--json", "--debounce", "0", "--reader", reader], environment: environment)
    }
  }

  private static func measure(
    _ row: Row, _ program: Program, _ tool: String, _ other: String, _ arrivals: Int,
    _ pace: VirtualReader.Pace, _ times: inout Times
  ) async throws {
    let field = VirtualField()
    let virtual = try VirtualReader(field, pace: pace)
    defer { virtual.close() }
    let child = try start(program, tool, other, on: virtual)
    defer { child.end() }
    let (arrived, left) =
      switch program {
      case .loop: ("arrived", "left")
      case .poll: ("\"arrived\"", "\"left\"")
      case .watch: ("\"tap\"", "\"left\"")
      }
    try await Task.sleep(for: .seconds(1))
    for _ in 0..<arrivals {
      let tag = try row.tag()
      try await Task.sleep(for: .milliseconds(Int.random(in: absence)))
      var known = child.lineCount
      var start = ContinuousClock.now
      field.place(tag)
      times.arrivals.append(
        (try await child.firstLine(containing: arrived, after: known, seconds: 10) - start)
          / .milliseconds(1))
      try await Task.sleep(for: stay + .milliseconds(Int.random(in: 0...100)))
      known = child.lineCount
      start = ContinuousClock.now
      field.remove(tag)
      times.departures.append(
        (try await child.firstLine(containing: left, after: known, seconds: 10) - start)
          / .milliseconds(1))
    }
  }

  /// Measures the processor time of a `nfc watch` that waits.
  private static func load(_ tool: String) async throws {
    let virtual = try VirtualReader(VirtualField(), pace: .realTime)
    defer { virtual.close() }
    let child = try start(.watch, tool, tool, on: virtual)
    defer { child.end() }
    try await Task.sleep(for: .seconds(2))
    let before = child.processorTime
    try await Task.sleep(for: observation)
    let share = (child.processorTime - before) / observation * 100
    print(
      "\n| a `nfc watch` that waits, 115 200 baud | \(NFCBenchmark.decimal(share, 1)) % of a core |"
    )
    print("| --- | --- |")
  }
}
