import SwiftNFCCore
import VirtualNFC

/// Measures how long a program takes from its start to the first tag that it reports, and to its
/// end: the nfc tool and `nfc-list`, alternately, on the same virtual reader. They print to a
/// terminal, because there the lines of a C program appear one by one, too.
enum StartBenchmark {
  private static let runs = 31

  private struct Program {
    let name: String
    let arguments: [String]
    /// A part of the line that reports a tag.
    let mark: String
    var toFirstTag: [Double] = []
    var toEnd: [Double] = []
  }

  static func run(tool: String) throws {
    try compare(tool, "a reader without delay", trace: nil)
    let pace = Pace()
    try compare(tool, "115 200 baud, 106 kbit/s") { pace.wait(for: $0) }
  }

  private static func compare(
    _ tool: String, _ speed: String, trace: (@Sendable (TraceEvent) -> Void)?
  ) throws {
    let field = VirtualField()
    let virtual = try VirtualReader(field, trace: trace)
    defer { virtual.close() }
    field.place(.ntag216())
    var programs = [
      Program(
        name: "`nfc-list -t 1`", arguments: ["/usr/bin/nfc-list", "-t", "1"], mark: "UID"),
      Program(
        name: "`nfc poll --once`",
        arguments: [tool, "--reader", virtual.connectionString, "poll", "--once"], mark: "arrived"),
    ]
    let environment = [
      "LIBNFC_DEVICE=\(virtual.connectionString)", "LIBNFC_AUTO_SCAN=false", "PATH=/usr/bin:/bin",
    ]
    for run in 0..<runs {
      // Neither always runs first.
      for index in run.isMultiple(of: 2) ? [0, 1] : [1, 0] {
        let (first, end) = try Terminal.run(
          programs[index].arguments, environment, until: programs[index].mark)
        programs[index].toFirstTag.append(first)
        programs[index].toEnd.append(end)
      }
    }
    let yardstick = NFCBenchmark.median(programs[0].toFirstTag)
    print(
      "\n| Process start, one NTAG216, \(speed), median of \(runs) | first tag, ms | ratio | end, ms |"
    )
    print("| --- | --- | --- | --- |")
    for program in programs {
      let first = NFCBenchmark.median(program.toFirstTag)
      let figures = [(first, 1), (first / yardstick, 2), (NFCBenchmark.median(program.toEnd), 1)]
      print("| \(program.name) |", figures.map(NFCBenchmark.decimal).joined(separator: " | "), "|")
    }
  }
}
