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
    let name: String
    /// The chip, for code that decides by it; `nil` if none does.
    let chip: ChipID?
    var maker = "Sony"
    /// The number of blocks that one command reads and writes; `nil` if nobody has published it.
    var limits: (read: Int, write: Int)?
  }

  /// The first that has the type.
  private static let entries: [Entry] = [
    Entry(types: 0x00...0x00, name: standard, chip: .feliCaStandard, limits: (8, 8)),
    Entry(types: 0x01...0x01, name: standard, chip: .feliCaStandard, limits: (12, 8)),
    Entry(types: 0x06...0x07, name: mobile, chip: nil),
    Entry(types: 0x08...0x09, name: standard, chip: .feliCaStandard, limits: (12, 8)),
    Entry(types: 0x0C...0x0C, name: standard, chip: .feliCaStandard, limits: (12, 8)),
    Entry(types: 0x0D...0x0D, name: standard, chip: .feliCaStandard, limits: (12, 10)),
    Entry(types: 0x10...0x15, name: mobile, chip: nil),
    Entry(types: 0x16...0x16, name: "Apple Wallet FeliCa", chip: nil, maker: "Apple"),
    Entry(types: 0x17...0x1F, name: mobile, chip: nil),
    Entry(types: 0x20...0x20, name: standard, chip: .feliCaStandard, limits: (12, 10)),
    Entry(types: 0xE0...0xE0, name: "FeliCa Plug", chip: nil),
    // FeliCa Link in its plug mode, in its Lite-S mode and in that of NFC-DEP.
    Entry(types: 0xE1...0xE1, name: link, chip: nil),
    Entry(types: 0xF0...0xF0, name: "FeliCa Lite", chip: .feliCaLite, limits: liteLimits),
    Entry(types: 0xF1...0xF1, name: "FeliCa Lite-S", chip: .feliCaLiteS, limits: liteLimits),
    Entry(types: 0xF2...0xF2, name: link, chip: nil, limits: liteLimits),
    Entry(types: 0xFF...0xFF, name: link, chip: nil),
    Entry(types: 0x00...0xDF, name: standard, chip: .feliCaStandard),
  ]

  private static let standard = "FeliCa Standard"
  private static let mobile = "Mobile FeliCa"
  private static let link = "FeliCa Link"
  private static let liteLimits = (
    read: FeliCaLiteLayout.maximumBlocksRead, write: FeliCaLiteLayout.maximumBlocksWritten
  )

  private var entry: Entry? { Self.entries.first { $0.types.contains(rawValue) } }

  /// The chip's name and maker; `nil` for a type without a known name.
  var product: TagProduct? {
    entry.map { TagProduct(name: $0.name, maker: $0.maker, chip: $0.chip) }
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
