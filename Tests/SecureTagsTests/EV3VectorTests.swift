import SwiftNFCCore
import Testing

@testable import SecureTags

/// NXP AN12757 (MIFARE DESFire EV3 features and hints): exchanges with published keys, of every generation's
/// authentication and secure messaging, as the tests of the C# library Fabric.Hardware.Desfire repeat them.
@Suite struct EV3VectorTests {
  private static let zeros = [UInt8](repeating: 0, count: 16)

  // MARK: Authentication

  /// Table 12.
  @Test func authenticationOfEV2() throws {
    let card = try RecordedCard(
      """
      710000 AFC56F576D2444171CF64B196346A81662
      AF60DCFF9A0BBE8DE18B7D79BB590CD4B42D531C24906D1B0D11BEB17E8850D298 \
      00EE93375DE2190A24F97D4AE363CAEC8DE2ED76DF4C3EE23C9D3499E3EC8D2259
      """, challenges: ["876D85B7FC717073AFBF564834F98F1E"])
    var procedure = card.procedure(.ev3)
    try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    let messaging = try #require(procedure.state.session?.messaging as? EV2Messaging)
    #expect(messaging.transactionIdentifier == (try hex("B04D6C11")))
    let expected = try EV2Messaging(
      encryptionKey: SecretKey(hex("030A8C76BBC954513A52B2AAD161D15B")),
      codeKey: SecretKey(hex("185D0E3CEA4C0C32DFAD84B3414A5054")),
      transactionIdentifier: hex("B04D6C11"))
    #expect(
      try messaging.initialValue(isAnswer: false) == expected.initialValue(isAnswer: false))
    #expect(try messaging.code(0x60, 7, [1, 2, 3]) == expected.code(0x60, 7, [1, 2, 3]))
    #expect(card.deviations == [])
  }

  struct Authentication: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let method: DESFireAuthentication
    let kind: DESFireKey.Kind
    var number: UInt8 = 0
    var key = "00000000000000000000000000000000"
    let challenge: String
    let exchanges: String
    let sessionKey: String
  }

  static let authentications = [
    Authentication(
      testDescription: "table 20, AuthenticateISO", method: .iso, kind: .des,
      challenge: "FE07A026547F0BAE",
      exchanges: """
        1A00 AFD3C84E1AAB3AA692
        AF58B8AE456571C577CD21D082B693EA3D 00DC9A5F5B3F8DE04E
        """, sessionKey: "FE07A026682EB9D7FE07A026682EB9D7"),
    Authentication(
      testDescription: "table 20, AuthenticateAES", method: .aes, kind: .aes, number: 2,
      challenge: "2347C1557F80707ABDFF86BF9D965CA7",
      exchanges: """
        AA02 AFC5537C8EFFFCC7E152C27831AFD383BA
        AF1EF512D957973AED7E6E13991EB0FB431B373EA23400A3AC0B7749CD6FB1C328 \
        00FFC212245F03DB0EA0645A495190952A
        """, sessionKey: "2347C1551EA0353A9D965CA7B52FCA84"),
    Authentication(
      testDescription: "table 30, Authenticate", method: .legacy, kind: .des,
      challenge: "CB4B2F5A73160F44",
      exchanges: """
        0A00 AF07B4246843F94E2F
        AF9F69D40127E01C5ED029583EEC85541A 000F3E03224EE6260F
        """, sessionKey: "CB4B2F5AFC68213ECB4B2F5AFC68213E"),
    Authentication(
      testDescription: "table 31, Authenticate with two keys", method: .legacy, kind: .des,
      number: 2, key: "00112233445566778899AABBCCDDEEFF", challenge: "2AEC97F224313D24",
      exchanges: """
        0A02 AF43F0384069C1CBB2
        AF5E76C1945774FF6334DE4C0F52D18915 00179F286709BB449E
        """, sessionKey: "2AEC97F262C615A024313D2485C043FD"),
  ]

  @Test(arguments: authentications) func authenticationBeforeEV2(_ example: Authentication) throws {
    let card = try RecordedCard(example.exchanges, challenges: [example.challenge])
    var procedure = card.procedure(.ev3)
    try procedure.authenticate(
      example.number, DESFireKey(example.kind, bytes: hex(example.key)), by: example.method)
    #expect(card.deviations == [])
    #expect(card.remaining == 0)
    var messaging = try #require(procedure.state.session?.messaging)
    var expected: any DESFireMessaging =
      if example.method == .legacy {
        try LegacyMessaging(sessionKey: SecretKey(hex(example.sessionKey)))
      } else {
        try EV1Messaging(
          example.kind == .aes ? .aes128 : .twoKeyTripleDES,
          sessionKey: SecretKey(hex(example.sessionKey)))
      }
    let command = DESFireCommand(
      code: .writeData, header: [1], data: Array(0..<20), protection: .data(.encrypted))
    #expect(try messaging.protect(command) == expected.protect(command))
  }

  // MARK: Data

  struct Data: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let algorithm: BlockCipher.Algorithm?
    let sessionKey: String
    let file: UInt8
    let communication: DESFireCommunication
    let content: String
    let exchanges: String
    var isRead = true
  }

  static let data = [
    Data(
      testDescription: "tables 21 and 22, triple DES with MACs", algorithm: .twoKeyTripleDES,
      sessionKey: "7EBBEA1BA4A399EF7EBBEA1BA4A399EF", file: 1, communication: .authenticated,
      content: "010203040506070809101112131415161718",
      exchanges: """
        3D01000000120000010203040506070809101112131415161718C15BFD83F9021869 00AD37516C1029640E
        BD01000000120000 0001020304050607080910111213141516171835E4EE4183A3B718
        """),
    Data(
      testDescription: "tables 23 and 24, AES with MACs", algorithm: .aes128,
      sessionKey: "0AAF803DD2A6252D851B69B9E4F63801", file: 3, communication: .authenticated,
      content: "0102030405060708090A0B0C0D0E0F101112131415",
      exchanges: """
        3D030000001500000102030405060708090A0B0C0D0E0F101112131415BEF5B687604234F7 00A6589DC8FC47D2E4
        BD03000000150000 000102030405060708090A0B0C0D0E0F101112131415DF5C0EA3D6331E4F
        """),
    Data(
      testDescription: "tables 25 and 26, triple DES encrypted", algorithm: .twoKeyTripleDES,
      sessionKey: "B736960AFA41EED7B736960AFA41EED7", file: 0, communication: .encrypted,
      content: "010203040506070809101112131415161718",
      exchanges: """
        3D00000000120000EF4E0879067770A638F8D5DFFBCC7A5D95A66B761BCBEAE3 00B206E23D3083EF51
        BD00000000120000 006423F66793402B1D3B6AAD6CA3EE028D79C11B8ADF793C1C
        """),
    Data(
      testDescription: "tables 27 and 28, AES encrypted", algorithm: .aes128,
      sessionKey: "227EAC508FB2D130E0451988D51F8DD0", file: 2, communication: .encrypted,
      content: "112233445566778899AABBCCDDEEFF",
      exchanges: """
        3D020000000F00009B9915A7572364D05CDF03FBA9B0F69EA88E3C4F0DEE3EDAB9ACC8BE88B7DAC9 \
        00B987074D3F60EEF6
        BD020000000F0000 003C624B56FF16798F960E341E10EEA8CF5155D67AC6273EE5DDEB90E16228DF03
        """),
    Data(
      testDescription: "tables 32 and 33, Authenticate with MACs", algorithm: nil,
      sessionKey: "A908E976D518D0B9AE1D7F7A04CB0154", file: 1, communication: .authenticated,
      content: "00112233445566778899AABBCCDD",
      exchanges: """
        3D010000000E000000112233445566778899AABBCCDD87480163 00
        BD010000000E0000 0000112233445566778899AABBCCDD87480163
        """),
    Data(
      testDescription: "table 34, Authenticate encrypted", algorithm: nil,
      sessionKey: "A908E976D518D0B9AE1D7F7A04CB0154", file: 1, communication: .encrypted,
      content: "00112233445566778899AABBCCDDEEFF",
      exchanges: "3D01000000100000C9F94412DA6FEBA4B97995E9DF7AFB9A577CE04B002BFB65 00",
      isRead: false),
  ]

  @Test(arguments: data) func dataOfFiles(_ example: Data) throws {
    let card = try RecordedCard(example.exchanges, challenges: [])
    var procedure = card.procedure(.ev3)
    let key = SecretKey(try hex(example.sessionKey))
    procedure.state.session = DESFireSession(
      keyNumber: 0,
      messaging: try example.algorithm.map { try EV1Messaging($0, sessionKey: key) }
        ?? LegacyMessaging(sessionKey: key))
    let content = try hex(example.content)
    let header = DESFireProcedure.span(example.file, 0, content.count)
    _ = try procedure.send(
      DESFireCommand(
        code: .writeData, header: header, data: content,
        protection: .data(example.communication)))
    if example.isRead {
      let read = try procedure.send(
        DESFireCommand(
          code: .readData, header: header, protection: .data(example.communication),
          answer: .data(count: content.count)))
      #expect(read == content)
    }
    #expect(card.deviations == [])
    #expect(card.remaining == 0)
  }

  // MARK: Keys

  /// Tables 93 (the card's key becomes an AES key), 95 (another key) and 96 (the session's own).
  @Test func changesOfKeys() throws {
    func procedure(
      _ exchange: String, _ algorithm: BlockCipher.Algorithm, _ sessionKey: String,
      initialValue: String? = nil
    ) throws -> (DESFireProcedure, RecordedCard) {
      let card = try RecordedCard(exchange, challenges: [])
      var procedure = card.procedure(.ev3)
      procedure.state.session = DESFireSession(
        keyNumber: 0,
        messaging: try EV1Messaging(
          algorithm, sessionKey: SecretKey(hex(sessionKey)),
          initialValue: initialValue.map { try hex($0) }))
      return (procedure, card)
    }
    var (master, first) = try procedure(
      "C480440FE29FF2E51AD18AA105C125CDC1F3B81590984219EAB1 00", .twoKeyTripleDES,
      "DAFF378C024610FBDAFF378C024610FB")
    try master.changeKey(0, from: nil, to: .factory(.aes), isCard: true)
    #expect(first.deviations == [])
    var (other, second) = try procedure(
      "C401E4CDFCD2D335CCAAB4BB602805B9DAAFFB1B84FE4E4952DD0B9E2F20BB4C789C 0002BC7F4ACA83DA63",
      .aes128, "5DD4CBFC20A1988E1CDBAE322B315D57",
      initialValue: "70873F2D468019A38E7184FE5208F607")
    try other.changeKey(
      1, from: DESFireKey(.aes, bytes: hex("00112233445566778899AABBCCDDEEFF")),
      to: DESFireKey(.aes, bytes: hex("A0A1A2A3A4A5A6A7A8A9AAABACADAEAF"), version: 3),
      isCard: false)
    #expect(second.deviations == [])
    var (own, third) = try procedure(
      "C400B679B08051DA0A62D14C3544A968C943636A2815165E1FB7C1DCC839CFCD3D94 00", .aes128,
      "04BC99A81DB7293FAA86CA225ECD7660")
    try own.changeKey(
      0, from: nil,
      to: DESFireKey(.aes, bytes: hex("B0B1B2B3B4B5B6B7B8B9BABBBCBDBEBF"), version: 1),
      isCard: false)
    #expect(third.deviations == [])
    #expect(own.state.session == nil)
  }

  /// Page 107: an application with four key sets, of which the keys are 16 bytes long.
  @Test func applicationWithKeySets() throws {
    let plan = DESFireApplicationDescription(
      try #require(DESFireApplicationIdentifier(0xF1_1C2C)), keyCount: 5, kind: .aes,
      settings: DESFireKeySettings(byte: 0x1F), isoIdentifier: 0x2211,
      name: [0x01, 0x02, 0x03, 0x04, 0x05, 0x06], namesFiles: true,
      keySets: DESFireKeySets(count: 4, version: 0, rollKey: 2))
    #expect(plan.parameters.hexadecimal == "2C1CF11FB501000410021122010203040506")
  }
}
