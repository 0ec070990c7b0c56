import Foundation
import NDEF
import Testing

@Suite struct JSONTests {
  private func object(_ value: some Encodable) throws -> NSDictionary {
    let data = try JSONEncoder().encode(value)
    return try #require(try JSONSerialization.jsonObject(with: data) as? NSDictionary)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  private func expect(
    _ record: NDEFRecord, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let parsed = try JSONSerialization.jsonObject(with: Data(expected.utf8)) as? NSDictionary
    let encoded = try object(record)
    #expect(encoded == parsed, sourceLocation: sourceLocation)
    let back = try JSONDecoder().decode(NDEFRecord.self, from: JSONEncoder().encode(record))
    #expect(back == record, sourceLocation: sourceLocation)
  }

  @Test func link() throws {
    try expect(
      .uri("https://box.dev"),
      """
      {"tnf":"wellKnown","type":"U","id":"","payload":"04626F782E646576","uri":"https://box.dev"}
      """)
  }

  @Test func text() throws {
    try expect(
      TextRecord("Hé", language: "fr", identifier: Array("t1".utf8)).record,
      """
      {"tnf":"wellKnown","type":"T","id":"t1","payload":"02667248C3A9","text":"Hé",
      "language":"fr"}
      """)
  }

  @Test func smartPoster() throws {
    let poster = SmartPosterRecord(
      uri: URIRecord("tel:1"), titles: [TextRecord("A")], action: .act, size: 5,
      mediaType: "a/b", icons: [MIMERecord(mediaType: "image/png", payload: [0xAB])])
    let encoded = try #require(try object(poster.record)["smartPoster"] as? NSDictionary)
    let expected = """
      {"uri":"tel:1","titles":[{"text":"A","language":"en"}],"action":"act","size":5,
      "mediaType":"a/b","icons":[{"mediaType":"image/png","data":"AB"}]}
      """
    #expect(
      encoded
        == (try JSONSerialization.jsonObject(with: Data(expected.utf8)) as? NSDictionary))
  }

  @Test func otherKnownTypes() throws {
    try expect(
      .media("text/plain", Array("x".utf8)),
      """
      {"tnf":"media","type":"text/plain","id":"","payload":"78","mediaType":"text/plain",
      "content":"x"}
      """)
    try expect(
      AbsoluteURIRecord("a:b").record,
      #"{"tnf":"absoluteURI","type":"a:b","id":"","payload":"","uri":"a:b"}"#)
    try expect(
      .androidApplication("a.b"),
      """
      {"tnf":"external","type":"android.com:pkg","id":"","payload":"612E62",
      "androidPackage":"a.b"}
      """)
    try expect(.empty, #"{"tnf":"empty","type":"","id":"","payload":""}"#)
    try expect(
      UnknownRecord(payload: [1]).record, #"{"tnf":"unknown","type":"","id":"","payload":"01"}"#)
    try expect(
      HandoverCarrierRecord(carrierTypeFormat: .media, carrierType: "a/b").record,
      """
      {"tnf":"wellKnown","type":"Hc","id":"","payload":"0203612F62",
      "handoverCarrier":{"tnf":"media","type":"a/b","data":""}}
      """)
    try expect(
      SignatureRecord(algorithm: .noSignature, signature: .bytes([])).record,
      """
      {"tnf":"wellKnown","type":"Sig","id":"","payload":"200002000000","signature":{
      "algorithm":"none","hash":"SHA-256","signature":"","certificateFormat":"X.509",
      "certificates":[]}}
      """)
    try expect(
      DeviceInformationRecord(vendorName: "A", modelName: "B").record,
      """
      {"tnf":"wellKnown","type":"Di","id":"","payload":"000141010142",
      "deviceInformation":{"vendorName":"A","modelName":"B"}}
      """)
    try expect(
      HandoverSelectRecord(carriers: [
        AlternativeCarrierRecord(powerState: .active, carrierDataReference: [0x30])
      ]).record,
      """
      {"tnf":"wellKnown","type":"Hs","id":"","payload":"15D10204616301013000",
      "handoverSelect":{"version":"1.5","carriers":[{"powerState":"active","carrier":"0",
      "auxiliary":[]}]}}
      """)
  }

  @Test func carriersAndCards() throws {
    let wifi = try object(NDEFRecord.wiFi(ssid: "a", key: "b"))
    let credentials = (wifi["wifi"] as? NSDictionary)?["credentials"] as? [NSDictionary]
    #expect(
      credentials == [
        [
          "ssid": "a", "authentication": ["wpa2Personal"], "encryption": ["aes"],
          "networkKey": "b", "macAddress": "FFFFFFFFFFFF",
        ]
      ])
    let address = try #require(BluetoothAddress("01:02:03:04:05:06"))
    let bluetooth = try object(BluetoothRecord(address: address, name: "n").record)
    #expect(
      bluetooth["bluetooth"] as? NSDictionary
        == ["address": "01:02:03:04:05:06", "name": "n", "services": []])
    let low = try object(BluetoothLERecord(address: address, role: .central).record)
    #expect(
      low["bluetoothLE"] as? NSDictionary
        == [
          "address": "01:02:03:04:05:06", "addressType": "public", "role": "central",
          "services": [],
        ])
    let request = try object(HandoverRequestRecord(randomNumber: 7, carriers: []).record)
    #expect(
      request["handoverRequest"] as? NSDictionary
        == ["version": "1.5", "collisionResolution": 7, "carriers": []])
    let card = try object(VCardRecord(name: "J", telephones: ["1"]).record)
    #expect(
      card["vCard"] as? NSDictionary
        == [
          "formattedName": "J", "name": ["J", "", "", "", ""], "telephones": ["1"], "emails": [],
        ])
  }

  // Types and identifiers: text where printable ASCII, else "hex:" and digits.
  @Test(arguments: [
    ("a/b", "a/b"), ("hex", "hex"), ("hex:41", "hex:6865783A3431"), ("é", "hex:C3A9"),
    ("\u{0}", "hex:00"), ("~ !", "~ !"), ("\u{7F}", "hex:7F"),
  ])
  func namesAreTextOrMarkedDigits(_ name: String, _ written: String) throws {
    let record = NDEFRecord(
      typeNameFormat: .external, type: name, identifier: Array(name.utf8))
    let encoded = try object(record)
    #expect(encoded["type"] as? String == written)
    #expect(encoded["id"] as? String == written)
    #expect(
      try JSONDecoder().decode(NDEFRecord.self, from: JSONEncoder().encode(record)) == record)
  }

  @Test func malformedRecordsSayWhy() throws {
    let record = NDEFRecord(typeNameFormat: .wellKnown, type: "U")
    try expect(
      record,
      """
      {"tnf":"wellKnown","type":"U","id":"","payload":"",
      "error":"the URI prefix code needs 1 byte and 0 are left (byte 0)"}
      """)
  }

  @Test func messages() throws {
    let message = NDEFMessage(.uri("tel:1"), .text("x"))
    let encoded = try object(message)
    #expect(encoded.allKeys as? [String] == ["records"])
    #expect((encoded["records"] as? [NSDictionary])?.count == 2)
    #expect(
      try JSONDecoder().decode(NDEFMessage.self, from: JSONEncoder().encode(message)) == message)
    let line = #"{"uid":"04","status":"readWrite","capacity":1,"length":0,"records":[]}"#
    #expect(try decode(NDEFMessage.self, line) == NDEFMessage())
  }

  @Test(arguments: [
    (#"{"uri":"https://a.b"}"#, NDEFRecord.uri("https://a.b")),
    (#"{"text":"Hi"}"#, .text("Hi", language: "en")),
    (
      #"{"text":"Hi","language":"de","id":"x"}"#,
      TextRecord("Hi", language: "de", identifier: [0x78]).record
    ),
    (#"{"tnf":"wellKnown","type":"U","uri":"tel:1"}"#, .uri("tel:1")),
    (#"{"tnf":"empty"}"#, .empty),
    (#"{"tnf":"wellKnown","type":"U","payload":"0x03-61","uri":"http://a"}"#, .uri("http://a")),
    (#"{"tnf":"media","type":"a/b","payload":"0a:0B"}"#, .media("a/b", [0x0A, 0x0B])),
    (#"{"tnf":"external","type":"hex:6162","payload":""}"#, .external("ab", [])),
    // As a record without a type is shown.
    (
      #"{"tnf":"wellKnown","type":"","payload":"00"}"#,
      NDEFRecord(typeNameFormat: .wellKnown, type: "", payload: [0x00])
    ),
  ])
  func readsWithAndWithoutPayload(_ text: String, _ record: NDEFRecord) throws {
    #expect(try decode(NDEFRecord.self, text) == record)
  }

  @Test(arguments: [
    "{}", #"{"tnf":"wellKnown","type":"U"}"#, #"{"tnf":"wellKnown","payload":"00"}"#,
    #"{"type":"U","payload":"00"}"#, #"{"tnf":"nonsense","type":"U","payload":"00"}"#,
    #"{"tnf":"wellKnown","type":"U","payload":"0"}"#,
    #"{"tnf":"wellKnown","type":"U","payload":"0G"}"#,
    #"{"tnf":"wellKnown","type":"hex:5","payload":"00"}"#,
    #"{"tnf":"unchanged","type":"","payload":"00"}"#,
    #"{"tnf":"empty","type":"","payload":"00"}"#, #"{"uri":5}"#,
    #"{"text":"a","language":"é"}"#, "[]",
    #"{"tnf":"wellKnown","type":"U","payload":"03 61","uri":"tel:1"}"#,
    #"{"tnf":"media","type":5,"payload":""}"#,
  ])
  func refuses(_ text: String) {
    #expect(throws: DecodingError.self) { try decode(NDEFRecord.self, text) }
  }

  @Test func typesThatAreTooLongAreRefused() {
    let type = String(repeating: "a", count: 256)
    #expect(throws: DecodingError.self) {
      try decode(NDEFRecord.self, #"{"tnf":"media","type":"\#(type)","payload":""}"#)
    }
  }
}
