import NDEF
import Testing

/// Messages and records of which a part is wrong: what is right is given all the same.
@Suite struct LenientTests {
  private static func oob(_ payload: String) -> NDEFRecord {
    .media("application/vnd.bluetooth.ep.oob", hex(payload))
  }

  @Test(arguments: [
    // A length that is not the payload's.
    (oob("00 00 06 05 04 03 02 01 02 09 6E"), NDEFError.Code.invalidValue),
    // A class of two bytes before the name.
    (oob("0F 00 06 05 04 03 02 01 03 0D 01 02 02 09 6E"), .invalidValue),
    // A structure beyond the end after the name.
    (oob("0D 00 06 05 04 03 02 01 02 09 6E 05 0D"), .truncated),
  ])
  func bluetooth(_ record: NDEFRecord, _ code: NDEFError.Code) throws {
    #expect(ndefError { () throws(NDEFError) in try record.decoded }?.code == code)
    let (value, error) = record.decodedLeniently
    let device = try #require(value as? BluetoothRecord)
    #expect(device.address == BluetoothAddress("01:02:03:04:05:06"))
    #expect(device.data.localName == "n")
    #expect(error?.code == code)
    #expect(record.fields["error"] == .text("\(try #require(error))"))
    #expect(record.fields["bluetooth"] != nil)
    #expect(record.description.hasPrefix("Bluetooth n (01:02:03:04:05:06), malformed: "))
    #expect(try NDEFRecord(fields: record.fields) == record)
  }

  @Test func bluetoothLE() throws {
    let record = NDEFRecord.media(
      "application/vnd.bluetooth.le.oob", hex("02 1C 00 03 1B 01 02 02 09 6E"))
    let (value, error) = record.decodedLeniently
    let device = try #require(value as? BluetoothLERecord)
    #expect(device.role == .peripheral && device.data.localName == "n" && device.address == nil)
    #expect(error?.code == .invalidValue)
  }

  @Test func aPosterWithTwoTitlesOfOneLanguage() throws {
    let records = [
      NDEFRecord.text("one"), .uri("https://a.b"), .text("two"), .uri("https://c.d"),
      NDEFRecord(typeNameFormat: .wellKnown, type: "act", payload: [1, 2]),
      NDEFRecord(typeNameFormat: .wellKnown, type: "s", payload: [0, 0, 0, 9]),
    ]
    let record = NDEFRecord(
      typeNameFormat: .wellKnown, type: "Sp", payload: NDEFMessage(records: records).encoded())
    #expect(
      ndefError { () throws(NDEFError) in try record.decoded }?.code == NDEFError.Code.repeatedField
    )
    let (value, error) = record.decodedLeniently
    let poster = try #require(value as? SmartPosterRecord)
    #expect(poster.uri.uri == "https://a.b")
    #expect(poster.titles.map(\.text) == ["one"])
    #expect(poster.action == nil && poster.size == 9)
    #expect(error?.code == .repeatedField)
  }

  @Test func aPosterWithoutLinkIsNotOne() {
    let record = NDEFRecord(
      typeNameFormat: .wellKnown, type: "Sp", payload: NDEFMessage(.text("one")).encoded())
    let (value, error) = record.decodedLeniently
    #expect(value == nil)
    #expect(error?.code == .missingField)
  }

  @Test(arguments: [
    ("00 01 41 01 01 42 03 02 00 00", NDEFError.Code.invalidValue, "A", "B"),
    ("00 01 41 00 01 43 01 01 42", .repeatedField, "A", "B"), ("00 01 41", .missingField, "A", ""),
    ("00 01 41 01 01 42 02", .truncated, "A", "B"), ("00 01 FF 01 01 42", .invalidText, "", "B"),
  ])
  func deviceInformation(
    _ payload: String, _ code: NDEFError.Code, vendor: String, model: String
  ) throws {
    let record = NDEFRecord(typeNameFormat: .wellKnown, type: "Di", payload: hex(payload))
    let (value, error) = record.decodedLeniently
    let device = try #require(value as? DeviceInformationRecord)
    #expect(device.vendorName == vendor && device.modelName == model)
    #expect(error?.code == code)
  }

  @Test func whatIsRightHasNoError() throws {
    for record in FieldsTests.records {
      let (value, error) = record.decodedLeniently
      #expect(error == nil)
      #expect(value?.record == (try record.decoded?.record))
    }
  }
}
