/// `.mct`: `+Sector: N`, then the blocks of the sector, 32 digits each, `--` for an unknown byte. A
/// sector that was not read may be missing, or be a line that begins with an asterisk; # begins a comment (MIFARE
/// Classic Tool, Common.java, `isValidDump` and `readLineByLine`).
enum MCTFile {
  private static let header = "+Sector: "

  static func encode(_ image: TagImage) -> [UInt8] {
    var text = ""
    for sector in 0..<image.sectorCount {
      text += "\(header)\(sector)\n"
      for block in ClassicLayout.blocks(ofSector: sector) {
        text += Hexadecimal.text(image.memory.unit(block), unknown: "--") + "\n"
      }
    }
    return Array(text.utf8)
  }

  static func decode(_ bytes: [UInt8]) throws(ImageError) -> TagImage {
    var sectors: [Int: [[UInt8?]]] = [:]
    var current: (sector: Int, line: Int, blocks: [[UInt8?]])?
    let lines = TextLine.all(bytes).map(\.withoutComment).filter { !$0.text.isEmpty }
    for line in lines {
      let text = line.trimmed
      if text.hasPrefix("+") {
        try finish(&current, &sectors)
        let sector = try number(line)
        guard sectors[sector] == nil else {
          throw ImageError("sector \(sector) occurs twice", at: .line(line.number))
        }
        current = (sector, line.number, [])
      } else if text.hasPrefix("*") {
        guard let sector = current?.sector, current?.blocks.isEmpty == true else {
          throw ImageError("a sector's header should stand before it", at: .line(line.number))
        }
        sectors[sector] = []
        current = nil
      } else {
        guard let block = Hexadecimal.bytes(text, unknown: UInt8(ascii: "-")),
          block.count == ClassicLayout.blockSize
        else { throw ImageError("a block is 32 hexadecimal digits", at: .line(line.number)) }
        guard current != nil else {
          throw ImageError("a sector's header should stand before it", at: .line(line.number))
        }
        current?.blocks.append(block)
      }
    }
    try finish(&current, &sectors)
    guard let last = sectors.keys.max() else {
      throw ImageError("there is no sector", at: .line(1))
    }
    let count = ClassicLayout.blockCounts.first { ClassicLayout.sectorCount(blockCount: $0) > last }
    var image = TagImage(
      .classic, memory: .init(unitSize: ClassicLayout.blockSize, unitCount: count ?? 256))
    for (sector, blocks) in sectors {
      let first = ClassicLayout.blocks(ofSector: sector).lowerBound
      for (index, block) in blocks.enumerated() {
        image.memory.set(block, at: (first + index) * ClassicLayout.blockSize)
      }
    }
    return image
  }

  private static let largestSector = 39

  private static func number(_ line: TextLine) throws(ImageError) -> Int {
    let text = line.trimmed
    guard text.hasPrefix("+Sector:"),
      let sector = Int(text.dropFirst("+Sector:".count).drop { $0 == " " }),
      (0...largestSector).contains(sector)
    else {
      throw ImageError(
        "a sector's header is \"\(header)\" and 0 to \(largestSector)", at: .line(line.number))
    }
    return sector
  }

  private static func finish(
    _ current: inout (sector: Int, line: Int, blocks: [[UInt8?]])?,
    _ sectors: inout [Int: [[UInt8?]]]
  ) throws(ImageError) {
    guard let sector = current else { return }
    let expected = ClassicLayout.blocks(ofSector: sector.sector).count
    guard sector.blocks.count == expected else {
      throw ImageError(
        "sector \(sector.sector) has \(sector.blocks.count) blocks, not \(expected)",
        at: .line(sector.line))
    }
    sectors[sector.sector] = sector.blocks
    current = nil
  }
}
