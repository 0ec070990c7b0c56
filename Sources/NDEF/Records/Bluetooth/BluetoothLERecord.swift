/// The data for pairing with a Bluetooth LE device: the media type
/// `application/vnd.bluetooth.le.oob`.
///
/// The specification requires the address and the role; a record without them can be read, too.
/// Source: NFC Forum and Bluetooth SIG, Bluetooth Secure Simple Pairing Using NFC 1.2.
public struct BluetoothLERecord: NDEFTolerantRecord {
  /// The role of a device in a connection (Supplement to the Core Specification, part A, 1.17).
  public enum Role: UInt8, Hashable, Sendable, CaseIterable {
    /// Peripheral only.
    case peripheral = 0x00
    /// Central only.
    case central = 0x01
    /// Both, peripheral preferred.
    case peripheralPreferred = 0x02
    /// Both, central preferred.
    case centralPreferred = 0x03

    /// The name of the case.
    var name: String { "\(self)" }
  }

  /// What the record contains about the device.
  public var data: BluetoothData
  public var identifier: [UInt8]

  /// Creates the record of a device.
  public init(data: BluetoothData, identifier: [UInt8] = []) {
    self.data = data
    self.identifier = identifier
  }

  /// Creates the record of a device with its address, role and name.
  public init(
    address: BluetoothAddress, isRandomAddress: Bool = false, role: Role, name: String? = nil
  ) {
    var data = BluetoothData()
    data[.leDeviceAddress] = address.littleEndian + [isRandomAddress ? Self.randomAddress : 0]
    data[.leRole] = [role.rawValue]
    data[.completeLocalName] = name.map { Array($0.utf8) }
    self.init(data: data)
  }

  /// The bit after the address that indicates a random address (Supplement, part A, 1.16).
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

  /// The role of the device in a connection.
  public var role: Role? { data[.leRole]?.first.flatMap(Role.init(rawValue:)) }

  private static let mediaType = "application/vnd.bluetooth.le.oob"

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.media, mediaType)
  }

  /// Reads the device; leniently, a structure with a wrong length is left out, and so are a reserved role and the
  /// reserved bits of the address type.
  ///
  /// - Throws: ``NDEFError`` for a structure that exceeds the payload, or whose length is wrong for
  ///   its type, and for reserved values.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    self.init(
      data: try BluetoothData(&reader, tolerance: &tolerance), identifier: record.identifier)
    if let flags = data[.leDeviceAddress]?.dropFirst(BluetoothAddress.length).first,
      let reserved = NDEFError.reservedBits(
        "the address type", flags, known: Self.randomAddress,
        offset: data.offset(of: .leDeviceAddress) + BluetoothAddress.length)
    {
      try tolerance.report(reserved)
    }
    if let value = data[.leRole]?.first, role == nil {
      try tolerance.report(.reserved("the role", "\(value)", offset: data.offset(of: .leRole)))
    }
  }

  public var record: NDEFRecord {
    NDEFRecord(
      typeNameFormat: .media, type: Self.mediaType, identifier: identifier,
      payload: data.encoded())
  }

  public var description: String {
    let type = isRandomAddress ? ", random" : ""
    let parts = [data.localName, address.map { "(\($0)\(type))" }].compactMap(\.self)
    return (["Bluetooth LE"] + parts).joined(separator: " ")
  }

  public static let fieldNames = ["bluetoothLE"]

  public var fields: NDEFFields {
    [
      "bluetoothLE": .fields([
        "address": address.map { .text($0.description) },
        "addressType": address.map { _ in isRandomAddress ? "random" : "public" },
        "role": role.map { .text($0.name) }, "name": data.localName.map { .text($0) },
        "appearance": data.appearance.map { .integer(Int64($0)) },
        "services": .list(data.serviceUUIDs.map { .text($0.description) }),
        "otherData": data.otherData(than: [.leDeviceAddress, .leRole, .appearance]),
      ])
    ]
  }

  /// Reads `{"bluetoothLE":{"address":"…","role":"peripheral","name":"…"}}`; `role` is `peripheral`
  /// by default, and `addressType` is `public`. `otherData` has the structures without a field of their own.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("bluetoothLE") else { return nil }
    do throws(NDEFFieldError) {
      let addressType = try content.choice("addressType", ["public", "random"]) ?? "public"
      let role = try content.choice("role", Role.allCases.map(\.name))
      self.init(
        address: try BluetoothAddress(fields: content), isRandomAddress: addressType == "random",
        role: Role.allCases.first { $0.name == role } ?? .peripheral)
      try data.setLocalName(content)
      if let appearance = try content.integer("appearance", as: UInt16.self) {
        var value: [UInt8] = []
        value.appendLittleEndian(appearance)
        data[.appearance] = value
      }
      try data.setServiceUUIDs(content)
      try data.appendOtherData(content)
    } catch {
      throw error.within(.name("bluetoothLE"))
    }
  }
}

extension NDEFRecord {
  /// Returns the record that a Bluetooth LE device is found and paired with.
  public static func bluetoothLE(
    _ address: BluetoothAddress, isRandomAddress: Bool = false,
    role: BluetoothLERecord.Role = .peripheral, name: String? = nil
  ) -> NDEFRecord {
    BluetoothLERecord(
      address: address, isRandomAddress: isRandomAddress, role: role, name: name
    ).record
  }
}
