import NDEF
import Testing

@Suite struct TextRecordTests {
  private func record(_ payload: [UInt8]) -> NDEFRecord {
    NDEFRecord(typeNameFormat: .wellKnown, type: "T", payload: payload)
  }

  @Test func exampleOfTheSpecification() throws {
    // Text RTD 1.0, A, with MB and ME
    let bytes = hex("D1 01 10 54 02 656E 48656C6C6F2C20776F726C6421")
    #expect(NDEFMessage(.text("Hello, world!", language: "en")).encoded() == bytes)
    let record = try #require(try NDEFMessage(decoding: bytes).records.first)
    #expect(try record.decoded as? TextRecord == TextRecord("Hello, world!", language: "en"))
  }

  // Text RTD 1.0, 3.4: UTF-16 without a byte order mark is big-endian, with one as it says.
  @Test(arguments: [
    ("82 6465 00E4 D83D DE00", "ä😀", TextRecord.Encoding.utf16),
    ("82 6465 FEFF 00E4 D83D DE00", "ä😀", .utf16),
    ("82 6465 FFFE E400 3DD8 00DE", "ä😀", .utf16),
    ("02 6465 C3A4 F09F9880", "ä😀", .utf8),
    ("02 6465 EFBBBF C3A4 F09F9880", "ä😀", .utf8),
    ("82 6465", "", .utf16),
    ("82 6465 FEFF", "", .utf16),
  ])
  func encodings(_ payload: String, _ text: String, _ encoding: TextRecord.Encoding) throws {
    let decoded = try TextRecord(record(hex(payload)))
    #expect(decoded == TextRecord(text, language: "de", encoding: encoding))
  }

  @Test func utf16IsWrittenBigEndianWithoutMark() {
    let text = TextRecord("ä😀", language: "de", encoding: .utf16)
    #expect(text.record.payload == hex("82 6465 00E4 D83D DE00"))
  }

  @Test(arguments: [TextRecord.Encoding.utf8, .utf16])
  func aMarkThatBelongsToTheTextComesBack(_ encoding: TextRecord.Encoding) throws {
    for text in ["\u{FEFF}", "\u{FEFF}x", "\u{FFFE}x", "x\u{FEFF}", "", "日本語\r\n"] {
      let record = TextRecord(text, language: "ja", encoding: encoding)
      let decoded = try TextRecord(record.record)
      #expect(Array(decoded.text.utf16) == Array(text.utf16))
      #expect(decoded.encoding == encoding)
    }
  }

  @Test(arguments: [
    Malformed("", .truncated, at: 0),
    Malformed("02 65", .truncated, at: 1),
    Malformed("3F 65", .truncated, at: 1),
    // The language may not be omitted (Text RTD 1.0, 3.3).
    Malformed("00 61", .missingField, at: 0),
    Malformed("80 0061", .missingField, at: 0),
    Malformed("02 65E9 61", .invalidText, at: 2),
    Malformed("02 6565 FF", .invalidText, at: 3),
    Malformed("02 6565 EDA080", .invalidText, at: 3),
    Malformed("82 6565 61", .invalidText, at: 3),
    Malformed("82 6565 D800", .invalidText, at: 3),
    Malformed("82 6565 DC00 0061", .invalidText, at: 3),
  ])
  func refuses(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: TextRecord.self, .wellKnown, "T")
  }

  @Test func languagesThatAreTooLongLoseSubtags() throws {
    let subtag = String(repeating: "x", count: 30)
    let text = TextRecord("a", language: "\(subtag)-\(subtag)-\(subtag)")
    #expect(try TextRecord(text.record).language == "\(subtag)-\(subtag)")
    let long = TextRecord("a", language: String(repeating: "y", count: 100))
    #expect(try TextRecord(long.record).language == String(repeating: "y", count: 63))
    #expect(try TextRecord(TextRecord("a", language: "dé").record).language == "d")
  }
}
