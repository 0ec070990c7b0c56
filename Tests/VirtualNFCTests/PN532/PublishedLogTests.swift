import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Compares the virtual chip with real ones: it gets the commands of published logs, and has to give the same answers.
///
/// Frames, transport and status words are left out. The tags have the UIDs of the logs, unless those are not shown
/// there. A command whose answer depends on what the log does not show is left out, too.
@Suite struct PublishedLogTests {
  /// A log, or a part of it that begins with a known state.
  struct Log: Sendable, CustomTestStringConvertible {
    /// Where it was published, and the reader.
    let source: String
    var firmware = VirtualPN532.Firmware.pn532C106
    var tags: @Sendable () -> [VirtualTag] = { [] }
    /// Commands and answers; `error` for the frame of a syntax error, and `pending` for a command that does
    /// not end. After the beginning of an answer, `…` stands for the tag's own content.
    let steps: [(command: String, answer: String)]

    var testDescription: String { source }
  }

  private static func bytes(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text) ?? [] }

  static let logs: [Log] = [
    Log(
      source: "nfc-tools/libnfc issues 85 and 86: PN532 1.6, serial line, no tag",
      steps: [
        ("3205000102", "33"), ("4A0100", "4B00"), ("4A010100FFFF0000", "4B00"),
        ("4A010200FFFF0000", "4B00"), ("4A010300", "4B00"), ("4A0104", "4B00"), ("4400", "4500"),
      ]),
    Log(
      source: "nfcpy issue 131: PN532 1.6, serial line of a Raspberry Pi",
      steps: [("02", "0332010607"), ("14010000", "15"), ("1007", "11")]),
    Log(
      source: "nfc-tools/libnfc issue 278: SCL3711, search without end, no tag",
      firmware: .pn533,
      steps: [
        ("02", "0333020707"), ("3205FFFFFF", "33"), ("4A0100", "pending"), ("4A010300", "pending"),
        ("4A010100FFFF0100", "pending"), ("4A010200FFFF0100", "pending"),
      ]),
    Log(
      source: "nfc-tools/libnfc issue 617: SCL3711",
      firmware: .pn533, steps: [("1204", "13"), ("06633D", "070000"), ("08633D07", "0900")]),
    Log(
      source:
        "nfc-tools/libnfc issue 671: PN532, serial line, system 8040 without the code of Polling",
      steps: [("3205000102", "33"), ("4A01018040CE662F", "error")]),
    Log(
      source: "nfc-tools/libnfc issue 691: ACR122U",
      steps: [
        ("02", "0332010607"), ("320100", "33"), ("06 6338 633D", "070000"), ("1210", "13"),
        ("1230", "13"),
      ]),
    Log(
      source: "nfc-tools/libnfc issue 566: ACR122U, a card that has no such command",
      tags: { [.classic1K()] },
      steps: [
        ("4A0100", "4B01…"), ("08 630200 630300", "09"),
        ("42500057CD", "4301"), ("06633D", "0700"), ("08633D07", "09"), ("4240", "4301"),
      ]),
    Log(
      source: "stackoverflow.com, question 24487171: ACR122U, exchange without a target",
      steps: [("4001FF00480000", "4127")]),
    Log(
      source: "jinmi8.com, doc 11042: PN532, serial line, MIFARE Classic",
      tags: { [.classic1K(uid: bytes("FB0EE20B"), formatted: false)] },
      steps: [
        ("1401", "15"), ("4A0100", "4B0101000408" + "04FB0EE20B"),
        ("40016007" + "FFFFFFFFFFFF" + "FB0EE20B", "4100"), ("40013004", "4100…"),
      ]),
    Log(
      source: "a program for a wCopy reader, tests with its log: MIFARE Classic",
      tags: { [.classic1K(uid: bytes("C3D7C833"), formatted: false)] },
      steps: [
        ("320100", "33"), ("320101", "33"), ("3205000102", "33"),
        ("4A0100", "4B0101000408" + "04C3D7C833"),
        ("40016001" + "FFFFFFFFFFFF" + "C3D7C833", "4100"),
        ("40013001", "4100" + String(repeating: "00", count: 16)),
      ]),
    Log(
      source: "notes on a USB capture of the program nfcPro: a wrong key",
      tags: { [.classic1K(uid: bytes("C3D7C833"), formatted: false)] },
      steps: [
        ("4A0100", "4B01…"), ("40016001" + "A0A1A2A3A4A5" + "C3D7C833", "4114"),
      ]),
    Log(
      source: "ACR122L, communication protocol 1.03, 6.18: MIFARE Classic 4K",
      tags: { [.classic4K(uid: bytes("F68E2A99"))] },
      steps: [("4A0100", "4B0101000218" + "04F68E2A99")]),
    Log(
      source: "notes on a PN532 at a USB serial adapter: NTAG",
      tags: { [.ntag213(uid: bytes("04416D412B0289"))] },
      steps: [
        ("1401", "15"), ("02", "0332010607"), ("4A0100", "4B0101004400" + "0704416D412B0289"),
      ]),
    Log(
      source: "nfc-tools/libfreefare issue 112: SCL3711, GET_VERSION with one byte too many",
      firmware: .pn533, tags: { [.ntag213()] }, steps: [("4A0100", "4B01…"), ("426000", "4301")]),
    Log(
      source: "nfc-tools/libnfc issue 516: PN532, SPI, a command that the chip does not know",
      tags: { [.ntag213()] }, steps: [("4A0100", "4B01…"), ("4001AF00", "error")]),
    Log(
      source: "nfc-tools/libnfc issue 251: ACR122U, DESFire's command to a MIFARE Ultralight C",
      tags: { [.ultralightC()] },
      steps: [("4A0100", "4B01…"), ("4001905A000003000000 00", "error")]),
    Log(
      source: "nfc-pcsc, MIFARE Ultralight C: ACR122U, a four-bit acknowledge with the CRC checked",
      tags: { [.ultralightC()] },
      steps: [("4A0100", "4B01…"), ("42A20411223344", "4302"), ("40013004", "4100" + "11223344…")]),
    Log(
      source: "nfc-pcsc issue 59: ACR122U, bytes of another length than that of the command",
      tags: { [.ultralightC()] }, steps: [("4A0100", "4B01…"), ("421A0000", "4301")]),
    Log(
      source:
        "a program for FeliCa, test with a capture of an RC-S956: Polling without a system code",
      firmware: .rcs956, tags: { [.suica(idm: bytes("01010112EC23AA1F"))] },
      steps: [("4A010100FFFF0000", "4B01011201" + "01010112EC23AA1F…")]),
    Log(
      source: "Zaparoo go-pn532, notes on InAutoPoll: NTAG215",
      tags: { [.ntag215(uid: bytes("04C63A63110189"))] },
      steps: [("60010110", "6101100C" + "010044000704C63A63110189")]),
    Log(
      source: "nfc-tools/libnfc issue 169: ACR122U, MIFARE DESFire EV1",
      tags: { [.desfire(.ev1, uid: bytes("04112233445566"))] },
      steps: [("4A0100", "4B0101034420" + "0704112233445566" + "067577810280")]),
  ]

  @Test(arguments: logs) func answersAsARealChip(_ log: Log) {
    var bench = PN532Bench(model: VirtualPN532(log.firmware))
    for tag in log.tags() { bench.field.place(tag) }
    for (command, answer) in log.steps {
      let own = bench.send(command.filter { $0 != " " }) ?? "error"
      if answer.hasSuffix("…") {
        #expect(own.hasPrefix(answer.dropLast()), "\(command)")
      } else {
        #expect(own == answer, "\(command)")
      }
    }
  }
}
