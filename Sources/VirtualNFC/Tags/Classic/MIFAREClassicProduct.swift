extension MIFAREClassic {
  /// The members of the family, which differ in memory and in their answers to activation.
  @nonexhaustive
  public enum Product: Hashable, Sendable, CaseIterable {
    /// MF1S20: 320 bytes, 5 sectors.
    case mini
    /// MF1S50: 1024 bytes, 16 sectors.
    case oneK
    /// MF1S70: 4096 bytes, 32 sectors of 4 blocks and 8 of 16.
    case fourK

    /// The name for `nfc --virtual`.
    var name: String {
      switch self {
      case .mini: "classic-mini"
      case .oneK: "classic-1k"
      case .fourK: "classic-4k"
      }
    }

    /// The number of 16-byte blocks.
    var blockCount: Int {
      switch self {
      case .mini: 20
      case .oneK: 64
      case .fourK: 256
      }
    }

    /// The number of sectors.
    var sectorCount: Int {
      switch self {
      case .mini: 5
      case .oneK: 16
      case .fourK: 40
      }
    }

    /// Returns the ATQA in transmission order. Bits 7 and 8 indicate the size of the UID.
    ///
    /// Source: NXP AN10833, MIFARE type identification procedure.
    func atqa(uidCount: Int) -> [UInt8] {
      let type: UInt8 = self == .fourK ? 0x02 : 0x04
      return [uidCount == 7 ? type | 0x40 : type, 0x00]
    }

    /// The SAK.
    ///
    /// Source: NXP AN10833, MIFARE type identification procedure.
    var sak: UInt8 {
      switch self {
      case .mini: 0x09
      case .oneK: 0x08
      case .fourK: 0x18
      }
    }

    // MARK: Geometry

    static let blockSize = 16
    /// The block from which on sectors have sixteen blocks (MF1S70YYX data sheet).
    private static let firstBlockOfLargeSectors = 128
    private static let smallSectorCount = 32

    /// Returns the sector of a block. Every block number results in a sector.
    static func sector(ofBlock block: Int) -> Int {
      block < firstBlockOfLargeSectors
        ? block / 4 : smallSectorCount + (block - firstBlockOfLargeSectors) / 16
    }

    /// Returns the blocks of a sector; the last one is its trailer.
    static func blocks(ofSector sector: Int) -> Range<Int> {
      guard sector >= smallSectorCount else { return sector * 4..<sector * 4 + 4 }
      let first = firstBlockOfLargeSectors + (sector - smallSectorCount) * 16
      return first..<first + 16
    }

    static func trailer(ofSector sector: Int) -> Int { blocks(ofSector: sector).upperBound - 1 }

    /// Returns the group of access bits for a block: 0 to 2 for data, 3 for the trailer.
    static func accessGroup(ofBlock block: Int) -> Int {
      let blocks = blocks(ofSector: sector(ofBlock: block))
      let index = block - blocks.lowerBound
      return blocks.count == 4 ? index : index / 5
    }
  }

  /// The two keys of a sector.
  enum Key: Hashable, Sendable, CaseIterable {
    case a
    case b
  }
}
