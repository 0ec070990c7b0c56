/// The structure of a MIFARE Classic's memory (MF1S50YYX and MF1S70YYX data sheets, 8.6).
enum ClassicLayout {
  static let blockSize = 16
  static let keyLength = 6
  private static let smallSectorCount = 32
  private static let firstLargeBlock = 128

  /// Mini, 1K, Plus 2K and 4K.
  static let blockCounts = [20, 64, 128, 256]

  /// A 1K of the generation EV1 as Proxmark3 stores it: after its 64 blocks, two sectors that only NXP writes, with
  /// the signature of the UID (client/src/cmdhfmf.c, `hf mf autopwn`; client/src/mifare/mifarehost.c,
  /// `read_mfc_ev1_signature`).
  static let blockCountWithSignature = 72
  private static let signature = 69 * blockSize..<71 * blockSize

  /// Returns an image of these blocks.
  static func image(_ bytes: [UInt8]) -> TagImage {
    guard bytes.count == blockCountWithSignature * blockSize else {
      return TagImage(.classic, unitSize: blockSize, bytes: bytes)
    }
    var image = TagImage(
      .classic, unitSize: blockSize, bytes: Array(bytes.prefix(64 * blockSize)))
    image.signature = BinaryFile.nonZero(Array(bytes[signature]))
    return image
  }

  static func image(_ memory: TagImage.Memory) -> TagImage {
    memory.unitCount == blockCountWithSignature
      ? image(memory.bytes) : TagImage(.classic, memory: memory)
  }

  static func sectorCount(blockCount: Int) -> Int {
    blockCount <= firstLargeBlock
      ? blockCount / 4 : smallSectorCount + (blockCount - firstLargeBlock) / 16
  }

  static func blocks(ofSector sector: Int) -> Range<Int> {
    guard sector >= smallSectorCount else { return sector * 4..<sector * 4 + 4 }
    let first = firstLargeBlock + (sector - smallSectorCount) * 16
    return first..<first + 16
  }

  static func isTrailer(_ block: Int) -> Bool {
    block < firstLargeBlock ? block % 4 == 3 : block % 16 == 15
  }

  /// Returns the position of key A, of the access bits with the byte after them, and of key B in
  /// the memory.
  static func trailer(ofSector sector: Int) -> (
    keyA: Range<Int>, access: Range<Int>, keyB: Range<Int>
  ) {
    let first = (blocks(ofSector: sector).upperBound - 1) * blockSize
    let access = first + keyLength..<first + blockSize - keyLength
    return (first..<access.lowerBound, access, access.upperBound..<first + blockSize)
  }

  /// Returns the UID in block 0: four bytes and their check byte, or seven if the ATQA after them
  /// indicates that. The position of SAK and ATQA is known from dumps of NXP's cards; Proxmark3
  /// (client/src/fileutils.c) uses it, too.
  static func identity(of block: [UInt8]) -> (uid: [UInt8], atqa: [UInt8], sak: UInt8)? {
    // Zeros indicate a block that was not read.
    guard block.count == blockSize, block.contains(where: { $0 != 0 }) else { return nil }
    let hasCheckByte = block.prefix(5).reduce(0, ^) == 0
    let looksLikeSeven = block[8] & 0xC0 == 0x40 && block[9] == 0
    if hasCheckByte, block[6] & 0xC0 == 0 || !looksLikeSeven {
      return (Array(block.prefix(4)), [block[7], block[6]], block[5])
    }
    guard looksLikeSeven else { return nil }
    return (Array(block.prefix(7)), [block[9], block[8]], block[7])
  }
}

extension TagImage {
  /// The memory with a sector's other key in place of an unknown one: this is what files without
  /// unknown bytes contain, following nfc-mfclassic and mfoc.
  var memoryWithKeys: Memory {
    var filled = memory
    for sector in 0..<sectorCount {
      let trailer = ClassicLayout.trailer(ofSector: sector)
      switch (memory.known(trailer.keyA), memory.known(trailer.keyB)) {
      case (let key?, nil): filled.set(key, at: trailer.keyB.lowerBound)
      case (nil, let key?): filled.set(key, at: trailer.keyA.lowerBound)
      default: break
      }
    }
    return filled
  }

  var sectorCount: Int {
    kind == .classic ? ClassicLayout.sectorCount(blockCount: memory.unitCount) : 0
  }

  /// The known keys of a MIFARE Classic, each once, in the order of sectors.
  public var classicKeys: [[UInt8]] {
    var seen: Set<[UInt8]> = []
    return (0..<sectorCount).flatMap { sector -> [[UInt8]] in
      let trailer = ClassicLayout.trailer(ofSector: sector)
      return [trailer.keyA, trailer.keyB].compactMap { memory.known($0) }
    }.filter { seen.insert($0).inserted }
  }
}
