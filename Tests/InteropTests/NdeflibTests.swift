import NFC
import TestSupport
import Testing

extension Interop {
  /// ndeflib and the NDEF module read each other's records.
  @Suite struct NdeflibTests {
    /// One message for each type that ndeflib knows, and those that it keeps as they are.
    private static let messages: [NDEFMessage] = {
      let carrier = AlternativeCarrierRecord(
        powerState: .active, carrierDataReference: Array("b".utf8),
        auxiliaryDataReferences: [Array("x".utf8)])
      let network = WiFiCredential(ssid: "Café", key: "correct horse")
      let records: [NDEFRecord] = [
        .uri("https://www.example.com/ä"), .uri("urn:epc:id:sgtin:1"),
        .uri("MT:Y.K9042C00KA0648G00"),
        .text("Grüße 😀", language: "de-AT"), .text(String(repeating: "x", count: 252)),
        .text(String(repeating: "x", count: 253)),
        SmartPosterRecord(
          uri: URIRecord("tel:+1"), titles: [TextRecord("A"), TextRecord("B", language: "de")],
          action: .save, size: 1000, mediaType: "text/html"
        ).record,
        HandoverSelectRecord(
          carriers: [carrier],
          error: HandoverErrorRecord(.temporarilyOutOfMemory(retryAfterMilliseconds: 10))
        ).record,
        HandoverRequestRecord(randomNumber: 0x1234, carriers: [carrier]).record,
        HandoverMediationRecord(carriers: [carrier]).record,
        HandoverInitiateRecord(carriers: []).record,
        HandoverCarrierRecord(carrierTypeFormat: .media, carrierType: "a/b", carrierData: [1])
          .record,
        SignatureRecord(
          algorithm: .ecdsaP256, signature: .bytes([1, 2]), certificates: [[3]],
          certificateURI: "https://c"
        ).record,
        DeviceInformationRecord(
          vendorName: "Vendor", modelName: "Model", uniqueName: "Name", uuid: Array(0..<16),
          versionString: "1.0"
        ).record,
        .androidApplication("com.example.app"), .wiFi(ssid: "open"),
        WiFiRecord(credentials: [network, network], version: 0x20).record,
        VCardRecord(name: "Zoë; Müller", telephones: ["+49 1"]).record,
        UnknownRecord(payload: [1], identifier: Array("i".utf8)).record, .empty,
      ]
      let bluetooth = BluetoothAddress("01:02:03:04:05:06").map { address in
        [
          NDEFRecord.bluetooth(address, name: "Kopfhörer"), .bluetooth(address),
          .bluetoothLE(address, isRandomAddress: true, name: "Keys"),
        ]
      }
      return (records + (bluetooth ?? [])).map { NDEFMessage($0) }
    }()

    /// ndeflib reads what we write, strictly, and writes the same bytes.
    @Test func ndeflibWritesTheSameBytes() async throws {
      let script = """
        import ndef, sys
        for message in sys.argv[1:]:
            octets = bytes.fromhex(message)
            records = list(ndef.message_decoder(octets, errors='strict'))
            print(b''.join(ndef.message_encoder(records)).hex())
        """
      let messages = Self.messages.map { $0.encoded().hexadecimal.lowercased() }
      let bench = try InteropBench()
      let result = try await bench.startPython(whole: script, messages).result()
      withExtendedLifetime(bench) { result.expectSuccess() }
      #expect(result.output.split(separator: "\n").map(String.init) == messages)
    }

    /// We read what ndeflib writes without an error.
    @Test func weReadWhatNdeflibWrites() async throws {
      let script = """
        import ndef
        t = ndef.TextRecord('Grüße 😀', 'de', 'UTF-16')
        sp = ndef.SmartposterRecord('https://example.com/a')
        sp.set_title('Title', 'en')
        sp.set_title('Titel', 'de')
        sp.action, sp.resource_size, sp.resource_type = 'save', 1000, 'text/html'
        sp.add_icon('image/png', b'PNG')
        hs = ndef.HandoverSelectRecord('1.3')
        hs.add_alternative_carrier('active', 'b', 'x')
        hs.set_error(1, 10)
        hr = ndef.HandoverRequestRecord('1.3', 0x1234)
        hm = ndef.HandoverMediationRecord('1.3')
        hi = ndef.HandoverInitiateRecord('1.3')
        for record in (hr, hm, hi):
            record.add_alternative_carrier('inactive', 'b')
        hc = ndef.HandoverCarrierRecord('application/vnd.wfa.wsc', b'1')
        sig = ndef.SignatureRecord('ECDSA-P256', 'SHA-256', b'12', None, 'X.509')
        sig.add_certificate_to_store(b'3')
        sig.certificate_uri = 'https://c'
        di = ndef.DeviceInformationRecord(
            'Vendor', 'Model', 'Name', '123e4567-e89b-12d3-a456-426655440000', '1.0')
        bt = ndef.BluetoothEasyPairingRecord('01:02:03:04:05:06')
        bt.device_class, bt.device_name = 0x10010C, 'Kopfhörer'
        bt.add_service_class(0x110B)
        bt.simple_pairing_hash_192 = 0x0102
        le = ndef.BluetoothLowEnergyRecord()
        le.device_address = ('01:02:03:04:05:06', 'random')
        le.role_capabilities, le.appearance, le.device_name = 'Peripheral', 0x03C1, 'Keys'
        wifi = ndef.WifiSimpleConfigRecord()
        network = ndef.wifi.Credential()
        network.set_attribute('ssid', b'net')
        network.set_attribute('authentication-type', 'WPA2-Personal')
        network.set_attribute('encryption-type', 'AES')
        network.set_attribute('network-key', b'password1')
        network.set_attribute('mac-address', b'123456')
        network.set_attribute('network-index', 1)
        wifi.set_attribute('credential', network)
        app = ndef.Record('urn:nfc:ext:android.com:pkg', '', b'a.b')
        for record in (t, ndef.UriRecord('urn:nfc:x'), sp, hs, hr, hm, hi, hc, sig, di, bt, le, wifi,
                       app, ndef.Record('unknown', 'i', b'1'), ndef.Record()):
            print(b''.join(ndef.message_encoder([record])).hex())
        """
      let bench = try InteropBench()
      let result = try await bench.startPython(whole: script, []).result()
      withExtendedLifetime(bench) { result.expectSuccess() }
      let descriptions = try result.output.split(separator: "\n").map { line in
        let bytes = try #require([UInt8](hexadecimal: String(line)))
        let record = try #require(try NDEFMessage(decoding: bytes).records.first)
        _ = try #require(try record.decoded)
        #expect(try NDEFRecord(fields: record.fields) == record)
        return record.description
      }
      #expect(
        descriptions == [
          "Grüße 😀 (de)", "urn:nfc:x", "https://example.com/a: Title (en), Titel (de)",
          "handover to carrier b (active); temporarily out of memory, retry after 10 ms",
          "handover request for carrier b (inactive)",
          "handover mediation for carrier b (inactive)",
          "handover initiation for carrier b (inactive)",
          "handover carrier application/vnd.wfa.wsc",
          "signature ECDSA-P256 with SHA-256, not verified", "Name (Vendor Model)",
          "Bluetooth Kopfhörer (01:02:03:04:05:06)",
          "Bluetooth LE Keys (01:02:03:04:05:06, random)",
          "Wi-Fi net (wpa2Personal, aes)", "Android app a.b", "unknown content, 1 byte",
          "empty record",
        ])
    }
  }
}
