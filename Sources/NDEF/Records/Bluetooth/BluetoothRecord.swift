/// The data for pairing with a Bluetooth BR/EDR device: the media type
/// `application/vnd.bluetooth.ep.oob`.
///
/// Source: NFC Forum and Bluetooth SIG, Bluetooth Secure Simple Pairing Using NFC 1.2; Bluetooth
/// Core Specification, volume 3 part C, 5.2.2.7.
public struct BluetoothRecord: NDEFTolerantRecord {
  /// The device's address.
  public var address: BluetoothAddress
  /// Other data about the device: name, class, services, hash and randomizer.
  public var data: BluetoothData
  public var identifier: [UInt8]

  /// Creates the record of a device.
  public init(
    address: BluetoothAddress, data: BluetoothData = BluetoothData(), identifier: [UInt8] = []
  ) {
    self.address = address
    self.data = data
    self.identifier = identifier
  }

  /// Creates the record of a device with its complete name.
  public init(address: BluetoothAddress, name: String) {
    self.init(
      address: address, data: BluetoothData([.init(.completeLocalName, Array(name.utf8))]))
  }

  private static let mediaType = "application/vnd.bluetooth.ep.oob"

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.media, mediaType)
  }

  /// Reads the device; leniently, a wrong length is ignored, and a structure with a wrong length is
  /// left out.
  ///
  /// - Throws: ``NDEFError`` for a length other than the payload's, for a structure that exceeds
  ///   the payload, or whose length is wrong for its type.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    let length = Int(try reader.readLittleEndian16("OOB data length"))
    if length != record.payload.count {
      try tolerance.report(
        NDEFError(
          .invalidValue, offset: 0,
          reason: "the OOB data length is \(length) in a payload of \(record.payload.count) bytes"))
    }
    let address = try BluetoothAddress(&reader)
    self.init(
      address: address, data: try BluetoothData(&reader, tolerance: &tolerance),
      identifier: record.identifier)
  }

  public var record: NDEFRecord {
    let headerLength = 2 + BluetoothAddress.length
    let structures = data.encoded(maximumLength: Int(UInt16.max) - headerLength)
    var payload: [UInt8] = []
    payload.appendLittleEndian(UInt16(clamping: headerLength + structures.count))
    payload += address.littleEndian
    payload += structures
    return NDEFRecord(
      typeNameFormat: .media, type: Self.mediaType, identifier: identifier, payload: payload)
  }

  public var description: String {
    data.localName.map { "Bluetooth \($0) (\(address))" } ?? "Bluetooth \(address)"
  }

  public static let fieldNames = ["bluetooth"]

  public var fields: NDEFFields {
    [
      "bluetooth": .fields([
        "address": .text(address.description), "name": data.localName.map { .text($0) },
        "classOfDevice": data.classOfDevice.map { .integer(Int64($0)) },
        "services": .list(data.serviceUUIDs.map { .text($0.description) }),
        "otherData": data.otherData(than: [.classOfDevice]),
      ])
    ]
  }

  /// Reads `{"bluetooth":{"address":"01:23:45:67:89:AB","name":"…"}}`; `otherData` has the structures without a field
  /// of their own.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("bluetooth") else { return nil }
    do throws(NDEFFieldError) {
      var data = BluetoothData()
      try data.setLocalName(content)
      try data.setClassOfDevice(content)
      try data.setServiceUUIDs(content)
      try data.appendOtherData(content)
      self.init(address: try BluetoothAddress(fields: content), data: data)
    } catch {
      throw error.within(.name("bluetooth"))
    }
  }
}

extension NDEFRecord {
  /// Returns the record that a Bluetooth BR/EDR device is found and paired with.
  public static func bluetooth(_ address: BluetoothAddress, name: String? = nil) -> NDEFRecord {
    var data = BluetoothData()
    data.setLocalName(name)
    return BluetoothRecord(address: address, data: data).record
  }
}
