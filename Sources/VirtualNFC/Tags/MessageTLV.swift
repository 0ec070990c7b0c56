import SwiftNFCCore

/// An NDEF message in a tag's data area: type, length, message, and a terminator unless the message fills
/// the area.
///
/// Source: NFC Forum Type 1 Tag Operation; Type 2 Tag, 4.4; Type 5 Tag 1.0, 4.3; NXP AN1304.
enum MessageTLV {
  private static let type: UInt8 = 0x03
  private static let terminator: UInt8 = 0xFE
  /// A length byte that announces two more, most significant byte first.
  private static let longLength: UInt8 = 0xFF
  private static let longestShortMessage = 0xFE
  private static let longestMessage = 0xFFFF

  static let empty: [UInt8] = [type, 0x00, terminator]

  /// Returns the maximum size of a message in bytes for an area of this size.
  static func capacity(room: Int) -> Int {
    max(0, min(room - 2, longestShortMessage), min(room - 4, longestMessage))
  }

  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  static func bytes(_ message: [UInt8], room: Int) throws(VirtualTagError) -> [UInt8] {
    let capacity = capacity(room: room)
    guard message.count <= capacity else { throw .messageTooLarge(capacity: capacity) }
    let length =
      message.count > longestShortMessage
      ? [longLength] + UInt16(message.count).bigEndianBytes : [UInt8(message.count)]
    let field = [type] + length + message
    return field + (field.count < room ? [terminator] : [])
  }

  /// Returns a complete area: the message or an empty one, followed by zeros.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  static func area(_ message: [UInt8], size: Int) throws(VirtualTagError) -> [UInt8] {
    padded(try bytes(message, room: size), to: size)
  }

  static func emptyArea(size: Int) -> [UInt8] { padded(empty, to: size) }

  private static func padded(_ bytes: [UInt8], to size: Int) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count))
  }
}
