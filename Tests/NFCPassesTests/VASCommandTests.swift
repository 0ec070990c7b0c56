import SwiftNFCCore
import Testing

@testable import NFCPasses

/// Answers of real phones (kormax/apple-vas, examples/traces; proxmark3), and of Google's documentation.
@Suite struct VASCommandTests {
  @Test func requestsAPass() {
    let command = VASCommand(passType: "pass.com.example.card", nonce: [1, 2, 3, 4])
    #expect(
      command.apdu.encoded
        == bytes(
          """
          80CA0101369F220201009F2520533F459F25CEB5BAC57233EE8E6083EDB84D655952573F39002813019BD18E409F2604008000029F\
          28040102030400
          """))
  }

  @Test func requestsOnlyThatAnAddressIsTaken() {
    let command = VASCommand(
      mode: .urlOnly, passType: "pass.com.example.card", url: "https://a.example",
      nonce: [1, 2, 3, 4])
    #expect(
      command.apdu.encoded
        == bytes(
          "80CA0100279F220201009F2604008000029F2804010203049F291168747470733A2F2F612E6578616D706C6500"
        ))
  }

  @Test func saysThatMoreWillBeRequested() {
    let command = VASCommand(passType: "a", isFollowed: true, nonce: [1, 2, 3, 4])
    #expect(command.apdu.encoded.hexadecimal.contains("9F260400800082"))
  }

  @Test(arguments: [
    ("6F1D50084170706C655061799F210201009F2404C05D48D09F23040000001E", UInt8(0x1E)),
    ("6F1D50084170706C655061799F210201009F2404E9CAEDE39F23040000003E", 0x3E),
  ]) func knowsApple(answer: String, capabilities: UInt8) throws {
    let selection = try #require(WalletSelection(bytes(answer)))
    #expect(selection.wallet == .apple)
    #expect(selection.capabilities == capabilities)
    #expect(selection.nonce == nil && selection.versions == nil)
  }

  @Test func knowsGoogle() throws {
    let selection = try #require(
      WalletSelection(
        bytes(
          """
          6f8184500a416e64726f6964506179c0020001c108cc00000000008080c22056d2ec8f857f0049aa54f1ca1de2791b5693a7014e6e4565d5\
          644b1c2a305136c32103dfee38dbdb68a607383ad622640b180cc7e27d796b4e788c40e5d994291c71fca523bf0c20611e4f09a000000476\
          d0000111870101730edf6d020000df4d020001df620103
          """)))
    #expect(selection.wallet == .google)
    #expect(
      selection.nonce == bytes("56d2ec8f857f0049aa54f1ca1de2791b5693a7014e6e4565d5644b1c2a305136"))
    #expect(selection.versions == 0...1)
  }

  @Test func readsTheAnswer() throws {
    let cryptogram = bytes(
      """
      c0b77375d3f37956d84a538f28ac2a04b38ddc1a67d3647a4dd30abd736ea1cea8038388692e89db99e4746d872de782395640c536e79a75c47a93\
      43da0af3937f06eeca7a865c4ad05a2c543ad2
      """)
    let answer = bytes("70549F2A009F274E") + cryptogram
    let response = try VASResponse(answer)
    #expect(response.cryptogram == cryptogram && response.token.isEmpty)
    for count in answer.indices {
      #expect(throws: NFCError.self) { try VASResponse(Array(answer.prefix(count))) }
    }
  }

  @Test(arguments: [
    (UInt16(0x9000), VASStatus.success), (0x6A83, .noSuchPass), (0x6287, .locked),
    (0x6984, .choose),
    (0x6B00, .wrongCommand(StatusWord(rawValue: 0x6B00))),
    (0x6700, .wrongCommand(StatusWord(rawValue: 0x6700))),
    (0x6A80, .wrongCommand(StatusWord(rawValue: 0x6A80))),
    (0x6340, .wrongCommand(StatusWord(rawValue: 0x6340))),
    (0x6982, .other(StatusWord(rawValue: 0x6982))),
  ]) func namesTheStatus(word: UInt16, status: VASStatus) {
    #expect(VASStatus(StatusWord(rawValue: word)) == status)
  }

  @Test func anyBytesAreAWalletOrNone() {
    for bytes in [
      [], [0x6F], [0x6F, 0x80], [0x6F, 0x02, 0x50, 0x08], [0x70, 0x00], [0x6F, 0x00],
    ] as [[UInt8]] {
      #expect(WalletSelection(bytes) == nil)
    }
    #expect(WalletSelection(bytes("6F03500141"))?.wallet == .other("A"))
  }
}
