import Foundation
import NDEF
import Testing

/// Fields that a record cannot hold as they are, and fields without a value.
@Suite struct FieldLimitTests {
  private static func long(_ count: Int) -> NDEFFieldValue {
    .text(String(repeating: "a", count: count))
  }

  private static let tooMuch: [(fields: NDEFFields, place: String, reason: String)] = {
    var table: [(fields: NDEFFields, place: String, reason: String)] = []
    func inside(_ name: String, _ fields: NDEFFields, _ place: String, _ reason: String) {
      table.append(([name: .fields(fields)], "\(name)\(place)", reason))
    }
    let all = "a record cannot hold all of it"
    inside("deviceInformation", ["vendorName": long(256), "modelName": "b"], ".vendorName", all)
    inside("windowsApp", ["apps": .list([]), "arguments": long(65_536)], ".arguments", all)
    let certificates = NDEFFieldValue.list(Array(repeating: "00", count: 16))
    inside("signature", ["certificates": certificates], ".certificates", all)
    let icon = NDEFFieldValue.list([.fields(["mediaType": "text/plain", "data": "00"])])
    inside("smartPoster", ["uri": "a:b", "icons": icon], ".icons", all)
    let carrier = NDEFFieldValue.list([.fields(["carrier": long(256)])])
    inside("handoverSelect", ["carriers": carrier], ".carriers[0].carrier", all)
    inside("handoverRequest", ["carriers": .list([])], "", "no collision resolution record")
    table.append((["uri": "a:b\nc"], "uri", all))
    inside("signature", ["algorithm": "128"], ".algorithm", "a number up to 127")
    inside("signature", ["certificateFormat": "8"], ".certificateFormat", "a number up to 7")
    for name in ["bluetooth", "bluetoothLE"] {
      inside(
        name, ["address": "010203040506", "name": long(249)], ".name",
        "at most 248 bytes, this one 249")
    }
    inside(
      "bluetooth", ["address": "010203040506", "classOfDevice": .integer(0x100_0000)],
      ".classOfDevice", "not between 0 and 16777215")
    let uuids = (0..<16).map { NDEFFieldValue.text(String(repeating: "0\($0 % 10)", count: 16)) }
    inside(
      "bluetooth", ["address": "010203040506", "services": .list(uuids)], ".services",
      "of the 16 UUIDs of 16 bytes, at most 15 fit")
    for version in ["1.x.5", "1..5", "+1.5", "1.5.", "1", "1.16", "2.0", ""] {
      inside("handoverSelect", ["version": .text(version)], ".version", "is not a version")
    }
    inside("wifi", ["credentials": .list([]), "version": "+2.0"], ".version", "is not a version")
    table.append((["tnf": "empty", "content": "x"], "content", "an empty record"))
    return table
  }()

  /// Nothing is cut off in silence: the field is named.
  @Test(arguments: tooMuch)
  func whatARecordCannotHold(_ fields: NDEFFields, place: String, reason: String) {
    let error = #expect(throws: NDEFFieldError.self) { try NDEFRecord(fields: fields) }
    #expect(error?.place == place)
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
  }

  @Test func longestValuesFit() throws {
    let uuids = (0..<15).map { NDEFFieldValue.text(String(repeating: "0\($0 % 10)", count: 16)) }
    let bluetooth = try NDEFRecord(fields: [
      "bluetooth": .fields([
        "address": "010203040506", "name": Self.long(248), "services": .list(uuids),
        "classOfDevice": .integer(0xFF_FFFF),
      ])
    ])
    let read = try BluetoothRecord(bluetooth)
    #expect(read.data.localName?.count == 248)
    #expect(read.data.serviceUUIDs.count == 15)
    #expect(read.data.classOfDevice == 0xFF_FFFF)
    let device = try NDEFRecord(fields: [
      "deviceInformation": .fields(["vendorName": Self.long(255), "modelName": "b"])
    ])
    #expect(try DeviceInformationRecord(device).vendorName.count == 255)
  }

  /// `null` is the same as no field.
  @Test func nullIsNoValue() throws {
    #expect(try NDEFRecord(fields: ["payload": .null, "uri": "a:b"]) == .uri("a:b"))
    #expect(try NDEFRecord(fields: ["tnf": .null, "text": "a"]) == .text("a"))
    let network: NDEFFields = [
      "ssid": "a", "networkKey": "12345678", "authentication": .null, "encryption": .null,
      "credentials": .null,
    ]
    #expect(
      try NDEFRecord(fields: ["wifi": .fields(network)]) == .wiFi(ssid: "a", key: "12345678"))
    let card = try VCardRecord(
      NDEFRecord(fields: [
        "vCard": .fields(["name": .list(["Doe", "Jane"]), "formattedName": .null])
      ]))
    #expect(card.formattedName == "Jane Doe")
  }

  /// A combining character after the colon of a property belongs to the value.
  @Test func namesThatBeginWithACombiningCharacter() throws {
    let name = "\u{301}a"
    let card = try VCardRecord(
      NDEFRecord(fields: [
        "vCard": .fields(["name": .list(["Doe", "Jane"]), "formattedName": .text(name)])
      ]))
    #expect(card.name == ["Doe", "Jane"])
    #expect(card.formattedName == name)
    let parts = try VCardRecord(NDEFRecord(fields: ["vCard": .fields(["name": .text(name)])]))
    #expect(parts.name == [name])
    #expect(parts.formattedName == name)
  }

  /// Foundation writes 2.0 as 2.
  @Test func wholeNumbersAgreeWithOthers() throws {
    var payload = [UInt8](repeating: 0, count: 0xD8)
    payload.replaceSubrange(0..<2, with: [0x07, 0xD2])
    payload.replaceSubrange(0x8C..<0x8E, with: [0x07, 0xD0])
    let record = NDEFRecord.media("application/opentag3d", payload)
    let text = try JSONEncoder().encode(record)
    #expect(try JSONDecoder().decode(NDEFRecord.self, from: text) == record)
    #expect(try NDEFMessage(json: Array(text)).records == [record])
  }

  /// A title for each of many languages is checked in a time that grows with their number.
  @Test func manyTitles() throws {
    let titles = (0..<3000).map { number in
      NDEFFieldValue.fields(["text": "a", "language": .text("x-\(number)")])
    }
    let record = try NDEFRecord(fields: [
      "smartPoster": .fields(["uri": "a:b", "titles": .list(titles)])
    ])
    #expect(try SmartPosterRecord(record).titles.count == 3000)
  }

  // MARK: Bluetooth data

  /// A value that is too long is cut off, and the record can be read again.
  @Test func bluetoothDataIsCutOffBetweenItsParts() throws {
    let address = try #require(BluetoothAddress([1, 2, 3, 4, 5, 6]))
    let name = String(repeating: "€", count: 100)
    let record = BluetoothRecord(address: address, name: name)
    #expect(try BluetoothRecord(record.record).data.localName == String(name.prefix(84)))
    let le = BluetoothLERecord(address: address, role: .central, name: name)
    #expect(try BluetoothLERecord(le.record).data.localName == String(name.prefix(84)))
    var services = BluetoothRecord(address: address)
    services.data[.completeServiceUUIDs128] = [UInt8](repeating: 1, count: 20 * 16)
    services.data[.completeServiceUUIDs32] = [UInt8](repeating: 2, count: 100 * 4)
    #expect(try BluetoothRecord(services.record).data.serviceUUIDs.count == 15 + 63)
    var large = BluetoothRecord(address: address)
    let structure = BluetoothData.Structure(.manufacturerSpecific, Array(repeating: 7, count: 254))
    large.data.structures = Array(repeating: structure, count: 300)
    #expect(try BluetoothRecord(large.record).data.structures.count == 255)
  }
}
