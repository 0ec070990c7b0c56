/// The contents of a MIFARE Classic on delivery and when formatted as an NFC tag.
extension MIFAREClassic.Product {
  static let transportKey = [UInt8](repeating: 0xFF, count: 6)
  /// Key A of the sectors that hold a MIFARE application directory: public (NXP AN10787).
  static let applicationDirectoryKey: [UInt8] = [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5]
  /// Key A of the sectors that hold NDEF: public (NXP AN1304).
  static let ndefKey: [UInt8] = [0xD3, 0xF7, 0xD3, 0xF7, 0xD3, 0xF7]

  /// Access bits FF 07 80 and the byte after them, 69, as on chip delivery: key A allows everything, and
  /// key B is data (MF1S50YYX data sheet, 8.7.2).
  private static let transportConditions: [UInt8] = [0xFF, 0x07, 0x80, 0x69]
  /// Access bits 78 77 88: both keys read, key B writes (AN1304).
  private static let directoryConditions: [UInt8] = [0x78, 0x77, 0x88]
  /// Access bits 7F 07 88: both keys read and write, key B changes the trailer (AN1304).
  private static let ndefConditions: [UInt8] = [0x7F, 0x07, 0x88]
  /// General purpose byte of an NFC sector: mapping version 1.0, read and write (AN1304).
  private static let ndefGeneralPurposeByte: UInt8 = 0x40

  /// Returns the memory on delivery: all keys FFFFFFFFFFFF, transport access conditions, no data.
  func factoryImage(uid: [UInt8]) -> [UInt8] {
    var image = [UInt8](repeating: 0, count: blockCount * Self.blockSize)
    Self.put(manufacturerBlock(uid: uid), atBlock: 0, of: &image)
    for sector in 0..<sectorCount {
      Self.put(
        Self.transportKey + Self.transportConditions + Self.transportKey,
        atBlock: Self.trailer(ofSector: sector), of: &image)
    }
    return image
  }

  /// Returns the memory of an NFC tag, with the application directory in sector 0 (and 16) and the
  /// message in the sectors after it.
  ///
  /// Source: NXP AN1304 and AN1305, NFC Type MIFARE Classic Tag.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  func formattedImage(uid: [UInt8], message: [UInt8]) throws(VirtualTagError) -> [UInt8] {
    formattedImage(
      uid: uid,
      area: try MessageTLV.area(message, size: ndefBlocks.count * Self.blockSize))
  }

  /// Returns the memory of an NFC tag without a message.
  func emptyImage(uid: [UInt8]) -> [UInt8] {
    formattedImage(uid: uid, area: MessageTLV.emptyArea(size: ndefBlocks.count * Self.blockSize))
  }

  private func formattedImage(uid: [UInt8], area: [UInt8]) -> [UInt8] {
    var image = factoryImage(uid: uid)
    for (index, block) in ndefBlocks.enumerated() {
      let first = index * Self.blockSize
      Self.put(Array(area[first..<first + Self.blockSize]), atBlock: block, of: &image)
    }
    for sector in ndefSectors {
      Self.put(
        Self.ndefKey + Self.ndefConditions + [Self.ndefGeneralPurposeByte] + Self.transportKey,
        atBlock: Self.trailer(ofSector: sector), of: &image)
    }
    for directory in ApplicationDirectory.directories(of: self) {
      let blocks = Self.blocks(ofSector: directory.sector)
      for (block, bytes) in zip(blocks.suffix(directory.blocks.count + 1), directory.blocks) {
        Self.put(bytes, atBlock: block, of: &image)
      }
      Self.put(
        Self.applicationDirectoryKey + Self.directoryConditions
          + [directory.generalPurposeByte] + Self.transportKey,
        atBlock: Self.trailer(ofSector: directory.sector), of: &image)
    }
    return image
  }

  /// All sectors except those of the application directory.
  var ndefSectors: [Int] {
    (0..<sectorCount).filter { $0 != 0 && $0 != ApplicationDirectory.secondSector }
  }

  private var ndefBlocks: [Int] {
    ndefSectors.flatMap { Self.blocks(ofSector: $0).dropLast() }
  }

  /// Returns block 0: UID (a UID of four bytes with its check byte), SAK, ATQA. The manufacturer's data
  /// that follows has no published meaning; its values are those in dumps of NXP's cards, with a week and
  /// a year at the end.
  ///
  /// Source: MF1S50YYX data sheet, 8.6. The positions of SAK and ATQA are from dumps; the data sheet does
  /// not specify them.
  private func manufacturerBlock(uid: [UInt8]) -> [UInt8] {
    var block = uid
    if uid.count == 4 { block.append(uid.reduce(0, ^)) }
    block.append(sak)
    block += atqa(uidCount: uid.count)
    let data: [UInt8] = [0xC8, 0x18, 0x00, 0x20, 0x00, 0x00, 0x00, 0x18]
    return block + data.suffix(Self.blockSize - block.count)
  }

  static func put(_ bytes: [UInt8], atBlock block: Int, of image: inout [UInt8]) {
    let first = block * blockSize
    guard bytes.count == blockSize, block >= 0, first + blockSize <= image.count else { return }
    image.replaceSubrange(first..<first + blockSize, with: bytes)
  }
}

/// A MIFARE application directory that assigns all sectors to NFC.
///
/// Source: NXP AN10787, MIFARE Application Directory (MAD).
struct ApplicationDirectory: Hashable, Sendable {
  /// The sector of the second part, which MAD version 2 has.
  static let secondSector = 16

  /// The NFC application, function cluster E1 and application code 03, in the order of storage: code
  /// first.
  private static let nfc: [UInt8] = [0x03, 0xE1]
  /// The entry for a sector that does not exist on this card: cluster 00, code 05 (AN10787).
  private static let notApplicable: [UInt8] = [0x05, 0x00]
  /// The info byte: sector 1 is the card publisher's sector, as in AN1304's examples.
  private static let info: UInt8 = 0x01

  let sector: Int
  /// The blocks with CRC, info byte and the sectors' applications.
  let blocks: [[UInt8]]
  /// The general purpose byte. In sector 0: DA (a directory is present), MA (several applications), ADV
  /// (its version). In sector 16 it has no meaning (not confirmed).
  let generalPurposeByte: UInt8

  static func directories(of product: MIFAREClassic.Product) -> [ApplicationDirectory] {
    let isVersion2 = product.sectorCount > secondSector
    let first = ApplicationDirectory(
      sector: 0, described: 1...15, of: product, generalPurposeByte: isVersion2 ? 0xC2 : 0xC1)
    guard isVersion2 else { return [first] }
    return [
      first,
      ApplicationDirectory(
        sector: secondSector, described: 17...39, of: product, generalPurposeByte: 0),
    ]
  }

  private init(
    sector: Int, described sectors: ClosedRange<Int>, of product: MIFAREClassic.Product,
    generalPurposeByte: UInt8
  ) {
    self.sector = sector
    self.generalPurposeByte = generalPurposeByte
    let applications = sectors.flatMap { $0 < product.sectorCount ? Self.nfc : Self.notApplicable }
    let content = [Self.info] + applications
    let bytes = [Self.check(content)] + content
    blocks = stride(from: 0, to: bytes.count, by: 16).map { Array(bytes[$0..<$0 + 16]) }
  }

  /// Returns the 8-bit check of the info byte and the applications: x⁸+x⁴+x³+x²+1, initial value C7
  /// (AN10787, which writes it as E3 in the bit order of the reader chip).
  static func check(_ bytes: some Sequence<UInt8>) -> UInt8 {
    bytes.reduce(0xC7) { register, byte in
      (0..<8).reduce(register ^ byte) { value, _ in
        value & 0x80 != 0 ? value << 1 ^ 0x1D : value << 1
      }
    }
  }
}
