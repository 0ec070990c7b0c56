import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests the visible and the masked parts of a trace.
@Suite struct TraceLogTests {
  struct Run: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let events: [TraceEvent]
    /// The lines, one per event.
    let lines: [String]
  }

  private static func sent(_ bytes: [UInt8]) -> TraceEvent { .sent(.typeA(bare: bytes)) }
  private static func got(_ bytes: [UInt8]) -> TraceEvent { .received(.typeA(bare: bytes)) }
  private static let idm: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
  private static let block = [UInt8](repeating: 0x5A, count: 16)
  private static let stars = String(repeating: "**", count: 16)

  static let runs = [
    Run(
      testDescription: "password and acknowledge",
      events: [sent([0x1B, 1, 2, 3, 4, 5, 6]), got([7, 8, 9, 10])],
      lines: ["radio > 1B************", "radio < ********"]),
    Run(
      testDescription: "a refused password",
      events: [sent([0x1B, 1, 2, 3, 4]), .received(.typeA(bare: [0x04], bitsInLastByte: 4))],
      lines: ["radio > 1B********", "radio < 04 (4 bits)"]),
    Run(
      testDescription: "password pages of a chip that has not said which it is",
      events: [sent([0xA2, 0xE5, 1, 2, 3, 4]), sent([0xA2, 0x2C, 1, 2, 3, 4])],
      lines: ["radio > A2E5********", "radio > A22C********"]),
    Run(
      testDescription: "password pages of an NTAG216 alone",
      events: [
        .command([0x42, 0x60]), .reply([0x43, 0, 0, 4, 4, 2, 1, 0, 0x13, 3]),
        .command([0x42, 0xA2, 0x2C, 1, 2, 3, 4]), .command([0x42, 0xA2, 0xE6, 1, 2, 3, 4]),
      ],
      lines: [
        "host  > 4260", "host  < 43000004040201001303", "host  > 42A22C01020304",
        "host  > 42A2E6********",
      ]),
    Run(
      testDescription: "another tag after a new selection",
      events: [
        .command([0x42, 0x60]), .reply([0x43, 0, 0, 4, 4, 2, 1, 0, 0x13, 3]),
        .command([0x4A, 1, 0]), .command([0x42, 0xA2, 0x2C, 1, 2, 3, 4]),
      ],
      lines: [
        "host  > 4260", "host  < 43000004040201001303", "host  > 4A0100", "host  > 42A22C********",
      ]),
    Run(
      testDescription: "COMPATIBILITY_WRITE in two frames",
      events: [
        sent([0xA0, 0xE5]), .received(.typeA(bare: [0x0A], bitsInLastByte: 4)), sent(block),
        sent([0xA0, 0x04]), sent([1, 2]),
      ],
      lines: [
        "radio > A0E5", "radio < 0A (4 bits)", "radio > " + stars, "radio > A004", "radio > 0102",
      ]),
    Run(
      testDescription: "MIFARE Classic",
      events: [
        .command([0x40, 1, 0x60, 3, 1, 2, 3, 4, 5, 6, 9, 9, 9, 9]),
        .command([0x40, 1, 0x30, 3]), .reply([0x41, 0] + block),
        .command([0x40, 1, 0x30, 2]), .reply([0x41, 0] + block),
        .command([0x40, 1, 0xA0, 0x8F] + block), .command([0x40, 1, 0xA0, 0x83] + block),
      ],
      lines: [
        "host  > 40016003************09090909", "host  > 40013003",
        "host  < 4100************5A5A5A5A************", "host  > 40013002",
        "host  < 4100" + String(repeating: "5A", count: 16),
        "host  > 4001A08F************5A5A5A5A************",
        "host  > 4001A083" + String(repeating: "5A", count: 16),
      ]),
    Run(
      testDescription: "the card key of a FeliCa Lite, followed by MAC_A",
      events: [
        .sent(.feliCa([0x08] + idm + [1, 9, 0, 2, 0x80, 0x87, 0x80, 0x91] + block + idm + idm))
      ],
      lines: [
        "radio > 320801020304050607080109000280878091" + stars
          + "01020304050607080102030405060708****"
      ]),
    Run(
      testDescription: "another block of a FeliCa",
      events: [.command([0x42, 0x20, 0x08] + idm + [1, 9, 0, 1, 0x80, 0x05] + block)],
      lines: [
        "host  > 4220080102030405060708010900018005" + String(repeating: "5A", count: 16)
      ]),
    Run(
      testDescription: "3DES authentication of an Ultralight C",
      events: [
        sent([0x1A, 0, 1, 1]), got([0xAF] + idm), sent([0xAF] + block), got([0x00] + idm),
        sent([0x30, 4]), got(block),
      ],
      lines: [
        "radio > 1A000101", "radio < AF****************", "radio > AF" + stars,
        "radio < 00****************", "radio > 3004",
        "radio < " + String(repeating: "5A", count: 16),
      ]),
    Run(
      testDescription: "authentication and key change of a DESFire, wrapped",
      events: [
        .command([0x40, 1, 0x90, 0x1A, 0, 0, 1, 0, 0]), .reply([0x41, 0] + idm + [0x91, 0xAF]),
        .command([0x40, 1, 0x90, 0xAF, 0, 0, 3, 7, 7, 7, 0]), .reply([0x41, 0, 0x91, 0xAE]),
        .command([0x40, 1, 0x90, 0xC4, 0, 0, 4, 0x80, 7, 7, 7, 0]),
        .command([0x40, 1, 0xC4, 0x80, 7, 7, 7]),
      ],
      lines: [
        "host  > 4001901A0000010000", "host  < 4100" + String(repeating: "**", count: 10),
        "host  > 400190AF000003********", "host  < 410091AE",
        "host  > 400190C400000480********", "host  > 4001C480******",
      ]),
    Run(
      testDescription: "a default key and the key of transaction MACs, wrapped and native",
      events: [
        .command([0x40, 1, 0x90, 0x5C, 0, 0, 4, 0x01, 7, 7, 7, 0]),
        .command([0x40, 1, 0x5C, 0x01, 7, 7, 7]),
        .command([0x40, 1, 0x90, 0xCE, 0, 0, 4, 0x02, 7, 7, 7, 0]),
        .command([0x40, 1, 0xCE, 0x02, 7, 7, 7]),
      ],
      lines: [
        "host  > 4001905C00000401********", "host  > 40015C01******",
        "host  > 400190CE00000402********", "host  > 4001CE02******",
      ]),
    Run(
      testDescription: "the permission of an issuer, wrapped and native",
      events: [
        .command([0x40, 1, 0x90, 0xC9, 0, 0, 2, 5, 5, 0]), .reply([0x41, 0, 0x91, 0xAF]),
        .command([0x40, 1, 0x90, 0xAF, 0, 0, 2, 7, 7, 0]),
        .reply([0x41, 0] + idm + [0x91, 0x00]),
        .command([0x40, 1, 0xC9, 5, 5]), .command([0x40, 1, 0xAF, 7, 7]),
      ],
      lines: [
        "host  > 400190C9000002050500", "host  < 410091AF", "host  > 400190AF000002******",
        "host  < 4100" + idm.hexadecimal + "9100", "host  > 4001C90505", "host  > 4001AF****",
      ]),
    Run(
      testDescription: "a chain of blocks, with another kind of block between",
      events: [
        sent([0xE0, 0x50, 1, 1]), sent([0x12, 0xC4, 0x80, 7, 7, 1, 1]), got([0xA2, 1, 1]),
        sent([0x03, 7, 7, 7, 1, 1]),
        sent([0xA2, 1, 1]), sent([0x02, 0x60, 1, 1]),
      ],
      lines: [
        "radio > E0500101", "radio > 12C480********", "radio < A20101", "radio > 03**********",
        "radio > A20101",
        "radio > 02600101",
      ]),
    Run(
      testDescription: "a host that makes the blocks itself",
      events: [
        .command([0x4A, 1, 0]), .reply([0x4B, 1, 1, 3, 0x44, 0x20, 4, 1, 2, 3, 4, 1, 0x78]),
        .command([0x42, 0x1A, 0x01, 0xC4, 0x80, 7, 7]),
      ],
      lines: [
        "host  > 4A0100", "host  < 4B010103442004010203040178",
        "host  > 421A01C480****",
      ]),
    Run(
      testDescription: "VERIFY",
      events: [.command([0x40, 1, 0x00, 0x20, 0, 1, 4, 1, 2, 3, 4])],
      lines: ["host  > 40010020000104********"]),
    Run(
      testDescription: "what is no command of a tag",
      events: [
        .command([0x02]), .reply([]), .carrier(true), .received(nil), .collided(bit: 3),
        .sent(RadioFrame([0x26], modulation: .typeA, bitsInLastByte: 7)), .command([]),
      ],
      lines: [
        "host  > 02", "host  < syntax error", "radio   carrier on", "radio < silence",
        "radio < collision at bit 3", "radio > 26 (7 bits)", "host  > ",
      ]),
  ]

  @Test(arguments: runs) func masks(_ run: Run) {
    var log = TraceLog()
    #expect(run.events.map { log.line($0) } == run.lines)
  }

  @Test(arguments: runs) func masksNothingWhereThatIsRequested(_ run: Run) {
    var log = TraceLog(revealingKeys: true)
    for event in run.events { #expect(!log.line(event).contains("*")) }
  }

  @Test func aSingleEventIsMaskedToo() {
    #expect("\(Self.sent([0x1B, 1, 2, 3, 4]))" == "radio > 1B********")
  }

  /// Any bytes result in a line.
  @Test func anyBytes() {
    var generator = SplitMix64(seed: 5)
    var log = TraceLog()
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      let event: TraceEvent =
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: .command([0x42] + bytes)
        case 1: .command([0x40, 0x01] + bytes)
        case 2: .reply([0x41, 0x00] + bytes)
        case 3: .sent(.feliCa(bytes))
        default: Self.sent(bytes)
        }
      #expect(log.line(event).count >= 8)
    }
  }
}
