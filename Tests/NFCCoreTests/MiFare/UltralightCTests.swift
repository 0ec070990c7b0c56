import Testing

@testable import SwiftNFCCore

/// The example of the MF0ICU2 data sheet, 7.5.5.1: key, RndB, RndA and what goes over the air.
@Suite struct UltralightCTests {
  @Test func answersTheChallengeOfTheDataSheet() throws {
    let key = try #require([UInt8](hexadecimal: "49454D4B41455242214E4143554F5946"))
    let randomNumber = try #require([UInt8](hexadecimal: "A8AF3B256C75ED40"))
    let challenge = try #require([UInt8](hexadecimal: "577293FD2F34CA51"))
    let token = UltralightCAuthentication.token(
      challenge: challenge, key: key, randomNumber: randomNumber)
    #expect(token?.hexadecimal == "0A638559FC7737F9F15D7862EBBE967A")
    #expect(
      UltralightCAuthentication.token(challenge: [1], key: key, randomNumber: randomNumber) == nil)
  }
}
