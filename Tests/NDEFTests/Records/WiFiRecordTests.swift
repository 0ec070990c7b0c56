import NDEF
import Testing

@Suite struct WiFiRecordTests {
  private static let mediaType = "application/vnd.wfa.wsc"

  private func record(_ payload: String) -> NDEFRecord {
    NDEFRecord(typeNameFormat: .media, type: Self.mediaType, payload: hex(payload))
  }

  @Test func recordOfAPhoneApp() throws {
    // What NFC Tools on Windows wrote (stackoverflow.com/questions/59606625)
    let payload =
      "100E 002F 1026 0001 01 1045 0004 53534944 1003 0002 0022 100F 0002 0008"
      + "1027 0008 70617373776F7264 1020 0006 FFFFFFFFFFFF"
    let wifi = try WiFiRecord(record(payload))
    #expect(
      wifi.credentials == [
        WiFiCredential(
          ssid: Array("SSID".utf8), authentication: [.wpaPersonal, .wpa2Personal],
          encryption: .aes, networkKey: Array("password".utf8))
      ])
    #expect(wifi.version == nil)
    #expect(wifi.record.payload == hex(payload))
    #expect(wifi.description == "Wi-Fi SSID (wpaPersonal, wpa2Personal, aes)")
  }

  @Test func recordWithVendorExtensions() throws {
    // SparkFun ST25DV64KC library, example 9: both extensions of the Wi-Fi Alliance stand inside of
    // the credential, where only the shareable key belongs; the version is kept as it is.
    let payload =
      "100E 0053 1026 0001 01 1045 000C 67756573744E6574776F726B 1003 0002 0020 100F 0002 0008"
      + "1027 0010 677565737450617373776F7264313233 1020 0006 000000000000"
      + "1049 0006 00372A 02 01 01 1049 0006 00372A 00 01 20"
    let wifi = try WiFiRecord(record(payload))
    let credential = try #require(wifi.credentials.first)
    #expect(credential.ssidText == "guestNetwork")
    #expect(credential.networkKey == Array("guestPassword123".utf8))
    #expect(credential.authentication == .wpa2Personal)
    #expect(credential.isNetworkKeyShareable == true)
    #expect(credential.macAddress == [0, 0, 0, 0, 0, 0])
    #expect(
      credential.otherAttributes
        == [WiFiAttribute(.vendorExtension, hex("00372A 00 01 20"))])
    #expect(wifi.record.payload == hex(payload))
  }

  @Test func versionFollowsTheCredential() throws {
    let wifi = try WiFiRecord(record("1049 0006 00372A 00 01 20"))
    #expect(wifi.version == 0x20)
    #expect(wifi.otherAttributes.isEmpty)
    #expect(wifi.record.payload == hex("1049 0006 00372A 00 01 20"))
  }

  @Test func networksAreMadeFromNameAndKey() throws {
    let record = NDEFRecord.wiFi(ssid: "Café", key: "correct horse")
    let wifi = try #require(try record.decoded as? WiFiRecord)
    #expect(wifi.credentials == [WiFiCredential(ssid: "Café", key: "correct horse")])
    #expect(wifi.credentials.first?.authentication == .wpa2Personal)
    #expect(!wifi.description.contains("horse"))
    #expect(WiFiCredential(ssid: "a").authentication == .open)
  }

  @Test func otherAttributesAreKept() throws {
    let wifi = WiFiRecord(
      credentials: [
        WiFiCredential(
          ssid: [0xFF], authentication: .open, encryption: .unencrypted, networkKey: [],
          macAddress: nil,
          otherAttributes: [
            WiFiAttribute(.init(rawValue: 0x1061), [1]),
            WiFiAttribute(.vendorExtension, [1, 2, 3]),
            WiFiAttribute(.vendorExtension, hex("00372A 01 02 ABCD")),
          ]),
        WiFiCredential(ssid: "b", key: "12345678"),
      ],
      version: 0x20, otherAttributes: [WiFiAttribute(.outOfBandDevicePassword, [9, 9])],
      identifier: [0x30])
    #expect(try WiFiRecord(wifi.record) == wifi)
  }

  @Test(arguments: [
    Malformed("10", .truncated, at: 0),
    Malformed("100E", .truncated, at: 2),
    Malformed("100E 0001", .truncated, at: 4),
    Malformed("100E 0000", .missingField, at: 4),
    Malformed("100E 0005 1045 0001 41", .missingField, at: 4),
    Malformed("100E 0006 1045 0009 4141", .truncated, at: 8),
    Malformed("100E 000A 1045 0001 41 1045 0001 41", .repeatedField, at: 13),
    // Types of authentication and encryption of one and three bytes, no MAC address
    Malformed("100E 000F 1045 0000 1003 0001 01 100F 0002 0001", .truncated, at: 12),
    Malformed("100E 0011 1045 0000 1003 0003 000001 100F 0002 0001", .trailingData, at: 14),
    Malformed("100E 0011 1045 0000 1003 0002 0001 100F 0003 000001", .trailingData, at: 20),
    Malformed(
      "100E 0014 1045 0000 1003 0002 0001 100F 0002 0001 1020 0000", .invalidValue, at: 24),
    Malformed("1049 0005 00372A 00 01", .truncated, at: 9),
    Malformed("1049 0007 00372A 00 02 2020", .invalidValue, at: 9),
  ])
  func refuses(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: WiFiRecord.self, .media, Self.mediaType)
  }

  @Test func namesAndKeysThatAreTooLongAreRefusedAndCut() throws {
    let long = WiFiCredential(
      ssid: String(repeating: "s", count: 40), key: String(repeating: "k", count: 70))
    let written = try WiFiRecord(WiFiRecord(credentials: [long]).record)
    #expect(written.credentials.first?.ssid.count == 32)
    #expect(written.credentials.first?.networkKey.count == 64)
    let ssid = String(repeating: "41", count: 33)
    let error = ndefError { () throws(NDEFError) in
      try WiFiRecord(
        record("100E 0031 1045 0021 \(ssid) 1003 0002 0001 100F 0002 0001"))
    }
    #expect(error?.code == .invalidValue)
    #expect(error?.offset == 8)
  }
}
