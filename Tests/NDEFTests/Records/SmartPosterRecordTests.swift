import NDEF
import Testing

@Suite struct SmartPosterRecordTests {
  @Test func linkOnly() throws {
    // Smart Poster RTD 1.0, A.1: the URI record of http://www.nfc.com in a poster
    let bytes = hex("D1 02 0C 5370 D1 01 08 55 01 6E66632E636F6D")
    let poster = SmartPosterRecord(uri: URIRecord("http://www.nfc.com"))
    #expect(NDEFMessage(poster.record).encoded() == bytes)
    let record = try #require(try NDEFMessage(decoding: bytes).records.first)
    #expect(try record.decoded as? SmartPosterRecord == poster)
  }

  @Test func titleBeforeLink() throws {
    // The message that mifare-classic-write-ndef of libfreefare writes
    let bytes = hex(
      "D1 02 1C 5370 91 01 09 54 02 656E 4C69626E6663 51 01 0B 55 03 6C69626E66632E6F7267")
    let record = try #require(try NDEFMessage(decoding: bytes).records.first)
    let poster = try SmartPosterRecord(record)
    #expect(poster.uri.uri == "http://libnfc.org")
    #expect(poster.titles == [TextRecord("Libnfc", language: "en")])
    #expect(poster.action == nil)
    #expect(record.description == "http://libnfc.org: Libnfc (en)")
  }

  @Test func everythingIsPreserved() throws {
    let poster = SmartPosterRecord(
      uri: URIRecord("sms:+123?body=Hi"),
      titles: [TextRecord("Hello"), TextRecord("Grüß Gott", language: "de-AT", encoding: .utf16)],
      action: .save, size: 0xFFFF_FFFF, mediaType: "text/html",
      icons: [
        MIMERecord(mediaType: "image/png", payload: [1, 2]),
        MIMERecord(mediaType: "Video/mpeg", payload: []),
      ],
      otherRecords: [.media("text/plain", [0x41]), .external("a.b:c", [1])],
      identifier: [0x31])
    #expect(try SmartPosterRecord(poster.record) == poster)
    #expect(poster.title(in: "de-AT") == "Grüß Gott")
    #expect(poster.title(in: "fr") == "Hello")
  }

  // Smart Poster RTD 1.0, 3.3.3 and 3.3.5: one byte of action, four of size, big-endian
  @Test func actionAndSize() throws {
    let poster = SmartPosterRecord(
      uri: "tel:1", title: "T", action: SmartPosterRecord.Action(rawValue: 2))
    let bytes = poster.record.payload
    #expect(bytes.suffix(7) == hex("51 03 01 616374 02"))
    var sized = poster
    sized.action = nil
    sized.size = 0x0102_0304
    #expect(sized.record.payload.suffix(8).elementsEqual(hex("51 01 04 73 01020304")))
  }

  @Test(arguments: [
    Malformed("", .missingField, at: 0),
    Malformed("D1", .truncated, at: 1),
    Malformed("D1 01 03 54 02656E", .missingField, at: 0),
    // Two links
    Malformed("91 01 01 55 00 51 01 01 55 00", .repeatedField, at: 9),
    // Two titles in one language
    Malformed("91 01 03 54 02656E 11 01 03 54 02656E 51 01 01 55 00", .repeatedField, at: 11),
    // Two actions, sizes, types
    Malformed("91 03 01 616374 00 51 03 01 616374 00", .repeatedField, at: 13),
    Malformed("91 01 04 73 00000000 51 01 04 73 00000000", .repeatedField, at: 12),
    Malformed("91 01 01 74 61 51 01 01 74 61", .repeatedField, at: 9),
    // A bad character in the link, at its place in the poster
    Malformed("91 01 03 54 02656E 51 01 03 55 00 61 07", .invalidText, at: 13),
    Malformed("D1 03 00 616374", .truncated, at: 6),
    Malformed("D1 03 02 616374 00 00", .trailingData, at: 7),
    Malformed("D1 01 03 73 000000", .truncated, at: 4),
  ])
  func refuses(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: SmartPosterRecord.self, .wellKnown, "Sp")
  }
}
