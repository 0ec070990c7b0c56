import NFC
import Testing

@testable import SwiftNFCTool

@Suite struct PhoneReactionsTests {
  struct Case: Sendable {
    var records: [any NDEFTypedRecord]
    var iPhone: Bool
    var android: Bool
  }

  private static func uri(_ text: String) -> URIRecord { URIRecord(text) }
  private static let app = AndroidApplicationRecord("org.example")
  private static let wifi = WiFiRecord(credentials: [WiFiCredential(ssid: "G", key: nil)])

  static let cases = [
    Case(records: [uri("https://a.example")], iPhone: true, android: true),
    Case(records: [uri("tel:+441")], iPhone: true, android: true),
    Case(records: [uri("geo:1,2")], iPhone: false, android: true),
    Case(records: [uri("app-of-mine:1")], iPhone: false, android: false),
    Case(records: [TextRecord("a", language: "en")], iPhone: false, android: false),
    // Apple's system takes the first link, wherever it is; Android's the first record.
    Case(
      records: [TextRecord("a", language: "en"), uri("https://a.example")], iPhone: true,
      android: false),
    Case(records: [uri("app-of-mine:1"), uri("https://a.example")], iPhone: false, android: false),
    Case(records: [wifi], iPhone: false, android: true),
    Case(records: [app], iPhone: false, android: true),
    Case(records: [uri("https://a.example"), app], iPhone: true, android: true),
    Case(records: [], iPhone: false, android: false),
  ]

  @Test(arguments: cases.indices)
  func saysWhichPhonesAct(_ index: Int) {
    let test = Self.cases[index]
    let reactions = PhoneReactions(NDEFMessage(records: test.records.map(\.record)))
    #expect(reactions.iPhone.acts == test.iPhone, "\(reactions.iPhone.text)")
    #expect(reactions.android.acts == test.android, "\(reactions.android.text)")
  }

  /// A poster contains a link, and is none.
  @Test func aPosterIsForAndroidOnly() {
    let poster = SmartPosterRecord(uri: "https://a.example", title: "a")
    let reactions = PhoneReactions(NDEFMessage(records: [poster.record]))
    #expect(!reactions.iPhone.acts)
    #expect(reactions.android.acts)
  }

  @Test func addsThemToTheMessage() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      _ = try await nfc(["write", "geo", "51.4779,-0.0015"])
      let text = try await nfc(["read", "--phone"])
      #expect(text.lines.count == 3)
      #expect(text.lines[1].hasPrefix("iPhone") && text.lines[2].hasPrefix("Android"))
      let json = try await nfc(["read", "--phone", "--json"])
      #expect(json.output.contains(#""phones":{"iPhone":{"acts":false,"#))
      #expect(json.output.contains(#""android":{"acts":true,"#))
      #expect(!(try await nfc(["read", "--json"]).output.contains("phones")))
    }
  }
}
