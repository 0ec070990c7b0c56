import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

@Suite struct FeliCaLiteTests: FeliCaTesting {
  static let idm = hex("012E4CD86A1F9305")

  @Test(arguments: [
    // Any card, with a request for the system code (as a PN532 sends it for libnfc).
    ("00FFFF0100", "01012E4CD86A1F930500F100000001430088B4"),
    ("00FFFF0000", "01012E4CD86A1F930500F1000000014300"),
    ("00FFFF0200", "01012E4CD86A1F930500F10000000143000083"),
    ("0088B40100", "01012E4CD86A1F930500F100000001430088B4"),
    ("0012FC0100", "01012E4CD86A1F930500F100000001430012FC"),
    // A byte FF stands for any.
    ("00FFFC0100", "01012E4CD86A1F930500F100000001430012FC"),
    ("0088FF0100", "01012E4CD86A1F930500F100000001430088B4"),
    ("0000030100", nil),
    ("00FE000100", nil),
    // Numbers of time slots: 1, 2, 4, 8, 16, and invalid values.
    ("00FFFF0001", "01012E4CD86A1F930500F1000000014300"),
    ("00FFFF0003", "01012E4CD86A1F930500F1000000014300"),
    ("00FFFF0007", "01012E4CD86A1F930500F1000000014300"),
    ("00FFFF000F", "01012E4CD86A1F930500F1000000014300"),
    ("00FFFF0002", nil),
    ("00FFFF00", nil),
    ("00FFFF000000", nil),
  ])
  func polling(command: String, answer: String?) {
    var chip = FeliCaLiteS(idm: Self.idm)
    #expect(exchange(&chip, hex(command)) == answer.map(hex))
  }

  @Test func ndefSystemIsThereOnlyIfFormatted() {
    var chip = FeliCaLiteS(idm: Self.idm, formatted: false)
    #expect(exchange(&chip, hex("0012FC0000")) == nil)
    #expect(exchange(&chip, hex("00FFFF0100"))?.suffix(2) == [0x88, 0xB4])
  }

  @Test(arguments: [212, 424])
  func bothBitRates(bitRate: Int) {
    var chip = FeliCaLiteS(idm: Self.idm)
    #expect(exchange(&chip, hex("00FFFF0000"), bitRate: bitRate)?.count == 17)
  }

  @Test func otherFramesAreIgnored() {
    var chip = FeliCaLiteS(idm: Self.idm)
    #expect(chip.receive(.feliCa(hex("00FFFF0000"), bitRate: 106)) == nil)
    #expect(chip.receive(.typeA(bare: [0x26], bitsInLastByte: 7)) == nil)
    var broken = RadioFrame.feliCa(hex("00FFFF0000"))
    broken.bytes[7] ^= 1
    #expect(chip.receive(broken) == nil)
    var wrongLength = RadioFrame.feliCa(hex("00FFFF0000"))
    wrongLength.bytes[0] += 1
    #expect(chip.receive(wrongLength) == nil)
  }

  /// NFC Forum Type 3 Tag 1.1: the checksum is the sum of bytes 0 to 13. The block is that of a
  /// commercial Lite-S.
  @Test func formattedAttributeBlock() throws {
    var chip = FeliCaLiteS(idm: Self.idm)
    #expect(
      exchange(&chip, readCommand(Self.idm, 0))
        == hex("07012E4CD86A1F9305000001 10040100 0D000000 00000100 00000023"))
    var lite = try FeliCaLite(idm: Self.idm, ndef: [0xD0, 0x00, 0x00])
    #expect(
      exchange(&lite, readCommand(Self.idm, 0, 1))
        == hex(
          "07012E4CD86A1F9305000002 10040100 0D000000 00000100 00030026"
            + "D0000000 00000000 00000000 00000000"))
  }

  @Test(arguments: [
    // Wrong IDm.
    ("06012E4CD86A1F9306010B00018000", nil),
    // Number of services 0 and 2.
    ("06012E4CD86A1F930500018000", "FFA1"),
    ("06012E4CD86A1F9305020B000900018000", "FFA1"),
    // Number of blocks 0 and 5.
    ("06012E4CD86A1F9305010B0000", "FFA2"),
    ("06012E4CD86A1F9305010B000580008001800280038004", "FFA2"),
    // Service order, service code, access mode, block number.
    ("06012E4CD86A1F9305010B00018100", "01A3"),
    ("06012E4CD86A1F9305010F00018000", "01A6"),
    ("06012E4CD86A1F9305010B000280009001", "02A7"),
    ("06012E4CD86A1F9305010B00038000800180 0F", "04A8"),
    // A 3-byte element: block 0100 does not exist, block 0001 does.
    ("06012E4CD86A1F9305010B0001000001", "01A8"),
    // D_ID can only be read by the read-only service.
    ("06012E4CD86A1F9305010900018083", "01A8"),
    // MAC_A without RC; lists that are too short and too long.
    ("06012E4CD86A1F9305010B000280808091", "02B2"),
    ("06012E4CD86A1F9305010B00028000", nil),
    ("06012E4CD86A1F9305010B0001800000", nil),
    ("06012E4CD86A1F9305", nil),
    ("06", nil),
    // Writing: read-only service, two blocks without MAC_A, only MAC_A, D_ID.
    ("08012E4CD86A1F9305010B00018001 00000000000000000000000000000000", "01A6"),
    ("08012E4CD86A1F9305010900018091 00000000000000000000000000000000", "01A8"),
    ("08012E4CD86A1F9305010900018083 00000000000000000000000000000000", "01A8"),
    ("08012E4CD86A1F9305010900018001 000000000000000000000000000000", nil),
    // Unsupported commands: Request Response, Request System Code, Authentication1.
    ("04012E4CD86A1F9305", nil),
    ("0C012E4CD86A1F9305", nil),
    ("10012E4CD86A1F9305", nil),
    ("", nil),
  ])
  func refusals(command: String, status: String?) {
    var chip = FeliCaLiteS(idm: Self.idm)
    let answer = exchange(&chip, hex(command))
    #expect(answer.map { Array($0.dropFirst(9)) } == status.map(hex))
  }

  @Test func readsAndWrites() {
    var chip = FeliCaLiteS(idm: Self.idm)
    let data = Array(UInt8(1)...16)
    #expect(exchange(&chip, writeCommand(Self.idm, 5, data)) == hex("09012E4CD86A1F93050000"))
    #expect(exchange(&chip, readCommand(Self.idm, service: 0x0009, 5))?.suffix(16) == data[...])
    // With a 3-byte element.
    #expect(
      exchange(&chip, [0x06] + Self.idm + hex("010B0001000500"))?.suffix(16) == data[...])
    chip.powerOff()
    chip.powerOn()
    #expect(exchange(&chip, readCommand(Self.idm, 4, 5, 6))?.dropFirst(28).prefix(16) == data[...])
    #expect(Array(chip.memory[80..<96]) == data)
  }

  @Test func keyAndChallengeAreNeverRead() {
    var chip = FeliCaLiteS(idm: Self.idm)
    let secret = [UInt8](repeating: 0x5A, count: 16)
    for block: UInt8 in [0x80, 0x87] {
      #expect(exchange(&chip, writeCommand(Self.idm, block, secret))?.suffix(2) == [0, 0])
      #expect(
        exchange(&chip, readCommand(Self.idm, block))?.suffix(16)
          == [UInt8](repeating: 0, count: 16)[...])
    }
  }

  @Test func systemBlocks() {
    var chip = FeliCaLiteS(idm: Self.idm)
    #expect(
      exchange(&chip, readCommand(Self.idm, 0x83))?.suffix(16)
        == hex("012E4CD86A1F930500F1000000014300")[...])
    #expect(exchange(&chip, readCommand(Self.idm, 0x85))?.suffix(16).prefix(2) == [0x88, 0xB4])
    // The IDm part of ID does not change.
    let data = [UInt8](repeating: 0xEE, count: 16)
    #expect(exchange(&chip, writeCommand(Self.idm, 0x82, data))?.suffix(2) == [0, 0])
    let idBlock = Self.idm + data.suffix(8)
    #expect(exchange(&chip, readCommand(Self.idm, 0x82))?.suffix(16) == idBlock[...])
  }

  @Test func liteHasNoLiteSBlocks() {
    var chip = FeliCaLite(idm: Self.idm)
    for block: UInt8 in [0x90, 0x91, 0x92, 0xA0] {
      #expect(exchange(&chip, readCommand(Self.idm, block))?.suffix(2) == [0x01, 0xA8])
    }
    let command =
      [0x08] + Self.idm + hex("010900028000 8091") + [UInt8](repeating: 0, count: 32)
    #expect(exchange(&chip, command)?.suffix(2) == [0xFF, 0xA2])
    #expect(chip.memory.count == 22 * 16)
    #expect(FeliCaLiteS(idm: Self.idm).memory.count == 23 * 16)
  }

  /// A and B (4 bytes, least significant first) can only decrease; C can be written freely.
  @Test(arguments: [
    ("FFFFFFFF FFFFFFFF 0102030405060708", "0000"),
    ("00FFFFFF FFFFFFFE 0000000000000000", "0000"),
    ("00010000 00010000 0000000000000000", "0000"),
  ])
  func registerGoesDown(data: String, status: String) {
    var chip = FeliCaLiteS(idm: Self.idm)
    #expect(exchange(&chip, writeCommand(Self.idm, 0x0E, hex(data)))?.suffix(2) == hex(status)[...])
    #expect(exchange(&chip, readCommand(Self.idm, 0x0E))?.suffix(16) == hex(data)[...])
  }

  @Test(arguments: ["01010000 00000000 0000000000000000", "00000000 00000001 0000000000000000"])
  func registerNeverGoesUp(data: String) {
    var chip = FeliCaLiteS(idm: Self.idm)
    let low = hex("00010000 FF000000 1122334455667788")
    #expect(exchange(&chip, writeCommand(Self.idm, 0x0E, low))?.suffix(2) == [0, 0])
    #expect(exchange(&chip, writeCommand(Self.idm, 0x0E, hex(data)))?.suffix(2) == [0x01, 0xA9])
    #expect(exchange(&chip, readCommand(Self.idm, 0x0E))?.suffix(16) == low[...])
  }

  // MARK: MC

  /// Writes MC and switches the carrier off and on.
  static func configured(_ mc: String, _ chip: FeliCaLiteS? = nil) -> FeliCaLiteS {
    var chip = chip ?? FeliCaLiteS(idm: idm)
    #expect(exchange(&chip, writeCommand(idm, 0x88, hex(mc)))?.suffix(2) == [0, 0])
    chip.powerOff()
    chip.powerOn()
    return chip
  }

  @Test func ndefFlagCountsFromTheNextPowerUp() {
    var chip = FeliCaLiteS(idm: Self.idm, formatted: false)
    let mc = hex("FFFFFF0107000000 0000000000000000")
    #expect(exchange(&chip, writeCommand(Self.idm, 0x88, mc))?.suffix(2) == [0, 0])
    #expect(exchange(&chip, readCommand(Self.idm, 0x88))?.suffix(16) == mc[...])
    #expect(exchange(&chip, hex("0012FC0000")) == nil)
    chip.powerOff()
    chip.powerOn()
    #expect(exchange(&chip, hex("0012FC0000")) != nil)
  }

  @Test func permissionsOnlyGo() {
    let data = [UInt8](repeating: 7, count: 16)
    var chip = Self.configured("FEFFFF0107000000 0000000000000000")
    #expect(exchange(&chip, writeCommand(Self.idm, 0, data))?.suffix(2) == [0x01, 0xA8])
    #expect(exchange(&chip, writeCommand(Self.idm, 1, data))?.suffix(2) == [0, 0])
    #expect(exchange(&chip, readCommand(Self.idm, 0))?.count == 28)
    #expect(exchange(&chip, readCommand(Self.idm, service: 0x0009, 0))?.suffix(2) == [0x01, 0xA8])
    chip = Self.configured("FFFFFF0107000000 0000000000000000", chip)
    #expect(exchange(&chip, readCommand(Self.idm, 0x88))?.suffix(16).first == 0xFE)
  }

  @Test func issuanceLocksSystemBlocks() {
    let data = [UInt8](repeating: 7, count: 16)
    var chip = Self.configured("FFFF000107000000 0000000000000000")
    for block: UInt8 in [0x82, 0x84, 0x86, 0x87] {
      #expect(exchange(&chip, writeCommand(Self.idm, block, data))?.suffix(2) == [0x01, 0xA8])
    }
    // The counter has started again.
    #expect(exchange(&chip, readCommand(Self.idm, 0x90))?.suffix(16).prefix(3) == [0, 0, 0])
    #expect(exchange(&chip, writeCommand(Self.idm, 0, data))?.suffix(2) == [0, 0])
    #expect(exchange(&chip, readCommand(Self.idm, 0x90))?.suffix(16).prefix(3) == [1, 0, 0])
    // MC_ALL and SYS_OP do not change; the permissions can still be removed.
    chip = Self.configured("FF7FFF0007000000 0000000000000000", chip)
    #expect(
      exchange(&chip, readCommand(Self.idm, 0x88))?.suffix(16).prefix(5)
        == hex("FF7F000107")[...])
    // All of MC is read-only now.
    #expect(exchange(&chip, writeCommand(Self.idm, 0x88, data))?.suffix(2) == [0x01, 0xA8])
  }

  @Test func writeCounterCountsAllButTheChallenge() {
    var chip = FeliCaLiteS(idm: Self.idm)
    let data = [UInt8](repeating: 0, count: 16)
    #expect(
      exchange(&chip, readCommand(Self.idm, 0x90))?.suffix(16).prefix(3) == [0x00, 0xFE, 0xFF])
    _ = exchange(&chip, writeCommand(Self.idm, 3, data))
    _ = exchange(&chip, writeCommand(Self.idm, 0x80, data))
    _ = exchange(&chip, writeCommand(Self.idm, 0x86, data))
    #expect(
      exchange(&chip, readCommand(Self.idm, 0x90))?.suffix(16).prefix(3) == [0x02, 0xFE, 0xFF])
  }

  @Test func memoryOfAnotherSizeIsCut() {
    var chip = FeliCaLiteS(idm: Self.idm)
    let old = chip.memory
    chip.memory = [UInt8](repeating: 0xAB, count: 20)
    #expect(Array(chip.memory.prefix(16)) == [UInt8](repeating: 0xAB, count: 16))
    #expect(Array(chip.memory.dropFirst(16)) == Array(old.dropFirst(16)))
    chip.memory = old + [1, 2, 3]
    #expect(chip.memory == old)
  }

  @Test func anyFrameIsSurvived() {
    var random = SplitMix64(seed: 0xFE11CA)
    var chip = FeliCaLiteS(idm: Self.idm)
    for round in 0..<6000 {
      var payload = random.bytes(Int(random.next() % 60))
      if round % 2 == 0 {
        let code: [UInt8] = [0x00, 0x06, 0x08, 0x06]
        payload =
          [code[Int(random.next() % 4)]] + Self.idm + [1, random.next() % 2 == 0 ? 9 : 11, 0]
        let count: UInt8 = random.next() % 6
        payload.append(count)
        for _ in 0..<count {
          let element: UInt8 = random.next()
          payload += [element & 0x0F | 0x80, random.next()]
        }
        payload += random.bytes(Int(random.next() % 3) * 16)
      }
      if let answer = exchange(&chip, payload) { #expect(answer.count <= 254) }
      _ = chip.receive(RadioFrame(payload, modulation: .feliCa))
    }
  }
}
