/// How to pair with a Bluetooth LE device: the media type `application/vnd.bluetooth.le.oob`.
///
/// The address and role must be there by the specification; a record without them is read all the
/// same. Source: NFC Forum and Bluetooth SIG, Bluetooth Secure Simple Pairing Using NFC 1.2.
public struct BluetoothLERecord: NDEFTypedRecord {
  /// Which side of a connection a device takes (Supplement to the Core Specification, part A, 1.17).
  public enum Role: UInt8, Hashable, Sendable {
    /// Peripheral only.
    case peripheral = 0x00
    /// Central only.
    case central = 0x01
    /// Both; rather peripheral.
    case peripheralPreferred = 0x02
    /// Both; rather central.
    case centralPreferred = 0x03

    /// The name of the case.
    var name: String { "\(self)" }
  }

  /// What is told of the device.
  public var data: BluetoothData
  public var identifier: [UInt8]

  /// The record of a device.
  public init(data: BluetoothData, identifier: [UInt8] = []) {
    self.data = data
    self.identifier = identifier
  }

  /// The record of a device with its address, role and name.
  public init(
    address: BluetoothAddress, isRandomAddress: Bool = false, role: Role, name: String? = nil
  ) {
    var data = BluetoothData()
    data[.leDeviceAddress] = address.littleEndian + [isRandomAddress ? Self.randomAddress : 0]
    data[.leRole] = [role.rawValue]
    data[.completeLocalName] = name.map { Array($0.utf8) }
    self.init(data: data)
  }

  /// The bit after the address that says that it is random (Supplement, part A, 1.16).
  private static let randomAddress: UInt8 = 0x01

  /// The device's address.
  public var address: BluetoothAddress? {
    data[.leDeviceAddress].flatMap {
      BluetoothAddress($0.prefix(BluetoothAddress.length).reversed())
    }
  }

  /// Whether the address is random rather than public.
  public var isRandomAddress: Bool {
    guard let flags = data[.leDeviceAddress]?.dropFirst(BluetoothAddress.length).first else {
      return false
    }
    return flags & Self.randomAddress != 0
  }

  /// Which side of a connection the device takes.
  public var role: Role? { data[.leRole]?.first.flatMap(Role.init(rawValue:)) }

  private static let mediaType = "application/vnd.bluetooth.le.oob"

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.media, mediaType)
  }

  /// Reads the device.
  ///
  /// - Throws: ``NDEFError``: a structure beyond the end or of a length that its type does not have.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    self.init(data: try BluetoothData(&reader), identifier: record.identifier)
  }

  public var record: NDEFRecord {
    NDEFRecord(
      typeNameFormat: .media, type: Self.mediaType, identifier: identifier,
      payload: data.encoded())
  }

  public var description: String {
    let parts = [data.localName, address.map { "(\($0))" }].compactMap(\.self)
    return (["Bluetooth LE"] + parts).joined(separator: " ")
  }

  public func encodeFields(to container: inout KeyedEncodingContainer<NDEFRecord.FieldKey>) throws {
    try container.encode(Fields(self), forKey: "bluetoothLE")
  }

  private struct Fields: Encodable {
    let address: String?
    let addressType: String?
    let role: String?
    let name: String?
    let appearance: UInt32?
    let services: [String]

    init(_ record: BluetoothLERecord) {
      address = record.address?.description
      addressType = record.address.map { _ in record.isRandomAddress ? "random" : "public" }
      role = record.role?.name
      name = record.data.localName
      appearance = record.data.appearance
      services = record.data.serviceUUIDs.map(\.description)
    }
  }
}
