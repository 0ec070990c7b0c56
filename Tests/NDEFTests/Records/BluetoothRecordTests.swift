import NDEF
import Testing

@Suite struct BluetoothRecordTests {
  private static let mediaType = "application/vnd.bluetooth.ep.oob"

  @Test func addressesAreWrittenBackwards() throws {
    // Secure Simple Pairing Using NFC 1.2: length and address little-endian, then EIR
    let payload = hex("1600 060504030201 040D 041420 0809 53706561 6B6572")
    let record = NDEFRecord(typeNameFormat: .media, type: Self.mediaType, payload: payload)
    let bluetooth = try #require(try record.decoded as? BluetoothRecord)
    #expect(bluetooth.address.description == "01:02:03:04:05:06")
    #expect(bluetooth.address == BluetoothAddress("01:02:03:04:05:06"))
    #expect(bluetooth.data.classOfDevice == 0x201404)
    #expect(bluetooth.data.localName == "Speaker")
    #expect(bluetooth.record == record)
    #expect(record.description == "Bluetooth Speaker (01:02:03:04:05:06)")
  }

  @Test func everythingIsPreserved() throws {
    var bluetooth = BluetoothRecord(
      address: try #require(BluetoothAddress(hex("AABBCCDDEEFF"))), name: "Kopfhörer")
    bluetooth.data[.completeServiceUUIDs16] = hex("0B11 0E11")
    bluetooth.data[.incompleteServiceUUIDs128] = Array(0..<16)
    bluetooth.data[.simplePairingHash192] = [UInt8](repeating: 7, count: 16)
    bluetooth.identifier = [0x30]
    #expect(try BluetoothRecord(bluetooth.record) == bluetooth)
    #expect(
      bluetooth.data.serviceUUIDs.map(\.description)
        == ["110B", "110E", "0F0E0D0C-0B0A-0908-0706-050403020100"])
    bluetooth.data[.completeLocalName] = nil
    #expect(bluetooth.data.localName == nil)
  }

  /// What two devices pair with is in the fields, so that a record can be made of them again.
  @Test func pairingDataIsShown() throws {
    let value = [UInt8](repeating: 7, count: 16)
    let record = NDEFRecord.media(
      "application/vnd.bluetooth.le.oob",
      hex("081B 060504030201 01 021C00 1110") + value + hex("02 0106 02 3001"))
    let device = try #require(try record.fields.fields("bluetoothLE"))
    #expect(
      device["otherData"]
        == .list([
          .fields([
            "type": "securityManagerTKValue", "value": .text(value.map { _ in "07" }.joined()),
          ]),
          .fields(["type": "flags", "value": "06"]), .fields(["type": "30", "value": "01"]),
        ]))
    #expect(try NDEFRecord(fields: ["bluetoothLE": .fields(device)]) == record)
  }

  @Test func paddingOfZerosEndsTheStructures() throws {
    let record = NDEFRecord(
      typeNameFormat: .media, type: Self.mediaType, payload: hex("0D00 060504030201 0209 41 0000"))
    #expect(try BluetoothRecord(record).data.structures.count == 1)
  }

  @Test(arguments: [
    Malformed("", .truncated, at: 0),
    Malformed("0700 0102030405", .truncated, at: 2),
    Malformed("0900 010203040506", .invalidValue, at: 0),
    Malformed("0900 010203040506 05", .truncated, at: 9),
    Malformed("0C00 010203040506 0509 4141", .truncated, at: 10),
    Malformed("0A00 010203040506 0001", .trailingData, at: 9),
    // A Class of Device of two bytes, half a UUID
    Malformed("0C00 010203040506 030D 0000", .invalidValue, at: 10),
    Malformed("0B00 010203040506 0203 00", .invalidValue, at: 10),
  ])
  func refuses(_ malformed: Malformed) {
    expectRefusal(of: malformed, by: BluetoothRecord.self, .media, Self.mediaType)
  }

  // MARK: LE

  @Test func lowEnergy() throws {
    // Secure Simple Pairing Using NFC 1.2: address with its type, role, appearance, name
    let payload = hex("081B 060504030201 01 02 1C 00 0319 C103 0509 4B657973")
    let record = NDEFRecord(
      typeNameFormat: .media, type: "application/vnd.bluetooth.le.oob", payload: payload)
    let device = try #require(try record.decoded as? BluetoothLERecord)
    #expect(device.address?.description == "01:02:03:04:05:06")
    #expect(device.isRandomAddress)
    #expect(device.role == .peripheral)
    #expect(device.data.appearance == 0x03C1)
    #expect(device.data.localName == "Keys")
    #expect(device.record == record)
  }

  @Test func lowEnergyIsPreserved() throws {
    let address = try #require(BluetoothAddress("C0FFEE000001"))
    for role in [BluetoothLERecord.Role.central, .centralPreferred, .peripheralPreferred] {
      let device = BluetoothLERecord(address: address, role: role, name: "x")
      let decoded = try BluetoothLERecord(device.record)
      #expect(decoded == device)
      #expect(decoded.role == role)
      #expect(!decoded.isRandomAddress)
      #expect(decoded.address == address)
    }
  }

  @Test(arguments: [
    Malformed("02", .truncated, at: 1),
    Malformed("021B", .truncated, at: 2),
    Malformed("071B 010203040506", .invalidValue, at: 2),
    Malformed("031C 0000", .invalidValue, at: 2),
  ])
  func refusesLowEnergy(_ malformed: Malformed) {
    expectRefusal(
      of: malformed, by: BluetoothLERecord.self, .media, "application/vnd.bluetooth.le.oob")
  }

  @Test func addressesAreSixBytes() {
    #expect(BluetoothAddress("01:02:03:04:05") == nil)
    #expect(BluetoothAddress("01:02:03:04:05:0G") == nil)
    #expect(BluetoothAddress([1]) == nil)
    #expect(BluetoothUUID([1, 2, 3]) == nil)
  }
}
