import SwiftNFCCore
import Testing

@testable import SecureTags

/// NXP AN12343 (MIFARE DESFire Light features and hints, revision 1.1): commands in sessions with
/// published keys.
@Suite struct LightVectorTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let cipherKey: String
    let codeKey: String
    let transaction: String
    var counter: UInt16 = 0
    /// The native command and its answer.
    let exchange: String
    let body: @Sendable (inout DESFireProcedure) throws -> Void
  }

  /// Runs a command of the session with the value file.
  private static func value(
    _ testDescription: String, counter: UInt16 = 0, _ exchange: String, _ command: DESFireCommand,
    _ expected: [UInt8] = []
  ) -> Example {
    Example(
      testDescription: testDescription, cipherKey: "4C4C0E575943FF670CF85BAE2E0D201D",
      codeKey: "D1CC5CE9FC9F1970348D33D01FAFEF8F", transaction: "E412166F", counter: counter,
      exchange: exchange
    ) { procedure in
      let answer = try procedure.send(command)
      #expect(answer == expected)
    }
  }

  static let examples: [Example] = [
    Example(
      testDescription: "table 5: limits of the value file",
      cipherKey: "B2FF2B22D5E2695A24A8A3ECB9C4AD8F", codeKey: "D7C0206A531AC9E03560F31CA5BD5179",
      transaction: "55B1B324", counter: 2,
      exchange: "5C09AB30CF86A5E36F372FFAEA00FE25264EAEBDF6A497B94265 00E30A7457B6CBEAFF"
    ) {
      try $0.configureValueFile(
        3, DESFireValueSettings(lowerLimit: 0, upperLimit: 1000, allowsLimitedCredit: true))
    },
    Example(
      testDescription: "table 7: UID", cipherKey: "C1D7BD9F60034D8432F9AF3403D573D0",
      codeKey: "FD9E26C9766F07C1D07106C0F8F3671F", transaction: "569D4B24",
      exchange: "515CA9EF7C912A391B 00CDFFBF6D34231DA2789DA9D3AB15D560CE75E39EDBE94C2F"
    ) { procedure in
      let uid = try procedure.cardUID()
      let expected = try hex("04DE5F1EACC040")
      #expect(uid == expected)
    },
    Example(
      testDescription: "table 33: records", cipherKey: "2128E06F6A5D592E91A31535E4AB32BA",
      codeKey: "B0F5553474B5364FA56C2B423BFCEFCD", transaction: "87EE66C3",
      exchange: """
        AB01000000000000180E2B1F91AB3735 \
        0007D38FF172A78F6908CDA660C9C585AB67314B77AA275FECDCCB34517CE32423C9E8B3726F1E8337
        """
    ) { procedure in
      let data = try procedure.send(
        DESFireCommand(
          code: .readRecordsChained, header: DESFireProcedure.span(1, 0, 0),
          protection: .encrypted, answer: .data(count: 16)))
      let expected = try hex("11223344556677889900112233445566")
      #expect(data == expected)
    },
    value(
      "table 35: value", "6C03B775DA280F3E7300 00BC2CE0D37364B3C355C4B9B9A98802FF24035F8D39D40CE0",
      DESFireCommand(
        code: .getValue, header: [3], protection: .encrypted, answer: .data(count: 4)),
      [0, 0, 0, 0]),
    value(
      "table 36: credit", counter: 1,
      "0C039DCDD6C409DABB0C9D5834D04FBD6E2668AFCFFD9EFB9234 001004E8EA74C2871F",
      DESFireCommand(code: .credit, header: [3], data: [153, 0, 0, 0], protection: .encrypted)),
    value(
      "table 37: debit", counter: 3,
      "DC03C483B5A4C50AFFF9635F3A24F59E0A210CA9B6B519A49F49 00473A27190FDEF343",
      DESFireCommand(code: .debit, header: [3], data: [113, 0, 0, 0], protection: .encrypted)),
    Example(
      testDescription: "table 39: another key", cipherKey: "A664EA370E90B249FE2870772291A820",
      codeKey: "605526E474B2304354D05A800F56B7A9", transaction: "BC354CD5",
      exchange: """
        C40180D40DB52D5D8CA136249A0A14154DBA1BE0D67C408AB24CF0F3D3B4FE333C6AD27EF8006B374ABB \
        00BB94CB85EBC43B9D
        """
    ) {
      try $0.changeKey(
        1, from: .factory(.aes),
        to: DESFireKey(.aes, bytes: hex("01234567890123456789012345678901")), isCard: false)
    },
    Example(
      testDescription: "table 40: the session's key",
      cipherKey: "E156C8522F7C8DC82B0C99BA847DE723", codeKey: "45D50C1570000D2F173DF949288E3CAD",
      transaction: "94297F4D",
      exchange: """
        C400BF5400DC97A1FBD65BE870716D6F11F8161BB4CA472856DB94AB94B2EC1A13E627CE07CF56C11091 00
        """
    ) {
      try $0.changeKey(
        0, from: nil, to: DESFireKey(.aes, bytes: hex("01234567890123456789012345678901")),
        isCard: false)
    },
    Example(
      testDescription: "table 25: encrypted data is written",
      cipherKey: "FFBCFE1F41840A09C9A88D0A4B10DF05", codeKey: "37E7234B11BEBEFDE41A8F290090EF80",
      transaction: "CD73D8E5",
      exchange: """
        8D00000000190000D7446FBC912580C0A65E738D28B609E43ADBB8FB2B4CA68744D1BBEBB37EBD32700ADF7BB9F62A6C \
        00B9A534A7A73EE0DD
        """
    ) { procedure in
      _ = try procedure.send(
        DESFireCommand(
          code: .writeDataChained, header: DESFireProcedure.span(0, 0, 25),
          data: [UInt8](repeating: 0x22, count: 25), protection: .encrypted))
    },
    Example(
      testDescription: "table 26: encrypted data is read",
      cipherKey: "FFBCFE1F41840A09C9A88D0A4B10DF05", codeKey: "37E7234B11BEBEFDE41A8F290090EF80",
      transaction: "CD73D8E5", counter: 1,
      exchange: """
        AD000000003000007CF94F122B3DB05F \
        008848D0F9B9FD4495770C89925B2A85C7274D350FA9029C484D43804886662DC42D7F40A6D7A415E4A71EFF79EB8E57\
        21AC3BF1CAAFE8EB2CAA2DC162E67A97A38ED7888F22B3A587
        """
    ) { procedure in
      let data = try procedure.send(
        DESFireCommand(
          code: .readDataChained, header: DESFireProcedure.span(0, 0, 48),
          protection: .encrypted, answer: .data(count: 48)))
      let expected = [UInt8](repeating: 0x22, count: 25) + [UInt8](repeating: 0, count: 23)
      #expect(data == expected)
    },
  ]

  /// Table 16.
  @Test func authentication() throws {
    let card = try RecordedCard(
      """
      710000 AF24677DDBD46349E623798FD729006E79
      AF3B50445F21D21D77D500794DEB245E5A754F5F901844259F4C9B31A5C7335ACD \
      0004C6DBD67417ED0D31DDDE4D2E3FFAC2B4B074F638EEF7FFF9254963B65C7759
      """, challenges: ["B04D0787C93EE0CC8CACC8E86F16C6FE"])
    var procedure = card.procedure(.fixed)
    try procedure.authenticate(0, .factory(.aes), by: .ev2First)
    let messaging = try #require(procedure.state.session?.messaging as? EV2Messaging)
    #expect(messaging.transactionIdentifier == (try hex("8CF141F3")))
    #expect(card.deviations == [] && card.remaining == 0)
  }

  @Test(arguments: examples) func published(_ example: Example) throws {
    let card = try RecordedCard(example.exchange, challenges: [])
    var procedure = card.procedure(.fixed)
    let messaging = try EV2Messaging(
      encryptionKey: SecretKey(hex(example.cipherKey)), codeKey: SecretKey(hex(example.codeKey)),
      transactionIdentifier: hex(example.transaction), commandCounter: example.counter)
    procedure.state.session = DESFireSession(keyNumber: 0, messaging: messaging)
    try example.body(&procedure)
    #expect(card.deviations == [] && card.remaining == 0)
  }
}
