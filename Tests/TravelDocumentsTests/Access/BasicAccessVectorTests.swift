import SwiftNFCCore
import Testing

@testable import TravelDocuments

/// The worked example of Doc 9303-11, appendix D.
@Suite struct BasicAccessVectorTests {
  private static let exchanges = [
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

  private static func password() throws -> AccessPassword {
    try AccessPassword(documentNumber: "L898902C", birth: "690806", expiry: "940623")
  }

  @Test func keys() throws {
    let password = try Self.password()
    #expect(password.secret.hexadecimal == "239AB9CB282DAF66231DC5A4DF6BFBAEDF477565")
    let keys = BasicAccess(password).keyBytes
    #expect(keys.encryption.hexadecimal == "AB94FDECF2674FDFB9B391F85D7F76F2")
    #expect(keys.authentication.hexadecimal == "7962D9ECE03D1ACD4C76089DCE131543")
  }

  @Test func sessionAndFile() throws {
    let chip = ScriptedChip(
      [
        (
          """
          0082000028 72C29C2371CC9BDB65B779B8E8D37B29ECC154AA56A8799FAE2F498F76ED92F2 5F1448EEA8AD90A7 28
          """,
          """
          46B9342A41396CD7386BF5803104D7CEDC122B9132139BAF2EEDC94EE178534F 2F2D235D074D7449 9000
          """
        )
      ] + Self.exchanges,
      random: ["781723860C06C226", "0B795240CB7049B01C19B33E32804F0B"])
    let channel = ChipChannel(chip)
    try BasicAccess(Self.password()).run(channel, challenge: bytes("4608F91988702212"))
    #expect(channel.messaging?.counter == 0x8870_2212_0C06_C226)
    let select = APDU(
      instructionClass: 0, instructionCode: 0xA4, p1: 0x02, p2: 0x0C, data: [0x01, 0x1E])
    #expect(try channel.send(select).isSuccess)
    var file: [UInt8] = []
    for (offset, count) in [(0, 4), (4, 18)] {
      let read = APDU(
        instructionClass: 0, instructionCode: 0xB0, p1: 0, p2: UInt8(offset), expectedLength: count)
      file += try channel.send(read).data
    }
    #expect(file.hexadecimal == "60145F0104303130365F36063034303030305C026175")
    #expect(chip.isDone)
    let common = try CommonData(file)
    #expect(common.version == "1.6")
    #expect(common.unicodeVersion == "4.0.0")
    #expect(common.groups == [1, 2])
  }

  @Test func wrongZone() throws {
    for (answer, code) in [
      ("6300", NFCError.Code.authenticationFailed), ("6A88", .notAuthenticated),
    ] {
      let chip = ScriptedChip(
        [
          (
            """
            0082000028 72C29C2371CC9BDB65B779B8E8D37B29ECC154AA56A8799FAE2F498F76ED92F2 5F1448EEA8AD90A7 28
            """, answer
          )
        ],
        random: ["781723860C06C226", "0B795240CB7049B01C19B33E32804F0B"])
      let error = #expect(throws: NFCError.self) {
        try BasicAccess(Self.password()).run(
          ChipChannel(chip), challenge: bytes("4608F91988702212"))
      }
      #expect(error?.code == code)
    }
  }
}
