/// The capability container of an NFC Forum Type 5 tag, in block 0 and the following ones (Type 5
/// Tag 1.0, 4.3.1).
package struct Type5CapabilityContainer: Hashable, Sendable {
  /// Block numbers have two bytes.
  package var isWide: Bool
  /// 1.0 is 4.
  package var version: UInt8
  /// Two bits: 0 always, 2 proprietary, 3 never.
  package var readAccess: UInt8
  package var writeAccess: UInt8
  /// The length of the area in units of 8 bytes.
  package var areaUnits: Int
  package var features: Features
  /// 4 or 8 bytes.
  package var length: Int

  package struct Features: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let readMultipleBlocks = Features(rawValue: 0x01)
    /// The area is larger than its length says (ST and Android, with the length FF).
    package static let largerMemory = Features(rawValue: 0x04)
    package static let lockBlock = Features(rawValue: 0x08)
    /// Writes and locks need the option flag.
    package static let specialFrame = Features(rawValue: 0x10)
  }

  static let narrowMagic: UInt8 = 0xE1
  static let wideMagic: UInt8 = 0xE2
  /// Version 1.0, everything open.
  static let version10: UInt8 = 0x40
  static let accessNever: UInt8 = 0x03
  static let unit = 8
  /// The position of the access bits; the features follow.
  static let accessIndex = 1
  static let featuresIndex = 3
  static let shortLength = 4
  static let longLength = 8
  /// The maximum length of the area with a container of four bytes, in units.
  static let largestShortArea = 0xFF

  package init(
    isWide: Bool = false, areaUnits: Int, features: Features, writeAccess: UInt8 = 0
  ) {
    self.isWide = isWide
    version = Self.version10 >> 4
    readAccess = 0
    self.writeAccess = writeAccess
    self.areaUnits = areaUnits
    self.features = features
    length = areaUnits > Self.largestShortArea ? Self.longLength : Self.shortLength
  }

  /// Returns whether a container that begins with these bytes has eight of them.
  static func isLong(_ start: [UInt8]) -> Bool {
    start.count > 2 && (start[0] == narrowMagic || start[0] == wideMagic) && start[2] == 0
  }

  /// Parses the beginning of a tag's memory; `nil` if it does not contain a container of version 1.
  ///
  /// - Throws: `malformedContent` if the container is longer than the bytes.
  package init?(decoding bytes: [UInt8]) throws {
    guard let magic = bytes.first else { return nil }
    guard magic == Self.narrowMagic || magic == Self.wideMagic else { return nil }
    guard bytes.count >= Self.shortLength else { throw Self.cutOff }
    isWide = magic == Self.wideMagic
    version = bytes[1] >> 4
    readAccess = bytes[1] >> 2 & 0x03
    writeAccess = bytes[1] & 0x03
    features = Features(rawValue: bytes[3])
    guard version >> 2 == 1 else { return nil }
    if bytes[2] == 0 {
      guard bytes.count >= Self.longLength else { throw Self.cutOff }
      length = Self.longLength
      areaUnits = Int(bytes[6]) << 8 | Int(bytes[7])
    } else {
      length = Self.shortLength
      areaUnits = Int(bytes[2])
    }
  }

  private static var cutOff: NFCError {
    NFCError(.malformedContent, "the capability container is cut off", place: .offset(0))
  }

  package var encoded: [UInt8] {
    let access = version << 4 | readAccess << 2 | writeAccess
    let head: [UInt8] = [isWide ? Self.wideMagic : Self.narrowMagic, access]
    guard length == Self.longLength else {
      return head + [UInt8(truncatingIfNeeded: areaUnits), features.rawValue]
    }
    return head + [
      0, features.rawValue, 0, 0, UInt8(truncatingIfNeeded: areaUnits >> 8),
      UInt8(truncatingIfNeeded: areaUnits),
    ]
  }

  /// Returns the end of the area, counted from the beginning of the memory.
  ///
  /// - Parameter memorySize: the number of the tag's bytes, `nil` if not known.
  func areaEnd(memorySize: Int?) -> Int {
    let stated = areaUnits * Self.unit
    guard let memorySize else { return length + stated }
    if features.contains(.largerMemory), areaUnits == Self.largestShortArea {
      return memorySize
    }
    // Android counts the container in.
    if stated >= memorySize { return length + max(0, memorySize - Self.unit) }
    return min(memorySize, length + stated)
  }
}
