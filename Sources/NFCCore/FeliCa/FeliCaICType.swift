/// Which chip a FeliCa card is: the IC type, the second byte of PMm.
///
/// Sources: Sony, "FeliCa technical information on IC types"; FeliCa Lite-S User's Manual, 2.3; the tables
/// of blocks in nfcpy's `tt3_sony.py`, collected from cards; Proxmark3's list of IC types.
struct FeliCaICType: Hashable, Sendable {
  let rawValue: UInt8
  private let romType: UInt8

  /// Creates a type; `nil` unless PMm has eight bytes, and for one of FF only, which an NFC-DEP
  /// device reports.
  init?(pmm: [UInt8]) {
    guard pmm.count == 8, pmm.contains(where: { $0 != 0xFF }) else { return nil }
    romType = pmm[0]
    rawValue = pmm[1]
  }

  /// The facts about a chip, or about all chips in a range.
  private struct Entry {
    let types: ClosedRange<UInt8>
    let chip: Chip
    /// The number of blocks that one command reads and writes; `nil` if it has not been published.
    let limits: (read: Int, write: Int)?

    init(_ types: ClosedRange<UInt8>, _ chip: Chip, limits: (read: Int, write: Int)? = nil) {
      self.types = types
      self.chip = chip
      self.limits = limits
    }
  }

  private struct Chip {
    let id: ChipID
    let name: String
    var maker = "Sony"
    /// In bytes; `nil` for cards that are divided into systems when they are issued.
    var memorySize: Int?

    static let standard = Chip(id: .feliCaStandard, name: "FeliCa Standard")
    static let mobile = Chip(id: .mobileFeliCa, name: "Mobile FeliCa")
    static let link = Chip(id: .feliCaLink, name: "FeliCa Link")
  }

  /// The first that has the type.
  private static let entries: [Entry] = [
    Entry(0x00...0x00, .standard, limits: (8, 8)),
    Entry(0x01...0x01, .standard, limits: (12, 8)),
    Entry(0x06...0x07, .mobile),
    Entry(0x08...0x09, .standard, limits: (12, 8)),
    Entry(0x0C...0x0C, .standard, limits: (12, 8)),
    Entry(0x0D...0x0D, .standard, limits: (12, 10)),
    Entry(0x10...0x15, .mobile),
    Entry(0x16...0x16, Chip(id: .appleWalletFeliCa, name: "Apple Wallet FeliCa", maker: "Apple")),
    Entry(0x17...0x1F, .mobile),
    Entry(0x20...0x20, .standard, limits: (12, 10)),
    Entry(0xE0...0xE0, Chip(id: .feliCaPlug, name: "FeliCa Plug")),
    // FeliCa Link in its plug mode, in its Lite-S mode and in that of NFC-DEP.
    Entry(0xE1...0xE1, .link),
    Entry(0xF0...0xF0, lite(.feliCaLite, "FeliCa Lite"), limits: liteLimits),
    Entry(0xF1...0xF1, lite(.feliCaLiteS, "FeliCa Lite-S"), limits: liteLimits),
    Entry(0xF2...0xF2, .link, limits: liteLimits),
    Entry(0xFF...0xFF, .link),
    Entry(0x00...0xDF, .standard),
  ]

  /// 14 scratch pads and the subtraction register of 16 bytes each (the users' manuals; SATO, CL4NX/CL6NX programming
  /// reference, parameter aar). The blocks of keys, settings and identity are not counted.
  private static func lite(_ id: ChipID, _ name: String) -> Chip {
    Chip(id: id, name: name, memorySize: 15 * 16)
  }

  private static let liteLimits = (
    read: FeliCaLiteLayout.maximumBlocksRead, write: FeliCaLiteLayout.maximumBlocksWritten
  )

  private var entry: Entry? { Self.entries.first { $0.types.contains(rawValue) } }

  /// The chip's name and maker; `nil` for a type without a known name.
  var product: TagProduct? {
    entry.map {
      TagProduct(
        $0.chip.id, name: $0.chip.name, maker: $0.chip.maker, memorySize: $0.chip.memorySize)
    }
  }

  /// The number of blocks for one Read Without Encryption; `nil` if it is not known.
  var blocksPerRead: Int? { entry?.limits?.read }

  /// The number of blocks for one Write Without Encryption; `nil` if it is not known.
  var blocksPerWrite: Int? { entry?.limits?.write }

  /// Whether a wired host can change the chip's blocks while a reader uses it: any chip except Lite
  /// and Lite-S may have a wired side, or be emulated by a program.
  var mayBeChangedByWire: Bool { rawValue != 0xF0 && rawValue != 0xF1 }
}

/// The number of blocks in one command; refusals of the card lower it.
struct FeliCaBlockLimits: Hashable, Sendable {
  var read: Int
  var write: Int

  /// The limits of most cards, for chips without published limits.
  private static let usual = (read: 12, write: 8)

  /// Where to begin with a card.
  init(pmm: [UInt8]) {
    let type = FeliCaICType(pmm: pmm)
    read = type?.blocksPerRead ?? Self.usual.read
    write = type?.blocksPerWrite ?? Self.usual.write
  }

  /// Creates limits from the card's own report, restricted to what is known about its chip.
  init(read: Int, write: Int, pmm: [UInt8]) {
    let type = FeliCaICType(pmm: pmm)
    self.read = max(1, min(read, type?.blocksPerRead ?? read))
    self.write = max(1, min(write, type?.blocksPerWrite ?? write))
  }
}
