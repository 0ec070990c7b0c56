import NDEF
import Testing

/// Texts, cards, posters and handovers of which a part is wrong.
@Suite struct LenientTextTests {
  // A text in Latin 1, UTF-16 with half a character, half a surrogate pair, a language that is not US-ASCII.
  @Test(arguments: [
    ("02 6465 4772 FC DF 65", "Gr\u{FFFD}\u{FFFD}e", "de"), ("82 6465 0041 42", "A", "de"),
    ("82 6465 0041 D83D", "A\u{FFFD}", "de"), ("82 6465 FFFE 4100 3DD8", "A\u{FFFD}", "de"),
    ("02 64FF 41", "A", ""), ("02 6465 EFBBBF FF", "\u{FFFD}", "de"),
  ])
  func texts(_ payload: String, _ text: String, _ language: String) throws {
    let record = NDEFRecord(typeNameFormat: .wellKnown, type: "T", payload: hex(payload))
    let strict = ndefError { () throws(NDEFError) in try record.decoded }
    #expect(strict?.code == NDEFError.Code.invalidText)
    let (value, error) = record.decodedLeniently
    let decoded = try #require(value as? TextRecord)
    #expect(decoded.text == text && decoded.language == language)
    #expect(error == strict)
    #expect(try NDEFRecord(fields: record.fields) == record)
  }

  @Test func aTextWithoutStatusByteIsNotOne() {
    let record = NDEFRecord(typeNameFormat: .wellKnown, type: "T", payload: Array("hello".utf8))
    let (value, error) = record.decodedLeniently
    #expect(value == nil && error?.code == .truncated)
  }

  @Test func aCardInLatin1() throws {
    let record = NDEFRecord.media(
      "text/vcard", Array("BEGIN:VCARD\r\nFN:J".utf8) + [0xF6] + Array("rg\r\nTEL:1\r\n".utf8))
    #expect(
      ndefError { () throws(NDEFError) in try record.decoded }?.code == NDEFError.Code.invalidText)
    let (value, error) = record.decodedLeniently
    let card = try #require(value as? VCardRecord)
    #expect(card.formattedName == "J\u{FFFD}rg" && card.telephones == ["1"])
    #expect(error?.code == .invalidText)
  }

  /// Media types are compared without their parameters (RFC 2045, 5.1; Android's Intent.normalizeMimeType).
  @Test(arguments: ["text/vcard; charset=utf-8", "TEXT/X-VCARD;profile=x", "text/vcard ; a=b"])
  func aCardWithParameters(_ type: String) throws {
    let record = NDEFRecord.media(type, Array("BEGIN:VCARD\r\nFN:A\r\nEND:VCARD\r\n".utf8))
    let card = try #require(try record.decoded as? VCardRecord)
    #expect(card.formattedName == "A" && card.mediaType == type)
    #expect(card.record == record)
    #expect(try NDEFRecord(fields: record.fields) == record)
  }

  @Test(arguments: ["text/vcards", "text/vcard2; a", "; text/vcard", ";"])
  func otherTypesAreNotCards(_ type: String) throws {
    #expect(try NDEFRecord.media(type, [0x41]).decoded is MIMERecord)
  }

  @Test func aCardAfterAByteOrderMark() throws {
    let text = "\u{FEFF}BEGIN:VCARD\r\nFN:A\r\nEND:VCARD\r\n"
    let record = NDEFRecord.media("text/vcard", Array(text.utf8))
    let card = try #require(try record.decoded as? VCardRecord)
    #expect(card.formattedName == "A")
    #expect(card.record == record)
  }

  /// Android takes the first URI in a poster, also one in the place of a type.
  @Test func aPosterWithItsLinkInPlaceOfAType() throws {
    let records = [
      AbsoluteURIRecord("windows.com/a").record, AbsoluteURIRecord("https://a.b").record,
      .text("T"),
    ]
    let record = NDEFRecord(
      typeNameFormat: .wellKnown, type: "Sp", payload: NDEFMessage(records: records).encoded())
    #expect(
      ndefError { () throws(NDEFError) in try record.decoded }?.code == NDEFError.Code.missingField)
    let (value, error) = record.decodedLeniently
    let poster = try #require(value as? SmartPosterRecord)
    #expect(poster.uri.uri == "https://a.b" && poster.titles.map(\.text) == ["T"])
    #expect(error?.code == .missingField)
  }

  private static let carrier = AlternativeCarrierRecord(
    powerState: .active, carrierDataReference: [0x30])

  /// A carrier that is cut off stands between two that are whole, and the last record has no ME flag.
  private static let payload: [UInt8] = {
    let records = [
      carrier.record, NDEFRecord(typeNameFormat: .wellKnown, type: "ac", payload: [1, 9]),
      carrier.record,
    ]
    var bytes = NDEFMessage(records: records).encoded()
    bytes[bytes.count - carrier.record.encodedLength] &= 0xBF
    return [0x15] + bytes
  }()

  @Test(arguments: ["Hs", "Hr", "Hm", "Hi"])
  func handovers(_ type: String) throws {
    let record = NDEFRecord(typeNameFormat: .wellKnown, type: type, payload: Self.payload)
    let strict = ndefError { () throws(NDEFError) in try record.decoded }
    #expect(strict?.code == NDEFError.Code.missingMessageEnd)
    let (value, error) = record.decodedLeniently
    let carriers =
      switch value {
      case let handover as HandoverSelectRecord: handover.carriers
      case let handover as HandoverRequestRecord: handover.carriers
      case let handover as HandoverMediationRecord: handover.carriers
      case let handover as HandoverInitiateRecord: handover.carriers
      default: [AlternativeCarrierRecord]()
      }
    #expect(carriers == [Self.carrier, Self.carrier])
    #expect(error == strict)
  }

  // One active carrier with the reference "ref"; ndeflib encodes the same bytes.
  @Test(arguments: [("Hm", "mediation"), ("Hi", "initiation")])
  func mediators(_ type: String, _ word: String) throws {
    let record = NDEFRecord(
      typeNameFormat: .wellKnown, type: type, payload: hex("13 D1 02 06 6163 01 03 726566 00"))
    let value = try #require(try record.decoded)
    #expect(value.record == record)
    #expect(record.description == "handover \(word) for carrier ref (active)")
    var fields = record.fields
    fields["payload"] = nil
    #expect(try NDEFRecord(fields: fields) == record)
    let empty = NDEFRecord(typeNameFormat: .wellKnown, type: type, payload: [0x15])
    #expect(empty.description == "handover \(word) for no carrier")
    let unknown = NDEFRecord(typeNameFormat: .wellKnown, type: type, payload: [0x20])
    #expect(
      ndefError { () throws(NDEFError) in try unknown.decoded }?.code
        == NDEFError.Code.unsupportedVersion)
  }
}
