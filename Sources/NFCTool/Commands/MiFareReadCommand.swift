import ArgumentParser
import NFC
import TagTools

/// The command `nfc mifare read`.
struct MiFareReadCommand: AsyncParsableCommand, OpensReaderFirst {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Reads sectors.",
    usage: "nfc mifare read <sector> ... [--key <hex>] [--keys <file>] [<options>]",
    discussion: """
      MIFARE Classic: one line per block, with its number and its bytes; key A reads as zeros, as the card \
      returns it. Ultralight and NTAG: one line per page; a sector is the four pages that one READ \
      returns.

      Example:
        nfc mifare read 0 4-7 --virtual classic-1k
      """)

  @OptionGroup(title: HelpText.shared) var options: GlobalOptions
  @OptionGroup var keys: TagKeyOptions

  @Argument(
    help: ArgumentHelp("The sectors: 0, 0-7 or 3,5,9-12.", valueName: "sector"),
    transform: { try NumberList.argument($0, "The sector", upTo: Self.lastSector) })
  var sectors: [[Int]]

  /// The last sector for an NTAG with pages up to FF.
  private static let lastSector = 63
  private static let pagesPerSector = 4

  func run() async throws {
    try await Session.run(options) { session in
      let tag = try await session.selectMemoryTag(for: .reading, onlyMiFare: true)
      let name = tag.name
      let (unit, lines) = try await tag.addingTagName {
        if case .iso7816(let card) = tag.kind { try await card.miFareClassic?.connect() }
        let found = try keys.found.keys(for: tag.kind)
        switch tag.kind.miFareCommands {
        case .classic(let commands):
          return ("block", try await blocks(commands, try found.classic, name))
        case .ultralight(let commands, let tag):
          return ("page", try await pages(commands, try await tag.product(), found, name))
        case nil: return ("block", [])
        }
      }
      try Output.units(lines.map { Output.Unit(number: $0, data: $1) }, unit, json: options.json)
    }
  }

  private func blocks(
    _ commands: MiFareClassicCommands, _ keys: [MiFareClassicKey], _ name: String
  ) async throws -> [(Int, [UInt8])] {
    let geometry = commands.geometry
    let sectors = sectors.joined()
    try check(sectors, geometry.sectorCount)
    var lines: [(Int, [UInt8])] = []
    for sector in sectors {
      let dump = try await commands.readSector(sector, keys: keys)
      if let failure = dump.failure {
        throw Failure(
          .notAllowed, "sector \(sector) was not read: \(failure)", tag: name,
          advice: "give its key with --key")
      }
      for (block, data) in zip(geometry.blocks(ofSector: sector), dump.blocks) {
        lines.append((block, data ?? []))
      }
    }
    return lines
  }

  private func pages(
    _ commands: UltralightCommands, _ product: TagProduct?, _ keys: TagKeys, _ name: String
  ) async throws -> [(Int, [UInt8])] {
    let size = Self.pagesPerSector * 4
    let sectors = sectors.joined()
    if let memory = product?.memorySize { try check(sectors, (memory + size - 1) / size) }
    try await commands.open(with: try keys.ultralight(product))
    var lines: [(Int, [UInt8])] = []
    for sector in sectors {
      let first = sector * Self.pagesPerSector
      // The last sector may be shorter. After the last page, a chip continues with page 0 or refuses.
      let end = min(first + Self.pagesPerSector, product?.memorySize.map { $0 / 4 } ?? .max)
      let data: [UInt8]
      do {
        data = try await commands.readPages(first..<end)
      } catch let error as NFCError where error.code == .tagRefused {
        throw Failure(
          .notAllowed, "sector \(sector) was not read: \(error)", tag: name,
          advice: "give the password with --key")
      }
      for page in first..<end {
        let offset = (page - first) * 4
        lines.append((page, Array(data[offset..<offset + 4])))
      }
    }
    return lines
  }

  private func check(_ sectors: some Sequence<Int>, _ count: Int) throws {
    if let sector = sectors.first(where: { $0 >= count }) {
      throw Failure(
        .usage, "there is no sector \(sector)", advice: "the tag has sectors 0 to \(count - 1)")
    }
  }
}
