import NDEF
import Testing

@Suite struct ValidationTests {
  @Test(arguments: [
    "https://example.com", "HTTP://a", "tel:+1", "mailto:a@b", "geo:1,2", "urn:nfc:ext:a:b",
    "a+b-c.1:x",
    "https://exämple.de/ü?q=%20#f", "http://[::1]:80/", "spotify:track:1", "example.com:foo",
  ])
  func goodURIs(_ uri: String) throws { try URIRecord.validate(uri) }

  @Test(arguments: [
    ("", nil), ("example.com", "https://example.com"), ("www.a.b/c d", "https://www.a.b/c%20d"),
    ("https://a.b/c d", "https://a.b/c%20d"), (" https://a.b\n", "https://a.b"),
    ("https://a.b/\u{7}", "https://a.b/%07"), ("localhost:8080/a", "https://localhost:8080/a"),
    ("example.com:8080", "https://example.com:8080"), ("//a.b", "https://a.b"),
    ("me@example.com", "mailto:me@example.com"), ("+49 (30) 1234", "tel:+49301234"),
    ("https://a.b/{c}", "https://a.b/%7Bc%7D"), ("https://a.b/50%", "https://a.b/50%25"),
    ("hello", nil), ("1a:b", nil), ("https:", nil), (":x", nil), ("@", nil),
    ("https://a\u{A0}b", "https://a%C2%A0b"), ("192.168.0.1", "https://192.168.0.1"),
    ("555.123.4567", "tel:5551234567"), ("256.168.0.1", "tel:25616801"),
  ])
  func wrongURIs(_ uri: String, _ suggestion: String?) {
    let error = #expect(throws: NDEFSyntaxError.self) { try URIRecord.validate(uri) }
    #expect(error?.suggestion == suggestion)
    if let suggestion { #expect(throws: Never.self) { try URIRecord.validate(suggestion) } }
  }

  @Test(arguments: [
    "text/plain", "image/svg+xml", "application/vnd.wfa.wsc", "text/plain; charset=utf-8", "a/b",
  ])
  func goodMediaTypes(_ type: String) throws { try MIMERecord.validate(mediaType: type) }

  @Test(arguments: [
    ("", nil), ("text", "text/plain"), ("PNG", "image/png"), (" text/plain ", "text/plain"),
    ("text/", nil),
    ("text / plain", "text/plain"), ("text\\plain", "text/plain"), ("a/b/c", nil), ("té/x", nil),
    ("text//plain", "text/plain"), ("a/b; ü", nil),
    ("a/" + String(repeating: "b", count: 128), nil),
  ])
  func wrongMediaTypes(_ type: String, _ suggestion: String?) {
    let error = #expect(throws: NDEFSyntaxError.self) { try MIMERecord.validate(mediaType: type) }
    #expect(error?.suggestion == suggestion)
  }

  @Test(arguments: ["example.com:ticket", "android.com:pkg", "a:b", "A-1.b:c(d)"])
  func goodExternalTypes(_ type: String) throws { try ExternalRecord.validate(type: type) }

  @Test(arguments: [
    ("", nil), ("ticket", nil), ("urn:nfc:ext:example.com:t", "example.com:t"),
    ("example.com/t", "example.com:t"),
    ("example.com:", nil), (":t", nil), ("exa mple.com:t", "exa-mple.com:t"), ("é.com:t", nil),
    ("-a.b:c", nil),
    ("a.b:c d", "a.b:c-d"), ("a..b:c", nil), ("a.b:ü", nil),
  ])
  func wrongExternalTypes(_ type: String, _ suggestion: String?) {
    let error = #expect(throws: NDEFSyntaxError.self) { try ExternalRecord.validate(type: type) }
    #expect(error?.suggestion == suggestion)
  }

  @Test func packageNames() throws {
    try AndroidApplicationRecord.validate(packageName: "com.example_1.App")
    let store = "https://play.google.com/store/apps/details?id=com.example.app&hl=de"
    let error = #expect(throws: NDEFSyntaxError.self) {
      try AndroidApplicationRecord.validate(packageName: store)
    }
    #expect(error?.suggestion == "com.example.app")
    for wrong in ["", "app", "com..a", "com.1a", "com.a-b", "com.é"] {
      #expect(throws: NDEFSyntaxError.self) {
        try AndroidApplicationRecord.validate(packageName: wrong)
      }
    }
  }

  @Test(arguments: [
    ("+49 30 12-34", "tel:+4930" + "12-34"), ("(030) 12.34", "tel:(030)12.34"),
    ("*21#", "tel:*21%23"), ("112", "tel:112"),
  ])
  func telephones(_ number: String, _ uri: String) throws {
    #expect(try URIRecord(telephone: number).uri == uri)
    try URIRecord.validate(uri)
  }

  @Test(arguments: ["", "abc", "+", "1+2", "12a", "1;ext=2", "1\u{0}"])
  func wrongTelephones(_ number: String) {
    #expect(throws: NDEFSyntaxError.self) { try URIRecord(telephone: number) }
    #expect(throws: NDEFSyntaxError.self) { try URIRecord(sms: number) }
  }

  @Test func messages() throws {
    #expect(try URIRecord(sms: "+1 555").uri == "sms:+1555")
    #expect(
      try URIRecord(sms: "1", body: "a&b=c é?\n+").uri == "sms:1?body=a%26b%3Dc%20%C3%A9%3F%0A%2B")
  }

  @Test func mails() throws {
    #expect(try URIRecord(mail: "a+b@c.d").uri == "mailto:a+b@c.d")
    #expect(
      try URIRecord(mail: "a?b&c@d.e", subject: "1 & 2\r\nBcc: x", body: "x\ny\r\nz").uri
        == "mailto:a%3Fb%26c@d.e?subject=1%20%26%202%20Bcc%3A%20x&body=x%0D%0Ay%0D%0Az")
    #expect(try URIRecord(mail: "a@b", body: "é").uri == "mailto:a@b?body=%C3%A9")
    for wrong in ["", "a", "@b", "a@", "a b@c", "a\u{0}@b"] {
      #expect(throws: NDEFSyntaxError.self) { try URIRecord(mail: wrong) }
    }
  }

  @Test(arguments: [
    ("52.5163,13.3777", "geo:52.5163,13.3777"), ("-1, +.5", "geo:-1,0.5"),
    ("90.0 -180", "geo:90.0,-180"), ("7.,8", "geo:7,8"),
  ])
  func places(_ text: String, _ uri: String) throws { #expect(try URIRecord(geo: text).uri == uri) }

  @Test(arguments: [
    ("", nil), ("1", nil), ("1,2,3", nil), ("a,b", nil), ("91,0", "0,91"), ("0,181", nil),
    ("1e1,2", nil),
    ("--1,2", nil), (".,1", nil), ("nan,1", nil),
  ])
  func wrongPlaces(_ text: String, _ suggestion: String?) {
    let error = #expect(throws: NDEFSyntaxError.self) { try URIRecord(geo: text) }
    #expect(error?.suggestion == suggestion)
  }

  // Wi-Fi Simple Configuration 2.0.5, 12; the attributes of one credential.
  @Test(arguments: [
    (WiFiCredential.Security.open, nil, hex("00 01"), hex("00 01")),
    (.wpa2, "password", hex("00 20"), hex("00 08")), (.wpa3, "pä", hex("00 40"), hex("00 08")),
    (.wpa2, String(repeating: "0f", count: 32), hex("00 20"), hex("00 08")),
  ])
  func networks(
    _ security: WiFiCredential.Security, key: String?, authentication: [UInt8], encryption: [UInt8]
  ) throws {
    let credential = try WiFiCredential(ssid: "n", passphrase: key, security: security)
    let payload = WiFiRecord(credentials: [credential]).record.payload
    #expect(payload.contains(hex("10 03 00 02") + authentication))
    #expect(payload.contains(hex("10 0F 00 02") + encryption))
    let keyBytes = Array((key ?? "").utf8)
    #expect(payload.contains(hex("10 27 00") + [UInt8(keyBytes.count)] + keyBytes))
    #expect(
      try WiFiRecord(WiFiRecord(credentials: [credential]).record).credentials == [credential])
  }

  @Test(
    arguments: [
      ("", nil, nil), (String(repeating: "a", count: 33), nil, nil), ("n", "short", nil),
      ("n", "12345678", .open),
      ("n", nil, .wpa2), ("n", nil, .wpa3), ("n", String(repeating: "x", count: 64), nil),
      ("n", "pässword", .wpa2),
      ("n", String(repeating: "x", count: 65), .wpa3),
    ] as [(String, String?, WiFiCredential.Security?)])
  func wrongNetworks(_ ssid: String, key: String?, security: WiFiCredential.Security?) {
    #expect(throws: NDEFSyntaxError.self) {
      try WiFiCredential(ssid: ssid, passphrase: key, security: security)
    }
  }

  @Test func cards() throws {
    let card = VCardRecord(
      name: "Doe; Jane", telephones: ["+1"], emails: ["a@b"], organization: "X, Y",
      url: "https://a;b\r\nX:1")
    #expect(card.formattedName == "Doe; Jane")
    #expect(card.organization == "X, Y")
    #expect(card.url == "https://a;bX:1")
    #expect(
      card.properties.map(\.name) == [
        "BEGIN", "VERSION", "N", "FN", "ORG", "TEL", "EMAIL", "URL", "END",
      ])
    #expect(VCardRecord(telephones: ["+1"]).formattedName == "+1")
  }
}
