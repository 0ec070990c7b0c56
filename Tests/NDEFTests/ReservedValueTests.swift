import NDEF
import Testing

/// Values that a specification reserves: they are reported, and a lenient reader keeps the rest of the record.
@Suite struct ReservedValueTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let format: TypeNameFormat
    let type: String
    let payload: [UInt8]
    let reason: String
    let offset: Int
    /// What the lenient description has in it.
    let kept: String

    init(
      _ format: TypeNameFormat, _ type: String, _ payload: String, _ reason: String, at offset: Int,
      keeping kept: String
    ) {
      (self.format, self.type, self.payload) = (format, type, hex(payload))
      (self.reason, self.offset, self.kept) = (reason, offset, kept)
    }

    var testDescription: String { "\(type): \(reason)" }
  }

  private static let lowEnergy = "application/vnd.bluetooth.le.oob"

  static let cases = [
    // https://a
    Case(
      .wellKnown, "U", "68747470733A2F2F61",
      "the URI's code 68 is reserved; the scheme stands in the payload", at: 0, keeping: "ttps://a"),
    Case(.wellKnown, "U", "24 612E62", "the URI's code 24 is reserved", at: 0, keeping: "a.b"),
    Case(.wellKnown, "U", "FF 783A79", "the URI's code FF is reserved", at: 0, keeping: "x:y"),
    Case(
      .wellKnown, "T", "42 656E 6869", "the status byte 42 has bits that are reserved", at: 0,
      keeping: "hi (en)"),
    Case(
      .wellKnown, "T", "C2 656E 0068", "the status byte C2 has bits that are reserved", at: 0,
      keeping: "h (en)"),
    // A poster with a reserved action, one with a link without its code byte, and one with a reserved bit in its title.
    Case(
      .wellKnown, "Sp", "91 01 04 55 00783A79 51 03 01 616374 03", "the action 3 is reserved",
      at: 14, keeping: "x:y"),
    Case(
      .wellKnown, "Sp", "D1 01 0A 55 74656C3A2B31323334 35",
      "the URI's code 74 is reserved; the scheme stands in the payload", at: 4, keeping: "el:+12345"
    ),
    Case(
      .wellKnown, "Sp", "91 01 04 55 00783A79 51 01 04 54 42656E68",
      "the status byte 42 has bits that are reserved", at: 12, keeping: "h (en)"),
    Case(
      .wellKnown, "Hs", "12 D1 02 04 6163 05 01 30 00",
      "the power state 05 has bits that are reserved", at: 6, keeping: "carrier 0 (active)"),
    Case(
      .wellKnown, "Hs", "12 D1 03 03 657272 0901 02", "the error reason 9 is reserved", at: 7,
      keeping: "error 9"),
    Case(
      .wellKnown, "Hr", "11 D1 02 04 6163 80 01 30 00",
      "the power state 80 has bits that are reserved", at: 6, keeping: "carrier 0 (inactive)"),
    Case(
      .wellKnown, "Hm", "12 D1 02 04 6163 FF 01 30 00",
      "the power state FF has bits that are reserved", at: 6, keeping: "carrier 0 (unknown)"),
    Case(
      .wellKnown, "Hc", "0A 03 612F62", "the carrier type format 0A has bits that are reserved",
      at: 0, keeping: "a/b"),
    Case(
      .media, lowEnergy, "08 1B 060504030201 00 02 1C 04", "the role 4 is reserved", at: 11,
      keeping: "01:02:03:04:05:06"),
    Case(
      .media, lowEnergy, "08 1B 0605040302C1 03 02 1C 00",
      "the address type 03 has bits that are reserved", at: 8, keeping: "random"),
    Case(
      .wellKnown, "Sig", "20 0C 02 0001 AA 00", "the signature type 12 is reserved", at: 1,
      keeping: "signature 12"),
    Case(
      .wellKnown, "Sig", "20 0B 03 0001 AA 00", "the hash type 3 is reserved", at: 2,
      keeping: "ECDSA-P256 with 3"),
    Case(
      .wellKnown, "Sig", "20 0B 02 0001 AA 20", "the certificate format 2 is reserved", at: 6,
      keeping: "ECDSA-P256"),
  ]

  @Test(arguments: cases) func isReported(_ test: Case) throws {
    let record = NDEFRecord(typeNameFormat: test.format, type: test.type, payload: test.payload)
    let error = ndefError { () throws(NDEFError) in try record.decoded }
    #expect(error?.code == .reservedValue)
    #expect(error?.reason == test.reason)
    #expect(error?.offset == test.offset)
    let (value, tolerated) = record.decodedLeniently
    #expect(tolerated == error)
    #expect(try #require(value).description.contains(test.kept), "\(record)")
    #expect(record.description.contains("malformed: \(test.reason)"))
    #expect(record.fields["error"] != nil)
  }

  /// The values next to the reserved ones.
  @Test(arguments: [
    ("U", "23 61"), ("T", "82 656E 0068"), ("T", "3F" + String(repeating: "61", count: 63)),
    ("Sp", "91 01 04 55 00783A79 51 03 01 616374 02"), ("Hc", "04 03 612F62"),
    ("Sig", "20 0B 02 0001 AA 10"), ("Sig", "20 00 00 0000 00"),
  ])
  func theNextValueIsNot(type: String, payload: String) throws {
    let record = NDEFRecord(typeNameFormat: .wellKnown, type: type, payload: hex(payload))
    #expect(try record.decoded != nil)
  }
}
