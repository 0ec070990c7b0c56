import Foundation
import TestSupport
import Testing

/// How many commands `nfc read` sends to a Type 2 tag: those of the message and the lock bits. The chip is not asked what
/// it is, because nothing depends on it.
@Suite struct ReadCountTests {
  struct Reading: Sendable, CustomTestStringConvertible {
    let chip: String
    let length: Int
    let exchanges: Int
    var testDescription: String { "\(length) bytes on \(chip)" }
  }

  @Test(arguments: [
    Reading(chip: "ntag213", length: 26, exchanges: 3),
    Reading(chip: "ntag215", length: 26, exchanges: 3),
    Reading(chip: "ntag215", length: 400, exchanges: 4),
    Reading(chip: "ntag216", length: 26, exchanges: 3),
    Reading(chip: "ntag216", length: 137, exchanges: 3),
    Reading(chip: "ultralight-c", length: 26, exchanges: 4),
    Reading(chip: "ultralight-c", length: 137, exchanges: 10),
    Reading(chip: "ultralight-ev1", length: 26, exchanges: 2),
    Reading(chip: "ultralight-ev1-128", length: 26, exchanges: 3),
  ])
  func reads(_ reading: Reading) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "read.jsonl")
      try await Tool.with(reading.chip) { nfc async throws in
        // A text record: its header, type and language have 7 bytes, or 10 if the payload's length has four bytes.
        let text = String(repeating: "x", count: reading.length - (reading.length > 262 ? 10 : 7))
        #expect(try await nfc(["write", "text", text]).status == 0)
        let read = try await nfc(["read", "--record", file.path])
        #expect(read.output == "\(text) (en)\n", "\(read.errors)")
      }
      let recording = try String(contentsOf: file, encoding: .utf8)
      let exchanges = recording.components(separatedBy: #""call":"exchange""#).count - 1
      #expect(exchanges == reading.exchanges, "\(recording)")
    }
  }
}
