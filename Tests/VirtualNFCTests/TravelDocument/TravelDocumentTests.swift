import NFCCore
import Testing

@testable import VirtualNFC

/// Basic Access Control and secure messaging of the virtual passport.
@Suite struct TravelDocumentTests {
  /// The numbers of ICAO Doc 9303-11, appendix D.
  private enum Published {
    static let challenge = "4608F91988702212"
    static let chipKey = "0B4F80323EB3191CB04970CB4052790B"
    static let token =
      "72C29C2371CC9BDB65B779B8E8D37B29ECC154AA56A8799FAE2F498F76ED92F25F1448EEA8AD90A7"
    static let answer =
      "46B9342A41396CD7386BF5803104D7CEDC122B9132139BAF2EEDC94EE178534F2F2D235D074D7449"
    /// SELECT EF.COM, READ BINARY of 4 bytes, and of the 18 that follow.
    static let exchanges = [
      (
        "0CA4020C158709016375432908C044F68E08BF8B92D635FF24F800",
        "990290008E08FA855A5D4C50A8ED9000"
      ),
      (
        "0CB000000D9701048E08ED6705417E96BA5500",
        "8709019FF0EC34F9922651990290008E08AD55CC17140B2DED9000"
      ),
      (
        "0CB000040D9701128E082EA28A70F3C7B53500",
        "871901FB9235F4E4037F2327DCC8964F1F9B8C30F42C8E2FFF224A990290008E08C8B2787EAEA07D749000"
      ),
    ]
    static let commonData = "60145F0104303130365F36063034303030305C026175"
  }

  private func bytes(_ text: String) throws -> [UInt8] {
    try #require([UInt8](hexadecimal: text))
  }

  private func application(open: Bool = false) throws -> TravelDocumentApplication {
    var application = TravelDocumentApplication(
      keys: BasicAccessKeys(.specimen), files: [0x011E: try bytes(Published.commonData)],
      numbers: [try bytes(Published.challenge), try bytes(Published.chipKey)])
    _ = application.select()
    if open {
      #expect(send("0084000008", to: &application) == Published.challenge + "9000")
      #expect(
        send("0082000028" + Published.token + "28", to: &application)
          == Published.answer + "9000")
    }
    return application
  }

  private func send(_ command: String, to application: inout TravelDocumentApplication) -> String {
    application.process([UInt8](hexadecimal: command) ?? []).hexadecimal
  }

  @Test func publishedKeys() throws {
    #expect(TravelDocument.specimen.accessInformation == "L898902C<369080619406236")
    let keys = BasicAccessKeys(.specimen)
    #expect(keys.encryption.hexadecimal == "AB94FDECF2674FDFB9B391F85D7F76F2")
    #expect(keys.authentication.hexadecimal == "7962D9ECE03D1ACD4C76089DCE131543")
    let session = BasicAccessKeys(seed: try bytes("0036D272F5C350ACAC50C3F572D23600"))
    #expect(session.encryption.hexadecimal == "979EC13B1CBFE9DCD01AB0FED307EAE5")
    #expect(session.authentication.hexadecimal == "F1CB1F1FB5ADF208806B89DC579DC1F8")
  }

  @Test func publishedExchanges() throws {
    var application = try application(open: true)
    for (command, answer) in Published.exchanges {
      #expect(send(command, to: &application) == answer, "\(command)")
    }
  }

  // MARK: What fails

  @Test func aWrongKeyOpensNothing() throws {
    var application = try application()
    let token = "0082000028" + String(repeating: "11", count: 40) + "28"
    #expect(send(token, to: &application) == "6985")
    #expect(send("0084000008", to: &application).hasSuffix("9000"))
    #expect(send(token, to: &application) == "6300")
    // A challenge is used once, also with the right key.
    #expect(send("0082000028" + Published.token + "28", to: &application) == "6985")
    #expect(send(Published.exchanges[0].0, to: &application) == "6882")
    #expect(send("0084000008", to: &application).hasSuffix("9000"))
    #expect(send("00820000021122", to: &application) == "6700")
  }

  /// A changed byte of the command or its MAC, no MAC at all, a cut data object, a repetition.
  @Test(arguments: [
    ("0CA4020C158709016375432908C044F68E08BF8B92D635FF24F900", "6988"),
    ("0CA4020C158709016375432908C044F78E08BF8B92D635FF24F800", "6988"),
    ("0CA4020C0B8709016375432908C044F600", "6987"),
    ("0CA4020C1587F9016375432908C044F68E08BF8B92D635FF24F800", "6988"),
    ("0CA4020C00", "6987"), ("00A4020C02011E", "6982"), ("00B09E0004", "6982"),
    ("04A4020C02011E", "6882"), ("80B0000000", "6E00"),
  ])
  func aWrongCommandEndsTheSession(_ command: String, _ status: String) throws {
    var application = try application(open: true)
    #expect(send(command, to: &application) == status)
    guard command.hasPrefix("0C") || command.hasPrefix("00") else { return }
    #expect(send(Published.exchanges[0].0, to: &application) == "6882")
  }

  @Test func aRepeatedCommandIsRefused() throws {
    var application = try application(open: true)
    #expect(send(Published.exchanges[0].0, to: &application) == Published.exchanges[0].1)
    #expect(send(Published.exchanges[0].0, to: &application) == "6988")
  }

  // MARK: Every file

  /// A reader of its own, which knows only the keys.
  private struct Inspection {
    var application: TravelDocumentApplication
    var session: (keys: BasicAccessKeys, counter: UInt64)

    init(_ document: TravelDocument) throws {
      application = TravelDocumentApplication(document, seed: 7)
      _ = application.select()
      let keys = BasicAccessKeys(document)
      let challenge = Array(application.process([0, 0x84, 0, 0, 8]).dropLast(2))
      let (own, key) = ([UInt8](1...8), [UInt8](repeating: 0x5A, count: 16))
      let cryptogram = keys.encrypt(own + challenge + key)
      let answer = application.process(
        [0, 0x82, 0, 0, 40] + cryptogram + keys.code(BasicAccessKeys.padded(cryptogram)) + [40])
      let token = try #require(keys.decrypt(Array(answer.prefix(32))))
      #expect(Array(token.prefix(16)) == challenge + own)
      session = (
        BasicAccessKeys(seed: zip(key, token.suffix(16)).map { $0 ^ $1 }),
        (challenge.suffix(4) + own.suffix(4)).reduce(0) { $0 << 8 | UInt64($1) }
      )
    }

    /// Returns the data and the status word of READ BINARY by short file identifier.
    mutating func read(_ short: UInt8, offset: UInt8, count: UInt8) throws -> ([UInt8], [UInt8]) {
      session.counter += 1
      let header: [UInt8] = [0x0C, 0xB0, 0x80 | short, offset]
      let length: [UInt8] = [0x97, 1, count]
      let code = session.keys.code(
        BasicAccessKeys.padded(
          session.counter.bigEndianBytes + BasicAccessKeys.padded(header) + length))
      let answer = application.process(header + [13] + length + [0x8E, 8] + code + [0])
      session.counter += 1
      let objects = try #require(DataObject.all(in: Array(answer.dropLast(2))))
      #expect(
        objects.last?.value
          == session.keys.code(
            BasicAccessKeys.padded(
              session.counter.bigEndianBytes + objects.dropLast().flatMap(\.bytes))))
      let cryptogram = objects.first { $0.tag == 0x87 }?.value.dropFirst()
      let data = try cryptogram.map {
        let plain = try #require(session.keys.decrypt(Array($0)))
        return try #require(BasicAccessKeys.unpadded(plain))
      }
      #expect(objects.first { $0.tag == 0x99 }?.value == Array(answer.suffix(2)))
      #expect(answer.count <= 258)
      return (data ?? [], Array(answer.suffix(2)))
    }
  }

  @Test func filesAreRead() throws {
    let face = DataObject.encoded(0x75, (0..<600).map { UInt8(truncatingIfNeeded: $0) })
    let document = try TravelDocument(
      machineReadableZone: TravelDocument.specimen.machineReadableZone, dataGroups: [2: face],
      securityObject: [0x77, 0x00])
    var inspection = try Inspection(document)
    #expect(
      try inspection.read(0x1E, offset: 0, count: 0).0.hexadecimal
        == "60145F0104303130375F36063034303030305C026175")
    let zone = try inspection.read(1, offset: 0, count: 0)
    #expect(zone.0.prefix(5) == [0x61, 0x5B, 0x5F, 0x1F, 0x58])
    #expect(
      String(decoding: zone.0.dropFirst(5), as: UTF8.self)
        == "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<"
        + "L898902C<3UTO6908061F9406236ZE184226B<<<<<14")
    #expect(zone.1 == [0x90, 0x00])
    #expect(try inspection.read(0x1D, offset: 0, count: 9) == ([0x77, 0x00], [0x62, 0x82]))
    // As much as an answer of 256 bytes holds.
    #expect(try inspection.read(2, offset: 0, count: 0).0 == Array(face.prefix(231)))
    #expect(try inspection.read(2, offset: 200, count: 100).0 == Array(face[200..<300]))
    #expect(try inspection.read(3, offset: 0, count: 0) == ([], [0x6A, 0x82]))
    #expect(try inspection.read(0x1D, offset: 9, count: 1) == ([], [0x6B, 0x00]))
  }

  // MARK: Machine readable zones

  /// The specimens of Doc 9303, parts 4, 5 and 6.
  @Test(arguments: [
    (
      """
      P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<
      L898902C36UTO7408122F1204159ZE184226B<<<<<10
      """, "L898902C3674081221204159"
    ),
    (
      """
      I<UTOD231458907<<<<<<<<<<<<<<<
      7408122F1204159UTO<<<<<<<<<<<6
      ERIKSSON<<ANNA<MARIA<<<<<<<<<<
      """, "D23145890774081221204159"
    ),
    (
      """
      I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<
      D231458907UTO7408122F1204159<<<<<<<6
      """, "D23145890774081221204159"
    ),
  ])
  func specimens(_ zone: String, _ information: String) throws {
    #expect(try TravelDocument(machineReadableZone: zone).accessInformation == information)
  }

  @Test func wrongDocuments() {
    let zone = TravelDocument.specimen.machineReadableZone
    for (zone, groups) in [
      ("", [:]), (String(zone.dropLast()), [:]), (zone.lowercased(), [:]),
      (zone.replacing("L898902C<3", with: "L898902C<4"), [:]),
      (zone.replacing("6908061", with: "6908062"), [:]),
      (zone.replacing("L898902C<3", with: "é898902<3"), [:]), (zone, [1: [0x61, 0]]),
      (zone, [17: []]),
    ] as [(String, [Int: [UInt8]])] {
      #expect(throws: VirtualTagError.self) {
        try TravelDocument(machineReadableZone: zone, dataGroups: groups)
      }
    }
  }
}
