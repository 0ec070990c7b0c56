import NDEF
import Testing

@Suite struct DescriptionTests {
  /// The time grows with the text, not with its square.
  @Test(.timeLimit(.minutes(1))) func longTextsOfControlCharacters() {
    let count = 500_000
    let text = String(repeating: "\u{1B}", count: count)
    #expect(
      NDEFRecord.text(text, language: "en").description
        == String(repeating: "\\u{1B}", count: count) + " (en)")
    let card = VCardRecord(name: String(repeating: ",", count: count))
    #expect(card.text.utf8.count > 2 * count)
  }

  @Test(arguments: [
    (NDEFRecord.uri("https://example.com"), "https://example.com"),
    (.text("Hello", language: "en"), "Hello (en)"),
    (.text("a\r\nb\tc", language: "en"), "a\\r\\nb\\tc (en)"),
    (.media("text/plain", Array("x".utf8)), "x (text/plain)"),
    (.media("image/png", [1, 2]), "image/png, 2 bytes"),
    (.external("a.b:c", Array("x".utf8)), "a.b:c: x"),
    (.external("a.b:c", [0]), "a.b:c, 1 byte"),
    (.androidApplication("a.b"), "Android app a.b"),
    (.empty, "empty record"),
    (UnknownRecord(payload: [1]).record, "unknown content, 1 byte"),
    (AbsoluteURIRecord("a:b").record, "a:b"),
    (NDEFRecord(typeNameFormat: .wellKnown, type: "Zz", payload: [1]), "wellKnown Zz, 1 byte"),
    (
      NDEFRecord(typeNameFormat: .wellKnown, type: "U"),
      "wellKnown U, 0 bytes, malformed: the URI prefix code needs 1 byte and 0 are left"
        + " (byte 0)"
    ),
  ])
  func recordsSayWhatTheyHold(_ record: NDEFRecord, _ description: String) {
    #expect(record.description == description)
  }

  @Test func whatATagSaysCannotDriveATerminalOrDisguiseALink() {
    let text = NDEFRecord.text("\u{1B}[2J\u{9B}x\u{202E}gpj.exe", language: "en")
    #expect(text.description == "\\u{1B}[2J\\u{9B}x\\u{202E}gpj.exe (en)")
    let unseen = NDEFRecord.text(
      "a\u{200B}b\u{2060}\u{2064}c\u{FEFF}\u{E0041}\u{AD}d", language: "en")
    #expect(
      unseen.description
        == "a\\u{200B}b\\u{2060}\\u{2064}c\\u{FEFF}\\u{E0041}\\u{AD}d (en)")
    let uri = NDEFRecord(
      typeNameFormat: .wellKnown, type: "U", payload: [4] + Array("a\u{2066}b".utf8))
    #expect(uri.description == "https://a\\u{2066}b")
  }

  @Test func messagesAreALineARecord() {
    #expect(
      NDEFMessage(.uri("tel:1"), .text("x", language: "en")).description == "tel:1\nx (en)")
    #expect(NDEFMessage().description == "no message")
    #expect(NDEFMessage.ofEmptyRecord.description == "empty record")
  }
}
