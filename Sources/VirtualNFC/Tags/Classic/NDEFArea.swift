/// A tag's data area that holds one NDEF message TLV and a terminator, as Type 1 tags and MIFARE
/// Classic do.
///
/// Source: NFC Forum Type 1 Tag Operation; NXP AN1304.
enum NDEFArea {
  private static let messageTLV: UInt8 = 0x03
  private static let terminatorTLV: UInt8 = 0xFE
  /// A length byte that announces two more, most significant first.
  private static let longLength: UInt8 = 0xFF
  private static let longestShortMessage = 254

  /// The longest message that fits into an area of this many bytes.
  static func capacity(of size: Int) -> Int {
    max(0, max(min(size - 2, longestShortMessage), min(size - 4, 0xFFFF)))
  }

  /// The area's bytes with a message in it, zeros behind the terminator. The terminator is left out
  /// where the message fills the area.
  static func bytes(holding message: [UInt8], size: Int) throws(VirtualTagError) -> [UInt8] {
    let capacity = capacity(of: size)
    guard message.count <= capacity else { throw .messageTooLarge(capacity: capacity) }
    return filled(message, size: size)
  }

  /// The same without a message.
  static func empty(size: Int) -> [UInt8] { filled([], size: size) }

  private static func filled(_ message: [UInt8], size: Int) -> [UInt8] {
    var area: [UInt8] = [messageTLV]
    if message.count <= longestShortMessage {
      area.append(UInt8(truncatingIfNeeded: message.count))
    } else {
      area += [
        longLength, UInt8(truncatingIfNeeded: message.count >> 8),
        UInt8(truncatingIfNeeded: message.count),
      ]
    }
    area += message
    if area.count < size { area.append(terminatorTLV) }
    return area + [UInt8](repeating: 0, count: max(0, size - area.count))
  }
}
