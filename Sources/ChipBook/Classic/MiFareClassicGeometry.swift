/// The structure of a MIFARE Classic's memory: blocks of 16 bytes in sectors, the last block of
/// each being its trailer.
///
/// Sources: NXP MF1S50YYX, MF1S70YYX and MF1S20 data sheets, 8.6; for 2K, the first half of a 4K
/// (AN10833; MIFARE Plus in security level 1).
public struct MiFareClassicGeometry: Hashable, Sendable {
  /// The size of a block in bytes.
  public static let blockSize = 16
  /// From this block on a sector has sixteen blocks.
  private static let firstBlockOfLargeSectors = 128
  private static let smallSectorCount = 32
  private static let smallSectorSize = 4
  private static let largeSectorSize = 16

  /// The number of sectors.
  public let sectorCount: Int

  private init(sectorCount: Int) { self.sectorCount = sectorCount }

  /// 320 bytes: 5 sectors.
  public static let mini = MiFareClassicGeometry(sectorCount: 5)
  /// 1024 bytes: 16 sectors.
  public static let oneK = MiFareClassicGeometry(sectorCount: 16)
  /// 2048 bytes: 32 sectors.
  public static let twoK = MiFareClassicGeometry(sectorCount: 32)
  /// 4096 bytes: 32 sectors of 4 blocks and 8 of 16.
  public static let fourK = MiFareClassicGeometry(sectorCount: 40)

  /// All members of the family.
  public static let all = [mini, oneK, twoK, fourK]

  /// Creates the geometry that a SAK indicates (AN10833, table 6); `nil` for any other card.
  public init?(sak: UInt8) {
    guard let kind = MiFareClassicKind(sak: sak) else { return nil }
    self = kind.geometry
  }

  /// Creates the geometry with this number of bytes; `nil` if there is none.
  public init?(memorySize: Int) {
    guard let geometry = Self.all.first(where: { $0.memorySize == memorySize }) else { return nil }
    self = geometry
  }

  /// The numbers of all sectors.
  public var sectors: Range<Int> { 0..<sectorCount }
  /// The number of blocks.
  public var blockCount: Int { blocks(ofSector: sectorCount - 1).upperBound }
  /// The size of the memory in bytes.
  public var memorySize: Int { blockCount * Self.blockSize }

  /// Returns the blocks of a sector; its trailer is the last of them.
  public func blocks(ofSector sector: Int) -> Range<Int> {
    guard sector >= Self.smallSectorCount else {
      let first = max(0, sector) * Self.smallSectorSize
      return first..<first + Self.smallSectorSize
    }
    let large = min(sector, 0xFFFF) - Self.smallSectorCount
    let first = Self.firstBlockOfLargeSectors + large * Self.largeSectorSize
    return first..<first + Self.largeSectorSize
  }

  /// Returns the blocks of a sector without its trailer; in sector 0 without the manufacturer's
  /// block.
  public func dataBlocks(ofSector sector: Int) -> Range<Int> {
    let blocks = blocks(ofSector: sector)
    return (sector == 0 ? 1 : blocks.lowerBound)..<blocks.upperBound - 1
  }

  /// Returns the number of a sector's trailer, its last block.
  public func trailer(ofSector sector: Int) -> Int { blocks(ofSector: sector).upperBound - 1 }

  /// Returns the sector that a block is in.
  public func sector(ofBlock block: Int) -> Int {
    block < Self.firstBlockOfLargeSectors
      ? max(0, block) / Self.smallSectorSize
      : Self.smallSectorCount + (block - Self.firstBlockOfLargeSectors) / Self.largeSectorSize
  }

  /// Returns whether a block is the trailer of its sector.
  public func isTrailer(_ block: Int) -> Bool { block == trailer(ofSector: sector(ofBlock: block)) }

  /// Returns the group of access bits that applies to a block: 0 to 2 for data, 3 for the trailer.
  /// In a large sector, a group of data is five blocks (MF1S70YYX data sheet, 8.7.1).
  public func accessGroup(ofBlock block: Int) -> Int {
    let blocks = blocks(ofSector: sector(ofBlock: block))
    let index = max(0, block) - blocks.lowerBound
    return blocks.count == Self.smallSectorSize ? index : index / 5
  }
}
