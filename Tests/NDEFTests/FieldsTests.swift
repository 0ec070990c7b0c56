import NDEF
import Testing

/// Records made from what `read --json` prints of them, without their payload.
@Suite struct FieldsTests {
  static let records: [NDEFRecord] = {
    let address = BluetoothAddress([1, 2, 3, 4, 5, 0xC6])
    let poster = SmartPosterRecord(
      uri: URIRecord("https://box.dev"),
      titles: [TextRecord("A"), TextRecord("Ä", language: "de")], action: .save, size: 5,
      mediaType: "a/b", icons: [MIMERecord(mediaType: "image/png", payload: [0xAB])])
    let carrier = AlternativeCarrierRecord(
      powerState: .active, carrierDataReference: [0x30], auxiliaryDataReferences: [[0xFF]])
    var records: [NDEFRecord] = [
      .uri("https://www.example.com/a?b=c"), .text("Hé", language: "fr"), poster.record,
      .media("text/plain", Array("x\n".utf8)), .external("example.com:ticket", Array("A-1".utf8)),
      .androidApplication("com.example.app"), AbsoluteURIRecord("a:b").record, .empty,
      .wiFi(ssid: "Café", key: "correct horse"), .wiFi(ssid: "hex:41"), .wiFi(ssid: ""),
      WiFiRecord(
        credentials: [
          WiFiCredential(
            ssid: [0x61], authentication: .wpa2Personal, encryption: .aes, networkKey: [0x62],
            isNetworkKeyShareable: false,
            otherAttributes: [WiFiAttribute(.init(rawValue: 0x1061), [1])])
        ], version: 0x20, otherAttributes: [WiFiAttribute(.outOfBandDevicePassword, [9, 9])]
      ).record,
      VCardRecord(
        name: "J; Doe", telephones: ["1", "2"], emails: ["a@b.c"], organization: "O, P",
        url: "https://a.b/?c=d"
      ).record,
      DeviceInformationRecord(
        vendorName: "A", modelName: "B", uniqueName: "C", uuid: Array(1...16), versionString: "1"
      ).record,
      HandoverSelectRecord(carriers: [carrier]).record,
      HandoverRequestRecord(randomNumber: 7, carriers: [carrier]).record,
      HandoverCarrierRecord(carrierTypeFormat: .media, carrierType: "a/b", carrierData: [1]).record,
      HandoverMediationRecord(carriers: [carrier]).record,
      HandoverInitiateRecord(carriers: []).record,
      WindowsLaunchAppRecord(
        apps: [.init(platform: "Windows", identifier: "a!b")], arguments: "c d"
      ).record,
      SignatureRecord(
        algorithm: .ecdsaP256, signature: .bytes([1, 2]), certificates: [[3]],
        certificateURI: "https://c"
      ).record,
      SignatureRecord(algorithm: .ecdsaB233, signature: .uri("https://s")).record,
    ]
    if let address {
      records += [
        .bluetooth(address, name: "Böx"), .bluetooth(address),
        BluetoothRecord(
          address: address,
          data: BluetoothData([
            .init(.completeLocalName, [0x6E]),
            .init(.simplePairingHash192, [UInt8](repeating: 7, count: 16)),
            .init(.init(rawValue: 0x30), [1, 2]),
          ])
        ).record,
        .bluetoothLE(address, isRandomAddress: true, role: .centralPreferred, name: "n"),
      ]
    }
    return records
  }()

  @Test(arguments: records)
  func decodedFieldsSuffice(_ record: NDEFRecord) throws {
    var fields = record.fields
    #expect(try NDEFRecord(fields: fields) == record)
    fields["payload"] = nil
    let isNamedByType = [.external, .media, .absoluteURI, .empty].contains(record.typeNameFormat)
    if !isNamedByType {
      fields["tnf"] = nil
      fields["type"] = nil
    }
    #expect(try NDEFRecord(fields: fields) == record)
  }

  @Test func shortForms() throws {
    #expect(
      try NDEFRecord(fields: ["wifi": .fields(["ssid": "a", "networkKey": "b"])])
        == .wiFi(ssid: "a", key: "b"))
    #expect(
      try NDEFRecord(fields: [
        "wifi": .fields(["ssid": "a", "networkKey": "b", "authentication": "wpa3Personal"])
      ])
        == WiFiRecord(credentials: [
          WiFiCredential(
            ssid: [0x61], authentication: .wpa3Personal, encryption: .aes, networkKey: [0x62])
        ]).record)
    #expect(
      try NDEFRecord(fields: ["smartPoster": .fields(["uri": "a:b", "title": "T"])])
        == .smartPoster("a:b", title: "T"))
    #expect(
      try NDEFRecord(fields: ["mediaType": "image/png", "payload": "89"])
        == .media("image/png", [0x89]))
    // Also for types that have fields of their own.
    for record in [NDEFRecord.wiFi(ssid: "a"), .media("application/vnd.wfa.wsc", [1])] {
      let short: NDEFFields = [
        "mediaType": "application/vnd.wfa.wsc", "payload": record.fields["payload"],
      ]
      #expect(try NDEFRecord(fields: short) == record)
    }
    let card = try NDEFRecord(fields: [
      "vCard": .fields(["name": .list(["Doe", "Jane"]), "telephones": "1"])
    ])
    let decoded = try VCardRecord(card)
    #expect(decoded.formattedName == "Jane Doe")
    #expect(decoded.name == ["Doe", "Jane"])
    #expect(decoded.telephones == ["1"])
  }

  private static let network: NDEFFieldValue = .fields([
    "credentials": .list([.fields(["ssid": "c"])])
  ])

  typealias Contradiction = (record: NDEFRecord, name: String, value: NDEFFieldValue, place: String)

  private static let contradictions: [Contradiction] = {
    var table: [Contradiction] = []
    table.append((.uri("https://a.b"), "uri", "https://c.d", "uri"))
    table.append((.text("a"), "language", "de", "language"))
    table.append((.text("a"), "uri", "a:b", "uri"))
    table.append((.uri("a:b"), "text", "a", "text"))
    table.append((.media("a/b", [1]), "content", "x", "content"))
    table.append((.wiFi(ssid: "a"), "mediaType", "application/vnd.wfa.p2p", "mediaType"))
    table.append((.uri("a:b"), "mediaType", "a/b", "mediaType"))
    table.append((.wiFi(ssid: "a", key: "b"), "wifi", network, "wifi.credentials[0].ssid"))
    let poster = NDEFRecord.smartPoster("a:b", title: "x")
    table.append(
      (poster, "smartPoster", .fields(["titles": .list([])]), "smartPoster.titles"))
    table.append(
      (poster, "smartPoster", .fields(["size": .integer(5)]), "smartPoster.size"))
    let external = NDEFRecord(typeNameFormat: .external, type: "a.b:c", payload: [1])
    table.append((external, "uri", "a:b", "uri"))
    table.append((NDEFRecord(typeNameFormat: .wellKnown, type: "U"), "uri", "a:b", "uri"))
    return table
  }()

  // A payload that says something else than the fields beside it; the field is named.
  @Test(arguments: contradictions)
  func contradictionsAreRefused(_ contradiction: Contradiction) throws {
    var fields = contradiction.record.fields
    fields[contradiction.name] = contradiction.value
    let error = try #require(
      { () -> NDEFFieldError? in
        do throws(NDEFFieldError) {
          _ = try NDEFRecord(fields: fields)
          return nil
        } catch { return error }
      }())
    #expect(error.place == contradiction.place)
  }

  private static let wrongFields: [(fields: NDEFFields, place: String)] = {
    var table: [(fields: NDEFFields, place: String)] = []
    table.append((["text": "a", "uri": "a:b"], "text"))
    table.append((["text": "a", "tnf": "media"], "tnf"))
    table.append((["text": "a", "type": "U"], "type"))
    table.append((["uri": "a:b", "content": "x"], "content"))
    table.append((["androidPackage": "a.b", "language": "en"], "language"))
    table.append((["tnf": "external", "content": "x"], "type"))
    table.append((["payload": "0x0", "tnf": "unknown"], "payload"))
    func inside(_ name: String, _ fields: NDEFFields, _ place: String) {
      table.append(([name: .fields(fields)], "\(name).\(place)"))
    }
    inside("bluetooth", ["address": "01:02"], "address")
    func structure(_ type: String, _ value: String, _ place: String) {
      let other: NDEFFieldValue = .list([.fields(["type": .text(type), "value": .text(value)])])
      inside(
        "bluetooth", ["address": "010203040506", "otherData": other], "otherData[0].\(place)")
    }
    structure("magic", "00", "type")
    structure("0E0F", "00", "type")
    structure("simplePairingHash192", "00", "value")
    structure("FF", String(repeating: "00", count: 255), "value")
    inside("bluetoothLE", ["address": "010203040506", "role": "boss"], "role")
    inside("wifi", ["ssid": "a", "encryption": "rot13"], "encryption")
    inside("wifi", ["ssid": .text(String(repeating: "a", count: 33))], "ssid")
    inside("wifi", ["ssid": "a", "networkKeyShareable": "yes"], "networkKeyShareable")
    inside("wifi", ["credentials": .list([]), "version": "2"], "version")
    inside("wifi", ["credentials": .list([]), "version": "2.16"], "version")
    let attribute: NDEFFieldValue = .list([.fields(["type": "10", "value": "00"])])
    inside("wifi", ["ssid": "a", "otherAttributes": attribute], "otherAttributes[0].type")
    inside("smartPoster", [:], "uri")
    inside("deviceInformation", ["vendorName": "a"], "modelName")
    inside("handoverSelect", ["carriers": .list([]), "error": "out of memory"], "error")
    inside("handoverSelect", ["version": "2.0"], "version")
    inside("signature", ["algorithm": "magic"], "algorithm")
    return table
  }()

  @Test(arguments: wrongFields)
  func wrongFieldsAreNamed(_ fields: NDEFFields, place: String) {
    let error = #expect(throws: NDEFFieldError.self) { try NDEFRecord(fields: fields) }
    #expect(error?.place == place)
  }

  /// A program's own record type.
  struct TicketRecord: NDEFTypedRecord {
    var seat: UInt8
    var identifier: [UInt8] = []

    static func matches(_ record: NDEFRecord) -> Bool { record.hasType(.external, "a.b:seat") }

    init(_ record: NDEFRecord) throws(NDEFError) {
      guard record.payload.count == 1, let seat = record.payload.first else {
        throw NDEFError(.invalidValue, offset: 0, reason: "a seat has one byte")
      }
      self.seat = seat
    }

    var record: NDEFRecord { .external("a.b:seat", [seat]) }
    var description: String { "seat \(seat)" }
  }

  @Test func programsHaveRecordTypesOfTheirOwn() throws {
    let types: [any NDEFTypedRecord.Type] = [TicketRecord.self] + NDEFRecord.knownTypes
    let record = NDEFRecord.external("A.B:seat", [7])
    #expect((try record.decoded(as: types) as? TicketRecord)?.seat == 7)
    #expect(try record.decoded is ExternalRecord)
    #expect(try NDEFRecord.uri("a:b").decoded(as: types) is URIRecord)
    let error = ndefError { () throws(NDEFError) in
      try NDEFRecord.external("a.b:seat", []).decoded(as: types)
    }
    #expect(error?.code == .invalidValue)
  }
}
