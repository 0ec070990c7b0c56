import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// MAC, MAC_A and authentication of FeliCa Lite and Lite-S. The known answers are those of nfcpy's test
/// suite, which follows the procedure of Sony's manuals: card key `0123456789abcdef`, random challenge 00
/// to 0F, with each half reversed in its block.
@Suite struct FeliCaLiteMACTests: FeliCaTesting {
  static let idm = hex("0102030405060708")
  static let cardKey = hex("3736353433323130 6665646362613938")
  static let challenge = hex("0706050403020100 0F0E0D0C0B0A0908")

  /// Returns a card with the known key and challenge.
  static func authenticatedCard(_ chip: FeliCaLiteS? = nil) -> FeliCaLiteS {
    var chip = chip ?? FeliCaLiteS(idm: idm)
    #expect(exchange(&chip, writeCommand(idm, 0x87, cardKey))?.suffix(2) == [0, 0])
    #expect(exchange(&chip, writeCommand(idm, 0x80, challenge))?.suffix(2) == [0, 0])
    return chip
  }

  static func sessionKey() throws -> [UInt8] {
    try #require(FeliCaLiteMAC.sessionKey(cardKey: cardKey, challenge: challenge))
  }

  @Test(arguments: [(false, "0B1268D7A4AC6932"), (true, "18CDD33C0FB25DD7")])
  func codeOverBytes(isWrite: Bool, code: String) {
    #expect(
      FeliCaLiteMAC.code(
        over: Array(0..<32), sessionKey: Array(0..<16),
        // RC1 in the order of its block: the initialization vector is 00 to 07.
        challenge: Array((0..<8).reversed()), isWrite: isWrite) == hex(code))
  }

  @Test(arguments: [0, 7, 9])
  func codeNeedsWholeUnits(count: Int) {
    #expect(
      FeliCaLiteMAC.code(
        over: [UInt8](repeating: 0, count: count), sessionKey: Array(0..<16),
        challenge: Self.challenge) == nil)
    #expect(FeliCaLiteMAC.sessionKey(cardKey: Self.challenge, challenge: []) == nil)
  }

  @Test(arguments: [
    ("00000000000000000000000000000000", "CC97F1B97B8BBC79"),
    ("10040100030000000000010000270040", "AF36B1F1524E3EB9"),
    ("01020304050607080000000000000000", "91AEC5B6D9B3B12D"),
    ("01000000000000000000000000000000", "BD73EB7294A00279"),
    ("10040100030000000000010000000019", "A622C337A4E44271"),
    (
      "D10222537091010E55036E66632D666F72756D2E6F726751010C5402656E4E464320466F72756D0000"
        + "00000000000000", "9E2D7FE15B2F5D1C"
    ),
  ])
  func macOfBlocks(data: String, code: String) throws {
    #expect(
      FeliCaLiteMAC.code(
        over: hex(data), sessionKey: try Self.sessionKey(), challenge: Self.challenge)
        == hex(code))
  }

  /// Internal authentication: RC is written, then blocks are read with a MAC.
  @Test func readWithMAC() {
    var lite = FeliCaLite(idm: Self.idm)
    _ = exchange(&lite, writeCommand(Self.idm, 0x87, Self.cardKey))
    _ = exchange(&lite, writeCommand(Self.idm, 0x80, Self.challenge))
    lite.memory = hex("10040100030000000000010000270040") + lite.memory.dropFirst(16)
    #expect(
      exchange(&lite, readCommand(Self.idm, 0x00, 0x81))?.suffix(16)
        == hex("AF36B1F1524E3EB9 0000000000000000")[...])
    // Another key results in another MAC.
    var other = FeliCaLite(idm: Self.idm)
    other.memory = lite.memory
    _ = exchange(&other, writeCommand(Self.idm, 0x87, Self.challenge))
    _ = exchange(&other, writeCommand(Self.idm, 0x80, Self.challenge))
    #expect(
      exchange(&other, readCommand(Self.idm, 0x00, 0x81))?.suffix(16).prefix(8)
        != hex("AF36B1F1524E3EB9")[...])
  }

  @Test func macWithoutChallengeIsZero() {
    var chip = FeliCaLiteS(idm: Self.idm)
    let zeros = [UInt8](repeating: 0, count: 16)
    #expect(exchange(&chip, readCommand(Self.idm, 0x00, 0x81))?.suffix(16) == zeros[...])
    chip = Self.authenticatedCard()
    #expect(exchange(&chip, readCommand(Self.idm, 0x81))?.suffix(16) == zeros[...])
    #expect(exchange(&chip, readCommand(Self.idm, 0x00, 0x81))?.suffix(16) != zeros[...])
    chip.powerOff()
    chip.powerOn()
    #expect(exchange(&chip, readCommand(Self.idm, 0x00, 0x81))?.suffix(16) == zeros[...])
  }

  /// The numbers of the blocks, two bytes each, and padding with FF precede the data (FeliCa Lite-S
  /// User's Manual). There is no published vector, so the test implements the composition itself.
  @Test func readWithMACA() throws {
    var chip = Self.authenticatedCard()
    let key = try Self.sessionKey()
    let one = try #require(readBlocks(&chip, 0x82, 0x91))
    #expect(
      Array(one[16..<24])
        == FeliCaLiteMAC.code(
          over: hex("82009100FFFFFFFF") + one[..<16], sessionKey: key, challenge: Self.challenge))
    let three = try #require(readBlocks(&chip, 0x00, 0x05, 0x90, 0x91))
    #expect(
      Array(three[48..<56])
        == FeliCaLiteMAC.code(
          over: hex("0000050090009100") + three[..<48], sessionKey: key,
          challenge: Self.challenge))
    #expect(three[56...] == [UInt8](repeating: 0, count: 8)[...])
    #expect(
      exchange(&chip, readCommand(Self.idm, 0x00, 0x81, 0x91))?.suffix(2) == [0x04, 0xB0])
  }

  func readBlocks(_ chip: inout FeliCaLiteS, _ blocks: UInt8...) -> [UInt8]? {
    let command = [0x06] + Self.idm + [1, 0x0B, 0x00, UInt8(blocks.count)] + shortElements(blocks)
    return exchange(&chip, command).map { Array($0.dropFirst(12)) }
  }

  /// The nfcpy vector: STATE written with MAC_A at WCNT 00FE FF. On a card whose key was just written,
  /// the count is higher by one, so the counter is set back first.
  static func cardAtVectorCount() -> FeliCaLiteS {
    var chip = FeliCaLiteS(idm: idm)
    #expect(exchange(&chip, writeCommand(idm, 0x87, cardKey))?.suffix(2) == [0, 0])
    chip.memory = chip.memory.dropLast(16) + hex("00FEFF") + [UInt8](repeating: 0, count: 13)
    #expect(exchange(&chip, writeCommand(idm, 0x80, challenge))?.suffix(2) == [0, 0])
    return chip
  }

  static let authenticate =
    [0x08] + idm
    + hex(
      "010900 02 8092 8091 01000000000000000000000000000000" + "17C19E3BBDC3E8BD 00FEFF0000000000")

  @Test func externalAuthentication() {
    var chip = Self.cardAtVectorCount()
    #expect(exchange(&chip, Self.authenticate)?.suffix(2) == [0, 0])
    // STATE and MAC are checked as nfcpy does.
    #expect(
      exchange(&chip, readCommand(Self.idm, 0x92, 0x81))?.dropFirst(12).prefix(24)
        == hex("01000000000000000000000000000000 BD73EB7294A00279")[...])
    // The counter has advanced: the same frame is wrong now.
    #expect(exchange(&chip, Self.authenticate)?.suffix(2) == [0x02, 0xB2])
    chip.powerOff()
    chip.powerOn()
    #expect(exchange(&chip, readCommand(Self.idm, 0x92))?.suffix(16).first == 0)
  }

  /// One bit of the data (from byte 17 on), of the code (33 to 40), or of the counter (41 to 43) is
  /// changed.
  @Test(arguments: [17, 33, 40, 41])
  func wrongMACAIsRefused(byte: Int) {
    var chip = Self.cardAtVectorCount()
    var command = Self.authenticate
    command[byte] ^= 0x01
    #expect(exchange(&chip, command)?.suffix(2) == [0x02, 0xB2])
    #expect(exchange(&chip, readCommand(Self.idm, 0x92))?.suffix(16).first == 0)
  }

  @Test func writeWithMACAWithoutChallenge() {
    var chip = FeliCaLiteS(idm: Self.idm)
    #expect(exchange(&chip, Self.authenticate)?.suffix(2) == [0x02, 0xB2])
  }

  @Test func stateWithoutMACDoesNotAuthenticate() {
    var chip = Self.cardAtVectorCount()
    let one = [UInt8](repeating: 0, count: 16).replacingFirst(with: 1)
    #expect(exchange(&chip, writeCommand(Self.idm, 0x92, one))?.suffix(2) == [0, 0])
    #expect(exchange(&chip, readCommand(Self.idm, 0x92))?.suffix(16).first == 0)
  }

  // MARK: MC

  /// An issued card with many writes.
  @Test(arguments: [true, false]) func manyWrites(_ warns: Bool) throws {
    var chip = card(mc: "FFFF0001070000000000000000000000")
    chip.warnsAboutWear = warns
    let block = [UInt8](repeating: 0x5A, count: 16)
    #expect(exchange(&chip, writeCommand(Self.idm, 0x01, block))?.suffix(2) == [0, 0])
    chip.memory = chip.memory.dropLast(16) + hex("112700") + [UInt8](repeating: 0, count: 13)
    let answer = exchange(&chip, writeCommand(Self.idm, 0x02, block))?.suffix(2)
    #expect(answer == (warns ? [0xFF, 0x71] : [0, 0]))
    #expect(readBlocks(&chip, 0x02) == block)
  }

  @Test(arguments: [true, false]) func macAOnly(_ isZero: Bool) throws {
    var chip = Self.cardAtVectorCount()
    chip.macAAloneIsZero = isZero
    let block = try #require(readBlocks(&chip, 0x91))
    #expect((block == [UInt8](repeating: 0, count: 16)) == isZero)
  }

  /// Writes with MAC_A, as a reader with the key does.
  func writeWithMAC(_ chip: inout FeliCaLiteS, _ block: UInt8, _ data: [UInt8]) throws -> [UInt8]? {
    let counter = Array(try #require(readBlocks(&chip, 0x90)).prefix(3))
    let code = try #require(
      FeliCaLiteMAC.writeCode(
        writeCounter: counter, blockNumber: block, data: data, sessionKey: Self.sessionKey(),
        challenge: Self.challenge))
    let macA = code + counter + [0, 0, 0, 0, 0]
    let head = [0x08] + Self.idm + hex("01090002") + shortElements([block, 0x91])
    return exchange(&chip, head + data + macA).map { $0.suffix(2) }
  }

  /// Returns a card with this MC in effect, a known key, and RC written.
  func card(mc: String) -> FeliCaLiteS {
    var chip = FeliCaLiteS(idm: Self.idm)
    #expect(exchange(&chip, writeCommand(Self.idm, 0x87, Self.cardKey))?.suffix(2) == [0, 0])
    #expect(exchange(&chip, writeCommand(Self.idm, 0x88, hex(mc)))?.suffix(2) == [0, 0])
    chip.powerOff()
    chip.powerOn()
    #expect(exchange(&chip, writeCommand(Self.idm, 0x80, Self.challenge))?.suffix(2) == [0, 0])
    return chip
  }

  @Test func readRestriction() throws {
    var chip = card(mc: "FFFFFF01070002000000000000000000")
    #expect(exchange(&chip, readCommand(Self.idm, 0))?.count == 28)
    #expect(exchange(&chip, readCommand(Self.idm, 0, 1))?.suffix(2) == [0x02, 0xB1])
    #expect(try writeWithMAC(&chip, 0x92, hex("01000000000000000000000000000000")) == [0, 0])
    #expect(exchange(&chip, readCommand(Self.idm, 0, 1))?.count == 44)
    // A new challenge ends the authentication.
    _ = exchange(&chip, writeCommand(Self.idm, 0x80, Self.challenge))
    #expect(exchange(&chip, readCommand(Self.idm, 0, 1))?.suffix(2) == [0x02, 0xB1])
  }

  @Test func writeRestriction() throws {
    var chip = card(mc: "FFFFFF01070000000200000000000000")
    let data = [UInt8](repeating: 3, count: 16)
    #expect(exchange(&chip, writeCommand(Self.idm, 0, data))?.suffix(2) == [0, 0])
    #expect(exchange(&chip, writeCommand(Self.idm, 1, data))?.suffix(2) == [0x01, 0xB1])
    #expect(try writeWithMAC(&chip, 1, data) == [0x01, 0xB1])
    #expect(try writeWithMAC(&chip, 0x92, hex("01000000000000000000000000000000")) == [0, 0])
    #expect(exchange(&chip, writeCommand(Self.idm, 1, data))?.suffix(2) == [0, 0])
  }

  @Test func writeNeedsMAC() throws {
    var chip = card(mc: "FFFFFF01070000000000020000000000")
    let data = [UInt8](repeating: 3, count: 16)
    #expect(exchange(&chip, writeCommand(Self.idm, 1, data))?.suffix(2) == [0x01, 0xA8])
    #expect(try writeWithMAC(&chip, 1, data) == [0, 0])
    #expect(readBlocks(&chip, 1) == data)
  }

  @Test func stateWriteNeedsMAC() throws {
    var chip = card(mc: "FFFFFF01070000000000000001000000")
    let data = hex("01000000000000000000000000000000")
    #expect(exchange(&chip, writeCommand(Self.idm, 0x92, data))?.suffix(2) == [0x01, 0xA8])
    #expect(try writeWithMAC(&chip, 0x92, data) == [0, 0])
  }

  /// After issuance, CK and CKV can be changed only if MC_CKCKV_W_MAC_A permits it, and only with MAC_A.
  @Test func keyChangeAfterIssuance() throws {
    let data = [UInt8](repeating: 3, count: 16)
    var closed = card(mc: "FFFF0001070000000000000000000000")
    #expect(try writeWithMAC(&closed, 0x86, data) == [0x01, 0xA8])
    var open = card(mc: "FFFF0001070100000000000000000000")
    #expect(exchange(&open, writeCommand(Self.idm, 0x86, data))?.suffix(2) == [0x01, 0xA8])
    #expect(try writeWithMAC(&open, 0x86, data) == [0, 0])
    #expect(readBlocks(&open, 0x86) == data)
    #expect(try writeWithMAC(&open, 0x82, data) == [0x01, 0xA8])
  }

  /// When the counter reaches its maximum, writes with MAC_A end; writes without it continue.
  @Test func counterEnds() throws {
    var chip = card(mc: "FFFF0001070000000000000000000000")
    let data = [UInt8](repeating: 3, count: 16)
    chip.memory = chip.memory.dropLast(16) + hex("FFFDFF") + [UInt8](repeating: 0, count: 13)
    #expect(try writeWithMAC(&chip, 1, data) == [0, 0])
    #expect(readBlocks(&chip, 0x90)?.prefix(3) == hex("00FEFF")[...])
    #expect(try writeWithMAC(&chip, 1, data) == [0x02, 0xB2])
    #expect(exchange(&chip, writeCommand(Self.idm, 1, data))?.suffix(2) == [0, 0])
    #expect(readBlocks(&chip, 0x90)?.prefix(3) == hex("00FEFF")[...])
  }

  /// Restrictions can only be added, and Lite has none of them.
  @Test func restrictionsOnlyCome() {
    var chip = card(mc: "FFFFFF01070001000100010001000000")
    let without = hex("FFFFFF01070000000000000000000000")
    #expect(exchange(&chip, writeCommand(Self.idm, 0x88, without))?.suffix(2) == [0, 0])
    #expect(readBlocks(&chip, 0x88) == hex("FFFFFF01070001000100010001000000"))
    var lite = FeliCaLite(idm: Self.idm)
    let all = hex("FFFFFF0107FFFFFFFFFFFFFFFFFFFFFF")
    #expect(exchange(&lite, writeCommand(Self.idm, 0x88, all))?.suffix(2) == [0, 0])
    #expect(
      exchange(&lite, readCommand(Self.idm, 0x88))?.suffix(16)
        == hex("FFFFFF01070000000000000000000000")[...])
  }
}

extension [UInt8] {
  fileprivate func replacingFirst(with byte: UInt8) -> [UInt8] { [byte] + dropFirst() }
}
