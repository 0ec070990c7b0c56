import NDEF
import Testing

@Suite struct MessageEncodingTests {
  @Test func payloadsBelow256BytesMakeShortRecords() {
    let short = NDEFRecord(
      typeNameFormat: .unknown, payload: [UInt8](repeating: 0xAA, count: 255))
    let long = NDEFRecord(typeNameFormat: .unknown, payload: [UInt8](repeating: 0xAA, count: 256))
    #expect(NDEFMessage(short).encoded().starts(with: hex("D5 00 FF AA")))
    #expect(NDEFMessage(long).encoded().starts(with: hex("C5 00 00000100 AA")))
  }

  @Test func firstAndLastRecordAreMarked() {
    let record = NDEFRecord(typeNameFormat: .wellKnown, type: "U", payload: [0])
    #expect(NDEFMessage(record).encoded() == hex("D1 01 01 55 00"))
    #expect(
      NDEFMessage(record, record, record).encoded()
        == hex("91 01 01 55 00 11 01 01 55 00 51 01 01 55 00"))
  }

  @Test func onlyIdentifiersThatAreThereHaveALength() {
    let record = NDEFRecord(
      typeNameFormat: .wellKnown, type: "U", identifier: Array("a".utf8), payload: [0])
    #expect(NDEFMessage(record).encoded() == hex("D9 01 01 01 55 61 00"))
  }

  @Test func needlessFieldsAreNotKept() throws {
    // A long record of one byte, and an identifier's length of zero.
    let bytes = hex("CD 00 00000001 00 AA")
    #expect(try NDEFMessage(decoding: bytes).encoded() == hex("D5 00 01 AA"))
  }

  static let messages: [NDEFMessage] = [
    NDEFMessage(), .ofEmptyRecord, NDEFMessage(.uri("https://example.com")),
    NDEFMessage(.empty, .text("x"), .empty),
    NDEFMessage(
      NDEFRecord(
        typeNameFormat: .external, type: [UInt8](repeating: 0x61, count: 255),
        identifier: [UInt8](repeating: 0x62, count: 255),
        payload: [UInt8](repeating: 0x63, count: 70_000))),
  ]

  @Test(arguments: messages)
  func decodingGivesTheMessageBack(_ message: NDEFMessage) throws {
    try message.validate()
    let bytes = message.encoded()
    #expect(bytes.count == message.encodedLength)
    #expect(try NDEFMessage(decoding: bytes) == message)
  }

  @Test(arguments: messages, [1, 2, 3, 255, 256, 1000])
  func chunksDecodeToTheSameMessage(_ message: NDEFMessage, _ size: Int) throws {
    #expect(try NDEFMessage(decoding: message.encoded(chunkSize: size)) == message)
  }

  @Test func chunksHaveTheFormOfTheSpecification() {
    // NDEF 1.0, 2.3.3: CF on all but the last chunk; type and identifier on the first only.
    let record = NDEFRecord(
      typeNameFormat: .media, type: "a/b", identifier: Array("i".utf8),
      payload: hex("0102030405"))
    let uri = NDEFRecord(typeNameFormat: .wellKnown, type: "U", payload: hex("00"))
    #expect(
      NDEFMessage(record, uri).encoded(chunkSizes: [2])
        == hex("BA 03 02 01 612F62 69 0102 36 00 02 0304 16 00 01 05 51 01 01 55 00"))
    #expect(
      NDEFMessage(record).encoded(chunkSize: 3)
        == hex("BA 03 03 01 612F62 69 010203 56 00 02 0405"))
  }

  @Test(arguments: [0, -1, 5, 6])
  func whatFitsOneChunkIsNotChunked(_ size: Int) {
    let message = NDEFMessage(NDEFRecord(typeNameFormat: .unknown, payload: hex("0102030405")))
    #expect(message.encoded(chunkSize: size) == message.encoded())
  }

  // MARK: Records that cannot be encoded as they are

  static let invalid: [(NDEFRecord, NDEFError.Code)] = [
    (NDEFRecord(typeNameFormat: .empty, payload: [1]), .fieldsInEmptyRecord),
    (NDEFRecord(typeNameFormat: .empty, type: "x"), .fieldsInEmptyRecord),
    (NDEFRecord(typeNameFormat: .empty, identifier: [1]), .fieldsInEmptyRecord),
    (NDEFRecord(typeNameFormat: .unknown, type: "x"), .typeInUnknownRecord),
    (NDEFRecord(typeNameFormat: .unchanged, payload: [1]), .unexpectedChunk),
    (
      NDEFRecord(typeNameFormat: .media, type: [UInt8](repeating: 0x61, count: 256)), .typeTooLong
    ),
    (
      NDEFRecord(
        typeNameFormat: .media, type: "a/b", identifier: [UInt8](repeating: 0x61, count: 256)),
      .identifierTooLong
    ),
  ]

  @Test(arguments: invalid)
  func validationFindsTheRule(_ record: NDEFRecord, _ code: NDEFError.Code) {
    #expect(ndefError { () throws(NDEFError) in try record.validate() }?.code == code)
    let message = NDEFMessage(.empty, record)
    let error = ndefError { () throws(NDEFError) in try message.validate() }
    #expect(error?.code == code)
    #expect(error?.offset == 3)
  }

  @Test(arguments: invalid)
  func aRecordThatIsInvalidLeavesItsNeighborsIntact(
    _ record: NDEFRecord, _ code: NDEFError.Code
  ) {
    let message = NDEFMessage(.uri("tel:1"), record, .uri("tel:2"))
    let decoded = NDEFMessage.decodeLeniently(message.encoded()).message.records
    #expect(decoded.first == message.records.first)
    #expect(decoded.last == message.records.last)
    #expect(message.encoded().count == message.encodedLength)
  }

  @Test func typesAreComparedAsTheirFormatSays() {
    let media = NDEFRecord(typeNameFormat: .media, type: "Text/VCard")
    #expect(media.hasType(.media, "text/vcard"))
    #expect(!media.hasType(.external, "text/vcard"))
    #expect(!media.hasType(.media, "text/vcards"))
    #expect(NDEFRecord(typeNameFormat: .external, type: "A.b:C").hasType(.external, "a.B:c"))
    #expect(!NDEFRecord(typeNameFormat: .wellKnown, type: "u").hasType(.wellKnown, "U"))
  }

  @Test(arguments: TypeNameFormat.allCases)
  func formatsHaveTheNumbersOfTheSpecification(_ format: TypeNameFormat) {
    // NDEF 1.0, 3.2.6, table 1
    let names = [
      "empty", "wellKnown", "media", "absoluteURI", "external", "unknown", "unchanged",
    ]
    #expect(names.firstIndex(of: "\(format)") == Int(format.rawValue))
  }
}
