import NDEF
import Testing

@Suite struct DeviceInformationRecordTests {
  @Test func elements() throws {
    // Device Information RTD 1.0: type, length, value of vendor, model, name, UUID, version
    let payload = hex(
      "00 03 414243 01 02 5859 02 01 4E 03 10 000102030405060708090A0B0C0D0E0F 04 03 312E30"
        + "07 01 FF")
    let record = NDEFRecord(typeNameFormat: .wellKnown, type: "Di", payload: payload)
    let device = try #require(try record.decoded as? DeviceInformationRecord)
    #expect(
      device
        == DeviceInformationRecord(
          vendorName: "ABC", modelName: "XY", uniqueName: "N", uuid: Array(0..<16),
          versionString: "1.0", otherElements: [.init(type: 7, value: [0xFF])]))
    #expect(device.record == record)
    #expect(device.description == "N (ABC XY)")
  }

  @Test func longTextsAreCutBetweenCharacters() throws {
    let device = DeviceInformationRecord(
      vendorName: "a" + String(repeating: "é", count: 200), modelName: "m", uuid: [1])
    let decoded = try DeviceInformationRecord(device.record)
    #expect(decoded.vendorName == "a" + String(repeating: "é", count: 127))
    #expect(decoded.uuid == nil)
  }

  @Test(arguments: [
    Malformed("", .missingField, at: 0),
    Malformed("00 01 41", .missingField, at: 0),
    Malformed("00", .truncated, at: 1),
    Malformed("00 05 41", .truncated, at: 2),
    Malformed("00 01 41 00 01 41", .repeatedField, at: 5),
    Malformed("00 01 FF 01 01 41", .invalidText, at: 2),
    Malformed("00 01 41 01 01 41 03 01 00", .invalidValue, at: 8),
    Malformed("00 01 41 01 01 41 04 01 FF", .invalidText, at: 8),
  ])
  func refuses(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: DeviceInformationRecord.self, .wellKnown, "Di")
  }
}
