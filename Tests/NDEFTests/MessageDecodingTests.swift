import NDEF
import Testing

@Suite struct MessageDecodingTests {
  @Test func readsFlagsLengthsAndFields() throws {
    // Two records: a short one with an identifier, a long one without. NDEF 1.0, figures 3 and 4.
    let bytes = hex("99 01 03 02 54 6964 026162") + hex("44 03 00000002 612F62 0102")
    let message = try NDEFMessage(decoding: bytes)
    #expect(
      message.records == [
        NDEFRecord(
          typeNameFormat: .wellKnown, type: "T", identifier: Array("id".utf8),
          payload: hex("026162")),
        NDEFRecord(typeNameFormat: .external, type: "a/b", payload: hex("0102")),
      ])
  }

  @Test func readsSlicesAndOtherCollections() throws {
    let bytes = hex("FF D0 00 00")
    #expect(try NDEFMessage(decoding: bytes.dropFirst()) == .ofEmptyRecord)
    #expect(try NDEFMessage(decoding: AnyCollection(hex("D0 00 00"))) == .ofEmptyRecord)
    let error = ndefError { () throws(NDEFError) in
      try NDEFMessage(decoding: (bytes + [0x00]).dropFirst())
    }
    #expect(error?.offset == 3)
  }

  @Test func noBytesAreTheMessageWithoutRecords() throws {
    #expect(try NDEFMessage(decoding: [] as [UInt8]) == NDEFMessage())
    #expect(NDEFMessage().encoded().isEmpty)
    #expect(NDEFMessage.ofEmptyRecord.encoded() == hex("D0 00 00"))
  }

  @Test func joinsChunks() throws {
    // Initial chunk with type and identifier, a middle chunk, an empty one, the last one, a record.
    let bytes = hex(
      "BA 03 02 01 612F62 69 0102 36 00 01 03 36 00 00 16 00 02 0405 51 01 01 55 00")
    let message = try NDEFMessage(decoding: bytes)
    #expect(
      message.records == [
        NDEFRecord(
          typeNameFormat: .media, type: "a/b", identifier: Array("i".utf8),
          payload: hex("0102030405")),
        NDEFRecord(typeNameFormat: .wellKnown, type: "U", payload: [0]),
      ])
  }

  // NDEF 1.0, 3.2.6: the reserved type name format is treated as unknown, and never written.
  @Test func theReservedFormatIsUnknownContent() throws {
    for (bytes, payload) in [
      ("97 01 02 58 AA BB 51 01 02 55 00 78", [0xAA, 0xBB]),
      ("97 00 01 AA 51 01 02 55 00 78", [0xAA]), ("97 00 00 51 01 02 55 00 78", []),
      ("B7 00 01 AA 16 00 01 BB 51 01 02 55 00 78", [0xAA, 0xBB]),
    ] as [(String, [UInt8])] {
      let message = try NDEFMessage(decoding: hex(bytes))
      #expect(message.records == [UnknownRecord(payload: payload).record, .uri("x")], "\(bytes)")
      let (lenient, error) = NDEFMessage.decodeLeniently(hex(bytes))
      #expect(lenient == message && error == nil)
      try message.validate()
      #expect(message.encoded().first.map { $0 & 0x07 } == TypeNameFormat.unknown.rawValue)
    }
  }

  static let malformed = [
    Malformed("D1", .truncated, at: 1),
    Malformed("D1 01", .truncated, at: 2),
    Malformed("C1 01 00 00 00", .truncated, at: 5),
    Malformed("D9 01 00", .truncated, at: 3),
    Malformed("D1 02 00 55", .truncated, at: 3),
    Malformed("D9 01 00 02 55 69", .truncated, at: 5),
    Malformed("D1 01 02 55 00", .truncated, at: 4),
    // A length of 4 GiB must be refused before anything is set aside for it.
    Malformed("C1 01 FFFFFFFF 55 00", .truncated, at: 7),
    Malformed("51 01 01 55 00", .missingMessageBegin, at: 0),
    Malformed("91 01 01 55 00 D1 01 01 55 00", .repeatedMessageBegin, at: 5),
    Malformed("91 01 01 55 00", .missingMessageEnd, at: 5),
    Malformed("D1 01 01 55 00 00", .trailingData, at: 5),
    Malformed("D0 01 00 55", .fieldsInEmptyRecord, at: 0),
    Malformed("D0 00 01 55", .fieldsInEmptyRecord, at: 0),
    Malformed("D8 00 00 01 55", .fieldsInEmptyRecord, at: 0),
    Malformed("B0 00 00 56 00 01 55", .fieldsInEmptyRecord, at: 0),
    Malformed("D5 01 00 55", .typeInUnknownRecord, at: 0),
    Malformed("D6 00 01 55", .unexpectedChunk, at: 0),
    Malformed("91 01 01 55 00 56 00 01 55", .unexpectedChunk, at: 5),
    // Chunks must be followed by one of the format unchanged, and end with one without CF.
    Malformed("B1 01 01 55 00 51 01 01 55 00", .unfinishedChunk, at: 5),
    Malformed("B1 01 01 55 00", .unfinishedChunk, at: 5),
    Malformed("F1 01 01 55 00", .unfinishedChunk, at: 0),
    Malformed("B1 01 01 55 00 76 00 01 61", .unfinishedChunk, at: 5),
    Malformed("B1 01 01 55 00 56 01 01 55 61", .malformedChunk, at: 5),
    Malformed("B1 01 01 55 00 5E 00 01 01 69 61", .malformedChunk, at: 5),
  ]

  @Test(arguments: malformed)
  func refuses(_ malformed: Malformed) {
    let error = ndefError { () throws(NDEFError) in try NDEFMessage(decoding: malformed.bytes) }
    #expect(error?.code == malformed.code)
    #expect(error?.offset == malformed.offset)
    #expect(error?.reason.isEmpty == false)
    #expect(NDEFMessage.decodeLeniently(malformed.bytes).error == error)
  }

  @Test(arguments: [
    (
      NDEFMessage.Limits(messageLength: 9, recordCount: 9, payloadLength: 9),
      NDEFError.Code.messageTooLong, 9
    ),
    (
      NDEFMessage.Limits(messageLength: 99, recordCount: 1, payloadLength: 9),
      NDEFError.Code.tooManyRecords, 5
    ),
    (
      NDEFMessage.Limits(messageLength: 99, recordCount: 9, payloadLength: 0),
      NDEFError.Code.payloadTooLong, 0
    ),
  ])
  func keepsToLimits(_ limits: NDEFMessage.Limits, _ code: NDEFError.Code, _ offset: Int) {
    let bytes = hex("91 01 01 55 00 51 01 01 55 00")
    let error = ndefError { () throws(NDEFError) in
      try NDEFMessage(decoding: bytes, limits: limits)
    }
    #expect(error?.code == code)
    #expect(error?.offset == offset)
  }

  @Test func chunksCountAgainstThePayloadLimitTogether() throws {
    let bytes = hex("B1 01 02 55 0000 36 00 01 61 56 00 01 62")
    var limits = NDEFMessage.Limits.default
    limits.payloadLength = 4
    #expect(try NDEFMessage(decoding: bytes, limits: limits).records.count == 1)
    limits.payloadLength = 3
    let error = ndefError { () throws(NDEFError) in
      try NDEFMessage(decoding: bytes, limits: limits)
    }
    #expect(error?.code == .payloadTooLong)
    #expect(error?.offset == 10)
  }

  @Test func manySmallChunksAreJoinedInLinearTime() throws {
    let count = 100_000
    var bytes = hex("B5 00 01 00")
    for _ in 0..<count { bytes += [0x36, 0x00, 0x01, 0xAA] }
    bytes += hex("56 00 01 FF")
    let message = try NDEFMessage(decoding: bytes)
    #expect(message.records.first?.payload.count == count + 2)
  }

  // MARK: Lenient

  @Test(arguments: [
    // The first record, then one that ends too early.
    ("91 01 01 55 03 51 01 09 55 00", NDEFError.Code.truncated, 9, ["U03"]),
    ("11 01 01 55 03 11 01 01 55 04", .missingMessageBegin, 0, ["U03", "U04"]),
    ("D1 01 01 55 03 FF FF", .trailingData, 5, ["U03"]),
    ("91 01 01 55 03 D1 01 01 55 04", .repeatedMessageBegin, 5, ["U03", "U04"]),
    // A broken record in the middle is left out.
    ("91 01 01 55 03 15 01 01 55 04 51 01 01 55 05", .typeInUnknownRecord, 5, ["U03", "U05"]),
    // A chunked record without its last chunk is left out, the record after it read.
    ("B1 01 01 55 03 51 01 01 55 04", .unfinishedChunk, 5, ["U04"]),
    ("B1 01 01 55 03 5E 00 01 01 69 04", .malformedChunk, 5, ["U0304"]),
    ("00", .truncated, 1, []),
  ])
  func readsWhatCanBeRead(
    _ text: String, _ code: NDEFError.Code, _ offset: Int, _ expected: [String]
  ) throws {
    let (message, error) = NDEFMessage.decodeLeniently(hex(text))
    #expect(error?.code == code)
    #expect(error?.offset == offset)
    #expect(
      message.records
        == expected.map {
          NDEFRecord(
            typeNameFormat: .wellKnown, type: String($0.prefix(1)),
            payload: hex(String($0.dropFirst())))
        })
    #expect(try NDEFMessage(decoding: message.encoded()) == message)
  }

  @Test func lenientFormOfAGoodMessageHasNoError() throws {
    let message = NDEFMessage(.uri("https://example.com"), .text("Hallo", language: "de"))
    let result = NDEFMessage.decodeLeniently(message.encoded())
    #expect(result.message == message)
    #expect(result.error == nil)
  }

  // MARK: Errors

  @Test func errorsAreCaughtByCodeAndSayWhere() throws {
    var caught = false
    do {
      _ = try NDEFMessage(decoding: [0xD1])
    } catch NDEFError.Code.truncated {
      caught = true
    } catch {}
    #expect(caught)
    let error = ndefError { () throws(NDEFError) in try NDEFMessage(decoding: [0xD1]) }
    #expect(error?.description == "the message ends before a record's type length (byte 1)")
    #expect(error?.code.description == "truncated")
  }
}
