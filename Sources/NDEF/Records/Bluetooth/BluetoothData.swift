/// A list of Bluetooth data structures: extended inquiry response or advertising data.
///
/// Source: Bluetooth Core Specification, volume 3 part C, 8 (EIR) and 11 (AD); the types and their
/// values: Supplement to the Core Specification, part A; the numbers: Bluetooth Assigned Numbers.
public struct BluetoothData: Hashable, Sendable {
  /// The type of a structure.
  public struct DataType: RawRepresentable, Hashable, Sendable {
    /// The number in the record.
    public let rawValue: UInt8

    /// Creates a type from its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Flags: the discoverable mode, and which of LE and BR/EDR are supported.
    public static let flags = DataType(rawValue: 0x01)
    /// Some of the services, with UUIDs of 16 bits.
    public static let incompleteServiceUUIDs16 = DataType(rawValue: 0x02)
    /// All services with UUIDs of 16 bits.
    public static let completeServiceUUIDs16 = DataType(rawValue: 0x03)
    /// Some of the services, with UUIDs of 32 bits.
    public static let incompleteServiceUUIDs32 = DataType(rawValue: 0x04)
    /// All services with UUIDs of 32 bits.
    public static let completeServiceUUIDs32 = DataType(rawValue: 0x05)
    /// Some of the services, with UUIDs of 128 bits.
    public static let incompleteServiceUUIDs128 = DataType(rawValue: 0x06)
    /// All services with UUIDs of 128 bits.
    public static let completeServiceUUIDs128 = DataType(rawValue: 0x07)
    /// The beginning of the name, in UTF-8.
    public static let shortenedLocalName = DataType(rawValue: 0x08)
    /// The complete name, in UTF-8.
    public static let completeLocalName = DataType(rawValue: 0x09)
    /// Class of Device, 3 bytes.
    public static let classOfDevice = DataType(rawValue: 0x0D)
    /// Simple Pairing Hash C-192, 16 bytes.
    public static let simplePairingHash192 = DataType(rawValue: 0x0E)
    /// Simple Pairing Randomizer R-192, 16 bytes.
    public static let simplePairingRandomizer192 = DataType(rawValue: 0x0F)
    /// Security Manager TK Value, 16 bytes.
    public static let securityManagerTKValue = DataType(rawValue: 0x10)
    /// Security Manager Out of Band Flags, 1 byte.
    public static let securityManagerOutOfBandFlags = DataType(rawValue: 0x11)
    /// Appearance, 2 bytes.
    public static let appearance = DataType(rawValue: 0x19)
    /// LE Bluetooth Device Address: 6 bytes, and 1 that indicates whether it is random.
    public static let leDeviceAddress = DataType(rawValue: 0x1B)
    /// LE Role, 1 byte.
    public static let leRole = DataType(rawValue: 0x1C)
    /// Simple Pairing Hash C-256, 16 bytes.
    public static let simplePairingHash256 = DataType(rawValue: 0x1D)
    /// Simple Pairing Randomizer R-256, 16 bytes.
    public static let simplePairingRandomizer256 = DataType(rawValue: 0x1E)
    /// LE Secure Connections Confirmation Value, 16 bytes.
    public static let leSecureConnectionsConfirmation = DataType(rawValue: 0x22)
    /// LE Secure Connections Random Value, 16 bytes.
    public static let leSecureConnectionsRandom = DataType(rawValue: 0x23)
    /// Manufacturer Specific Data: the company's identifier, 2 bytes, then any bytes.
    public static let manufacturerSpecific = DataType(rawValue: 0xFF)

    /// The number of bytes in a value, if it is fixed.
    var fixedLength: Int? {
      switch self {
      case .securityManagerOutOfBandFlags, .leRole: 1
      case .appearance: 2
      case .classOfDevice: 3
      case .leDeviceAddress: BluetoothAddress.length + 1
      case .simplePairingHash192, .simplePairingRandomizer192, .securityManagerTKValue,
        .simplePairingHash256, .simplePairingRandomizer256, .leSecureConnectionsConfirmation,
        .leSecureConnectionsRandom:
        16
      default: nil
      }
    }

    /// The number of bytes in a UUID of the list, if the type is a list of service UUIDs.
    var uuidLength: Int? {
      switch self {
      case .incompleteServiceUUIDs16, .completeServiceUUIDs16: 2
      case .incompleteServiceUUIDs32, .completeServiceUUIDs32: 4
      case .incompleteServiceUUIDs128, .completeServiceUUIDs128: 16
      default: nil
      }
    }

    /// Throws if a value of this type cannot have the given length.
    func check(_ value: ArraySlice<UInt8>) throws(NDEFError) {
      if let fixedLength { try value.expectCount(fixedLength, "Bluetooth structure") }
      if let uuidLength, !value.count.isMultiple(of: uuidLength) {
        throw NDEFError(
          .invalidValue, offset: value.startIndex,
          reason: "a list of UUIDs of \(uuidLength) bytes has \(value.count) bytes")
      }
    }
  }

  /// A structure of the list.
  public struct Structure: Hashable, Sendable {
    /// The type of the value.
    public var type: DataType
    /// The value, at most 254 bytes, with numbers in little-endian order.
    public var value: [UInt8]

    /// Creates a structure with a value.
    public init(_ type: DataType, _ value: [UInt8]) {
      self.type = type
      self.value = value
    }
  }

  /// The structures in their order.
  public var structures: [Structure]

  /// Creates a list of structures.
  public init(_ structures: [Structure] = []) {
    self.structures = structures
  }

  /// The maximum length of a value: its length and that of the type share one byte.
  static let maximumValueLength = Int(UInt8.max) - 1

  /// Reads structures; a structure of length 0 ends the list, and only zeros may follow it.
  ///
  /// Leniently, a structure with a wrong length is left out, and one that exceeds the payload ends
  /// the list.
  init(_ reader: inout ByteReader, tolerance: inout NDEFTolerance) throws(NDEFError) {
    structures = []
    while !reader.isAtEnd {
      let structure: (type: DataType, value: ArraySlice<UInt8>)
      do throws(NDEFError) {
        guard let next = try Self.readStructure(&reader) else { return }
        structure = next
      } catch {
        try tolerance.report(error)
        return
      }
      do throws(NDEFError) {
        try structure.type.check(structure.value)
        structures.append(Structure(structure.type, Array(structure.value)))
      } catch {
        try tolerance.report(error)
      }
    }
  }

  /// Reads one structure; `nil` at the end of the list.
  private static func readStructure(
    _ reader: inout ByteReader
  ) throws(NDEFError) -> (type: DataType, value: ArraySlice<UInt8>)? {
    let length = Int(try reader.readByte("structure length"))
    guard length > 0 else {
      let padding = reader.readRest()
      guard let data = padding.firstIndex(where: { $0 != 0 }) else { return nil }
      throw NDEFError(
        .trailingData, offset: data, reason: "data follows the last Bluetooth structure")
    }
    let type = DataType(rawValue: try reader.readByte("structure type"))
    return (type, try reader.readBytes(length - 1, "Bluetooth structure"))
  }

  /// Returns the structures in their order. Of a value that is too long, as much is written as fits without splitting a
  /// character of a name or a UUID of a list.
  ///
  /// - Parameter maximumLength: the number of bytes after which structures are left out.
  func encoded(maximumLength: Int = .max) -> [UInt8] {
    var bytes: [UInt8] = []
    for structure in structures {
      let value =
        switch structure.type {
        case .completeLocalName, .shortenedLocalName:
          structure.value.utf8Prefix(Self.maximumValueLength)
        default:
          structure.value.prefix(
            Self.maximumValueLength - Self.maximumValueLength % (structure.type.uuidLength ?? 1))
        }
      guard bytes.count + 2 + value.count <= maximumLength else { break }
      bytes.append(UInt8(clamping: value.count + 1))
      bytes.append(structure.type.rawValue)
      bytes.append(contentsOf: value)
    }
    return bytes
  }

  /// The maximum length of a device's name in bytes (Core Specification, volume 3 part C, 3.2.2).
  private static let maximumNameLength = 248

  /// Checks that a text can be the name of a device.
  ///
  /// - Throws: ``NDEFSyntaxError`` for more than 248 bytes of UTF-8.
  public static func validate(name: String) throws(NDEFSyntaxError) {
    guard name.utf8.count <= maximumNameLength else {
      throw NDEFSyntaxError(
        "a Bluetooth device's name has at most \(maximumNameLength) bytes, this one "
          + "\(name.utf8.count)")
    }
  }

  /// The value of the first structure of a type. Setting a value replaces that structure or adds
  /// one; setting `nil` removes all structures of the type.
  public subscript(type: DataType) -> [UInt8]? {
    get { structures.first { $0.type == type }?.value }
    set {
      guard let newValue else { return structures.removeAll { $0.type == type } }
      if let index = structures.firstIndex(where: { $0.type == type }) {
        structures[index].value = newValue
      } else {
        structures.append(Structure(type, newValue))
      }
    }
  }

  /// Returns the offset of the first value of a type in the payload, if nothing was left out before it.
  func offset(of type: DataType) -> Int {
    structures.prefix { $0.type != type }.reduce(2) { $0 + 2 + $1.value.count }
  }

  /// The complete name, or else the shortened one; bytes that are not UTF-8 are replaced by U+FFFD.
  public var localName: String? {
    (self[.completeLocalName] ?? self[.shortenedLocalName]).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The Class of Device, 24 bits.
  public var classOfDevice: UInt32? { littleEndian(.classOfDevice) }

  /// The appearance, such as 0x03C1 for a keyboard.
  public var appearance: UInt32? { littleEndian(.appearance) }

  /// The UUIDs of all services listed.
  public var serviceUUIDs: [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      guard let length = structure.type.uuidLength else { return [] }
      return stride(from: 0, to: structure.value.count, by: length).compactMap {
        BluetoothUUID(structure.value.dropFirst($0).prefix(length).reversed())
      }
    }
  }

  private func littleEndian(_ type: DataType) -> UInt32? {
    self[type]?.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// The UUID of a Bluetooth service, in its form of 2, 4 or 16 bytes.
public struct BluetoothUUID: Hashable, Sendable, CustomStringConvertible {
  /// The UUID, the most significant byte first.
  public let bytes: [UInt8]

  /// Creates a UUID from bytes, the most significant first; `nil` unless there are 2, 4 or 16.
  public init?(_ bytes: [UInt8]) {
    guard [2, 4, 16].contains(bytes.count) else { return nil }
    self.bytes = bytes
  }

  /// Four or eight digits, or the form with hyphens.
  public var description: String { bytes.count == 16 ? bytes.uuidDescription : bytes.hexadecimal }
}

extension [UInt8] {
  /// The digits, with hyphens after the fourth, sixth, eighth and tenth byte (RFC 9562, 4).
  var uuidDescription: String {
    var text = ""
    for (index, byte) in enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += [byte].hexadecimal
    }
    return text
  }
}
