import SwiftNFCCore
import Testing

@testable import SecureTags

/// NXP AN12196 (NTAG 424 DNA features and hints, revision 2.0) and AN12343 (MIFARE DESFire Light features and
/// hints): published exchanges of EV2's secure messaging.
@Suite struct EV2VectorTests {
  private static let zeroKey = [UInt8](repeating: 0, count: 16)

  /// AN12196, tables 14 (authentication), 17 (encrypted WriteData; its APDU counts 128 bytes) and 18
  /// (ChangeFileSettings).
  @Test func authenticationAndFullMode() throws {
    let url =
      "0051D1014D550463686F6F73652E75726C2E636F6D2F6E7461673432343F653D"
      + String(repeating: "30", count: 32) + "26633D" + String(repeating: "30", count: 16)
    let file = try hex(url)
    let data = file + [UInt8](repeating: 0, count: 0x80 - file.count)
    let card = try RecordedCard(
      """
      710000 AFA04C124213C186F22399D33AC2A30215
      AF35C3E05A752E0144BAC0DE51C1F22C56B34408A23D8AEA266CAB947EA8E0118D \
      003FA64DB5446D1F34CD6EA311167F5E4985B89690C04A05F17FA7AB2F08120663
      8D02000000800000\
      421C73A27D827658AF481FDFF20A5025B559D0E3AA21E58D347F343CFFC768BF\
      E596C706BC00F2176781D4B0242642A0FF5A42C461AAF894D9A1284B8C76BCFA\
      658ACD40555D362E08DB15CF421B51283F9064BCBE20E96CAE545B407C9D651A\
      3315B27373772E5DA2367D2064AE054AF996C6F1F669170FA88CE8C4E3A4A7BB\
      BEF0FD971FF532C3A802AF745660F2B4D1D9A8499661EBF3 00FC222E5F7A542452
      5F0261B6D97903566E84C3AE5274467E89EAD799B7C1A0EF7A04 0057BFF87B1241E93D
      """, challenges: ["13C5DB8A5930439FC3DEF9A4C675360F"])
    var procedure = card.procedure(.fixed)
    try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    let messaging = try #require(procedure.state.session?.messaging as? EV2Messaging)
    #expect(messaging.transactionIdentifier == (try hex("9D00C4DF")))
    #expect(try messaging.initialValue(isAnswer: false) == hex("D2CB7277A17841A06654A48188C1F8F5"))
    _ = try procedure.send(
      DESFireCommand(
        code: .writeDataChained, header: DESFireProcedure.span(2, 0, 0x80), data: data,
        protection: .encrypted))
    _ = try procedure.send(
      DESFireCommand(
        code: .changeFileSettings, header: [0x02],
        data: hex("4000E0C1F121200000430000430000"), protection: .encrypted))
    #expect(card.deviations == [])
    #expect(card.remaining == 0)
  }

  /// AN12196, tables 23 to 26: AuthenticateEV2NonFirst's session keys with a counter that continues, a
  /// plain write that is counted, and both ways to change a key.
  @Test func plainModeAndKeyChange() throws {
    let card = try RecordedCard(
      """
      8D010E0000120000FF0506E10500808283000000000000000000 00
      C4022CF362B7BF4311FF3BE1DAA295E8C68DE09050560D19B9E16C2393AE9CD1FAC75D0CE20BCD1D06E6 \
      00203BB55D1089D587
      C400C0EB4DEEFEDDF0B513A03A95A75491818580503190D4D05053FF75668A01D6FDA6610234BDED6432 00
      """, challenges: [])
    var procedure = card.procedure(.fixed)
    let messaging = try EV2Messaging(
      key: BlockCipher(.aes128, key: SecretKey(Self.zeroKey)),
      reader: hex("60BE759EDA560250AC57CDDC11743CF6"),
      card: hex("6924E8D09722659A2E7DEC68E66312B8"), transactionIdentifier: hex("7614281A"),
      commandCounter: 1)
    procedure.state.session = DESFireSession(keyNumber: 0, messaging: messaging)
    _ = try procedure.send(
      DESFireCommand(
        code: .writeDataChained, header: DESFireProcedure.span(1, 14, 18),
        data: hex("FF0506E10500808283000000000000000000"), protection: .data(.plain)))
    try procedure.changeKey(
      2, from: .factory(.aes),
      to: DESFireKey(.aes, bytes: hex("F3847D627727ED3BC9C4CC050489B966"), version: 1),
      isCard: false)
    try procedure.changeKey(
      0, from: nil,
      to: DESFireKey(.aes, bytes: hex("5004BF991F408672B1EF00F08F9E8647"), version: 1),
      isCard: false)
    #expect(procedure.state.session == nil)
    #expect(card.deviations == [])
    #expect(card.remaining == 0)
  }

  /// AN12196, tables 7 (GetFileSettings with MACs) and 28 (GetCardUID encrypted), and AN12343, chapter
  /// 7.5 (data with MACs): the published parts of the keys are sufficient.
  @Test func codesAndAnswers() throws {
    func procedure(
      _ exchanges: String, encryption: String? = nil, code: String, _ identifier: String
    ) throws -> (DESFireProcedure, RecordedCard) {
      let card = try RecordedCard(exchanges, challenges: [])
      var procedure = card.procedure(.fixed)
      procedure.state.session = DESFireSession(
        keyNumber: 0,
        messaging: try EV2Messaging(
          encryptionKey: SecretKey(encryption.map { try hex($0) } ?? Self.zeroKey),
          codeKey: SecretKey(hex(code)), transactionIdentifier: hex(identifier)))
      return (procedure, card)
    }
    var (settings, card) = try procedure(
      """
      F5026597A457C8CD442C \
      000040EEEE000100D1FE001F00004400004400002000006A00002A474282E7A47986
      """, code: "8248134A386E86EB7FAF54A52E536CB6", "7A21085E")
    #expect(try settings.fileSettings(2).size == 256)
    #expect(card.deviations == [])
    var (uid, second) = try procedure(
      "518E2C155ADDA99BE3 0070756055688505B52A5E26E59E329CD6595F672298EA41B7",
      encryption: "2B4D963C014DC36F24F69A50A394F875", code: "379D32130CE61705DD5FD8C36B95D764",
      "DF055522")
    #expect(try uid.cardUID() == hex("04958CAA5C5E80"))
    #expect(second.deviations == [])
    var (data, third) = try procedure(
      """
      8D00000000190000\(String(repeating: "22", count: 25))68F2C28C575A1628 000820F68898C2A7F1
      AD000000003000000D9B\
      E191D5960834 00\(String(repeating: "22", count: 25))\(String(repeating: "00", count: 23))\
      A49A44222D926666
      """, code: "9366FA195EB566F5BD2BAD4020B83002", "E2D3AF69")
    let written = [UInt8](repeating: 0x22, count: 25)
    _ = try data.send(
      DESFireCommand(
        code: .writeDataChained, header: DESFireProcedure.span(0, 0, 25), data: written,
        protection: .data(.authenticated)))
    let read = try data.send(
      DESFireCommand(
        code: .readDataChained, header: DESFireProcedure.span(0, 0, 48),
        protection: .data(.authenticated), answer: .data(count: 48)))
    #expect(read == written + [UInt8](repeating: 0, count: 23))
    #expect(third.deviations == [])
  }

  /// AN12343, pages 33 and 34: session keys; the first initial value of two sessions (Proxmark3 has both).
  @Test func derivation() throws {
    let messaging = try EV2Messaging(
      key: BlockCipher(.aes128, key: SecretKey(Self.zeroKey)),
      reader: hex("B04D0787C93EE0CC8CACC8E86F16C6FE"),
      card: hex("FA659AD0DCA738DD65DC7DC38612AD81"), transactionIdentifier: hex("11223344"))
    let expected = try EV2Messaging(
      encryptionKey: SecretKey(hex("63DC07286289A7A6C0334CA31C314A04")),
      codeKey: SecretKey(hex("774F26743ECE6AF5033B6AE8522946F6")),
      transactionIdentifier: hex("11223344"))
    #expect(
      try messaging.initialValue(isAnswer: false) == expected.initialValue(isAnswer: false))
    #expect(try messaging.code(0x60, 7, [1, 2, 3]) == expected.code(0x60, 7, [1, 2, 3]))
    let values = [
      ("66A8CB93269DC9BC2885B7A91B9C697B", "ED56F6E6", 0, "DA0F644A4986275957CF1EC3AF4CCE53"),
      ("445A8626B33384593212 32FADF6ADE2B", "11223344", 5, "177494FCC4F1DAB2AFBE8FAE2057A9D2"),
    ]
    for (key, identifier, counter, value) in values {
      let session = try EV2Messaging(
        encryptionKey: SecretKey(hex(key)), codeKey: SecretKey(Self.zeroKey),
        transactionIdentifier: hex(identifier), commandCounter: UInt16(counter))
      #expect(try session.initialValue(isAnswer: false) == hex(value))
    }
  }

  /// Every bit of a protected answer is significant. An answer that is wrong, truncated, extended, or for
  /// another command is not used.
  @Test func wrongAnswers() throws {
    let right = try hex("0040EEEE000100D1FE001F00004400004400002000006A00002A474282E7A47986")
    func accepts(_ answer: [UInt8], counter: UInt16 = 0) throws -> Bool {
      var session = try EV2Messaging(
        encryptionKey: SecretKey(Self.zeroKey),
        codeKey: SecretKey(hex("8248134A386E86EB7FAF54A52E536CB6")),
        transactionIdentifier: hex("7A21085E"), commandCounter: counter)
      let command = DESFireCommand(code: .getFileSettings, header: [2], answer: .anyData)
      do {
        _ = try session.unprotect(answer, status: .operationOK, of: command)
        return true
      } catch let error as NFCError {
        #expect(error.code == .tagResponseError && error.cause == nil)
        return false
      }
    }
    #expect(try accepts(right))
    #expect(try !accepts(right, counter: 1))
    for index in right.indices {
      for bit in 0..<8 {
        var wrong = right
        wrong[index] ^= 1 << bit
        #expect(try !accepts(wrong))
      }
      #expect(try !accepts(Array(right.prefix(index))))
    }
    #expect(try !accepts(right + [0]))
  }
}
