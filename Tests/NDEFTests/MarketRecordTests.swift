import NDEF
import Testing

/// Records as programs and devices on the market write them, some of which break their specifications.
@Suite struct MarketRecordTests {
  private static func wifi(_ payload: String) -> NDEFRecord {
    .media("application/vnd.wfa.wsc", hex(payload))
  }

  /// The three attributes that programs after WiFiKeyShare write; Android reads only these, too.
  ///
  /// Source of the bytes: github.com/MichaelsPlayground/NfcWifiConnectOwn, readme.md.
  @Test func aNetworkWithoutEncryptionType() throws {
    let record = Self.wifi(
      "100E0020 10450009 4B696464795F4E6574 10030002 0020 10270009 4C656F6E5F32303138")
    #expect(
      ndefError { () throws(NDEFError) in try record.decoded }?.code == NDEFError.Code.missingField)
    let (value, error) = record.decodedLeniently
    let network = try #require((value as? WiFiRecord)?.credentials.first)
    #expect(network.ssidText == "Kiddy_Net")
    #expect(network.authentication == .wpa2Personal)
    #expect(network.encryption == [])
    #expect(network.networkKey == Array("Leon_2018".utf8))
    #expect(error?.code == .missingField)
    #expect(record.description.hasPrefix("Wi-Fi Kiddy_Net (wpa2Personal), malformed: "))
    #expect(try NDEFRecord(fields: record.fields) == record)
  }

  /// The attribute Version first. Source of the bytes: github.com/nfcpy/ndeflib, issue 2.
  @Test func aNetworkAfterTheVersion() throws {
    let record = Self.wifi(
      "104A0001 10 100E0032 10260001 01 10450004 5778797A 10030002 0001 100F0002 0001"
        + "1027000B 4162636465666731323334 10200006 FFFFFFFFFFFF")
    let wifi = try #require(try record.decoded as? WiFiRecord)
    #expect(wifi.credentials.first?.ssidText == "Wxyz")
    #expect(wifi.otherAttributes == [WiFiAttribute(.version, [0x10])])
  }

  // One wrong attribute; all others are read.
  @Test(arguments: [
    // No authentication type; one of one byte; an encryption type of three bytes.
    ("10450001 61 100F0002 0008 10270001 62", NDEFError.Code.missingField, [], "aes", "b"),
    ("10450001 61 10030001 20 100F0002 0008 10270001 62", .truncated, [], "aes", "b"),
    (
      "10450001 61 10030002 0020 100F0003 000008 10270001 62", .trailingData, ["wpa2Personal"], "",
      "b"
    ),
    // A MAC address of five bytes, a second key, an attribute beyond the end.
    (
      "10450001 61 10030002 0020 100F0002 0008 10270001 62 10200005 0000000000", .invalidValue,
      ["wpa2Personal"], "aes", "b"
    ),
    (
      "10450001 61 10030002 0020 100F0002 0008 10270001 62 10270001 63", .repeatedField,
      ["wpa2Personal"], "aes", "b"
    ),
    (
      "10450001 61 10030002 0020 100F0002 0008 10270009 62", .truncated, ["wpa2Personal"], "aes", ""
    ),
    // A vendor extension of the Wi-Fi Alliance that ends within a subelement.
    (
      "10450001 61 10030002 0020 100F0002 0008 10490005 00372A0201", .truncated, ["wpa2Personal"],
      "aes", ""
    ),
  ])
  func aNetworkWithAWrongAttribute(
    _ attributes: String, _ code: NDEFError.Code, _ authentication: [String], _ encryption: String,
    _ key: String
  ) throws {
    let content = hex(attributes)
    let record = NDEFRecord.media(
      "application/vnd.wfa.wsc", [0x10, 0x0E, 0, UInt8(content.count)] + content)
    #expect(ndefError { () throws(NDEFError) in try record.decoded }?.code == code)
    let (value, error) = record.decodedLeniently
    #expect(error?.code == code)
    let network = try #require((value as? WiFiRecord)?.credentials.first)
    #expect(network.ssidText == "a" && network.networkKey == Array(key.utf8))
    #expect(network.macAddress == nil)
    let fields = try #require(try record.fields.fields("wifi"))
    let shown = try fields.list("credentials") { (value) throws(NDEFFieldError) in
      try value.fields()
    }
    #expect(try shown.first?.texts("authentication") == authentication)
    #expect(try shown.first?.texts("encryption") == (encryption.isEmpty ? [] : [encryption]))
  }

  @Test func aNetworkWithoutNameIsLeftOut() throws {
    let record = Self.wifi("100E0006 10030002 0020 100E000D 10450001 61 10030002 0001 0000")
    let (value, error) = record.decodedLeniently
    #expect(error?.code == .missingField)
    // The second one ends within an attribute, and has a name all the same.
    #expect((value as? WiFiRecord)?.credentials.map(\.ssidText) == ["a"])
  }

  /// OpenSpool, a tag for spools of filament. Source: github.com/spuder/OpenSpool.
  @Test func jsonIsText() throws {
    let text = #"{"protocol":"openspool","version":"1.0","type":"PLA","color_hex":"FFAABB"}"#
    let record = NDEFRecord.media("application/json", Array(text.utf8))
    #expect(record.fields["content"] == .text(text))
    #expect(record.description == "OpenSpool PLA")
    var fields = record.fields
    fields["payload"] = nil
    #expect(try NDEFRecord(fields: fields) == record)
  }

  @Test(arguments: [
    ("application/json; charset=utf-8", "\u{1}", true), ("application/vnd.a+json", "", true),
    ("application/xml", "<a/>\n", true), ("image/svg+xml", "<svg/>", false),
    ("application/x-note", "one\r\n\ttwo", true), ("application/x-note", "", false),
    ("application/x-note", "a\u{0}", false), ("application/x-note", "a\u{9B}", false),
    ("audio/x-note", "abc", false), ("TEXT/plain", "\u{0}", true),
  ])
  func contentOfMediaTypes(_ type: String, _ content: String, isText: Bool) {
    let media = MIMERecord(mediaType: type, payload: Array(content.utf8))
    #expect(media.text == (isText ? content : nil))
    #expect(MIMERecord(mediaType: type, payload: [0xC3]).text == nil)
  }

  @Test(arguments: [("{\n \"a\": 1\n}", true), ("a\tb\r\n", true), ("", true), ("\u{1B}", false)])
  func contentOfExternalTypes(_ content: String, isText: Bool) {
    let external = ExternalRecord(type: "example.com:note", payload: Array(content.utf8))
    #expect(external.text == (isText ? content : nil))
  }

  /// The bytes of don/ndef-js, test "absoluteUriRecord"; their form is that of Microsoft's "Windows protocol".
  @Test func anAppOfWindows() throws {
    let payload = hex(
      "0001 0C 57696E646F777350686F6E65"
        + "26 7B66353837343235322D316630342D346333662D613333352D3466613362376238353332397D 0001 20")
    let record = NDEFRecord(
      typeNameFormat: .absoluteURI, type: "windows.com/LaunchApp", payload: payload)
    let identifier = "{f5874252-1f04-4c3f-a335-4fa3b7b85329}"
    let app = WindowsLaunchAppRecord(
      apps: [.init(platform: "WindowsPhone", identifier: identifier)], arguments: " ")
    #expect(try record.decoded as? WindowsLaunchAppRecord == app)
    #expect(app.record == record)
    #expect(record.description == "app \(identifier) on WindowsPhone")
    #expect(record.fields["uri"] == nil)
    var fields = record.fields
    #expect(try NDEFRecord(fields: fields) == record)
    fields["payload"] = nil
    #expect(try NDEFRecord(fields: fields) == record)
  }

  @Test(arguments: [
    Malformed("", .truncated, at: 0),
    Malformed("0001", .truncated, at: 2),
    Malformed("0001 01 61 02 62", .truncated, at: 5),
    Malformed("FFFF 01 61 01 62", .truncated, at: 6),
    Malformed("0001 01 FF 01 62 0000", .invalidText, at: 3),
    Malformed("0000 0001 61 00", .trailingData, at: 5),
  ])
  func refusesOfWindows(_ malformed: Malformed) {
    expectRefusal(
      of: malformed, by: WindowsLaunchAppRecord.self, .absoluteURI, "windows.com/LaunchApp")
  }

  /// Windows stores any name of a type where a URI belongs; it is not a link.
  @Test(arguments: [
    ("windows.com/Other", nil), ("https://example.com", "https://example.com"),
    ("localhost:80", nil), ("", nil),
  ])
  func namesInPlaceOfAURI(_ type: String, _ uri: String?) throws {
    let record = AbsoluteURIRecord(type, payload: [1])
    #expect(record.hasScheme == (uri != nil))
    #expect(record.fields["uri"] == uri.map { .text($0) })
    guard !type.isEmpty else { return }
    #expect(try NDEFRecord(fields: record.record.fields) == record.record)
  }
}
