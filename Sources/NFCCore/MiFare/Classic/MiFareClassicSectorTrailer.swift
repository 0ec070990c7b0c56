/// The last block of a sector: key A, access conditions, the general purpose byte, key B.
///
/// A value of this type always has valid access conditions. A trailer with broken ones would close
/// its sector permanently, and cannot be created with this type.
///
/// Source: MF1S50YYX data sheet, 8.6.3.
public struct MiFareClassicSectorTrailer: Hashable, Sendable {
  /// Key A. A trailer that was read from a card has zeros here.
  public var keyA: MiFareClassicKey
  /// The access conditions of the sector's blocks.
  public var accessConditions: MiFareClassicAccessConditions
  /// Byte 9, which applications may use; the application directory and NFC give it a meaning.
  public var generalPurposeByte: UInt8
  /// Key B, or data if the access conditions make it readable.
  public var keyB: MiFareClassicKey

  /// Creates a trailer.
  public init(
    keyA: MiFareClassicKey, accessConditions: MiFareClassicAccessConditions,
    generalPurposeByte: UInt8, keyB: MiFareClassicKey
  ) {
    self.keyA = keyA
    self.accessConditions = accessConditions
    self.generalPurposeByte = generalPurposeByte
    self.keyB = keyB
  }

  private static let accessBytes = 6..<9
  private static let generalPurposeIndex = 9

  /// Parses a trailer from a card or a dump. Keys that may not be read are zeros.
  ///
  /// - Throws: ``NFCError/Code/malformedContent`` for a size other than 16 or broken access bits.
  public init(_ block: [UInt8]) throws {
    guard block.count == MiFareClassicGeometry.blockSize,
      let keyA = MiFareClassicKey(block[..<MiFareClassicKey.size]),
      let keyB = MiFareClassicKey(block[10...])
    else {
      throw NFCError(
        .malformedContent, "a sector trailer has 16 bytes, not \(block.count)")
    }
    guard let conditions = MiFareClassicAccessConditions(bytes: block[Self.accessBytes]) else {
      throw NFCError(
        .malformedContent,
        "the access bits \(block[Self.accessBytes].hexadecimal) are broken and would permanently "
          + "close the sector")
    }
    self.init(
      keyA: keyA, accessConditions: conditions,
      generalPurposeByte: block[Self.generalPurposeIndex], keyB: keyB)
  }

  /// The 16 bytes of the block.
  public var bytes: [UInt8] {
    keyA.bytes + accessConditions.bytes + [generalPurposeByte] + keyB.bytes
  }
}
