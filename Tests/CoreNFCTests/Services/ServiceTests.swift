@testable import CoreNFC
import Testing

@Suite struct ServiceDeclarationTests {
  @Test func aConfigurationIsCopied() throws {
    let url = try #require(URL(string: "https://example.org"))
    let configuration = NFCVASCommandConfiguration(
      vasMode: .urlOnly, passTypeIdentifier: "pass.example", url: url)
    let copy = try #require(configuration.copy() as? NFCVASCommandConfiguration)
    configuration.mode = .normal
    configuration.passTypeIdentifier = "pass.other"
    configuration.url = nil
    #expect(copy.mode == .urlOnly)
    #expect(copy.passTypeIdentifier == "pass.example")
    #expect(copy.url == url)
  }

  @Test func anAnswerIsWhatTheWalletHasSent() throws {
    let answer = NFCVASResponse(
      status: .dataNotFound, vasData: Data([1]), mobileToken: Data([2]))
    let copy = try #require(answer.copy() as? NFCVASResponse)
    #expect(copy.status == VASErrorCode.VASErrorCodeDataNotFound)
    #expect(copy.status.rawValue == 0x6A83)
    #expect(copy.vasData == Data([1]))
    #expect(copy.mobileToken == Data([2]))
  }

  @Test func aSceneIsOpenedForNoEvent() throws {
    #expect(UIScene.ConnectionOptions().nfcEvent == nil)
    #expect("\(NFCWindowSceneEvent.readerDetected)" == "readerDetected")
    let coded = try JSONEncoder().encode([NFCWindowSceneEvent.presentation])
    #expect(
      try JSONDecoder().decode([NFCWindowSceneEvent].self, from: coded) == [.presentation])
  }
}
