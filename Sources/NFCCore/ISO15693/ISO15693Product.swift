/// A vicinity chip as its UID identifies it, with the facts that commands depend on.
///
/// Sources: ISO/IEC 7816-6 for makers; the makers' data sheets and Proxmark3's list for products.
/// Uncertain facts are left out: then the tag is asked.
package struct ISO15693Product: Hashable, Sendable {
  /// The chip; the group if the UID does not identify the chip.
  package private(set) var id: ChipID
  /// The maker's name for the chip; a family's name if the UID does not identify the chip.
  package private(set) var name: String
  /// Bytes a block and number of blocks where all chips of this kind have the same.
  package private(set) var geometry: ISO15693Geometry?
  /// The chips that share their UIDs' beginning, by their number of blocks.
  private(set) var variants: [Int: Variant]
  private(set) var traits: Traits

  /// One of the chips that share their UIDs' beginning.
  struct Variant: Hashable, Sendable {
    let id: ChipID
    let name: String
    /// Whether the last block is a counter.
    let countsInLastBlock: Bool
    /// The maximum number of blocks in one read; `nil` if none is known.
    let readLimit: Int?

    init(_ id: ChipID, _ name: String, countsInLastBlock: Bool = false, readLimit: Int? = nil) {
      self.id = id
      self.name = name
      self.countsInLastBlock = countsInLastBlock
      self.readLimit = readLimit
    }
  }

  /// Returns the number of the block that counts what is written to it, so that it never reads as it was
  /// written; `nil` if there is none.
  ///
  /// - Parameter blockCount: as the tag has reported it; `nil` if that is not known.
  package func counterBlock(blockCount: Int?) -> Int? {
    if let known = traits.counterBlock { return known }
    guard let blockCount, variants[blockCount]?.countsInLastBlock == true else { return nil }
    return blockCount - 1
  }

  /// What sets a chip apart from the standard's reader's point of view.
  struct Traits: Hashable, Sendable {
    /// The maximum number of blocks in one read; 1 if several cannot be read.
    var readLimit: Int?
    /// Reads do not go beyond a multiple of this many blocks.
    var sectorLength: Int?
    /// The most blocks in one write.
    var writeLimit = 1
    /// Writes and locks need the option flag.
    var needsWriteOption = false
    /// How block numbers above 255 are sent.
    var wideNumbers: ISO15693Knowledge.WideNumbers?
    /// See ``ISO15693Product/counterBlock(blockCount:)``.
    var counterBlock: Int?
    /// Whether somebody else can write while the tag is connected.
    var hasWiredSide = false
    /// The parts that the standard's lock command locks.
    var locking = Locking.blocks
    /// The tag supports Get System Information.
    var hasSystemInformation = true
    /// Whether the system information reports a wrong size of the memory.
    var misstatesMemory = false
  }

  /// The parts of a chip that the standard's lock command locks.
  enum Locking: Hashable, Sendable {
    /// Each block.
    case blocks
    /// Only blocks 0 and 1, for a capability container (ST25DV04K data sheet, 7.6.6 and its
    /// register LOCK_CCFILE, which has a bit for each of them).
    case containerOnly
    /// The chip does not support the command, but has its maker's command for sectors (M24LR64-R
    /// data sheet, 26).
    case sectors
  }

  init(
    _ id: ChipID, _ name: String, _ blockCount: Int? = nil, _ blockSize: Int = 4,
    variants: [Int: Variant] = [:], traits: Traits = Traits()
  ) {
    self.id = id
    self.name = name
    geometry = blockCount.map { ISO15693Geometry(blockSize: blockSize, blockCount: $0) }
    self.variants = variants
    self.traits = traits
  }

  /// Returns the chip among those that the UID leaves open, once the tag has reported its memory.
  func narrowed(by information: ISO15693SystemInformation) -> ISO15693Product {
    guard let size = information.blockSize, let count = information.blockCount,
      let variant = variants[count]
    else { return self }
    var product = self
    product.id = variant.id
    product.name = variant.name
    product.geometry = ISO15693Geometry(blockSize: size, blockCount: count)
    product.variants = [:]
    if variant.countsInLastBlock { product.traits.counterBlock = count - 1 }
    return product
  }

  // MARK: Makers

  /// Returns the second byte of the UID: the maker's code of ISO/IEC 7816-6; `nil` for a UID
  /// without one.
  package static func manufacturerCode(uid: [UInt8]) -> UInt8? {
    uid.count == ISO15693Request.uidLength ? uid[1] : nil
  }

  // MARK: Chips

  static let stMicroelectronics: UInt8 = 0x02
  static let nxp: UInt8 = 0x04
  static let infineon: UInt8 = 0x05
  static let texasInstruments: UInt8 = 0x07
  static let fujitsu: UInt8 = 0x08
  static let emMicroelectronic: UInt8 = 0x16

  /// The UID that an NTAG 5 shows in privacy mode instead of its own (NTP53x2 data sheet rev. 3.3, 8.7).
  package static let privateUID: [UInt8] = [0xE0, 0x04, 0, 0, 0, 0, 0, 0]

  /// Creates the chip of a UID, 8 bytes, most significant first; `nil` if it is not known.
  package init?(uid: [UInt8]) {
    guard let maker = Self.manufacturerCode(uid: uid), uid[0] == 0xE0 else { return nil }
    let product: ISO15693Product?
    switch maker {
    case Self.nxp where uid == Self.privateUID:
      product = ISO15693Product(
        .icodeDNAOrNTAG5, "ICODE DNA or NTAG 5 in privacy mode",
        traits: Traits(hasWiredSide: true, hasSystemInformation: false))
    case Self.nxp: product = Self.nxpProduct(uid[2], uid[3])
    case Self.stMicroelectronics: product = Self.stProduct(uid[2])
    case Self.texasInstruments: product = Self.texasInstrumentsProduct(uid[2])
    case Self.infineon: product = Self.infineonProduct(uid[2])
    case Self.emMicroelectronic: product = Self.emProduct(uid[2])
    case Self.fujitsu: product = Self.fujitsuProduct(uid[2])
    default: product = nil
    }
    guard let product else { return nil }
    self = product
  }

  /// Returns the chip of a UID for ``Tag`` and the command line; `nil` if it is not known.
  package static func tagProduct(uid: [UInt8]) -> TagProduct? {
    ISO15693Product(uid: uid)?.tagProduct(uid: uid)
  }

  /// Returns the chip for ``Tag`` and the command line; `nil` for a UID of another maker.
  func tagProduct(uid: [UInt8]) -> TagProduct? {
    guard let maker = Self.manufacturer(uid: uid) else { return nil }
    return TagProduct(id, name: name, maker: maker, memorySize: geometry?.size)
  }

  /// Bits 36 and 35 of the UID are the generation (SL2S2602 data sheet, 8.3). Bit 37 is clear in
  /// all of them: ICODE 3 has it set, with the bits around it clear (Proxmark3, cmdhf15.c).
  private enum Generation {
    static let mask: UInt8 = 0x38
    static let sli: UInt8 = 0x00
    static let slix2: UInt8 = 0x08
    static let slix: UInt8 = 0x10
    static let dna: UInt8 = 0x18
    /// Bit 38 counts too.
    static let maskOfICODE3: UInt8 = 0x78
    static let icode3: UInt8 = 0x20
  }

  private static func nxpProduct(_ kind: UInt8, _ serial: UInt8) -> ISO15693Product? {
    // No read of several blocks, no security status (Android, rw_i93.c).
    let singleOnly = Traits(readLimit: 1)
    let generation = serial & Generation.mask
    let isX = generation == Generation.slix
    switch kind {
    case 0x01: return icode(generation, serial)
    case 0x02:
      return isX
        ? ISO15693Product(.icodeSLIXS, "ICODE SLIX-S", 40, traits: singleOnly)
        : ISO15693Product(.icodeSLIS, "ICODE SLI-S", 40, traits: singleOnly)
    case 0x03:
      // Its system information reports more blocks than there are (Android, rw_i93.c).
      let small = Traits(readLimit: 1, misstatesMemory: true)
      return isX
        ? ISO15693Product(.icodeSLIXL, "ICODE SLIX-L", 8, traits: small)
        : ISO15693Product(.icodeSLIL, "ICODE SLI-L", 8, traits: small)
    default: return nil
    }
  }

  private static func icode(_ generation: UInt8, _ serial: UInt8) -> ISO15693Product? {
    switch generation {
    case Generation.sli: return ISO15693Product(.icodeSLI, "ICODE SLI", 28)
    case Generation.slix: return ISO15693Product(.icodeSLIX, "ICODE SLIX", 28)
    case Generation.slix2:
      // SL2S2602 data sheet, 8.4.2.
      return ISO15693Product(.icodeSLIX2, "ICODE SLIX2", 80, traits: Traits(counterBlock: 79))
    case Generation.dna:
      // The UID is the same; 63 blocks and a counter (SL2S6002 data sheet), 512 and 2048 bytes (NTP5210, NTP53x2
      // and NTA5332 data sheets). The last block of an NTAG 5 is a counter, too, and it reads "up to 3Fh blocks"
      // (NTP53x2 data sheet rev. 3.3, 8.1.2.1 and 8.2.3.5).
      return ISO15693Product(
        .icodeDNAOrNTAG5, "ICODE DNA or NTAG 5",
        variants: [
          64: Variant(.icodeDNA, "ICODE DNA", countsInLastBlock: true),
          128: Variant(.ntag5Switch, "NTAG 5 switch", countsInLastBlock: true),
          512: Variant(
            .ntag5LinkOrBoost, "NTAG 5 link or boost", countsInLastBlock: true, readLimit: 0x3F),
        ],
        traits: Traits(hasWiredSide: true))
    default:
      return serial & Generation.maskOfICODE3 == Generation.icode3
        ? ISO15693Product(.icode3, "ICODE 3") : nil
    }
  }

  private static func stProduct(_ kind: UInt8) -> ISO15693Product? {
    // 32 blocks a read, within a sector of 32 (M24LR64-R data sheet, 26.5).
    let m24lr = Traits(
      readLimit: 32, sectorLength: 32, wideNumbers: .protocolExtension, hasWiredSide: true,
      locking: .sectors)
    let lris64k = Traits(
      readLimit: 32, sectorLength: 32, wideNumbers: .protocolExtension, locking: .sectors)
    let st25dv = Traits(
      writeLimit: 4, wideNumbers: .extendedCommands, hasWiredSide: true, locking: .containerOnly)
    switch kind {
    case 0x08:
      return ISO15693Product(
        .st25tv512COr02KC, "ST25TV512C/02KC",
        variants: [16: Variant(.st25tv512C, "ST25TV512C"), 80: Variant(.st25tv02KC, "ST25TV02KC")])
    // The upper six bits are the chip's: 5, 8 and 10 (Proxmark3, cmdhf15.c); 23 is a later chip.
    case 0x14...0x17: return ISO15693Product(.lri64, "LRI64", traits: Traits(readLimit: 1))
    case 0x20...0x22: return ISO15693Product(.lri2K, "LRI2K", 64)
    case 0x23:
      return ISO15693Product(
        .st25tv512Or02K, "ST25TV512/02K",
        variants: [16: Variant(.st25tv512, "ST25TV512"), 64: Variant(.st25tv02K, "ST25TV02K")])
    // IE and JF, which differ in their wired side only, have a code each.
    case 0x24, 0x25: return ISO15693Product(.st25dv04K, "ST25DV04K", 128, traits: st25dv)
    case 0x26, 0x27:
      return ISO15693Product(
        .st25dv16KOr64K, "ST25DV16K/64K",
        variants: [512: Variant(.st25dv16K, "ST25DV16K"), 2048: Variant(.st25dv64K, "ST25DV64K")],
        traits: st25dv)
    // ST's drivers, st25dvxxkc.h.
    case 0x50: return ISO15693Product(.st25dv04KC, "ST25DV04KC", 128, traits: st25dv)
    case 0x51:
      return ISO15693Product(
        .st25dv16KCOr64KC, "ST25DV16KC/64KC",
        variants: [
          512: Variant(.st25dv16KC, "ST25DV16KC"), 2048: Variant(.st25dv64KC, "ST25DV64KC"),
        ], traits: st25dv)
    case 0x48:
      return ISO15693Product(
        .st25tv16KOr64K, "ST25TV16K/64K",
        variants: [512: Variant(.st25tv16K, "ST25TV16K"), 2048: Variant(.st25tv64K, "ST25TV64K")],
        traits: Traits(wideNumbers: .extendedCommands, locking: .containerOnly))
    case 0x2C: return ISO15693Product(.m24lr64R, "M24LR64-R", 2048, traits: m24lr)
    case 0x44: return ISO15693Product(.lris64K, "LRIS64K", 2048, traits: lris64k)
    case 0x4E: return ISO15693Product(.m24lr16ER, "M24LR16E-R", 512, traits: m24lr)
    case 0x5A:
      return ISO15693Product(
        .m24lr04ER, "M24LR04E-R", 128,
        traits: Traits(readLimit: 32, sectorLength: 32, hasWiredSide: true, locking: .sectors))
    case 0x5E: return ISO15693Product(.m24lr64ER, "M24LR64E-R", 2048, traits: m24lr)
    case 0x35: return ISO15693Product(.st25tv04KP, "ST25TV04K-P")
    case 0x28...0x2B: return ISO15693Product(.lris2K, "LRIS2K", 64, traits: Traits(readLimit: 1))
    default: return nil
    }
  }

  private static func texasInstrumentsProduct(_ kind: UInt8) -> ISO15693Product? {
    let plus = Traits(needsWriteOption: true)
    // Only single blocks, no system information (Android, rw_i93.c).
    let small = Traits(readLimit: 1, needsWriteOption: true, hasSystemInformation: false)
    switch kind {
    case 0xA0:
      return ISO15693Product(
        .rf430FRL, "RF430FRL", nil, traits: Traits(readLimit: 3, hasWiredSide: true))
    case 0x00...0x1F, 0x80, 0x81:
      return ISO15693Product(.tagItPlus, "Tag-it HF-I Plus", 64, traits: plus)
    case 0xC0, 0xC1:
      return ISO15693Product(.tagItStandard, "Tag-it HF-I Standard", 8, traits: small)
    case 0xC4, 0xC5: return ISO15693Product(.tagItPro, "Tag-it HF-I Pro", 8, traits: small)
    default: return nil
    }
  }

  private static func infineonProduct(_ kind: UInt8) -> ISO15693Product? {
    switch kind {
    case 0x00: ISO15693Product(.srf55V10P, "my-d vicinity SRF55V10P")
    case 0x10: ISO15693Product(.srf55V10S, "my-d vicinity SRF55V10S")
    case 0x40: ISO15693Product(.srf55V02P, "my-d vicinity SRF55V02P")
    case 0x50: ISO15693Product(.srf55V02S, "my-d vicinity SRF55V02S")
    case 0xA1, 0xA8: ISO15693Product(.srf55V01P, "my-d light SRF55V01P")
    default: nil
    }
  }

  private static func emProduct(_ kind: UInt8) -> ISO15693Product? {
    // Six bits are the chip's, two the capacitor's.
    switch kind {
    case 0x04: ISO15693Product(.em4034, "EM4034")
    case 0x0C: ISO15693Product(.em4035, "EM4035")
    case 0x10: ISO15693Product(.em4135, "EM4135")
    case 0x14, 0x94: ISO15693Product(.em4036, "EM4036")
    case 0x18: ISO15693Product(.em4006, "EM4006")
    case 0x1C, 0x9C: ISO15693Product(.em4133, "EM4133")
    case 0x20: ISO15693Product(.em4033, "EM4033")
    case 0x24, 0x7C: ISO15693Product(.em4233, "EM4233")
    case 0x28, 0xA8: ISO15693Product(.em4233SLIC, "EM4233 SLIC")
    case 0x3C, 0xBC: ISO15693Product(.em4237, "EM4237")
    case 0x78: ISO15693Product(.em4425, "EM4425")
    default: nil
    }
  }

  private static func fujitsuProduct(_ kind: UInt8) -> ISO15693Product? {
    // At most two blocks a command (Feig's reader manuals).
    kind == 0x01
      ? ISO15693Product(.mb89r118, "MB89R118", 250, 8, traits: Traits(readLimit: 2, writeLimit: 2))
      : nil
  }
}

/// How a tag's memory is divided.
package struct ISO15693Geometry: Hashable, Sendable {
  /// In bytes.
  package var blockSize: Int
  package var blockCount: Int

  package init(blockSize: Int, blockCount: Int) {
    self.blockSize = blockSize
    self.blockCount = blockCount
  }

  /// In bytes.
  package var size: Int { blockSize * blockCount }
}
