import Glibc
import NFCCore
import Synchronization
import VirtualNFC

/// How long a program takes from its start to the first tag that it tells of, and to its end: the nfc
/// tool beside `nfc-list`, by turns, on the same virtual reader. They print to a terminal, where a C
/// program's lines come one by one too.
enum StartBenchmark {
  private static let runs = 31

  private struct Program {
    let name: String
    let arguments: [String]
    /// Stands in the line that tells of a tag.
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

  /// Lets a virtual reader take the time that a real one takes: PN532 user manual UM0701-02, 6.2 for the
  /// frames on the serial line; ISO/IEC 14443-3, 6.2 for those on the air.
  ///
  /// A silence takes no longer than the tag's delay here, which flatters whoever looks for tags that are
  /// not there.
  private final class Pace: Sendable {
    private static let byteOnLine = Duration.seconds(10) / 115_200
    /// Preamble, start code, length and its check, direction; data check, postamble.
    private static let frame = 8
    private static let acknowledge = 6
    private static let etu = Duration.seconds(128) / 13_560_000
    private static let delay = Duration.microseconds(91)

    /// When the last thing has ended. Waking takes longer than asked for; that is taken off the next wait,
    /// but for what the program itself takes until its next command.
    private let end = Mutex(ContinuousClock.now)

    func wait(for event: TraceEvent) {
      let duration: Duration
      var isFirst = false
      switch event {
      case .command(let bytes):
        duration = Self.byteOnLine * (Self.frame + bytes.count + Self.acknowledge)
        isFirst = true
      case .reply(let bytes): duration = Self.byteOnLine * (Self.frame + bytes.count)
      case .sent(let frame): duration = Self.etu * (9 * frame.bytes.count + 3) + Self.delay
      case .received(let frame): duration = Self.etu * (9 * (frame?.bytes.count ?? 0) + 2)
      case .collided, .carrier: return
      }
      let now = ContinuousClock.now
      let until = end.withLock { end in
        end = (isFirst ? now : end) + duration
        return end
      }
      let microseconds = (until - now) / .microseconds(1)
      if microseconds > 0 { usleep(UInt32(microseconds)) }
    }
  }
}
