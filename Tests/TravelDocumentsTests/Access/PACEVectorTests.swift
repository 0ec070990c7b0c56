import SwiftNFCCore
import Testing

@testable import TravelDocuments

/// The worked examples of Doc 9303-11, appendices G, H and I.
@Suite struct PACEVectorTests {
  private static let ecdhGM = PACEInfo(
    "0.4.0.127.0.7.2.2.4.2.2", .generic, .aes128, .curve(.brainpoolP256r1), number: 13)

  // MARK: G.1

  private static let passwordG = try? AccessPassword(
    documentNumber: "T22000129", birth: "640812", expiry: "101031")

  /// From MSE:Set AT to the tokens, and the private keys of the reader.
  private static let exchangesG: [(String, String)] = [
    ("0022C1A412800A04007F0007020204020283010184010D", "9000"),
    ("10860000027C0000", "7C12801095A3A016522EE98D01E76CB6B98B42C39000"),
    (
      """
      10860000457C438141047ACF3EFC982EC45565A4B155129EFBC74650DCBFA6362D896FC70262E0C2CC5E54455
      2DCB6725218799115B55C9BAA6D9F6BC3A9618E70C25AF71777A9C4922D00
      """,
      """
      7C43824104824FBA91C9CBE26BEF53A0EBE7342A3BF178CEA9F45DE0B70AA601651FBA3F5730D8C879AAA9C9F
      73991E61B58F4D52EB87A0A0C709A49DC63719363CCD13C549000
      """
    ),
    (
      """
      10860000457C438341042DB7A64C0355044EC9DF190514C625CBA2CEA48754887122F3A5EF0D5EDD301C3556F
      3B3B186DF10B857B58F6A7EB80F20BA5DC7BE1D43D9BF850149FBB3646200
      """,
      """
      7C438441049E880F842905B8B3181F7AF7CAA9F0EFB743847F44A306D2D28C1D9EC65DF6DB7764B22277A2EDD
      C3C265A9F018F9CB852E111B768B326904B59A0193776F0949000
      """
    ),
    ("008600000C7C0A8508C2B0BD78D94BA86600", "7C0A86083ABB9674BCE93C089000"),
  ]
  private static let numbersG = [
    "7F4EF07B9EA82FD78AD689B38D0BC78CF21F249D953BC46F4C6E19259C010F99",
    "A73FB703AC1436A18E0CFA5ABB3F7BEC7A070E7A6788486BEE230C4A22762595",
  ]
  private static let selectionG =
    "0CA4040C1D871101752F676B09FAC86A87D632749A49C7CC8E08C18BA1FCE707BD9F00"
  private static let secretG = "28768D20701247DAE81804C9E780EDE582A9996DB4A315020B2733197DB84925"

  @Test func genericMappingOverACurve() throws {
    let password = try #require(Self.passwordG)
    #expect(password.secret.hexadecimal == "7E2D2A41C74EA0B38CD36F863939BFA8E9032AAD")
    let pace = PACE(Self.ecdhGM, password)
    #expect(pace.passwordKey.hexadecimal == "89DED1B26624EC1E634C1989302849DD")
    let chip = ScriptedChip(
      Self.exchangesG + [(Self.selectionG, "990290008E08BEA7B381C494A0799000")],
      random: Self.numbersG)
    let channel = ChipChannel(chip)
    #expect(try pace.run(channel) == nil)
    let select = APDU(
      instructionClass: 0, instructionCode: 0xA4, p1: 0x04, p2: 0x0C, data: bytes("A0000002471001"))
    #expect(try channel.send(select).isSuccess)
    #expect(chip.isDone)
  }

  @Test func keysOfG1() throws {
    let keys = SessionKeys(.aes128, secret: bytes(Self.secretG)).bytes
    #expect(keys.encryption.hexadecimal == "F5F0E35C0D7161EE6724EE513A0D9A7F")
    #expect(keys.authentication.hexadecimal == "FE251C7858B356B24514B3BD5F4297D1")
  }

  /// Some chips refuse the number of the parameters in MSE:Set AT: it is left out then, once.
  @Test(arguments: ["6A80", "6A88"])
  func theNumberOfTheParametersIsLeftOut(_ word: String) throws {
    let password = try #require(Self.passwordG)
    for second in ["9000", "6A80"] {
      var exchanges: [(String, String)] = [
        ("0022C1A412800A04007F0007020204020283010184010D", word),
        ("0022C1A40F800A04007F00070202040202830101", second),
      ]
      if second == "9000" { exchanges += Self.exchangesG.dropFirst() }
      let chip = ScriptedChip(exchanges, random: Self.numbersG)
      let pace = PACE(Self.ecdhGM, password)
      if second == "9000" {
        #expect(try pace.run(ChipChannel(chip)) == nil)
      } else {
        let error = #expect(throws: NFCError.self) { _ = try pace.run(ChipChannel(chip)) }
        #expect(error?.code == .notAuthenticated)
      }
      #expect(chip.isDone)
    }
  }

  /// An identity card that has no ICAO application, or not for this password: the selection in the session is refused.
  @Test func noApplicationForThePassword() throws {
    let password = try #require(Self.passwordG)
    let keys = SessionKeys(.aes128, secret: bytes(Self.secretG))
    let counter = [UInt8](repeating: 0, count: 15) + [2]
    let code = try #require(keys.code(ofMessage: counter + bytes("99026A82")))
    let file = try Fixtures["cardaccess"].hexadecimal
    var exchanges: [(String, String)] = [("00B09C0000", file + "9000")]
    exchanges += Self.exchangesG
    exchanges.append((Self.selectionG, "99026A828E08\(code.hexadecimal)6A82"))
    let chip = ScriptedChip(exchanges, random: Self.numbersG)
    let reading = DocumentReading(password: password)
    let error = #expect(throws: NFCError.self) { try reading.run(over: chip) }
    #expect(error?.code == .wrongTag)
    #expect(error?.description.contains("no ICAO application for this password") == true)
    #expect(chip.isDone)
  }

  // MARK: G.2

  @Test func genericMappingOverAGroup() throws {
    let group = DomainParameters.modular(.modp1024)
    let first = KeyAgreement(group)
    let (readerMap, readerAgree) = (
      bytes("5265030F751F4AD18B08AC565FC7AC952E41618D"),
      bytes("89CCD99B0E8D3B1F11E1296DCA68EC53411CF2CA")
    )
    let (chipMap, chipAgree) = (
      bytes("66DDAFEAC1609CB5B963BB0CB3FF8B3E047F336C"),
      bytes("A5B780126B7C980E9FCEA1D4539DA1D27C342DFA")
    )
    let nonce = try #require(
      BlockCipher.aes128.decrypt(
        bytes("854D8DF5827FA6852D1A4FA701CDDDCA"), key: bytes("89DED1B26624EC1E634C1989302849DD")))
    #expect(nonce.hexadecimal == "FA5B7E3E49753A0DB9178B7B9BD898C8")
    let chipKey = try #require(first.publicKey(of: chipMap))
    let shared = try #require(first.shared(readerMap, chipKey))
    let generator = try #require(NonceMapping.generic(nonce, shared: shared, group))
    #expect(generator.hexadecimal.hasSuffix("18342DC5"))
    let second = KeyAgreement(group, generator: generator)
    let (own, other) = (
      try #require(second.publicKey(of: readerAgree)), try #require(second.publicKey(of: chipAgree))
    )
    let secret = try #require(second.secret(readerAgree, other))
    #expect(second.secret(chipAgree, own) == secret)
    let keys = SessionKeys(.aes128, secret: secret)
    #expect(keys.bytes.encryption.hexadecimal == "2F7F46ADCC9E7E521B45D192FAFA9126")
    #expect(keys.bytes.authentication.hexadecimal == "805A1D27D45A5116F73C54469462B7D8")
    let identifier: ASN1ObjectIdentifier = "0.4.0.127.0.7.2.2.4.1.2"
    func token(_ key: [UInt8]) -> String? {
      keys.code(
        DER.object(0x7F49, identifier.encoded + DER.object(0x84, key.significant)))?.hexadecimal
    }
    #expect(token(other) == "B46DD9BD4D98381F")
    #expect(token(own) == "917F37B5C0E6D8D1")
  }

  // MARK: H.1

  private static let passwordKeyH = "591468CDA83D65219CCCB8560233600F"

  @Test func integratedMappingOverACurve() throws {
    let nonce = try #require(
      BlockCipher.aes128.decrypt(
        bytes("143DC40C08C8E891FBED7DEDB92B64AD"), key: bytes(Self.passwordKeyH)))
    #expect(nonce.hexadecimal == "2923BE84E16CD6AE529049F1F1BBE9EB")
    let parameters = DomainParameters.curve(.brainpoolP256r1)
    let generator = try #require(
      NonceMapping.integrated(
        nonce, bytes("5DD4CBFC96F5453B130D890A1CDBAE32"), .aes128, parameters))
    #expect(
      generator.hexadecimal
        == "048E82D31559ED0FDE92A4D0498ADD3C23BABA94FB77691E31E90AEA77FB17D427"
        + "4C1AE14BD0C3DBAC0C871B7F3608169364437CA30AC243A089D3F266C1E60FAD")
    let agreement = KeyAgreement(parameters, generator: generator)
    let (reader, chip) = (
      bytes("A73FB703AC1436A18E0CFA5ABB3F7BEC7A070E7A6788486BEE230C4A22762595"),
      bytes("107CF58696EF6155053340FD633392BA81909DF7B9706F226F32086C7AFF974A")
    )
    let (own, other) = (
      try #require(agreement.publicKey(of: reader)), try #require(agreement.publicKey(of: chip))
    )
    let secret = try #require(agreement.secret(reader, other))
    #expect(
      secret.hexadecimal == "4F150FDE1D4F0E38E95017B891BAE17133A0DF45B0D3E18B60BA7BEAFDC2C713")
    let keys = SessionKeys(.aes128, secret: secret)
    #expect(keys.bytes.encryption.hexadecimal == "0D3FEB33251A6370893D62AE8DAAF51B")
    #expect(keys.bytes.authentication.hexadecimal == "B01E89E3D9E8719E586B50B4A7506E0B")
    let identifier: ASN1ObjectIdentifier = "0.4.0.127.0.7.2.2.4.4.2"
    func token(_ key: [UInt8]) -> String? {
      keys.code(DER.object(0x7F49, identifier.encoded + DER.object(0x86, key)))?.hexadecimal
    }
    #expect(token(other) == "450F02B86F6A0909")
    #expect(token(own) == "75D4D96E8D5B0308")
  }

  // MARK: H.2

  @Test func integratedMappingOverAGroup() throws {
    let nonce = try #require(
      BlockCipher.aes128.decrypt(
        bytes("9ABB8864CA0FF1551E620D1EF4E13510"), key: bytes(Self.passwordKeyH)))
    #expect(nonce.hexadecimal == "FA5B7E3E49753A0DB9178B7B9BD898C8")
    let readerNonce = bytes("B3A6DB3C870C3E99245E0D1C06B747DE")
    let blocks = try #require(NonceMapping.blocks(nonce, readerNonce, .aes128, bits: 1024))
    #expect(blocks.count == 9 * 16)
    #expect(blocks.hexadecimal.hasPrefix("EAB98D13"))
    #expect(blocks.hexadecimal.hasSuffix("9373F485"))
    let generator = try #require(
      NonceMapping.integrated(nonce, readerNonce, .aes128, .modular(.modp1024)))
    #expect(generator.hexadecimal.hasPrefix("1D7D767F"))
    #expect(generator.hexadecimal.hasSuffix("BBAA16C2"))
  }

  // MARK: I.1

  @Test func chipAuthenticationMapping() throws {
    let password = try AccessPassword(
      documentNumber: "C11T002JM", birth: "960812", expiry: "231031")
    #expect(password.secret.hexadecimal == "894D03F148C6265E89845B218856EA34D00EF8E8")
    let info = PACEInfo(
      "0.4.0.127.0.7.2.2.4.6.2", .chipAuthentication, .aes128, .curve(.brainpoolP256r1), number: 13)
    let pace = PACE(info, password)
    #expect(pace.passwordKey.hexadecimal == "4E6F6FBF7BE748B932C7B74161BBA9DF")
    let parameters = DomainParameters.curve(.brainpoolP256r1)
    let nonce = bytes("658B860BC94DF6F044FCE6D5C82CF8E5")
    let chipMap = bytes("9E56A6B59C95D06ECE5CD10F983BB2F4F1943528E577F23881D89D8C3BBEE0AA")
    let readerMap = bytes("5D8BB87BD74D985A4B7D4325B9F7B976FE835122773400798914AA22738135CC")
    // It is above the order.
    let order = try #require(OpenSSL.numbers(of: .brainpoolP256r1)?.order)
    let chipAgree = try #require(
      OpenSSL.modular(
        .remainder, bytes("CD626EF3C256E235FE8912CAC28279E626008EDA6B3A05C4CF862A3BDAB79E78"),
        modulus: order))
    let readerAgree = bytes("76ECFDAA9841C323A3F5FC5E88B88DB3EFF7E35EBF57A7E6946CB630006C2120")
    let first = KeyAgreement(parameters)
    let chipMapKey = try #require(first.publicKey(of: chipMap))
    #expect(
      chipMapKey.hexadecimal
        == "04A234236AA9B9621E8EFB73B5245C0E09D2576E5277183C1208BDD55280CAE8B304F365713A356E65A451E165"
        + "ECC9AC0AC46E3771342C8FE5AEDD092685338E23")
    let shared = try #require(first.shared(readerMap, chipMapKey))
    let generator = try #require(NonceMapping.generic(nonce, shared: shared, parameters))
    let second = KeyAgreement(parameters, generator: generator)
    let chipKey = try #require(second.publicKey(of: chipAgree))
    let ownKey = try #require(second.publicKey(of: readerAgree))
    let ownMapKey = try #require(first.publicKey(of: readerMap))
    let encrypted = try #require(BlockCipher.aes128.encrypt(nonce, key: pace.passwordKey))
    let chip = ScriptedChip(
      [
        ("0022C1A412800A04007F0007020204060283010184010D", "9000"),
        ("10860000027C0000", DER.object(0x7C, DER.object(0x80, encrypted)).hexadecimal + "9000"),
        (
          "1086000045" + DER.object(0x7C, DER.object(0x81, ownMapKey)).hexadecimal + "00",
          DER.object(0x7C, DER.object(0x82, chipMapKey)).hexadecimal + "9000"
        ),
        (
          "1086000045" + DER.object(0x7C, DER.object(0x83, ownKey)).hexadecimal + "00",
          DER.object(0x7C, DER.object(0x84, chipKey)).hexadecimal + "9000"
        ),
        (
          "008600000C7C0A8508E86BD06018A1CD3B00",
          """
          7C3C86088596CF055C67C1A38A301EEA964DAAE372AC990E3EFDE6333353BFC89A6704D93DA8798CF77F5B7A54BD10CB
          A372B42BE0B9B5F28AA8DE2F4F929000
          """
        ),
      ], random: [readerMap.hexadecimal, readerAgree.hexadecimal])
    let channel = ChipChannel(chip)
    let proof = try #require(try pace.run(channel))
    #expect(chip.isDone)
    #expect(
      proof.factor.hexadecimal == "85DC3FA93D0952BFA82F5FD189EE75BD82F11D1F0B8ED4BF5319AC9B53C426B3"
    )
    let key = bytes(
      """
      041872709494399E7470A6431BE25E83EEE24FEA568C2ED28DB48E05DB3A610DC884D256A40E35EFCB59BF6753D3A489D28C7A
      4D973C2DA138A6E7A4A08F68E16F
      """)
    #expect(proof.isProof(of: .curve(.brainpoolP256r1, point: key)))
    #expect(!proof.isProof(of: .curve(.brainpoolP256r1, point: chipMapKey)))
    #expect(!proof.isProof(of: .curve(.secp256r1, point: key)))
  }

  // MARK: Wrong passwords

  @Test(arguments: ["6300", "63C2", "6982", "6A80"])
  func aWrongPasswordIsNotTriedAgain(_ status: String) throws {
    let password = try #require(AccessPassword(cardAccessNumber: "123456"))
    let agreement = KeyAgreement(.curve(.brainpoolP256r1))
    let generator = try #require(agreement.publicKey(of: [1]))
    let chip = AnsweringChip { command in
      switch (command.instructionCode, command.data.dropFirst(2).first) {
      case (0x22, _): "9000"
      case (0x86, nil): "7C128010" + String(repeating: "11", count: 16) + "9000"
      case (0x86, 0x81?): DER.object(0x7C, DER.object(0x82, generator)).hexadecimal + "9000"
      case (0x86, 0x83?): DER.object(0x7C, DER.object(0x84, generator)).hexadecimal + "9000"
      default: status
      }
    }
    let error = #expect(throws: NFCError.self) {
      _ = try PACE(Self.ecdhGM, password).run(ChipChannel(chip))
    }
    #expect(error?.code == .authenticationFailed)
    #expect(chip.commands.count == 5)
  }
}

/// A chip that answers by a closure.
final class AnsweringChip: ChipLink {
  let maximumCommandLength = 262
  let maximumResponseLength = 262
  private(set) var commands: [APDU] = []
  private let answer: (APDU) -> String

  init(_ answer: @escaping (APDU) -> String) { self.answer = answer }

  func transmit(_ command: APDU) throws -> ResponseAPDU {
    commands.append(command)
    return try ResponseAPDU(bytes(answer(command)))
  }

  func random(_ count: Int) throws -> [UInt8] { RandomNumbers.system(count) }
}
