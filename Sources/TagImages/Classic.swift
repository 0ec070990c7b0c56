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

  /// What block 0 says about its card.
  struct Identity {
    var uid: [UInt8]
    /// `nil` if the bytes in their places are none that a card answers.
    var atqa: [UInt8]?
    var sak: UInt8?
    /// The check byte that the block should have instead of its own; `nil` if that is right, or there is none.
    var rightCheckByte: UInt8?
  }

  private static let wordOfDouble: UInt8 = 0x40
  private static let sizeBits: UInt8 = 0xC0
  /// Many cards store SAK 88 and answer 08.
  static let signOfStoredSAK: UInt8 = 0x80
  /// The answers of cards with these sectors, and the number of their blocks (NXP AN10833, table 6).
  private static let sizes: [UInt8: Int] = [
    0x01: 64, 0x08: 64, 0x09: 20, 0x10: 128, 0x11: 256, 0x18: 256, 0x19: 128, 0x28: 64, 0x38: 256,
  ]

  /// Returns the number of blocks of a card with this SAK; `nil` for a SAK that none has.
  static func blockCount(sak: UInt8) -> Int? { sizes[sak & ~signOfStoredSAK] }

  /// Returns the UID in block 0: four bytes and their check byte, or seven if the ATQA after them
  /// indicates that. The position of SAK and ATQA is known from dumps of NXP's cards; Proxmark3
  /// (client/src/fileutils.c) uses it, too.
  ///
  /// The first four bytes are the UID even if the check byte is wrong (MF1S50YYX data sheet, 8.6.1): cards whose block 0
  /// can be written often have such a byte.
  static func identity(of block: [UInt8]) -> Identity? {
    // Zeros indicate a block that was not read.
    guard block.count == blockSize, block.contains(where: { $0 != 0 }) else { return nil }
    let check = block.prefix(4).reduce(0, ^)
    let isSeven = block[8] & sizeBits == wordOfDouble && block[9] == 0
    let hasCheckByte = block[4] == check
    if isSeven, !hasCheckByte || block[6] & sizeBits != 0 {
      return identity(Array(block.prefix(7)), [block[9], block[8]], block[7], nil)
    }
    return identity(
      Array(block.prefix(4)), [block[7], block[6]], block[5], hasCheckByte ? nil : check)
  }

  private static func identity(
    _ uid: [UInt8], _ atqa: [UInt8], _ sak: UInt8, _ check: UInt8?
  ) -> Identity {
    // A card answers with one of the slots of its anticollision, and the size of its UID (ISO/IEC 14443-3, 6.5.2).
    let slots: UInt8 = 0x1F
    let isPlausible =
      atqa[1] & sizeBits == (uid.count == 7 ? wordOfDouble : 0) && atqa[1] & slots != 0
      && blockCount(sak: sak) != nil
    // What follows a wrong check byte may be of any kind.
    guard isPlausible || check == nil else { return Identity(uid: uid, rightCheckByte: check) }
    return Identity(uid: uid, atqa: atqa, sak: sak, rightCheckByte: check)
  }
}

extension TagImage {
  /// Sets the public keys of the directory and of NFC sectors, with the access bits of both (NXP AN10787, 3.7; AN1305,
  /// 3.3 and 6). General purpose bytes stay; an unknown one becomes that of a directory of version 1 or 2, or of a sector
  /// that can be written.
  mutating func openClassicSectors() {
    let (directoryKey, directoryAccess): ([UInt8], [UInt8]) = (
      [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5], [0x78, 0x77, 0x88]
    )
    let (messageKey, messageAccess): ([UInt8], [UInt8]) = (
      [0xD3, 0xF7, 0xD3, 0xF7, 0xD3, 0xF7], [0x7F, 0x07, 0x88]
    )
    let secondDirectory = 16
    for sector in 0..<sectorCount {
      let trailer = ClassicLayout.trailer(ofSector: sector)
      let isDirectory = sector == 0 || sector == secondDirectory
      let purpose = memory.known(trailer.access.upperBound - 1..<trailer.access.upperBound)
      let usual: UInt8 = isDirectory ? (sectorCount > secondDirectory ? 0xC2 : 0xC1) : 0x40
      memory.set(isDirectory ? directoryKey : messageKey, at: trailer.keyA.lowerBound)
      memory.set(
        (isDirectory ? directoryAccess : messageAccess) + (purpose ?? [usual]),
        at: trailer.access.lowerBound)
    }
  }

  /// Returns a sentence about the check byte of the UID in block 0, if it is wrong.
  func classicCheckByteRemark() -> String? {
    guard kind == .classic, let block = memory.known(0..<ClassicLayout.blockSize),
      let identity = ClassicLayout.identity(of: block), let right = identity.rightCheckByte
    else { return nil }
    return "the check byte of the UID \(Hexadecimal.text(identity.uid)) in block 0 is wrong: "
      + "\(Hexadecimal.text([block[4]])), not \(Hexadecimal.text([right]))"
  }

  /// Removes zeros after the memory of a smaller card, if block 0 says that it is one: nfc-mfclassic saved every card
  /// in 4096 bytes until 2013 (libnfc, commit 56ea2e6).
  ///
  /// - Returns: a sentence about it, if there are such zeros.
  mutating func removeClassicPadding() -> String? {
    guard kind == .classic, let block = memory.known(0..<ClassicLayout.blockSize),
      let stored = ClassicLayout.identity(of: block)?.sak,
      let count = ClassicLayout.blockCount(sak: stored), count < memory.unitCount
    else { return nil }
    let size = count * ClassicLayout.blockSize
    guard !memory.bytes.dropFirst(size).contains(where: { $0 != 0 }) else { return nil }
    let all = memory.bytes.count
    memory = memory.prefix(size)
    return
      "block 0 is of a card of \(size) bytes; the zeros after them, up to \(all) bytes, are left out"
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
