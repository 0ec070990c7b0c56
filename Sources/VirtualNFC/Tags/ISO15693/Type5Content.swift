/// What stands at the beginning of a chip that is formatted for NDEF (NFC Forum Type 5 Tag 1.0, 4.3).
struct Type5Content: Hashable, Sendable {
  /// The fourth byte of the capability container.
  struct Features: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let readMultipleBlocks = Features(rawValue: 0x01)
    static let lockBlock = Features(rawValue: 0x08)
    /// Writes and locks need the option flag.
    static let specialFrame = Features(rawValue: 0x10)
  }

  /// Four bytes, or eight for an area that the third cannot count.
  private let container: [UInt8]
  private let areaSize: Int

  /// The area is counted in units of eight bytes.
  private static let unit = 8
  /// The first byte: block numbers of one byte, and of two.
  private static let (narrowMagic, wideMagic): (UInt8, UInt8) = (0xE1, 0xE2)
  /// Version 1.0; reading and writing always allowed.
  private static let version10: UInt8 = 0x40

  /// - Parameter memorySize: how many bytes container and area may take.
  init(memorySize: Int, isWide: Bool = false, features: Features) {
    let head = [isWide ? Self.wideMagic : Self.narrowMagic, Self.version10]
    let units = (memorySize - 4) / Self.unit
    if let length = UInt8(exactly: units) {
      container = head + [length, features.rawValue]
      areaSize = units * Self.unit
    } else {
      let units = UInt16(clamping: (memorySize - 8) / Self.unit)
      container = head + [0, features.rawValue, 0, 0, UInt8(units >> 8), UInt8(units & 0xFF)]
      areaSize = Int(units) * Self.unit
    }
  }

  /// An empty message.
  var empty: [UInt8] { container + MessageTLV.empty }

  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  func holding(_ message: [UInt8]) throws(VirtualTagError) -> [UInt8] {
    container + (try MessageTLV.bytes(message, room: areaSize))
  }
}
