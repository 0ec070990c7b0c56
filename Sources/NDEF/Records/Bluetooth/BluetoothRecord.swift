/// How to pair with a Bluetooth BR/EDR device: the media type `application/vnd.bluetooth.ep.oob`.
///
/// Source: NFC Forum and Bluetooth SIG, Bluetooth Secure Simple Pairing Using NFC 1.2; Bluetooth
/// Core Specification, volume 3 part C, 5.2.2.7.
public struct BluetoothRecord: NDEFTypedRecord {
  /// The device's address.
  public var address: BluetoothAddress
  /// What else is told of the device: name, class, services, hash and randomizer.
  public var data: BluetoothData
  public var identifier: [UInt8]

  /// The record of a device.
  public init(
    address: BluetoothAddress, data: BluetoothData = BluetoothData(), identifier: [UInt8] = []
  ) {
    self.address = address
    self.data = data
    self.identifier = identifier
  }

  /// The record of a device with its complete name.
  public init(address: BluetoothAddress, name: String) {
    self.init(
      address: address, data: BluetoothData([.init(.completeLocalName, Array(name.utf8))]))
  }

  private static let mediaType = "application/vnd.bluetooth.ep.oob"

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.media, mediaType)
  }

  /// Reads the device.
  ///
  /// - Throws: ``NDEFError``: a length other than the payload's, a structure beyond the end or of a
  ///   length that its type does not have.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    let length = Int(try reader.readLittleEndian16("OOB data length"))
    guard length == record.payload.count else {
      throw NDEFError(
        .invalidValue, offset: 0,
        reason: "the OOB data length is \(length) in a payload of \(record.payload.count) bytes")
    }
    let address = try BluetoothAddress(&reader)
    self.init(
      address: address, data: try BluetoothData(&reader), identifier: record.identifier)
  }

  public var record: NDEFRecord {
    let structures = data.encoded()
    let headerLength = 2 + BluetoothAddress.length
    var payload: [UInt8] = []
    payload.appendLittleEndian(UInt16(clamping: headerLength + structures.count))
    payload += address.littleEndian
    payload += structures.prefix(Int(UInt16.max) - headerLength)
    return NDEFRecord(
      typeNameFormat: .media, type: Self.mediaType, identifier: identifier, payload: payload)
  }

  public var description: String {
    data.localName.map { "Bluetooth \($0) (\(address))" } ?? "Bluetooth \(address)"
  }

  public func encodeFields(to container: inout KeyedEncodingContainer<NDEFRecord.FieldKey>) throws {
    try container.encode(Fields(self), forKey: "bluetooth")
  }

  private struct Fields: Encodable {
    let address: String
    let name: String?
    let classOfDevice: UInt32?
    let services: [String]

    init(_ record: BluetoothRecord) {
      address = record.address.description
      name = record.data.localName
      classOfDevice = record.data.classOfDevice
      services = record.data.serviceUUIDs.map(\.description)
    }
  }
}
