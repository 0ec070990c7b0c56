/// The MIFARE application directory (MAD), which assigns sectors to applications.
///
/// Version 1 is blocks 1 and 2 of sector 0, for sectors 1 to 15. Version 2 adds blocks 0 to 2 of sector
/// 16, for sectors 17 to 39.
///
/// Source: NXP AN10787, MIFARE Application Directory (MAD), 3.
public struct MiFareApplicationDirectory: Hashable, Sendable {
  /// A two-byte application identifier: function cluster code and application code.
  public struct ApplicationIdentifier: Hashable, Sendable {
    /// The function cluster code: the kind of application (AN10787, annex C).
    public var functionCluster: UInt8
    /// The application code within the cluster.
    public var applicationCode: UInt8

    /// Creates an identifier of these codes.
    public init(functionCluster: UInt8, applicationCode: UInt8) {
      self.functionCluster = functionCluster
      self.applicationCode = applicationCode
    }

    /// The sector is free.
    public static let free = ApplicationIdentifier(functionCluster: 0x00, applicationCode: 0x00)
    /// The sector does not exist on this card.
    public static let notApplicable = ApplicationIdentifier(
      functionCluster: 0x00, applicationCode: 0x05)
    /// An NFC sector: `03 E1` in the byte order of the directory (AN1304, 4.1).
    public static let ndef = ApplicationIdentifier(functionCluster: 0xE1, applicationCode: 0x03)
  }

  /// The two parts of the directory.
  public enum Part: Hashable, Sendable, CaseIterable {
    /// Version 1, in sector 0.
    case first
    /// Version 2, in sector 16.
    case second

    /// The sector that contains it.
    public var sector: Int { self == .first ? 0 : 16 }
    /// The sectors that it describes.
    public var describedSectors: Range<Int> { self == .first ? 1..<16 : 17..<40 }
    /// The blocks that contain it.
    public var blocks: Range<Int> { self == .first ? 1..<3 : 64..<67 }
    /// The bytes of those blocks.
    var size: Int { blocks.count * MiFareClassicGeometry.blockSize }
  }

  /// The part of the directory.
  public let part: Part
  /// The sector of the card's publisher; 0 for none.
  public var publisherSector: Int
  /// An identifier for each of ``Part/describedSectors``, in order.
  public var identifiers: [ApplicationIdentifier]

  /// The low six bits of the info byte.
  private static let publisherMask: UInt8 = 0x3F

  /// Creates a directory that assigns all sectors of the card to NFC.
  public init(ndefOn geometry: MiFareClassicGeometry, part: Part) {
    self.part = part
    publisherSector = 1
    identifiers = part.describedSectors.map {
      $0 < geometry.sectorCount ? .ndef : .notApplicable
    }
  }

  /// Parses the blocks of a part.
  ///
  /// - Throws: ``NFCError/Code/malformedContent`` for a wrong size or checksum.
  public init(_ bytes: [UInt8], part: Part) throws {
    guard bytes.count == part.size else {
      throw NFCError(
        .malformedContent, "the directory has \(part.size) bytes, not \(bytes.count)",
        place: .sector(part.sector))
    }
    guard bytes[0] == Self.check(bytes.dropFirst()) else {
      throw NFCError(
        .malformedContent, "the checksum of the application directory is wrong", cause: .checksum,
        place: .sector(part.sector))
    }
    self.part = part
    publisherSector = Int(bytes[1] & Self.publisherMask)
    identifiers = part.describedSectors.indices.map { sector in
      let index = 2 * (sector - part.describedSectors.lowerBound + 1)
      return ApplicationIdentifier(
        functionCluster: bytes[index + 1], applicationCode: bytes[index])
    }
  }

  /// The blocks of the part: checksum, info byte, identifiers with the application code first.
  public var bytes: [UInt8] {
    var content = [UInt8(truncatingIfNeeded: publisherSector) & Self.publisherMask]
    for index in part.describedSectors.indices {
      let position = index - part.describedSectors.lowerBound
      let identifier = position < identifiers.count ? identifiers[position] : .free
      content += [identifier.applicationCode, identifier.functionCluster]
    }
    return [Self.check(content)] + content
  }

  /// Returns the sectors of an application, in order.
  public func sectors(of identifier: ApplicationIdentifier) -> [Int] {
    zip(part.describedSectors, identifiers).filter { $0.1 == identifier }.map { $0.0 }
  }

  /// Returns the 8-bit checksum of the following bytes: x⁸+x⁴+x³+x²+1, initial value C7 (AN10787,
  /// 3.7, which writes it as E3 in the bit order of the reader chip).
  package static func check(_ bytes: some Sequence<UInt8>) -> UInt8 {
    bytes.reduce(0xC7) { register, byte in
      (0..<8).reduce(register ^ byte) { value, _ in
        value & 0x80 != 0 ? value << 1 ^ 0x1D : value << 1
      }
    }
  }
}

extension MiFareApplicationDirectory {
  /// The general purpose byte of sector 0: DA, MA and the version (AN10787, 3.3).
  enum GeneralPurposeByte {
    private static let available: UInt8 = 0x80
    private static let multipleApplications: UInt8 = 0x40
    private static let versionMask: UInt8 = 0x03

    /// Returns a card for several applications with a directory of this version.
    static func byte(version: Int) -> UInt8 {
      available | multipleApplications | UInt8(truncatingIfNeeded: version) & versionMask
    }

    /// Returns 1 or 2; `nil` if there is no directory.
    static func version(of byte: UInt8) -> Int? {
      guard byte & available != 0 else { return nil }
      let version = Int(byte & versionMask)
      return version == 1 || version == 2 ? version : nil
    }
  }
}
