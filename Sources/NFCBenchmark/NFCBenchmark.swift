import CReadLoop
import Foundation
import NFC
import NFCCore
import VirtualNFC

/// What Swift adds to an exchange, and to the start of a program: ratios measured in one run.
@main
struct NFCBenchmark {
  private static let reads = 10_000
  private static let rounds = 5

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    try await exchanges()
    if let tool = arguments.first { try await start(of: tool) }
  }

  // MARK: Exchanges

  private static func exchanges() async throws {
    let field = VirtualField()
    let virtual = try VirtualReader(field)
    field.place(.ntag216())
    var inC: [Double] = []
    var inProcedure: [Double] = []
    var awaited: [Double] = []
    for _ in 0..<rounds {
      let nanoseconds = c_read_loop(virtual.connectionString, Int32(reads))
      guard nanoseconds > 0 else { throw Failure("the C loop failed (\(nanoseconds))") }
      inC.append(Double(nanoseconds) / 1000 / Double(reads))

      let reader = try await Reader.open(virtual.connectionString)
      guard case .miFare(let tag)? = try await reader.firstTag() else { throw Failure("no tag") }
      try await tag.connect()
      _ = try await tag.sendMiFareCommand([0x30, 0x04])
      inProcedure.append(
        try await time { try await tag.sendMiFareCommand([0x30, 0x04], times: reads) })
      awaited.append(
        try await time { for _ in 0..<reads { _ = try await tag.sendMiFareCommand([0x30, 0x04]) } })
      await reader.close()
    }
    let yardstick = median(inC)
    print("\(reads) READs of an NTAG216 on the virtual reader, median of \(rounds) rounds")
    report("C over libnfc", yardstick, yardstick)
    report("Swift, inside a procedure", median(inProcedure), yardstick)
    report("Swift, awaited one by one", median(awaited), yardstick)
  }

  private static func report(_ name: String, _ microseconds: Double, _ yardstick: Double) {
    let label = name.padding(toLength: 28, withPad: " ", startingAt: 0)
    print(
      label, String(format: "%7.1f µs an exchange", microseconds),
      String(format: "%+6.1f µs   ratio %.2f", microseconds - yardstick, microseconds / yardstick))
  }

  /// Microseconds an exchange.
  private static func time(_ body: () async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    try await body()
    return (ContinuousClock.now - start) / .microseconds(1) / Double(reads)
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  // MARK: Start

  private static func start(of tool: String) async throws {
    let field = VirtualField()
    let virtual = try VirtualReader(field)
    field.place(.ntag216())
    var ours: [Double] = []
    var theirs: [Double] = []
    for _ in 0..<20 {
      ours.append(try run(tool, ["--reader", virtual.connectionString, "poll", "--once"], virtual))
      theirs.append(try run("/usr/bin/nfc-list", ["-t", "1"], virtual))
    }
    print("From process start to the end, one NTAG216 in the field, median of 20")
    print(String(format: "nfc poll --once              %7.1f ms", median(ours)))
    print(
      String(
        format: "nfc-list -t 1                %7.1f ms   ratio %.2f", median(theirs),
        median(ours) / median(theirs)))
  }

  /// Milliseconds.
  private static func run(
    _ program: String, _ arguments: [String], _ virtual: VirtualReader
  ) throws -> Double {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["LIBNFC_DEVICE": virtual.connectionString, "LIBNFC_AUTO_SCAN": "false"]
    ) { $1 }
    process.standardOutput = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    process.waitUntilExit()
    let elapsed = (ContinuousClock.now - start) / .milliseconds(1)
    guard process.terminationStatus == 0 else { throw Failure("\(program) failed") }
    return elapsed
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}

extension Reader {
  fileprivate nonisolated func firstTag() async throws -> DetectedTag? {
    for try await tag in tags(polling: .iso14443) { return tag }
    return nil
  }
}
