import Testing

@testable import NDEF

/// Messages that other libraries' own tests accept or refuse, and this one did not treat as they do.
@Suite struct PeerMessageTests {
  private func record(_ digits: String) throws -> NDEFRecord {
    let bytes = try #require([UInt8](hexadecimal: digits.filter { $0 != " " }))
    return try #require(try NDEFMessage(decoding: bytes).records.first)
  }

  /// Android takes such records; NDEF 1.0, 3.2.6 requires TYPE_LENGTH 0 for other formats and says nothing of these.
  @Test(arguments: [TypeNameFormat.wellKnown, .media, .absoluteURI, .external])
  func aRecordWithoutTypeIsRead(_ format: TypeNameFormat) throws {
    let message = NDEFMessage(
      .uri("https://example.org"), NDEFRecord(typeNameFormat: format, payload: [0x58]),
      .text("end"))
    let read = try NDEFMessage(decoding: message.encoded())
    #expect(read == message)
    #expect(read.records[1].fields["error"] != nil)
    #expect(throws: NDEFError.self) { try read.records[1].decoded }
    #expect(read.records[0].fields["error"] == nil && read.records[2].fields["error"] == nil)
    #expect(try NDEFRecord(fields: read.records[1].fields) == read.records[1])
  }

  @Test func aTextWithoutLanguageHasAnError() throws {
    let record = try record("D10106540068656C6C6F")
    #expect(record.fields["text"] == "hello" && record.fields["error"] != nil)
    #expect(throws: NDEFError.self) { try TextRecord(record) }
  }

  @Test func anAbsoluteURIHasNoControlCharacter() throws {
    let wrong = NDEFRecord(typeNameFormat: .absoluteURI, type: Array("http://a.b\n".utf8))
    #expect(wrong.fields["uri"] == nil)
    #expect(wrong.decodedLeniently.error?.code == .invalidText)
    #expect(wrong.decodedLeniently.error?.reason == "the URI contains a control character")
  }

  @Test func elementsOfMakersAreKept() throws {
    let record = try record("D1021144 69 00 04 41636D65 01 04 4C616D70 FF 03 78797A")
    let decoded = try #require(try record.decoded as? DeviceInformationRecord)
    let fields = decoded.fields
    #expect(try DeviceInformationRecord(fields: fields)?.record == record)
    guard case .fields(let content) = fields["deviceInformation"] else {
      Issue.record("no fields")
      return
    }
    #expect(
      content["otherElements"] == .list([.fields(["type": .integer(255), "value": "78797A"])]))
    #expect(throws: NDEFFieldError.self) {
      try DeviceInformationRecord(
        fields: [
          "deviceInformation": .fields([
            "vendorName": "a", "modelName": "b",
            "otherElements": .list([.fields(["type": .integer(1), "value": "00"])]),
          ])
        ])
    }
  }

  @Test(arguments: [
    HandoverErrorRecord.Reason.temporarilyOutOfMemory(retryAfterMilliseconds: 64),
    .permanentlyOutOfMemory(maximumLength: 0xFFFF_FFFF),
    .carrierSpecific(retryAfterMilliseconds: 0),
    .reserved(code: 9, data: [1, 2]),
  ])
  func theErrorOfAHandoverIsWritten(_ reason: HandoverErrorRecord.Reason) throws {
    let record = HandoverSelectRecord(carriers: [], error: HandoverErrorRecord(reason))
    #expect(try HandoverSelectRecord(fields: record.fields) == record)
    for wrong: NDEFFields in [["reason": "other"], ["reason": .integer(1)], [:]] {
      #expect(throws: NDEFFieldError.self) {
        try HandoverSelectRecord(fields: ["handoverSelect": .fields(["error": .fields(wrong)])])
      }
    }
  }

  /// Cards of public transport in Estonia have such a record (Proxmark3, tools/pm3_tests.sh).
  @Test func aSignatureOfVersion1IsRead() throws {
    let record = try record(
      "D1032553696701 02 0010 000102030405060708090A0B0C0D0E0F 80 000E 687474703A2F2F612E622F637274"
    )
    let signature = try #require(try record.decoded as? SignatureRecord)
    #expect(signature.version == .one && signature.algorithm == .rsaPKCS1024)
    #expect(signature.signature == .bytes((0...15).map { UInt8($0) }))
    #expect(signature.certificateURI == "http://a.b/crt" && signature.certificates.isEmpty)
    #expect(signature.record == record)
    #expect(try SignatureRecord(fields: signature.fields)?.record == record)
    #expect(signature.description.contains("version 1"))
  }

  @Test func aCardOfVersion4IsShown() throws {
    let text = [
      "BEGIN:VCARD", "VERSION:4.0", "N:Lovelace;Ada;;;", "FN:Ada Lovelace", "TITLE:Countess",
      "TEL;VALUE=uri;TYPE=work:tel:+441234567890", "TEL;TYPE=\"cell,voice\":+4412",
      "ADR;TYPE=work:;;1 Main St;London;;W1;UK", "NOTE:first", "END:VCARD",
    ].map { $0 + "\r\n" }.joined()
    let card = VCardRecord(text: text)
    #expect(card.telephones == ["+441234567890", "+4412"])
    #expect(card.telephoneKinds == [["work"], ["cell", "voice"]])
    #expect(card.title == "Countess" && card.notes == ["first"])
    #expect(card.addresses == [["", "", "1 Main St", "London", "", "W1", "UK"]])
    let copy = try #require(try VCardRecord(fields: card.fields))
    #expect(copy.fields == card.fields)
    #expect(throws: NDEFFieldError.self) {
      try VCardRecord(fields: ["vCard": .fields(["telephoneKinds": .list([.list(["a:b"])])])])
    }
  }
}
