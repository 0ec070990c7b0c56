/// One FeliCa chip, or the chips of a range, by the IC type: the second byte of PMm.
///
/// Sources: Sony, "FeliCa technical information on IC types"; FeliCa Lite-S User's Manual, 2.3; the tables
/// of blocks in nfcpy's `tt3_sony.py`, collected from cards; Proxmark3's list of IC types.
package struct FeliCaChip: Hashable, Sendable {
  private let types: ClosedRange<UInt8>
  private let kind: Kind
  /// The number of blocks for one Read Without Encryption; `nil` if it has not been published.
  package let blocksPerRead: Int?
  /// The number of blocks for one Write Without Encryption; `nil` if it has not been published.
  package let blocksPerWrite: Int?

  private init(_ types: ClosedRange<UInt8>, _ kind: Kind, read: Int? = nil, write: Int? = nil) {
    self.types = types
    self.kind = kind
    blocksPerRead = read
    blocksPerWrite = write
  }

  private struct Kind: Hashable {
    let id: ChipID
    let name: String
    var maker = "Sony"
    /// In bytes; `nil` for cards that are divided into systems when they are issued.
    var memorySize: Int?
    /// Whether the card lists its services.
    var listsServices = false
    /// The commands and blocks of FeliCa Lite or Lite-S that the chip has; `nil` for other chips.
    var lite: FeliCaLiteGeneration?
    /// Whether a wired host can change the blocks while a reader uses them: any chip except Lite and Lite-S may have a
    /// wired side, or be emulated by a program.
    var mayBeChangedByWire = true

    static let standard = Kind(id: "feliCaStandard", name: "FeliCa Standard", listsServices: true)
    static let mobile = Kind(id: "mobileFeliCa", name: "Mobile FeliCa")
    static let link = Kind(id: "feliCaLink", name: "FeliCa Link")
    static let linkAsLiteS: Kind = {
      var kind = link
      kind.lite = .liteS
      return kind
    }()
    static let lite = Kind(
      id: "feliCaLite", name: "FeliCa Lite", memorySize: liteSize, lite: .lite,
      mayBeChangedByWire: false)
    static let liteS = Kind(
      id: "feliCaLiteS", name: "FeliCa Lite-S", memorySize: liteSize, lite: .liteS,
      mayBeChangedByWire: false)

    /// 14 scratch pads and the subtraction register of 16 bytes each (the users' manuals; SATO, CL4NX/CL6NX programming
    /// reference, parameter aar). The blocks of keys, settings and identity are not counted.
    private static let liteSize = 15 * 16
  }

  private static let liteLimits = (
    read: FeliCaLiteLayout.maximumBlocksRead, write: FeliCaLiteLayout.maximumBlocksWritten
  )

  /// The first that has the type.
  private static let all: [FeliCaChip] = [
    FeliCaChip(0x00...0x00, .standard, read: 8, write: 8),
    FeliCaChip(0x01...0x01, .standard, read: 12, write: 8),
    FeliCaChip(0x06...0x07, .mobile),
    FeliCaChip(0x08...0x09, .standard, read: 12, write: 8),
    FeliCaChip(0x0C...0x0C, .standard, read: 12, write: 8),
    FeliCaChip(0x0D...0x0D, .standard, read: 12, write: 10),
    FeliCaChip(0x10...0x15, .mobile),
    FeliCaChip(
      0x16...0x16, Kind(id: "appleWalletFeliCa", name: "Apple Wallet FeliCa", maker: "Apple")),
    FeliCaChip(0x17...0x1F, .mobile),
    FeliCaChip(0x20...0x20, .standard, read: 12, write: 10),
    FeliCaChip(0xE0...0xE0, Kind(id: "feliCaPlug", name: "FeliCa Plug")),
    // FeliCa Link in its plug mode, in its Lite-S mode and in that of NFC-DEP.
    FeliCaChip(0xE1...0xE1, .link),
    FeliCaChip(0xF0...0xF0, .lite, read: liteLimits.read, write: liteLimits.write),
    FeliCaChip(0xF1...0xF1, .liteS, read: liteLimits.read, write: liteLimits.write),
    FeliCaChip(0xF2...0xF2, .linkAsLiteS, read: liteLimits.read, write: liteLimits.write),
    FeliCaChip(0xFF...0xFF, .link),
    FeliCaChip(0x00...0xDF, .standard),
  ]

  private static let pmmLength = 8

  /// Creates the chip of a PMm; `nil` for a type without a known name, unless PMm has eight bytes, and for one of FF
  /// only, which an NFC-DEP device reports.
  package init?(pmm: [UInt8]) {
    guard pmm.count == Self.pmmLength, pmm.contains(where: { $0 != 0xFF }),
      let chip = Self.all.first(where: { $0.types.contains(pmm[1]) })
    else { return nil }
    self = chip
  }

  /// Creates the chip that a product is; of several with one name, the first.
  package init?(_ product: TagProduct?) {
    guard let product, let chip = Self.all.first(where: { $0.kind.id == product.id }) else {
      return nil
    }
    self = chip
  }

  /// The chip as programs see it.
  package var product: TagProduct {
    TagProduct(kind.id, name: kind.name, maker: kind.maker, memorySize: kind.memorySize)
  }

  /// Whether the card lists its services.
  package var listsServices: Bool { kind.listsServices }
  /// The commands and blocks of FeliCa Lite or Lite-S that the chip has; `nil` for other chips.
  package var liteGeneration: FeliCaLiteGeneration? { kind.lite }
  /// Whether a wired host can change the blocks while a reader uses them.
  package var mayBeChangedByWire: Bool { kind.mayBeChangedByWire }
}
