import NDEF
import Testing

@Suite struct URIRecordTests {
  // URI RTD 1.0, A.1 to A.3
  @Test(arguments: [
    ("D1 01 08 55 01 6E66632E636F6D", "http://www.nfc.com"),
    ("D1 01 0D 55 05 2B3335383931323334353637", "tel:+35891234567"),
    (
      "D1 01 1F 55 00 6D6D733A2F2F6578616D706C652E636F6D2F646F776E6C6F61642E776D76",
      "mms://example.com/download.wmv"
    ),
  ])
  func examplesOfTheSpecification(_ bytes: String, _ uri: String) throws {
    let message = NDEFMessage(.uri(uri))
    #expect(message.encoded() == hex(bytes))
    let record = try #require(try NDEFMessage(decoding: hex(bytes)).records.first)
    #expect(try URIRecord(record).uri == uri)
    #expect(try record.decoded as? URIRecord == URIRecord(uri))
  }

  // URI RTD 1.0, 3.2.2, table 3
  static let prefixes: [(UInt8, String)] = [
    (0x00, ""), (0x01, "http://www."), (0x02, "https://www."), (0x03, "http://"),
    (0x04, "https://"), (0x05, "tel:"), (0x06, "mailto:"), (0x07, "ftp://anonymous:anonymous@"),
    (0x08, "ftp://ftp."), (0x09, "ftps://"), (0x0A, "sftp://"), (0x0B, "smb://"),
    (0x0C, "nfs://"), (0x0D, "ftp://"), (0x0E, "dav://"), (0x0F, "news:"), (0x10, "telnet://"),
    (0x11, "imap:"), (0x12, "rtsp://"), (0x13, "urn:"), (0x14, "pop:"), (0x15, "sip:"),
    (0x16, "sips:"), (0x17, "tftp:"), (0x18, "btspp://"), (0x19, "btl2cap://"),
    (0x1A, "btgoep://"), (0x1B, "tcpobex://"), (0x1C, "irdaobex://"), (0x1D, "file://"),
    (0x1E, "urn:epc:id:"), (0x1F, "urn:epc:tag:"), (0x20, "urn:epc:pat:"),
    (0x21, "urn:epc:raw:"), (0x22, "urn:epc:"), (0x23, "urn:nfc:"),
  ]

  @Test func allPrefixesAreThere() {
    #expect(URIRecord.prefixes == Self.prefixes.map(\.1))
  }

  @Test(arguments: prefixes)
  func prefixIsUsedBothWays(_ code: UInt8, _ prefix: String) throws {
    let payload = [code] + Array("Zz".utf8)
    let record = URIRecord(prefix + "Zz").record
    #expect(record.payload == payload)
    #expect(try URIRecord(record).uri == prefix + "Zz")
  }

  @Test(arguments: 0x24...0xFF as ClosedRange<UInt8>)
  func reservedCodesStandForNoPrefix(_ code: UInt8) throws {
    let record = NDEFRecord(
      typeNameFormat: .wellKnown, type: "U", payload: [code] + Array("x:y".utf8))
    let error = ndefError { () throws(NDEFError) in try URIRecord(record) }
    #expect(error?.code == .reservedValue)
    let uri = try #require(record.decodedLeniently.value as? URIRecord)
    #expect(uri.uri == "x:y")
    #expect(uri.record.payload.first == 0x00)
  }

  @Test(arguments: [
    "", "HTTP://EXAMPLE.COM", "http:/", "https://www.exämple.com/ü?q=1#f", "https://", "urn:epc",
  ])
  func otherURIsArePreserved(_ uri: String) throws {
    #expect(try URIRecord(URIRecord(uri).record).uri == uri)
  }

  @Test func controlCharactersArePercentEncoded() throws {
    let record = URIRecord("https://a/b\nc\u{0}").record
    #expect(try URIRecord(record).uri == "https://a/b%0Ac%00")
  }

  @Test(arguments: [
    Malformed("", .truncated, at: 0),
    Malformed("01 61 00", .invalidText, at: 2),
    Malformed("01 61 1F 62", .invalidText, at: 2),
    Malformed("01 C3", .invalidText, at: 1),
  ])
  func refuses(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: URIRecord.self, .wellKnown, "U")
  }

  @Test func otherTypesAreNotRead() {
    let record = NDEFRecord(typeNameFormat: .media, type: "U", payload: [0])
    let error = ndefError { () throws(NDEFError) in try URIRecord(record) }
    #expect(error?.code == .wrongRecordType)
  }

  @Test func identifierIsKept() throws {
    let uri = URIRecord("tel:1", identifier: Array("x".utf8))
    #expect(try URIRecord(uri.record) == uri)
  }
}
