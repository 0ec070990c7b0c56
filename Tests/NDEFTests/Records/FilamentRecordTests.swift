import NDEF
import Testing

/// Tags of spools: OpenPrintTag (CBOR), OpenTag3D (a memory map) and OpenSpool (JSON).
@Suite struct FilamentRecordTests {
  private static let printTag = "application/vnd.openprinttag"

  /// The test vector of the specification: OpenPrintTag/openprinttag-specification, tests/encode_decode/01_info.yaml.
  private static let vector = hex(
    "A10218D2"
      + "BF041B000007D0FCAB45F9056A33333463353466303838080009000A76504C412050727573612047616C61"
      + "787920426C61636B0B6950727573616D656E740E1A68D3C7D7101903E8111903F41219011813443D3E3DFF"
      + "181C9F17FF181DF93CF6182218CD182318E1182418AA182518281826183C18271218281828182914182A18"
      + "40182B18C8182C1864182D183418389F0001FF183B831832FA4134CCCDFA43014CCD183C69323730203330"
      + "203230FF" + String(repeating: "00", count: 30)
      + "A0" + String(repeating: "00", count: 34))

  @Test func vectorOfTheSpecification() throws {
    let record = NDEFRecord.media(Self.printTag, Self.vector)
    let spool = try #require(try record.decoded as? OpenPrintTagRecord)
    let expected: NDEFFields = [
      "gtin": .integer(8_594_173_675_001), "brandSpecificInstanceID": "334c54f088",
      "materialClass": "FFF", "materialType": "PLA", "materialName": "PLA Prusa Galaxy Black",
      "brandName": "Prusament", "manufacturedDate": .integer(1_758_709_719),
      "nominalNettoFullWeight": .integer(1000), "actualNettoFullWeight": .integer(1012),
      "emptyContainerWeight": .integer(280), "primaryColor": "3D3E3DFF",
      "tags": .list([.integer(23)]), "density": .number(1.24),
      "minPrintTemperature": .integer(205), "maxPrintTemperature": .integer(225),
      "preheatTemperature": .integer(170), "minBedTemperature": .integer(40),
      "maxBedTemperature": .integer(60), "minChamberTemperature": .integer(18),
      "maxChamberTemperature": .integer(40), "chamberTemperature": .integer(20),
      "containerWidth": .integer(64), "containerOuterDiameter": .integer(200),
      "containerInnerDiameter": .integer(100), "containerHoleDiameter": .integer(52),
      "certifications": .list([.integer(0), .integer(1)]),
      "primaryColorLab": .list([.integer(50), .number(11.3), .number(129.3)]),
      "primaryColorRAL": "270 30 20",
    ]
    #expect(spool.mainSection == expected)
    #expect(spool.auxiliarySection == NDEFFields())
    #expect(spool.record == record)
    #expect(record.description == "OpenPrintTag Prusament PLA Prusa Galaxy Black (PLA)")
    #expect(try NDEFRecord(fields: record.fields) == record)
  }

  // The main section directly after an empty meta section.
  private static let single: [(String, String, NDEFFieldValue)] = [
    ("A0 A1 183F 01", "key63", .integer(1)), ("A0 A1 00 20", "instanceUUID", .integer(-1)),
    (
      "A0 A1 03 50 000102030405060708090A0B0C0D0E0F", "brandUUID",
      "00010203-0405-0607-0809-0A0B0C0D0E0F"
    ),
    ("A0 A1 03 41 FF", "brandUUID", "FF"), ("A0 A1 09 18FF", "materialType", .integer(255)),
    ("A0 A1 09 182A", "materialType", "PA612"), ("A0 A1 08 01", "materialClass", .integer(1)),
    ("A0 A1 0A 7F 61 41 62 C3A9 FF", "materialName", "Aé"),
    ("A0 A1 0A 5F 41 01 41 02 FF", "materialName", "0102"),
    ("A0 A1 0E C1 1A 00000001", "manufacturedDate", .integer(1)),
    ("A0 A1 0A F5", "materialName", .boolean(true)),
    ("A0 A1 0A F6", "materialName", .null), ("A0 A1 0A F8 FF", "materialName", .null),
    ("A0 A1 0A FB 7FF8000000000000", "materialName", .null),
    ("A0 A1 0A F9 7C00", "materialName", .null),
    ("A0 A1 0A FB 3FF3D70A3D70A3D7", "materialName", .number(1.24)),
    ("A0 A1 0A F9 C000", "materialName", .number(-2)),
    ("A0 A1 0A F9 0001", "materialName", .number(0.00000006)),
    ("A0 A1 0A 1B FFFFFFFFFFFFFFFF", "materialName", .number(0x1p64)),
    ("A0 A1 0A A1 01 02", "materialName", .list([.list([.integer(1), .integer(2)])])),
  ]

  @Test(arguments: single)
  func values(_ payload: String, _ name: String, _ value: NDEFFieldValue) throws {
    let record = NDEFRecord.media(Self.printTag, hex(payload))
    let spool = try #require(try record.decoded as? OpenPrintTagRecord)
    #expect(spool.mainSection == [name: value])
    #expect(spool.auxiliarySection == nil)
  }

  @Test(arguments: [
    Malformed("", .truncated, at: 0), Malformed("A0", .truncated, at: 1),
    Malformed("A0 80", .invalidValue, at: 1), Malformed("A1 00 09 A0", .truncated, at: 4),
    Malformed("A1 00 60 A0", .invalidValue, at: 1), Malformed("A0 A1 60 01", .invalidValue, at: 2),
    Malformed("A0 A2 00 01 00 02", .repeatedField, at: 4),
    Malformed("A0 A1 0A 62 41", .truncated, at: 4),
    Malformed("A0 A1 0A 61 FF", .invalidText, at: 3),
    Malformed("A0 A1 0A 1C", .invalidValue, at: 3),
    Malformed("A0 A1 0A 1F", .invalidValue, at: 3), Malformed("A0 A1 0A FF", .invalidValue, at: 3),
    Malformed("A0 A1 0A 7F 41 41 FF", .invalidValue, at: 4),
    Malformed("A0 A1 0A 5F 5F FF FF", .invalidValue, at: 4),
    Malformed("A0 BF 0A", .truncated, at: 3),
    Malformed("A0 9B FFFFFFFFFFFFFFFF", .truncated, at: 10),
    Malformed("A0 A1 0A 5B FFFFFFFFFFFFFFFF", .truncated, at: 12),
    Malformed("A0" + String(repeating: "81", count: 200), .invalidValue, at: 18),
  ])
  func refuses(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: OpenPrintTagRecord.self, .media, Self.printTag)
  }

  @Test func aMalformedAuxiliarySectionIsLeftOut() throws {
    let record = NDEFRecord.media(Self.printTag, hex("A1 02 09 A1 0B 61 41 00 00 00"))
    let (value, error) = record.decodedLeniently
    let spool = try #require(value as? OpenPrintTagRecord)
    #expect(spool.mainSection == ["brandName": "A"] && spool.auxiliarySection == nil)
    #expect(error?.code == .invalidValue)
  }

  @Test func aSpoolIsWrittenAsAPayloadOnly() {
    for name in ["openPrintTag", "openTag3D", "openSpool"] {
      let error = #expect(throws: NDEFFieldError.self) {
        try NDEFRecord(fields: [name: .fields([:])])
      }
      #expect(error?.place == name)
    }
  }

  // MARK: OpenTag3D

  private static func spool(_ fields: [(Int, [UInt8])], count: Int) -> NDEFRecord {
    var memory = [UInt8](repeating: 0, count: count)
    for (start, bytes) in fields {
      memory.replaceSubrange(start..<start + bytes.count, with: bytes)
    }
    return .media("application/opentag3d", memory)
  }

  @Test func version2() throws {
    let record = Self.spool(
      [
        (0x00, [0x07, 0xD2]), (0x02, Array("PETG".utf8)), (0x07, Array("CF".utf8)),
        (0x0C, Array("Polar Filament".utf8)), (0x1C, Array("Blue".utf8)), (0x3C, [0, 0, 255, 255]),
        (0x7C, [0, 0x02, 0xDF, 0xD3, 0x42, 0x6B]), (0x84, [0x07, 0xE8, 1, 23]),
        (0x88, [10, 30, 5]),
        (0x8C, [0x06, 0xD6]), (0x90, [42]), (0x9C, [0x04, 0xD8]), (0x9E, [0x03, 0xE8]),
        (0xA7, [118]),
        (0xB8, Array("pfil.us?i=8078-RQSR".utf8)),
      ], count: 0xE0)
    let spool = try #require(try record.decoded as? OpenTag3DRecord)
    #expect(spool.version == 2002)
    #expect(
      spool.content == [
        "material": "PETG", "materialModifier": "CF", "manufacturer": "Polar Filament",
        "colorName": "Blue", "color1": "0000FFFF", "barcode": .integer(12_345_098_859),
        "manufactureDate": "2024-01-23", "manufactureTime": "10:30:05", "diameter": .number(1.75),
        "printTemperature": .integer(210), "density": .number(1.24), "weight": .integer(1000),
        "transmissionDistance": .number(11.8), "dataURL": "pfil.us?i=8078-RQSR",
      ])
    #expect(record.description == "OpenTag3D Polar Filament PETG CF Blue")
    #expect(spool.record == record)
    #expect(try NDEFRecord(fields: record.fields) == record)
  }

  /// The places differ from those of version 2, and what is missing at the end is zeros.
  @Test func version1() throws {
    let record = Self.spool(
      [
        (0x00, [0x03, 0xEB]), (0x02, Array("PLA".utf8)), (0x1B, Array("Polar".utf8)),
        (0x5C, [0x06, 0xD6]), (0x61, [12]),
      ], count: 0x70)
    let spool = try #require(try record.decoded as? OpenTag3DRecord)
    #expect(
      spool.content == [
        "material": "PLA", "manufacturer": "Polar", "diameter": .number(1.75),
        "bedTemperature": .integer(60),
      ])
    #expect(try record.fields.fields("openTag3D")?.text("version") == "1.003")
    let short = try OpenTag3DRecord(.media("application/opentag3d", [0x03, 0xE8, 0x50]))
    #expect(short.content == ["material": "P"])
  }

  @Test(arguments: [
    Malformed("", .truncated, at: 0), Malformed("07", .truncated, at: 0),
    Malformed("03E7", .unsupportedVersion, at: 0), Malformed("0BB8", .unsupportedVersion, at: 0),
    Malformed("07D0 FF", .invalidText, at: 2),
  ])
  func refusesSpools(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: OpenTag3DRecord.self, .media, "application/opentag3d")
  }

  @Test func aTextThatIsNotUTF8IsLeftOut() throws {
    let record = NDEFRecord.media("application/opentag3d", hex("07D0 FF00000000 4346000000 0041"))
    let (value, error) = record.decodedLeniently
    #expect((value as? OpenTag3DRecord)?.content == ["materialModifier": "CF"])
    #expect(error?.code == .invalidText)
  }

  // MARK: OpenSpool

  private static func openSpool(_ json: String) -> NDEFRecord {
    .media("application/json", Array(json.utf8))
  }

  @Test func anOpenSpool() throws {
    let record = Self.openSpool(
      #"{"protocol":"openspool","version":"1.0","type":"PLA","color_hex":"FFAABB","brand":"Generic","min_temp":"220","#
        + #""max_temp":240,"spool_id":7,"subtype":"Silk"}"#)
    let spool = try #require(try record.decoded as? OpenSpoolRecord)
    #expect(
      spool.content == [
        "version": "1.0", "type": "PLA", "colorHex": "FFAABB", "brand": "Generic",
        "minTemp": .integer(220), "maxTemp": .integer(240), "spoolId": .integer(7),
        "subtype": "Silk",
      ])
    #expect(record.description == "OpenSpool Generic PLA Silk")
    #expect(spool.record == record)
    #expect(try NDEFRecord(fields: record.fields) == record)
  }

  /// Any other JSON, and what is not JSON, is content of a media type.
  @Test(arguments: [
    #"{"protocol":"other"}"#, #"{"type":"PLA"}"#, #"["openspool"]"#, #""openspool""#, "", "{",
    #"{"protocol":"openspool""#, #"{"protocol":1}"#,
  ])
  func otherJSON(_ json: String) throws {
    let record = Self.openSpool(json)
    #expect(try record.decoded is MIMERecord)
    #expect(throws: NDEFError.self) { try OpenSpoolRecord(record) }
    #expect(try NDEFRecord(fields: record.fields) == record)
  }

  /// Values of other kinds, and names without letters, are shown as they are.
  @Test func unusualMembers() throws {
    let record = Self.openSpool(
      #"{"protocol":"OpenSpool","_":null,"min_temp":"hot","minTemp":1,"a__b_":[true],"brand":2}"#)
    let spool = try #require(try record.decoded as? OpenSpoolRecord)
    #expect(
      spool.content == [
        "_": .null, "minTemp": "hot", "aB": .list([.boolean(true)]), "brand": .integer(2),
      ])
    #expect(record.description == "OpenSpool")
  }
}
