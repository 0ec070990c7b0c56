import SwiftNFCSeededRandom
import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests MIFARE Ultralight AES with recorded exchanges of real chips, and the rules of page protection,
/// keys and counters.
@Suite struct UltralightAESTests {
  private static func bench(_ change: (inout MIFAREUltralightAES) -> Void = { _ in }) -> Type2Bench
  {
    var chip = MIFAREUltralightAES()
    change(&chip)
    return Type2Bench(chip)
  }

  private static func bytes(_ text: String) -> [UInt8] { [UInt8](hexadecimal: text) ?? [] }

  /// Proxmark3, traces/hf_14a_mful_aes_defaultkey.trace and …_secure_message.trace: the chip with the UID that the
  /// virtual one has, its key all zeros. The random numbers are the chip's, decrypted.
  @Test func recordedExchanges() {
    var plain = Self.bench {
      $0.nextRandomNumber = Self.bytes("4D4B447D0AC14D1C937283CE060BEAF1")
    }
    plain.run(
      """
      1A 00 > AF02FD5CA2E65616541BF64E345ED4D225
      AFE14D5D0EE27715DF08B4152BA23DA8E0631478498BE93E190C112BB35F257988 > 00E14D5D0EE27715DF08B4152BA23DA8E0
      """)
    var secured = Self.bench {
      $0.memory[0x29 * 4] = 0x02
      $0.nextRandomNumber = Self.bytes("0C83A4048F9118B0291224D23224012D")
    }
    secured.run(
      """
      1A 00 > AFF80A9CBDDCB3E06B4837CB839C777E14
      AFE14D5D0EE27715DF08B4152BA23DA8E0193B58D320FE9395CA5D3DE55B3D3BA9 > 00E14D5D0EE27715DF08B4152BA23DA8E0
      60 0F27D551860270D8 > 0004030104000F030C710E842217FD95
      """)
    // The repeated command would need another MAC.
    secured.run("60 0F27D551860270D8 > -")
  }

  /// libpretixnfc: the example of the data sheet, that of NXP AN13452, and one recorded from a tag.
  @Test(arguments: [
    (
      "00000000000000000000000000000000", "1AE4174CA173EBBC59165CEBE2F20821",
      "D5A847B84862FF3874A7F07B8DDF351B",
      "CDF22C5F7A92F0AF0155612B9B236AC7A424BC5238D41AD041B8165B7D99E524",
      "2C743D6B1E128F8076BD197B76012CE8"
    ),
    (
      "00000000000000000000000000000000", "0D2BBA17011098E9864C8AA5192AF796",
      "374142DAFB0AB97183D846EB7ED379E0",
      "794693B2A31E7F10964A2BD834590AC485F84E9F8B13197AB32433346F60B821",
      "A17673DCC20D27EE80584ACCFC39E0A3"
    ),
    (
      "000102030405060708090A0B0C0D0E0F", "4F8A30AFA500343A9E850485FBA905D7",
      "85707404563F8AC0CD2D9A18C7DB6239",
      "79C178D209DD780364FEFDA24240B757F02E08A6AD0CABF4A2B3F6557509718F",
      "6251131285824545E764E56A5F8592C4"
    ),
  ])
  func publishedAuthentications(
    key: String, random: String, challenge: String, proof: String, answer: String
  ) {
    var bench = Self.bench {
      // The last byte of a key comes first.
      $0.memory.replaceSubrange(0x30 * 4..<0x34 * 4, with: Self.bytes(key).reversed())
      $0.nextRandomNumber = Self.bytes(random)
    }
    bench.run("1A 00 > AF\(challenge)\nAF\(proof) > 00\(answer)")
  }

  /// StuStaPay, NfcUnitTest: both random numbers, and the MAC of GET_VERSION as the first command.
  @Test func sessionKey() {
    var session = UltralightAESSession(
      DESFireCipher(kind: .aes, key: [UInt8](repeating: 0, count: 16)),
      reader: Self.bytes("42BDF7E08E110F14B6D3323D14F1C2B9"),
      card: Self.bytes("0D2BBA17011098E9864C8AA5192AF796"))
    #expect(session.wrap([0x60]) == [0x60] + Self.bytes("1D5DE802D6751670"))
  }

  static let rules = [
    (
      "formatted",
      """
      30 03 > E1101200 0103A00C 340300FE 00000000
      30 28 > 00000000 0000003C 8C050000 00000000
      3A 30 3B > \(String(repeating: "00", count: 48))
      30 3B > 00000000 043F883B C2451390 04480000
      30 3C > N0
      """
    ),
    (
      "signature, version, counters",
      """
      60 > 0004030104000F03
      3C 00 > 5C2055A7373F119C3FDD9843020B06AA0E6DE18C16496C425C4AD971A50F05FA1A67B9E39CA60C355EEEEBF8214A84A5
      39 02 > 000000
      A5 02 05000000 > A
      39 02 > 050000
      A5 02 FFFFFF00 > N4
      """
    ),
    ("there are three counters", "39 03 > N0"),
    (
      "two pages for each lock bit",
      """
      A2 28 01000000 > A
      A2 10 01020304 > N0
      select
      A2 11 01020304 > N0
      select
      A2 12 01020304 > A
      A2 28 00000000 > A
      30 28 > 01000000 0000003C 8C050000 00000000
      """
    ),
    // StuStaPay: the key's last byte comes first; keys read as zeros.
    (
      "keys",
      """
      A2 30 0F0E0D0C > A
      30 30 > 00000000 00000000 00000000 00000000
      A2 2D C0000000 > A
      A2 30 00000000 > N0
      select
      A2 34 00000000 > N0
      """
    ),
    (
      "frozen locks of keys",
      """
      A2 2D 60000000 > A
      A2 2D 80000000 > A
      30 2D > 60000000 00000000 00000000 00000000
      A2 30 00000000 > N0
      select
      A2 34 00000000 > A
      """
    ),
    (
      "locked settings",
      """
      A2 2A CC050000 > A
      A2 2A 8C050000 > N0
      select
      A2 29 00000004 > N0
      select
      A2 30 01020304 > A
      """
    ),
    (
      "protected from page 10 on",
      """
      A2 29 00000010 > A
      reselect
      30 0F > 00000000 043F883B C2451390 04480000
      A2 10 01020304 > N0
      select
      30 10 > N0
      select
      3A 04 10 > N0
      select
      A2 0F 01020304 > A
      """
    ),
    (
      "reading is free without PROT",
      """
      A2 29 00000010 > A
      A2 2A 0C050000 > A
      reselect
      30 10 > 00000000 00000000 00000000 00000000
      A2 10 01020304 > N0
      """
    ),
    (
      "counter 2 needs a key",
      """
      A2 2A 80050000 > A
      reselect
      39 02 > N0
      select
      A5 02 01000000 > N0
      select
      A5 01 01000000 > A
      39 01 > 010000
      """
    ),
    ("reserved pages", "A2 2B 00000000 > N0\nselect\nA2 38 00000000 > N0"),
    ("there are two keys", "1A 02 > N0"),
  ]

  @Test(arguments: rules) func rule(_ name: String, _ script: String) {
    var bench = Self.bench()
    bench.run(script, name)
  }

  /// Performs the reader's half of an authentication.
  static func prove(_ bench: inout Type2Bench, key: [UInt8], number: UInt8 = 0) -> String {
    let cipher = DESFireCipher(kind: .aes, key: key)
    let challenge = bytes(String(bench.send([0x1A, number]).dropFirst(2)))
    guard challenge.count == 16 else { return "refused" }
    let card = cipher.decrypt(challenge, vector: cipher.zeroVector)
    return bench.send(
      [0xAF]
        + cipher.encrypt(
          [UInt8](repeating: 7, count: 16) + card.dropFirst() + card.prefix(1),
          vector: cipher.zeroVector))
  }

  @Test func wrongKeysAreCounted() {
    let right = [UInt8](repeating: 0, count: 16)
    let wrong = [UInt8](repeating: 1, count: 16)
    var bench = Self.bench { $0.memory[0x2A * 4 + 2] = 20 }
    for _ in 0..<20 {
      #expect(Self.prove(&bench, key: wrong) == "N0")
      bench.select(wakeUp: true)
    }
    // A right key takes 16 away; 4 are left, and 16 more reach the limit. The next wrong key closes the chip.
    #expect(Self.prove(&bench, key: right).hasPrefix("00"))
    for attempt in 0..<17 {
      #expect(Self.prove(&bench, key: wrong) == (attempt == 16 ? "N4" : "N0"))
      bench.select(wakeUp: true)
    }
    bench.run("1A 00 > N4\nfield\n1A 00 > N4")
  }

  /// RID_ACT: a random UID of four bytes, and the real one only with the second key.
  @Test func randomIdentifier() throws {
    var chip = MIFAREUltralightAES()
    chip.memory[0x29 * 4] = 0x01
    chip.powerOn()
    let shown = chip.activation.uid
    #expect(
      shown.count == 4 && shown[0] == 0x08 && chip.identifier == MIFAREUltralightAES.defaultUID)
    chip.powerOff()
    chip.powerOn()
    #expect(chip.activation.uid != shown)
    #expect(Array(chip.readableImage.prefix(9)) == [UInt8](repeating: 0, count: 9))
  }

  @Test(arguments: [1, 2, 3] as [UInt8]) func anyFrames(_ seed: UInt8) {
    var chip = MIFAREUltralightAES()
    chip.powerOn()
    var bench = Type2Bench(chip)
    var generator = SplitMix64(seed: [seed, 0xAE])
    let oneTime = [10, 11, 12, 13, 14, 15, 160, 161, 162, 180]
    for step in 0..<3000 {
      let before = bench.chip.memory
      _ = bench.chip.receive(Type2FuzzTests.frame(&generator, pages: 64))
      let after = bench.chip.memory
      #expect(after.count == 240 && after.prefix(9).elementsEqual(before.prefix(9)))
      for index in oneTime { #expect(before[index] & ~after[index] == 0) }
      if step % 4 == 0 { bench.ensureSelected() }
    }
  }
}
