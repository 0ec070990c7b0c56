import Foundation
import SwiftNFCCore
import Synchronization
import TestSupport
import Testing

@testable import VirtualNFC

/// Basic Access Control, PACE and secure messaging of the virtual passport.
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
      "L898902C<369080619406236", files: [0x011E: try bytes(Published.commonData)],
      random: RandomNumbers(given: [try bytes(Published.challenge), try bytes(Published.chipKey)]))
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
    let keys = DocumentKeys(basicAccess: TravelDocument.specimen.accessInformation)
    #expect(keys.encryption.hexadecimal == "AB94FDECF2674FDFB9B391F85D7F76F2")
    #expect(keys.authentication.hexadecimal == "7962D9ECE03D1ACD4C76089DCE131543")
    let session = DocumentKeys(
      .tripleDES, secret: try bytes("0036D272F5C350ACAC50C3F572D23600"))
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

  // MARK: PACE

  /// The worked example of ICAO Doc 9303-11, appendix G.1, and the next command as a public Java library
  /// protects it with that session's keys.
  private enum PublishedPACE {
    static let information = "T22000129364081251010318"
    static let numbers = [
      "3F00C4D39D153F2B2A214A078D899B22",
      "498FF49756F2DC1587840041839A85982BE7761D14715FB091EFA7BCE9058560",
      "107CF58696EF6155053340FD633392BA81909DF7B9706F226F32086C7AFF974A",
    ]
    static let exchanges = [
      ("0022C1A412800A04007F0007020204020283010184010D", "9000"),
      ("10860000027C0000", "7C12801095A3A016522EE98D01E76CB6B98B42C39000"),
      (
        "10860000457C438141047ACF3EFC982EC45565A4B155129EFBC74650DCBFA6362D896FC70262E0C2CC5E"
          + "544552DCB6725218799115B55C9BAA6D9F6BC3A9618E70C25AF71777A9C4922D00",
        "7C43824104824FBA91C9CBE26BEF53A0EBE7342A3BF178CEA9F45DE0B70AA601651FBA3F57"
          + "30D8C879AAA9C9F73991E61B58F4D52EB87A0A0C709A49DC63719363CCD13C549000"
      ),
      (
        "10860000457C438341042DB7A64C0355044EC9DF190514C625CBA2CEA48754887122F3A5EF0D5EDD301C"
          + "3556F3B3B186DF10B857B58F6A7EB80F20BA5DC7BE1D43D9BF850149FBB3646200",
        "7C438441049E880F842905B8B3181F7AF7CAA9F0EFB743847F44A306D2D28C1D9EC65DF6DB"
          + "7764B22277A2EDDC3C265A9F018F9CB852E111B768B326904B59A0193776F0949000"
      ),
      ("008600000C7C0A8508C2B0BD78D94BA86600", "7C0A86083ABB9674BCE93C089000"),
      (
        "0CA4040C1D871101752F676B09FAC86A87D632749A49C7CC8E08C18BA1FCE707BD9F00",
        "990290008E08BEA7B381C494A0799000"
      ),
    ]
  }

  private func masterFile() throws -> TravelDocumentMasterFile {
    var file = TravelDocumentMasterFile(
      PublishedPACE.information, application: try application(),
      random: RandomNumbers(given: try PublishedPACE.numbers.map(bytes)))
    _ = file.select()
    return file
  }

  private func send(_ command: String, to file: inout TravelDocumentMasterFile) -> String {
    file.process([UInt8](hexadecimal: command) ?? []).hexadecimal
  }

  @Test func publishedPACE() throws {
    var file = try masterFile()
    for (command, answer) in PublishedPACE.exchanges {
      #expect(send(command, to: &file) == answer, "\(command)")
    }
    // The same command again has another counter, and the session has ended.
    #expect(send(PublishedPACE.exchanges[5].0, to: &file) == "6988")
    #expect(send(PublishedPACE.exchanges[5].0, to: &file) == "6882")
  }

  /// A program that misses a file after PACE goes on with Basic Access Control: the application is selected.
  @Test func basicAccessAfterPACE() throws {
    var file = try masterFile()
    for (command, answer) in PublishedPACE.exchanges {
      #expect(send(command, to: &file) == answer, "\(command)")
    }
    #expect(send("0084000008", to: &file) == Published.challenge + "9000")
    #expect(
      send("0082000028" + Published.token + "28", to: &file) == Published.answer + "9000")
    for (command, answer) in Published.exchanges {
      #expect(send(command, to: &file) == answer, "\(command)")
    }
    #expect(send("00B09E0004", to: &file) == "6982")
  }

  /// Another protocol, password or parameter, a point that is not on the curve, the chip's own point, a wrong
  /// proof, a step that is missing, and data that is cut.
  @Test(arguments: [
    (0, "0022C1A412800A04007F0007020204020383010184010D", "6A80"),
    (0, "0022C1A412800A04007F0007020204020283010284010D", "6A88"),
    (0, "0022C1A412800A04007F0007020204020283010184010C", "6A80"),
    (0, "0022C1B412800A04007F0007020204020283010184010D", "6A86"),
    (0, "0022C1A40483010184", "6A80"), (0, "10860000027C0000", "6985"),
    (1, "00860000027C0000", "6985"), (1, "10860001027C0000", "6A86"),
    (1, "10860000037C018000", "6A80"), (1, "1022C1A403830101", "6884"),
    (1, "10860000067C04810204AA00", "6985"),
    (2, "10860000067C04810204AA00", "6A80"),
    (2, "10860000457C43814104" + String(repeating: "11", count: 64) + "00", "6A80"),
    (3, "10860000027C0000", "6985"),
    (
      3,
      "10860000457C438341049E880F842905B8B3181F7AF7CAA9F0EFB743847F44A306D2D28C1D9EC65DF6DB"
        + "7764B22277A2EDDC3C265A9F018F9CB852E111B768B326904B59A0193776F09400", "6A80"
    ),
    (4, "008600000C7C0A8508C2B0BD78D94BA86700", "6300"),
    (4, "108600000C7C0A8508C2B0BD78D94BA86600", "6985"),
    (5, "0CA4040C1D871101752F676B09FAC86A87D632749A49C7CC8E08C18BA1FCE707BD9E00", "6988"),
    (5, "00B09E0004", "6A82"), (5, "0CA4040C00", "6987"),
  ])
  func aWrongStepEndsPACE(_ step: Int, _ command: String, _ status: String) throws {
    var file = try masterFile()
    for (command, answer) in PublishedPACE.exchanges.prefix(step) {
      #expect(send(command, to: &file) == answer)
    }
    #expect(send(command, to: &file) == status)
    // What comes next is refused, too, unless it begins again.
    let next = PublishedPACE.exchanges[min(max(step, 1), 5)].0
    guard !command.hasPrefix("1022") else { return }
    #expect(["6985", "6882"].contains(send(next, to: &file)))
    #expect(send(PublishedPACE.exchanges[0].0, to: &file) == "9000")
  }

  // MARK: Every file

  /// A reader that knows the session's keys.
  private struct Inspection {
    let transmit: ([UInt8]) -> [UInt8]
    let keys: DocumentKeys
    var counter: UInt64

    /// Opens a document by Basic Access Control.
    init(basicAccess document: TravelDocument) throws {
      let application = Mutex(
        TravelDocumentApplication(
          document.accessInformation, files: document.files, random: RandomNumbers(seed: 7)))
      transmit = { command in application.withLock { $0.process(command) } }
      let access = DocumentKeys(basicAccess: document.accessInformation)
      let challenge = Array(transmit([0, 0x84, 0, 0, 8]).dropLast(2))
      let (own, key) = ([UInt8](1...8), [UInt8](repeating: 0x5A, count: 16))
      let cryptogram = access.encrypt(own + challenge + key)
      let answer = transmit(
        [0, 0x82, 0, 0, 40] + cryptogram + access.code(access.padded(cryptogram)) + [40])
      let token = try #require(access.decrypt(Array(answer.prefix(32))))
      #expect(Array(token.prefix(16)) == challenge + own)
      keys = DocumentKeys(.tripleDES, secret: zip(key, token.suffix(16)).map { $0 ^ $1 })
      counter = (challenge.suffix(4) + own.suffix(4)).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Opens a document by the published run of PACE.
    init(pace files: [UInt16: [UInt8]]) throws {
      let file = Mutex(
        TravelDocumentMasterFile(
          PublishedPACE.information,
          application: TravelDocumentApplication(
            PublishedPACE.information, files: files, random: RandomNumbers()),
          random: RandomNumbers(
            given: PublishedPACE.numbers.map { [UInt8](hexadecimal: $0) ?? [] })))
      transmit = { command in file.withLock { $0.process(command) } }
      for (command, answer) in PublishedPACE.exchanges {
        #expect(transmit([UInt8](hexadecimal: command) ?? []).hexadecimal == answer)
      }
      let secret = "28768D20701247DAE81804C9E780EDE582A9996DB4A315020B2733197DB84925"
      keys = DocumentKeys(.aes128, secret: [UInt8](hexadecimal: secret) ?? [])
      #expect(keys.encryption.hexadecimal == "F5F0E35C0D7161EE6724EE513A0D9A7F")
      #expect(keys.authentication.hexadecimal == "FE251C7858B356B24514B3BD5F4297D1")
      counter = 2
    }

    /// Returns the data and the status word of READ BINARY by short file identifier.
    mutating func read(_ short: UInt8, offset: UInt8, count: UInt8) throws -> Answer {
      counter += 1
      let header: [UInt8] = [0x0C, 0xB0, 0x80 | short, offset]
      let length: [UInt8] = [0x97, 1, count]
      let code = keys.code(keys.padded(keys.bytes(counter) + keys.padded(header) + length))
      let answer = transmit(header + [13] + length + [0x8E, 8] + code + [0])
      counter += 1
      let objects = try #require(DataObject.all(in: Array(answer.dropLast(2))))
      let covered = keys.bytes(counter) + objects.dropLast().flatMap(\.bytes)
      #expect(objects.last?.value == keys.code(keys.padded(covered)))
      #expect(objects.first { $0.tag == 0x99 }?.value == Array(answer.suffix(2)))
      #expect(answer.count <= 258)
      var data: [UInt8] = []
      if let cryptogram = objects.first(where: { $0.tag == 0x87 })?.value.dropFirst() {
        let plain = try #require(keys.decrypt(Array(cryptogram), counter: counter))
        data = try #require(DocumentKeys.unpadded(plain))
      }
      return Answer(data: data, status: Array(answer.suffix(2)).hexadecimal)
    }
  }

  private struct Answer: Equatable {
    var data: [UInt8]
    var status: String
  }

  @Test(arguments: [false, true]) func filesAreRead(pace: Bool) throws {
    let face = DataObject.encoded(0x75, (0..<600).map { UInt8(truncatingIfNeeded: $0) })
    let document = try TravelDocument(
      machineReadableZone: TravelDocument.specimen.machineReadableZone, dataGroups: [2: face],
      securityObject: [0x77, 0x00])
    var inspection =
      pace ? try Inspection(pace: document.files) : try Inspection(basicAccess: document)
    #expect(
      try inspection.read(0x1E, offset: 0, count: 0).data.hexadecimal
        == "60145F0104303130375F36063034303030305C026175")
    let zone = try inspection.read(1, offset: 0, count: 0)
    #expect(zone.data.prefix(5) == [0x61, 0x5B, 0x5F, 0x1F, 0x58])
    #expect(
      String(decoding: zone.data.dropFirst(5), as: UTF8.self)
        == "P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<"
        + "L898902C<3UTO6908061F9406236ZE184226B<<<<<14")
    #expect(zone.status == "9000")
    #expect(
      try inspection.read(0x1D, offset: 0, count: 9)
        == Answer(data: [0x77, 0x00], status: "6282"))
    // As much as an answer of 256 bytes holds.
    let limit = pace ? 223 : 231
    #expect(try inspection.read(2, offset: 0, count: 0).data == Array(face.prefix(limit)))
    #expect(try inspection.read(2, offset: 200, count: 100).data == Array(face[200..<300]))
    #expect(try inspection.read(3, offset: 0, count: 0) == Answer(data: [], status: "6A82"))
    #expect(try inspection.read(0x1D, offset: 9, count: 1) == Answer(data: [], status: "6B00"))
  }

  /// OpenSSL, another program than the one that reads, verifies the signature; the hashes are those of the
  /// files.
  @Test func theSpecimenIsSigned() async throws {
    let specimen = TravelDocument.specimen
    let file = try #require(specimen.securityObject)
    let object = try #require(DataObject.all(in: file)?.first)
    #expect(object.tag == 0x77)
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String, _ content: [UInt8]) throws -> String {
      let url = folder.appending(path: name)
      try Data(content).write(to: url)
      return url.path
    }
    let hashes = folder.appending(path: "hashes.der")
    let command = ["cms", "-verify", "-noverify", "-inform", "DER", "-out", hashes.path, "-in"]
    try await FinishedProgram.run(
      ("/usr/bin/openssl", command + [path("cms.der", object.value)])
    ).expectSuccess()
    let signed = [UInt8](try Data(contentsOf: hashes)).hexadecimal
    for number in 1...2 {
      let group = try #require(specimen.dataGroups[number])
      let program = try await FinishedProgram.run(
        ("/usr/bin/sha256sum", [path("\(number)", group)]))
      let hash = program.output.prefix(64).uppercased()
      #expect(hash.count == 64 && signed.contains("02010\(number)0420" + hash))
    }
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
    (
      """
      I<UTOD23145890<7349<<<<<<<<<<<
      3407127M9507122UTO<<<<<<<<<<<2
      STEVENSON<<PETER<JOHN<<<<<<<<<
      """, "D23145890734934071279507122"
    ),
    (
      """
      I<UTOSTEVENSON<<PETER<JOHN<<<<<<<<<<
      D23145890<UTO3407127M95071227349<<<8
      """, "D23145890734934071279507122"
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
      (zone, [17: []]), (zone, [2: [0x61, 0]]), (zone, [3: []]), (zone, [2: [0x75, 5, 0]]),
      (zone, [11: DataObject.encoded(0x6B, [UInt8](repeating: 0, count: 131_068))]),
      ("I<UTOSTEVENSON<<PETER<JOHN<<<<<<<<<<D23145890<UTO3407127M95071227348<<<8", [:]),
    ] as [(String, [Int: [UInt8]])] {
      #expect(throws: VirtualTagError.self) {
        try TravelDocument(machineReadableZone: zone, dataGroups: groups)
      }
    }
  }
}
