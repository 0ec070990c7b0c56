import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Secure Dynamic Messaging: NT4H2421Gx data sheet, 9.3 and 10.7.1; NXP AN12196.
@Suite struct NTAG424DynamicTests {
  private static let zeroKey = NTAG424Reader.zeroKey

  /// Returns a reader and a chip with a link, whose settings have been changed with key 0.
  private func reader(_ link: String, _ settings: String) -> NTAG424Reader {
    var reader = NTAG424Reader()
    reader.authenticate(0)
    var file = Array(link.utf8)
    file += [UInt8](repeating: 0, count: 256 - file.count)
    for start in stride(from: 0, to: 256, by: 128) {
      let header = hex("02") + [UInt8(start), 0, 0, 128, 0, 0]
      #expect(reader.native(0x8D, header + file[start..<start + 128]).status == 0x00)
      reader.counter += 1
    }
    #expect(reader.send(0x5F, [0x02], hex(settings), full: true).status == 0x00)
    #expect(reader.raw("00A4040007D276000085010100") == "9000")
    #expect(reader.raw("00A4000C02E104") == "9000")
    return reader
  }

  private func text(_ answer: String) -> String {
    String(decoding: hex(String(answer.dropLast(4))).filter { $0 != 0 }, as: UTF8.self)
  }

  /// The content in AN12196, from its UID, counter and keys.
  @Test func publishedContent() throws {
    // 3.4.4.2.1, tables 2 to 4.
    var file = NTAG424File.factory(ndef: Array("?e=\(zeros(32))&c=\(zeros(16))".utf8))[1]
    try file.change(settings: hex("4000E0 C1F121 030000 260000 260000"))
    file.readCounter = 61
    let first = NTAG424Content(
      file: file, settings: try #require(file.dynamic), uid: hex("04DE5F1EACC040"),
      keys: Array(repeating: Self.zeroKey, count: 5), padding: hex("DA5CF60941"))
    #expect(
      String(decoding: first.bytes.prefix(54), as: UTF8.self)
        == "?e=EF963FF7828658A599F3041510671E88&c=94EED9EE65337086")
    // 3.4.4.2.2: file data covered by the MAC.
    let text = "picc_data=\(zeros(32))&enc=\(String(repeating: "x", count: 32))&cmac=\(zeros(16))"
    file = NTAG424File.factory(ndef: Array(text.utf8))[1]
    try file.change(settings: hex("4000E0 D1F121 0A0000 2F0000 2F0000 200000 550000"))
    file.readCounter = 8
    let padding = DESFireCipher(kind: .aes, key: Self.zeroKey).decrypt(
      hex("FD91EC264309878BE6345CBE53BADF40"), vector: Self.zeroKey)
    #expect(Array(padding.prefix(11)) == hex("C704958CAA5C5E80080000"))
    let second = NTAG424Content(
      file: file, settings: try #require(file.dynamic), uid: hex("04958CAA5C5E80"),
      keys: Array(repeating: Self.zeroKey, count: 5), padding: Array(padding.suffix(5)))
    #expect(
      String(decoding: second.bytes.prefix(101), as: UTF8.self)
        == "picc_data=FD91EC264309878BE6345CBE53BADF40&enc=CEE9A53E3E463EF1F459635736738962"
        + "&cmac=ECC1E7F6C6C73BF6")
    #expect(second.bytes.count == 256)
  }

  /// The LRP link in nfc-ev2-crypto, from a chip of its author: PICC data and the MAC over them.
  @Test func publishedContentInLRP() throws {
    var file = NTAG424File.factory(ndef: Array("\(zeros(48))x\(zeros(16))".utf8))[1]
    try file.change(settings: hex("4000E0 C1F020 000000 000000 310000"), isLRP: true)
    file.readCounter = 0x6A
    let content = NTAG424Content(
      file: file, settings: try #require(file.dynamic), uid: hex("042E1D222A6380"),
      keys: Array(repeating: Self.zeroKey, count: 5), padding: hex("16E2CA89D1"),
      number: hex("AAE1508939ECF6FF"), isLRP: true)
    #expect(
      String(decoding: content.bytes.prefix(65), as: UTF8.self)
        == "AAE1508939ECF6FF26BCE407959AB1A5EC022819A35CD293x5E3DB82C19E3865F")
    // With AES the place would be shorter.
    #expect(throws: NTAG424Status.self) {
      try file.change(settings: hex("4000E0 C1F020 000000 200000 200000"), isLRP: true)
    }
    try file.change(settings: hex("4000E0 C1F020 000000 200000 200000"))
  }

  private func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

  /// 9.3.1: consecutive reads of the same kind are counted once.
  @Test func readsAreCounted() {
    var reader = reader(
      "\(zeros(14))x\(zeros(6))x\(zeros(16))", "4000E0 C1F1E1 000000 0F0000 160000 160000")
    let uid = reader.chip.identifier.hexadecimal
    #expect(text(reader.raw("00B0000015")) == "\(uid)x000001")
    #expect(text(reader.raw("00B0000F06")) == "000001")
    #expect(text(reader.raw("00B0000F06")) == "000001")
    // A read by the other command, after another command, and after a new activation.
    #expect(text(reader.raw("90AD000007 020F00000600 0000".filter { $0 != " " })) == "000002")
    #expect(text(reader.raw("90AD000007 020F00000600 0000".filter { $0 != " " })) == "000002")
    #expect(text(reader.raw("00B0000F06")) == "000003")
    #expect(reader.raw("00A4000C02E104") == "9000")
    #expect(text(reader.raw("00B0000F06")) == "000004")
    reader.chip.powerOn()
    _ = reader.raw("00A4040007D276000085010100")
    #expect(text(reader.raw("00B0840F06")) == "000005")
    #expect(reader.raw("90F6000001 02 00".filter { $0 != " " }) == "91AE")
    // After an authentication, reads return the static content and are not counted.
    _ = reader.raw("00A4040007D276000085010100")
    reader.authenticate(1)
    #expect(reader.send(0xF6, [0x02], full: true).data == hex("0500000000"))
    let (status, data) = reader.native(0xAD, hex("02000000150000"))
    #expect(status == 0x00)
    #expect(data == Array("\(zeros(14))x\(zeros(6))".utf8))
    #expect(reader.chip.readCounter == 5)
    // The stored content does not change.
    #expect(Array(reader.chip.memory[32..<46]) == Array(zeros(14).utf8))
  }

  /// The settings are returned unchanged (10.7.2).
  @Test func settingsAreReported() {
    var reader = reader(zeros(100), "4000E0 F1F121 100000 000000 300000 200000 500000 E80300")
    #expect(
      reader.raw("90F5000001 02 00".filter { $0 != " " })
        == "004000E0000100F1F121100000000000300000200000500000E80300" + "9100")
    // The padding is drawn again for each read; it is the same within one read.
    let reads = [reader.raw("00B0001020"), reader.raw("00B0001020")]
    _ = reader.raw("00A4000C02E104")
    #expect(reads[0] == reads[1])
    #expect(reads[0] != reader.raw("00B0001020"))
  }

  /// 9.3.2.
  @Test func counterLimit() {
    var reader = reader(
      "\(zeros(14))x\(zeros(6))x\(zeros(16))",
      "4000E0 E1FEE1 000000 0F0000 160000 160000 020000")
    for counter in ["000001", "000002"] {
      #expect(text(reader.raw("00B0000F06")) == counter)
      _ = reader.raw("00A4000C02E104")
    }
    #expect(reader.raw("00B0000F06") == "6982")
    #expect(reader.raw("90AD00000702000000010000" + "00") == "919D")
    _ = reader.raw("00A4040007D276000085010100")
    // It can be read after an authentication; a new limit must be above the counter.
    reader.authenticate(0)
    #expect(reader.native(0xAD, hex("02000000010000")).status == 0x00)
    reader.counter += 1
    let settings = "4000E0 E1FEE1 000000 0F0000 160000 160000"
    #expect(reader.send(0x5F, [0x02], hex(settings + "020000"), full: true).status == 0x9E)
    reader.authenticate(0)
    #expect(reader.send(0x5F, [0x02], hex(settings + "030000"), full: true).status == 0x00)
    #expect(reader.chip.readCounter == 2)
    // After it is disabled and enabled, the counter starts again.
    #expect(reader.send(0x5F, [0x02], hex("0000E0"), full: true).status == 0x00)
    #expect(reader.send(0x5F, [0x02], hex(settings + "010000"), full: true).status == 0x00)
    #expect(reader.chip.readCounter == 0)
  }

  /// Tables 69 and 71.
  @Test(arguments: [
    // Plain, not dynamic; keys that do not exist; reserved bits; lengths.
    ("02", "0000E0", 0x00), ("02", "0050E0", 0x9E), ("02", "0000D0", 0x9E), ("02", "8000E0", 0x9E),
    ("02", "0400E0", 0x9E), ("02", "0000E000", 0x7E), ("02", "0000", 0x7E), ("02", "40", 0x7E),
    ("02", "4000E0C1F1", 0x7E), ("03", "4000E0 01FFFF", 0x9D), ("04", "0000E0", 0xF0),
    // UID and counter encrypted, MAC; and with one number too few, one too many.
    ("02", "4000E0 C1F121 200000 430000 430000", 0x00),
    ("02", "4000E0 C1F121 200000 430000", 0x7E),
    ("02", "4000E0 C1F121 200000 430000 430000 010000", 0x7E),
    // Not in ASCII, a reserved option, a reserved right, a MAC that is free.
    ("02", "4000E0 C0F121 200000 430000 430000", 0x9E),
    ("02", "4000E0 C3F121 200000 430000 430000", 0x9E),
    ("02", "4000E0 C1E121 200000 430000 430000", 0x9E),
    ("02", "4000E0 C1F12E 200000 430000 430000", 0x9E),
    ("02", "4000E0 C1F151 430000 430000", 0x9E),
    // Beyond the end, overlapping, and a MAC whose input begins after itself.
    ("02", "4000E0 C1F121 E10000 430000 430000", 0x9E),
    ("02", "4000E0 C1F121 200000 F10000 F10000", 0x9E),
    ("02", "4000E0 C1F121 200000 3F0000 3F0000", 0x9E),
    ("02", "4000E0 C1F121 200000 440000 430000", 0x9E),
    // Nothing to mirror, a UID without a place, a counter that does not count.
    ("02", "4000E0 01F121 200000 430000 430000", 0x9E),
    ("02", "4000E0 81FFF1 430000 430000", 0x9E),
    ("02", "4000E0 81F121 200000 430000 430000", 0x9E),
    ("02", "4000E0 81FF21 200000 430000 430000", 0x00),
    // Plain: UID, counter, both, overlapping, counted and not mirrored, no MAC.
    ("02", "4000E0 81FFE1 200000 430000 430000", 0x00),
    ("02", "4000E0 C1FEE1 200000 2E0000 430000 430000", 0x00),
    ("02", "4000E0 C1FEE1 200000 2D0000 430000 430000", 0x9E),
    ("02", "4000E0 C1FEE1 200000 FFFFFF 430000 430000", 0x00),
    ("02", "4000E0 C1FEEF 200000 2E0000", 0x00), ("02", "4000E0 01FFFF", 0x00),
    // File data: with both, in whole blocks, before the MAC, covered by the MAC.
    ("02", "4000E0 D1F121 000000 200000 200000 200000 400000", 0x00),
    ("02", "4000E0 D1F121 000000 200000 200000 400000 600000", 0x00),
    ("02", "4000E0 D1F121 000000 200000 200000 100000 400000", 0x9E),
    ("02", "4000E0 D1F121 000000 200000 200000 000000 400000", 0x9E),
    ("02", "4000E0 D1F121 000000 200000 200000 200000 3F0000", 0x9E),
    ("02", "4000E0 D1F121 000000 210000 200000 200000 400000", 0x9E),
    ("02", "4000E0 D1F121 010000 200000 200000 200000 400000", 0x9E),
    ("02", "4000E0 91FF21 000000 200000 200000 200000 400000", 0x9E),
    ("02", "4000E0 D1F12F 000000", 0x9E),
    // Limits.
    ("02", "4000E0 E1F121 200000 430000 430000 010000", 0x00),
    ("02", "4000E0 E1F121 200000 430000 430000 000000", 0x9E),
    ("02", "4000E0 A1FF21 200000 430000 430000 010000", 0x9E),
  ])
  func changeFileSettings(file: String, settings: String, status: UInt8) {
    var reader = NTAG424Reader()
    reader.authenticate(0)
    let before = reader.chip.fileSettings
    #expect(reader.send(0x5F, hex(file), hex(settings), full: true).status == status)
    #expect((reader.chip.fileSettings == before) == (status != 0x00))
  }

  /// Rights: table 9, and 9E where no key is.
  @Test func rights() {
    var reader = NTAG424Reader()
    reader.authenticate(1)
    #expect(reader.send(0x5F, [0x02], hex("0000E0"), full: true).status == 0xAE)
    reader.authenticate(0)
    // Nobody writes, key 4 reads encrypted data, and nobody can change the settings again.
    #expect(reader.send(0x5F, [0x02], hex("03FF4F"), full: true).status == 0x00)
    #expect(reader.send(0x5F, [0x02], hex("00EEEE"), full: true).status == 0x9D)
    #expect(reader.raw("00B0840001") == "6982")
    #expect(reader.raw("00D6840001AA") == "6982")
    #expect(reader.native(0x8D, hex("0200000001000000")).status == 0x9D)
    reader.authenticate(4)
    #expect(reader.send(0xAD, hex("02000000020000"), full: true).data == [0x00, 0x00])
    // Settings with free access are changed without a key, in plain.
    var free = NTAG424Reader()
    free.authenticate(0)
    #expect(free.send(0x5F, [0x02], hex("00EEEE"), full: true).status == 0x00)
    _ = free.raw("00A4040007D276000085010100")
    #expect(free.native(0x5F, hex("02 00E0EE")).status == 0x00)
    #expect(free.native(0x5F, hex("02 00E0EE")).status == 0xAE)
  }

  /// Any command results in an answer with a status word, and nobody can write a protected file without a
  /// key.
  @Test func anyCommand() {
    var generator = SplitMix64(seed: [4, 2, 4])
    var reader = NTAG424Reader()
    reader.authenticate(0)
    #expect(
      reader.send(0x5F, [0x02], hex("4000E0 C1F121 200000 430000 430000"), full: true).status == 0)
    _ = reader.raw("00A4040007D276000085010100")
    let (before, keys) = (reader.chip.memory, reader.chip.keys)
    let codes: [UInt8] = [
      0x3C, 0x51, 0x5C, 0x5F, 0x60, 0x64, 0x71, 0x77, 0x8D, 0xAD, 0xAF, 0xC4, 0xF5, 0xF6, 0xA4,
      0xB0,
      0xD6,
    ]
    for _ in 0..<5000 {
      let random = generator.bytes(16)
      let cla: UInt8 = random[0] & 1 == 0 ? 0x90 : 0x00
      let code = codes[Int(random[1]) % codes.count]
      let data = Array(random[4..<4 + Int(random[2] % 12)])
      let p: [UInt8] = random[0] & 2 == 0 ? [0, 0] : [random[3] & 0x8F, random[2] & 0x0F]
      let answer = reader.chip.process(
        [cla, code] + p + (data.isEmpty ? [] : [UInt8(data.count)] + data) + [0])
      #expect(answer.count >= 2)
    }
    #expect(reader.chip.memory == before)
    #expect(reader.chip.keys == keys)
  }
}
