/// The address of a Bluetooth device, 48 bits.
public struct BluetoothAddress: Hashable, Sendable {
  /// The number of bytes in an address.
  static let length = 6

  /// The address, the most significant byte first, as people write it.
  public let bytes: [UInt8]

  /// Creates an address from bytes, the most significant first; `nil` unless there are six.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// Parses an address such as `01:23:45:67:89:AB`.
  public init?(_ text: String) {
    guard let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(bytes)
  }

  /// Reads `address` of a Bluetooth record.
  init(fields: NDEFFields) throws(NDEFFieldError) {
    let text = try fields.requiredText("address")
    guard let address = BluetoothAddress(text) else {
      throw NDEFFieldError(
        [.name("address")],
        "\"\(text.escapingControls)\" is not an address such as 01:23:45:67:89:AB")
    }
    self = address
  }

  /// Reads an address from a payload, where the least significant byte comes first.
  init(_ reader: inout ByteReader) throws(NDEFError) {
    bytes = try reader.readBytes(Self.length, "Bluetooth address").reversed()
  }

  /// The bytes in the order of a payload.
  var littleEndian: [UInt8] { bytes.reversed() }
}

extension BluetoothAddress: CustomStringConvertible {
  /// The address with colons, such as `01:23:45:67:89:AB`.
  public var description: String {
    bytes.map { [$0].hexadecimal }.joined(separator: ":")
  }
}
