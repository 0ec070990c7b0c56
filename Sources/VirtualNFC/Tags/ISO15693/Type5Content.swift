/// The first bytes of a chip that is formatted for NDEF (NFC Forum Type 5 Tag 1.0, 4.3).
struct Type5Content: Hashable, Sendable {
  /// The feature flags in the fourth byte of the capability container.
  struct Features: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    static let readMultipleBlocks = Features(rawValue: 0x01)
    static let lockBlock = Features(rawValue: 0x08)
    /// Writes and locks require the option flag.
    static let specialFrame = Features(rawValue: 0x10)
  }

  /// The capability container: four bytes, or eight for an area whose size does not fit into the third.
  private let container: [UInt8]
  private let areaSize: Int

  /// The unit of the area's size, in bytes.
  private static let unit = 8
  /// The first byte for block numbers of one byte, and for those of two.
  private static let (narrowMagic, wideMagic): (UInt8, UInt8) = (0xE1, 0xE2)
  /// Version 1.0; reading and writing are always allowed.
  private static let version10: UInt8 = 0x40

  /// - Parameter memorySize: the number of bytes for container and area.
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

  /// The content with an empty message.
  var empty: [UInt8] { container + MessageTLV.empty }

  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  func holding(_ message: [UInt8]) throws(VirtualTagError) -> [UInt8] {
    container + (try MessageTLV.bytes(message, room: areaSize))
  }
}
