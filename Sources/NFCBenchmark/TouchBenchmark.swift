import SwiftNFCCore
import Synchronization
import VirtualNFC

/// Measures how long a command of the nfc tool takes from the start of the process to its answer. A
/// C program with libnfc selects the tag and sends the same commands, alternately with the tool, on
/// the same virtual reader, at 115 200 baud and with the time that frames take over the air.
enum TouchBenchmark {
  private static let runs = 21

  private struct Row {
    let command: String
    let tag: () throws -> VirtualTag
    let arguments: [String]
    /// A part of the line that contains the answer.
    let mark: String
    /// How the C program selects the tag.
    let kind: Kind
    /// The commands that the C program sends; `nil` for the commands that the tool sends after it
    /// has selected the tag.
    var commands: [String]?
  }

  private enum Kind: String {
    case typeA = "a"
    case feliCa = "f"
    case card = "c"
  }

  /// SELECT of the NDEF application (NFC Forum, Type 4 Tag, 5.5.2).
  private static let selectApplication = "00A4040007D276000085010100"
  private static let link = "https://example.com/"

  private static var rows: [Row] {
    get throws {
      let message = NDEFMessageBytes.link(link, length: 137)
      return [
        Row(
          command: "read", tag: { try .ntag216(ndef: message) }, arguments: ["read"], mark: link,
          kind: .typeA),
        Row(
          command: "info", tag: { try .ntag216(ndef: message) }, arguments: ["info", "--json"],
          mark: "NTAG216", kind: .typeA),
        Row(
          command: "mifare send 3004", tag: { .ntag216() }, arguments: ["mifare", "send", "3004"],
          mark: "\n", kind: .typeA),
        Row(
          command: "felica read --service 090F 0", tag: { .suica() },
          arguments: ["felica", "read", "--service", "090F", "0"], mark: "\n", kind: .feliCa),
        Row(
          command: "apdu", tag: { .type4() }, arguments: ["apdu", selectApplication], mark: "9000",
          kind: .card, commands: [selectApplication]),
        Row(
          command: "poll --once", tag: { .ntag216() }, arguments: ["poll", "--once"],
          mark: "arrived",
          kind: .typeA),
      ]
    }
  }

  static func run(tool: String, other: String) throws {
    print(
      "\n| Process start to answer, 115 200 baud, real air time, median of \(runs) | C, ms | nfc, ms | ratio |"
    )
    print("| --- | --- | --- | --- |")
    for row in try rows { try measure(row, tool, other) }
  }

  private static func measure(_ row: Row, _ tool: String, _ other: String) throws {
    let (pace, sent) = (Pace(), SentFrames())
    let field = VirtualField()
    let virtual = try VirtualReader(field) { event in
      sent.see(event)
      pace.wait(for: event)
    }
    defer { virtual.close() }
    field.place(try row.tag())
    let environment = [
      "LIBNFC_DEVICE=\(virtual.connectionString)", "LIBNFC_AUTO_SCAN=false", "PATH=/usr/bin:/bin",
    ]
    let ours = [tool, "--reader", virtual.connectionString] + row.arguments
    _ = try Terminal.run(ours, environment, until: row.mark)
    let commands = row.commands ?? sent.commands(isFeliCa: row.kind == .feliCa)
    let theirs = [other, virtual.connectionString, row.kind.rawValue] + commands
    var times: [[Double]] = [[], []]
    for run in 0..<runs {
      // Neither always runs first.
      for index in run.isMultiple(of: 2) ? [0, 1] : [1, 0] {
        let time =
          index == 0
          ? try Terminal.run(theirs, environment, until: "done").0
          : try Terminal.run(ours, environment, until: row.mark).0
        times[index].append(time)
      }
    }
    let (c, swift) = (NFCBenchmark.median(times[0]), NFCBenchmark.median(times[1]))
    let figures = [(c, 1), (swift, 1), (swift / c, 2)].map(NFCBenchmark.decimal)
    print("| `nfc \(row.command)` |", figures.joined(separator: " | "), "|")
  }

  /// The frames that were sent to the tag.
  private final class SentFrames: Sendable {
    private let frames = Mutex<[[UInt8]]>([])

    func see(_ event: TraceEvent) {
      if case .sent(let frame) = event { frames.withLock { $0.append(frame.bytes) } }
    }

    /// Returns the commands in the form that libnfc accepts: without the check bytes, which the
    /// chip adds, and without the frames that select a tag.
    func commands(isFeliCa: Bool) -> [String] {
      frames.withLock { $0 }.filter { isFeliCa ? !Self.isPolling($0) : !Self.isActivation($0) }
        .map { $0.dropLast(2).hexadecimal }
    }

    /// REQA and WUPA, SELECT in its three levels, RATS, HLTA (ISO/IEC 14443-3, 6.4 and 14443-4, 5.6.1).
    private static func isActivation(_ frame: [UInt8]) -> Bool {
      guard frame.count > 2, let first = frame.first else { return true }
      return [0x93, 0x95, 0x97, 0xE0].contains(first) || frame.starts(with: [0x50, 0x00])
    }

    /// LEN, and the command code 00 (JIS X 6319-4).
    private static func isPolling(_ frame: [UInt8]) -> Bool { frame.dropFirst().first == 0x00 }
  }
}

/// Messages of a given length.
enum NDEFMessageBytes {
  /// Returns one record with a link padded with zeros. It is a short one up to 255 bytes of payload.
  static func link(_ link: String, length: Int) -> [UInt8] {
    // Header, lengths of type and payload, type, prefix code (NFC Forum, NDEF 3.2 and RTD URI 3.2).
    let isShort = length < 260
    let overhead = isShort ? 5 : 8
    let payload =
      Array(link.utf8)
      + Array(repeating: UInt8(ascii: "0"), count: max(0, length - overhead - link.utf8.count))
    let count = UInt32(payload.count + 1)
    let size = (isShort ? [0] : [24, 16, 8, 0]).map { UInt8(truncatingIfNeeded: count >> $0) }
    return [isShort ? 0xD1 : 0xC1, 0x01] + size + [0x55, 0x00] + payload
  }
}
