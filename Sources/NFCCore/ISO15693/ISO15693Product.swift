/// A vicinity chip as its UID names it, with what commands must know of it.
///
/// Sources: ISO/IEC 7816-6 for makers; the makers' data sheets and Proxmark3's list for products.
/// What is not sure is left out: then the tag is asked.
public struct ISO15693Product: Hashable, Sendable {
  /// As the maker writes it; a family's name where the UID tells no more.
  public private(set) var name: String
  /// Bytes a block and number of blocks where all chips of this kind have the same.
  package private(set) var geometry: ISO15693Geometry?
  /// The names of chips that share their UIDs' beginning, by their number of blocks.
  private(set) var variants: [Int: String]
  let traits: Traits

  /// What sets a chip apart from the standard's reader's point of view.
  struct Traits: Hashable, Sendable {
    /// The most blocks in one read; 1 where there is no read of several.
    var readLimit: Int?
    /// Reads do not go beyond a multiple of so many blocks.
    var sectorLength: Int?
    /// The most blocks in one write.
    var writeLimit = 1
    /// Writes and locks need the option flag.
    var needsWriteOption = false
    /// How block numbers above 255 are sent.
    var wideNumbers: ISO15693Knowledge.WideNumbers?
    /// A block that counts what is written to it, and so never reads as it was written.
    var counterBlock: Int?
    /// Get system information is there.
    var hasSystemInformation = true
    /// The system information tells a wrong size of the memory.
    var misstatesMemory = false
  }

  init(
    _ name: String, _ blockCount: Int? = nil, _ blockSize: Int = 4, variants: [Int: String] = [:],
    traits: Traits = Traits()
  ) {
    self.name = name
    geometry = blockCount.map { ISO15693Geometry(blockSize: blockSize, blockCount: $0) }
    self.variants = variants
    self.traits = traits
  }

  /// The chip of those that the UID leaves open, once the tag has told its memory.
  func narrowed(by information: ISO15693SystemInformation) -> ISO15693Product {
    guard let size = information.blockSize, let count = information.blockCount,
      let name = variants[count]
    else { return self }
    var product = self
    product.name = name
    product.geometry = ISO15693Geometry(blockSize: size, blockCount: count)
    product.variants = [:]
    return product
  }

  // MARK: Makers

  private static let makers: [UInt8: String] = [
    0x01: "Motorola", 0x02: "STMicroelectronics", 0x03: "Hitachi", 0x04: "NXP",
    0x05: "Infineon", 0x07: "Texas Instruments", 0x08: "Fujitsu", 0x09: "Matsushita",
    0x0A: "NEC", 0x0B: "Oki", 0x0C: "Toshiba", 0x0D: "Mitsubishi", 0x0E: "Samsung",
    0x0F: "Hynix", 0x10: "LG", 0x12: "HID", 0x14: "Sharp", 0x15: "Atmel",
    0x16: "EM Microelectronic", 0x17: "KSW Microtec", 0x18: "ZMD", 0x1A: "Sony",
    0x1D: "Shanghai Fudan", 0x1F: "Melexis", 0x20: "Renesas", 0x21: "TAGSYS", 0x28: "Ricoh",
    0x29: "ASK", 0x2B: "Maxim", 0x2C: "Impinj", 0x36: "IDS Microchip",
    0x39: "Silicon Craft", 0x41: "Renesas", 0x67: "ON Semiconductor",
  ]

  /// The second byte of the UID: the maker's code of ISO/IEC 7816-6; `nil` for a UID without one.
  public static func manufacturerCode(uid: [UInt8]) -> UInt8? {
    uid.count == ISO15693Request.uidLength ? uid[1] : nil
  }

  /// The maker's name; `nil` if it is not known.
  public static func manufacturer(uid: [UInt8]) -> String? {
    manufacturerCode(uid: uid).flatMap { makers[$0] }
  }

  // MARK: Chips

  static let stMicroelectronics: UInt8 = 0x02
  static let nxp: UInt8 = 0x04
  static let infineon: UInt8 = 0x05
  static let texasInstruments: UInt8 = 0x07
  static let fujitsu: UInt8 = 0x08
  static let emMicroelectronic: UInt8 = 0x16

  /// The chip of a UID, 8 bytes, most significant first; `nil` if it is not known.
  public init?(uid: [UInt8]) {
    guard let maker = Self.manufacturerCode(uid: uid), uid[0] == 0xE0 else { return nil }
    let product: ISO15693Product?
    switch maker {
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

  /// The chip of a UID for ``Tag`` and the command line; `nil` if it is not known.
  public static func tagProduct(uid: [UInt8]) -> TagProduct? {
    ISO15693Product(uid: uid)?.tagProduct(uid: uid)
  }

  /// The chip for ``Tag`` and the command line; `nil` for a UID of another maker.
  func tagProduct(uid: [UInt8]) -> TagProduct? {
    guard let maker = Self.manufacturer(uid: uid) else { return nil }
    return TagProduct(name: name, maker: maker, memorySize: geometry?.size)
  }

  /// Bits 36 and 35 of the UID tell the generation (SL2S2602 data sheet, 8.3).
  private static func nxpProduct(_ kind: UInt8, _ generation: UInt8) -> ISO15693Product? {
    // No read of several blocks, no security status (Android, rw_i93.c).
    let singleOnly = Traits(readLimit: 1)
    let isX = generation & 0x18 == 0x10
    switch (kind, generation & 0x18) {
    case (0x01, 0x00): return ISO15693Product("ICODE SLI", 28)
    case (0x01, 0x10): return ISO15693Product("ICODE SLIX", 28)
    case (0x01, 0x08):
      // SL2S2602 data sheet, 8.4.2.
      return ISO15693Product("ICODE SLIX2", 80, traits: Traits(counterBlock: 79))
    case (0x01, _): return ISO15693Product("ICODE DNA")
    case (0x02, _):
      return ISO15693Product(isX ? "ICODE SLIX-S" : "ICODE SLI-S", 40, traits: singleOnly)
    case (0x03, _):
      // Its system information tells more blocks than there are (Android, rw_i93.c).
      return ISO15693Product(
        isX ? "ICODE SLIX-L" : "ICODE SLI-L", 8,
        traits: Traits(readLimit: 1, misstatesMemory: true))
    default: return nil
    }
  }

  private static func stProduct(_ kind: UInt8) -> ISO15693Product? {
    // 32 blocks a read, within a sector of 32 (M24LR64-R data sheet, 26.5).
    let m24lr = Traits(readLimit: 32, sectorLength: 32, wideNumbers: .protocolExtension)
    let st25dv = Traits(writeLimit: 4, wideNumbers: .extendedCommands)
    switch kind {
    case 0x08:
      return ISO15693Product(
        "ST25TV512C/02KC", variants: [16: "ST25TV512C", 80: "ST25TV02KC"])
    case 0x14: return ISO15693Product("LRI64", traits: Traits(readLimit: 1))
    case 0x20: return ISO15693Product("LRI2K", 64)
    case 0x23:
      return ISO15693Product("ST25TV512/02K", variants: [16: "ST25TV512", 64: "ST25TV02K"])
    // IE and JF, which differ in their wired side only, have a code each.
    case 0x24, 0x25: return ISO15693Product("ST25DV04K", 128, traits: st25dv)
    case 0x26, 0x27:
      return ISO15693Product(
        "ST25DV16K/64K", variants: [512: "ST25DV16K", 2048: "ST25DV64K"], traits: st25dv)
    // ST's drivers, st25dvxxkc.h.
    case 0x50: return ISO15693Product("ST25DV04KC", 128, traits: st25dv)
    case 0x51:
      return ISO15693Product(
        "ST25DV16KC/64KC", variants: [512: "ST25DV16KC", 2048: "ST25DV64KC"], traits: st25dv)
    case 0x48:
      return ISO15693Product(
        "ST25TV16K/64K", variants: [512: "ST25TV16K", 2048: "ST25TV64K"],
        traits: Traits(wideNumbers: .extendedCommands))
    case 0x2C: return ISO15693Product("M24LR64-R", 2048, traits: m24lr)
    case 0x44: return ISO15693Product("LRIS64K", 2048, traits: m24lr)
    case 0x4E: return ISO15693Product("M24LR16E-R", 512, traits: m24lr)
    case 0x5A:
      return ISO15693Product("M24LR04E-R", 128, traits: Traits(readLimit: 32, sectorLength: 32))
    case 0x5E: return ISO15693Product("M24LR64E-R", 2048, traits: m24lr)
    case 0x28: return ISO15693Product("LRIS2K", 64, traits: Traits(readLimit: 1))
    default: return nil
    }
  }

  private static func texasInstrumentsProduct(_ kind: UInt8) -> ISO15693Product? {
    let plus = Traits(needsWriteOption: true)
    // Only single blocks, no system information (Android, rw_i93.c).
    let small = Traits(readLimit: 1, needsWriteOption: true, hasSystemInformation: false)
    switch kind {
    case 0xA0: return ISO15693Product("RF430FRL", nil, traits: Traits(readLimit: 3))
    case 0x00...0x1F, 0x80, 0x81: return ISO15693Product("Tag-it HF-I Plus", 64, traits: plus)
    case 0xC0, 0xC1: return ISO15693Product("Tag-it HF-I Standard", 8, traits: small)
    case 0xC4, 0xC5: return ISO15693Product("Tag-it HF-I Pro", 8, traits: small)
    default: return nil
    }
  }

  private static func infineonProduct(_ kind: UInt8) -> ISO15693Product? {
    switch kind {
    case 0x00: ISO15693Product("my-d vicinity SRF55V10P")
    case 0x10: ISO15693Product("my-d vicinity SRF55V10S")
    case 0x40: ISO15693Product("my-d vicinity SRF55V02P")
    case 0x50: ISO15693Product("my-d vicinity SRF55V02S")
    case 0xA1, 0xA8: ISO15693Product("my-d light SRF55V01P")
    default: nil
    }
  }

  private static func emProduct(_ kind: UInt8) -> ISO15693Product? {
    // Six bits are the chip's, two the capacitor's.
    switch kind {
    case 0x04: ISO15693Product("EM4034")
    case 0x0C: ISO15693Product("EM4035")
    case 0x10: ISO15693Product("EM4135")
    case 0x14, 0x94: ISO15693Product("EM4036")
    case 0x18: ISO15693Product("EM4006")
    case 0x1C, 0x9C: ISO15693Product("EM4133")
    case 0x20: ISO15693Product("EM4033")
    case 0x24, 0x7C: ISO15693Product("EM4233")
    case 0x28, 0xA8: ISO15693Product("EM4233 SLIC")
    case 0x3C, 0xBC: ISO15693Product("EM4237")
    default: nil
    }
  }

  private static func fujitsuProduct(_ kind: UInt8) -> ISO15693Product? {
    // At most two blocks a command (Feig's reader manuals).
    kind == 0x01
      ? ISO15693Product("MB89R118", 250, 8, traits: Traits(readLimit: 2, writeLimit: 2)) : nil
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
