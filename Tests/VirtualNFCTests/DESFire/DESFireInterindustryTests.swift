import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests the commands of ISO/IEC 7816-4 for authentication and records.
@Suite("MIFARE DESFire, ISO/IEC 7816-4")
struct DESFireInterindustryTests {
  struct Way: Sendable, CustomTestStringConvertible {
    let kind: DESFireKey.Kind
    let algorithm: UInt8
    var size: Int { kind == .des ? 8 : 16 }
    var testDescription: String { "\(kind)" }
  }

  static let ways = [
    Way(kind: .des, algorithm: 0x02), Way(kind: .tripleDES, algorithm: 0x04),
    Way(kind: .aes, algorithm: 0x09),
  ]

  private static func apdu(_ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8], _ le: Int?)
    -> [UInt8]
  {
    [0x00, ins, p1, p2] + (data.isEmpty ? [] : [UInt8(data.count)] + data)
      + (le.map { [UInt8($0 & 0xFF)] } ?? [])
  }

  /// An application with the identifier E110, two keys and three files, everyone's: 1 of data (E101), 2 with backup
  /// (E102), 3 of records of four bytes, cyclic ones in file 4; file 5 with a MAC and file 6 encrypted, both for key 0.
  static func card(
    _ kind: DESFireKey.Kind = .aes, _ model: DESFireModel = .ev1
  ) throws -> DESFire {
    var card = DESFire(model, formatted: false)
    card.powerOn()
    for command in [
      "90CA00000E 010000 0F\([0x22 | kind.rawValue].hexadecimal) 10E1 D2760000850101 00",
      "905A000003 010000 00", "90CD000009 01 01E1 00 EEEE 200000 00",
      "90CB000009 02 02E1 00 EEEE 100000 00", "90C100000C 03 03E1 00 EEEE 040000 030000 00",
      "90C000000C 04 04E1 00 EEEE 040000 030000 00", "90CD000009 05 05E1 01 0000 100000 00",
      "90CD000009 06 06E1 03 0000 100000 00",
    ] {
      #expect(card.process(try #require([UInt8](hexadecimal: command))) == [0x91, 0x00])
    }
    return card
  }

  private func check(
    _ exchanges: [(command: String, answer: String)], on card: inout DESFire
  ) throws {
    for (command, answer) in exchanges {
      let bytes = try #require([UInt8](hexadecimal: command))
      let expected = answer.filter { $0 != " " }
      #expect(card.process(bytes).hexadecimal == expected, "after \(command)")
    }
  }

  /// The three commands, up to one of them.
  private static func authenticate(
    _ card: inout DESFire, _ way: Way, key: DESFireKey? = nil, number: UInt8 = 0x80,
    algorithm: UInt8? = nil
  ) -> (status: [UInt8], session: DESFireCipher?) {
    let cipher = (key ?? .zero(way.kind)).cipher
    let algorithm = algorithm ?? way.algorithm
    let answer = card.process(apdu(0x84, 0, 0, [], way.size))
    guard answer.count == way.size + 2 else { return (answer, nil) }
    let own = (1...way.size).map { UInt8($0) }
    let token = cipher.encrypt(own + answer.dropLast(2), vector: cipher.zeroVector)
    let external = card.process(apdu(0x82, algorithm, number, token, nil))
    guard external == [0x90, 0x00] else { return (external, nil) }
    let second = own.reversed() + []
    let proof = card.process(apdu(0x88, algorithm, number, second, 2 * way.size))
    guard proof.count == 2 * way.size + 2 else { return (proof, nil) }
    let plain = cipher.decrypt(
      Array(proof.dropLast(2)), vector: Array(token.suffix(cipher.blockSize)))
    #expect(Array(plain.suffix(way.size)) == second)
    let session = (key ?? .zero(way.kind)).sessionCipher(
      reader: own, card: Array(plain.prefix(way.size)))
    return (Array(proof.suffix(2)), session)
  }

  // MARK: Authentication

  /// The session is that of EV1: answers have a MAC, also of READ BINARY.
  @Test(arguments: ways) func authentication(_ way: Way) throws {
    var card = try Self.card(way.kind)
    for (number, algorithm) in [(UInt8(0x80), way.algorithm), (0x81, 0x00)] {
      let (status, session) = Self.authenticate(
        &card, way, number: number, algorithm: algorithm)
      #expect(status == [0x90, 0x00])
      let cipher = try #require(session)
      // The command is not part of the MAC, the status is.
      let read = card.process([0x00, 0xB0, 0x81, 0x00, 0x0A])
      try #require(read.count == 12)
      let vector = cipher.authenticationCode([0, 0, 0x00], vector: cipher.zeroVector)
      #expect(Array(read[2..<10]) == Array(vector.prefix(8)))
      // A native command continues the chain of MACs.
      let files = card.process([0x90, 0x6F, 0x00, 0x00, 0x00])
      try #require(files.count == 16 && files.starts(with: [1, 2, 3, 4, 5, 6]))
      let after = cipher.authenticationCode([0x6F], vector: vector)
      let code = cipher.authenticationCode([1, 2, 3, 4, 5, 6, 0x00], vector: after)
      #expect(Array(files[6..<14]) == Array(code.prefix(8)))
      // Key 1 has no right to file 5, and no key reads an encrypted file in this way.
      let five = card.process([0x00, 0xB0, 0x85, 0x00, 0x00])
      #expect(five.count == (number == 0x80 ? 16 + 8 + 2 : 2))
      #expect(card.process([0x00, 0xB0, 0x86, 0x00, 0x00]) == [0x69, 0x82])
      // The refusal has ended the session.
      #expect(card.process([0x00, 0xB0, 0x85, 0x00, 0x00]) == [0x69, 0x82])
      #expect(card.process([0x00, 0xB0, 0x81, 0x00, 0x02]) == [0, 0, 0x90, 0x00])
    }
  }

  @Test(arguments: ways) func authenticationIsRefused(_ way: Way) throws {
    var card = try Self.card(way.kind)
    var wrong = [UInt8](repeating: 0, count: way.kind.keySize)
    wrong[3] = 0x10
    let key = DESFireKey(way.kind, bytes: wrong)
    #expect(Self.authenticate(&card, way, key: key).status == [0x69, 0x82])
    // A key of the card, one that does not exist, and another algorithm.
    for (number, algorithm) in [(UInt8(0x00), way.algorithm), (0x82, way.algorithm), (0x80, 0x03)] {
      let answer = Self.authenticate(&card, way, number: number, algorithm: algorithm)
      #expect(answer.status == [0x6A, 0x86])
    }
    let other = Self.ways.first { $0.algorithm != way.algorithm }
    #expect(
      Self.authenticate(&card, way, algorithm: other?.algorithm).status == [0x6A, 0x86])
    let token = [UInt8](repeating: 0, count: 2 * way.size)
    // Without a challenge, without EXTERNAL AUTHENTICATE, with another command in between.
    let external = Self.apdu(0x82, way.algorithm, 0x80, token, nil)
    let proof = Self.apdu(0x88, way.algorithm, 0x80, Array(token.prefix(way.size)), 2 * way.size)
    #expect(card.process(external) == [0x69, 0x85])
    #expect(card.process(proof) == [0x69, 0x85])
    for between in ["906F000000", "00A4000C02E101"] {
      #expect(card.process(Self.apdu(0x84, 0, 0, [], way.size)).count == way.size + 2)
      _ = card.process(try #require([UInt8](hexadecimal: between)))
      #expect(card.process(external) == [0x69, 0x85])
    }
    #expect(card.process(Self.apdu(0x84, 0, 0, [], way.size)).count == way.size + 2)
    #expect(card.process(proof) == [0x69, 0x85])
    #expect(card.process(Self.apdu(0x84, 0, 0, [], way.size)).count == way.size + 2)
    #expect(card.process(Array(external.dropLast())) == [0x67, 0x00])
    // The challenge has the size of the keys.
    #expect(card.process(Self.apdu(0x84, 0, 0, [], 24 - way.size)) == [0x6C, 0x00])
    #expect(card.process(Self.apdu(0x84, 1, 0, [], way.size)) == [0x6A, 0x86])
    // GET CHALLENGE ends a session.
    #expect(Self.authenticate(&card, way).session != nil)
    _ = card.process(Self.apdu(0x84, 0, 0, [], way.size))
    #expect(card.process([0x00, 0xB0, 0x85, 0x00, 0x00]) == [0x69, 0x82])
  }

  /// INTERNAL AUTHENTICATE with another key than EXTERNAL AUTHENTICATE.
  @Test func keysMustNotChange() throws {
    var card = try Self.card(.aes)
    let way = Self.ways[2]
    let challenge = card.process(Self.apdu(0x84, 0, 0, [], 16)).dropLast(2)
    let cipher = DESFireKey.zero(.aes).cipher
    let token = cipher.encrypt(
      [UInt8](repeating: 7, count: 16) + challenge, vector: cipher.zeroVector)
    #expect(card.process(Self.apdu(0x82, way.algorithm, 0x80, token, nil)) == [0x90, 0x00])
    let own = [UInt8](repeating: 9, count: 16)
    #expect(card.process(Self.apdu(0x88, way.algorithm, 0x81, own, 32)) == [0x69, 0x85])
  }

  @Test func cardLevel() throws {
    var card = try Self.card(.aes)
    #expect(card.process([0x00, 0xA4, 0x03, 0x0C]) == [0x90, 0x00])
    let des = Self.ways[0]
    #expect(Self.authenticate(&card, des, number: 0x80).status == [0x6A, 0x86])
    #expect(Self.authenticate(&card, des, number: 0x00).session != nil)
    // The master key of the card deletes an application.
    #expect(card.process([0x90, 0xDA, 0, 0, 3, 1, 0, 0, 0]).suffix(2) == [0x91, 0x00])
  }

  @Test(arguments: [DESFireModel.light, .ntag413])
  func fixedChipsHaveNone(_ model: DESFireModel) throws {
    var card = DESFire(model)
    card.powerOn()
    try check(
      [
        ("00A4040C07D2760000850101", "9000"), ("0084000010", "6D00"), ("00B2000400", "6D00"),
        ("00E2000001AA", "6D00"), ("90F6000001 02 00", "911C"), ("90B1000002 0102 00", "911C"),
      ], on: &card)
  }

  // MARK: Selection and binary files

  @Test func selection() throws {
    var card = try Self.card()
    try check(
      [
        ("00A4040007D2760000850101", "9000"), ("00A4030C02E110", "6A87"), ("00A4050C", "6A86"),
        ("00A4020C02E101", "9000"), ("00A4030C", "9000"), ("906F000000", "919D"),
        ("00A4000C02E110", "9000"), ("906F000000", "0102030405069100"),
        // File 31 is the answer to a selection by name that requests one.
        ("90CD000007 1F 00 EEEE 030000 00", "9100"),
        ("903D00000A 1F 000000 030000 6F0184 00", "9100"),
        ("00A4040007D2760000850101", "6F01849000"), ("00A4040C07D2760000850101", "9000"),
      ], on: &card)
  }

  /// A file with backup changes with the commit; files of records and values are no binary files.
  @Test func binaryFiles() throws {
    var card = try Self.card()
    try check(
      [
        ("00A4000C02E102", "9000"), ("00D6000002AABB", "9000"), ("00D6000201CC", "9000"),
        ("00B0000004", "000000009000"), ("90C7000000", "9100"), ("00B0000004", "AABBCC009000"),
        ("00D6000001EE", "9000"), ("90A7000000", "9100"), ("00B0000001", "AA9000"),
        ("00A4000C02E103", "9000"), ("00B0000001", "6985"), ("00D6000001AA", "6985"),
        ("00B0850010", "6982"), ("00D6850001AA", "6982"), ("00B0000000", "6982"),
      ], on: &card)
  }

  /// In a session of EV2's messaging, these commands are refused.
  @Test func notWithEV2Messaging() throws {
    var card = try Self.card(.aes, .ev2)
    let cipher = DESFireKey.zero(.aes).cipher
    #expect(card.process([0x00, 0xB0, 0x81, 0x00, 0x01]) == [0x00, 0x90, 0x00])
    let sent = card.process([0x90, 0x71, 0, 0, 2, 0, 0, 0])
    let challenge = cipher.decrypt(Array(sent.dropLast(2)), vector: cipher.zeroVector)
    let own = (1...16).map { UInt8($0) }
    let token = cipher.encrypt(
      own + DESFireAuthentication.rotated(challenge), vector: cipher.zeroVector)
    let proof = card.process([0x90, 0xAF, 0, 0, 32] + token + [0])
    #expect(proof.suffix(2) == [0x91, 0x00])
    var (reading, writing) = (card, card)
    #expect(reading.process([0x00, 0xB0, 0x81, 0x00, 0x01]) == [0x69, 0x82])
    #expect(writing.process([0x00, 0xD6, 0x81, 0x00, 0x01, 0xAA]) == [0x69, 0x82])
    for command in ["00B2001C00", "00E2001801AA"] {
      var card = card
      #expect(card.process(try #require([UInt8](hexadecimal: command))) == [0x69, 0x82])
    }
  }

  // MARK: Records

  @Test func linearRecords() throws {
    var card = try Self.card()
    try check(
      [
        ("00A4000C02E103", "9000"), ("00B2000400", "6985"), ("00E200000401020304", "9000"),
        ("00B2000400", "6985"), ("90C7000000", "9100"), ("00B2000400", "010203049000"),
        // A short record ends with zeros; the file is the current one, or that of P2.
        ("00E2001802AABB", "9000"), ("90C7000000", "9100"), ("00B2001C00", "AABB00009000"),
        ("00B2010400", "010203049000"), ("00B2020400", "6B00"),
        ("00B2000500", "01020304AABB00009000"), ("00B2010500", "010203049000"),
        ("00B2000404", "AABB00009000"), ("00B2000403", "6700"), ("00B20004", "6700"),
        ("00B2000600", "6A86"), ("00E2010001AA", "6A86"), ("00E2000101AA", "6A86"),
        ("00E20000050102030405", "6700"), ("00E20000", "6700"), ("00B2002C00", "6985"),
        ("00B200FC00", "6A82"), ("00A4000C02E103", "9000"), ("00E2000001CC", "9000"),
        ("90A7000000", "9100"), ("00E2000001CC", "9000"), ("90C7000000", "9100"),
        // The file is full.
        ("00E2000001DD", "6B00"), ("90C7000000", "910C"),
      ], on: &card)
  }

  @Test func cyclicRecords() throws {
    var card = try Self.card()
    for byte in UInt8(1)...3 {
      #expect(card.process([0x00, 0xE2, 0x00, 0x20, 1, byte]) == [0x90, 0x00])
      #expect(card.process([0x90, 0xC7, 0, 0, 0]) == [0x91, 0x00])
    }
    try check(
      [("00B2002500", "02000000 03000000 9000"), ("00B2002400", "03000000 9000")], on: &card)
  }

  /// A session's answer has a MAC; the rights of a key suffice.
  @Test func recordsOfAKey() throws {
    var card = try Self.card()
    try check(
      [
        ("90C100000C 07 07E1 00 0000 040000 030000 00", "9100"), ("00E2003801AA", "6982"),
        ("00B2003C00", "6982"),
      ], on: &card)
    #expect(Self.authenticate(&card, Self.ways[2]).session != nil)
    #expect(card.process([0x00, 0xE2, 0x00, 0x38, 1, 0xAA]) == [0x90, 0x00])
    #expect(card.process([0x90, 0xC7, 0, 0, 0]).suffix(2) == [0x91, 0x00])
    let answer = card.process([0x00, 0xB2, 0x00, 0x3C, 0x00])
    #expect(answer.count == 4 + 8 + 2 && answer.prefix(4) == [0xAA, 0, 0, 0])
    #expect(card.process([0x00, 0xB2, 0x00, 0x3C, 0x08]) == [0x67, 0x00])
  }
}
