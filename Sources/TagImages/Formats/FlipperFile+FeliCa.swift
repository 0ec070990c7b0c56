extension FlipperFile.Reader {
  private static let blockSize = TagImage.feliCaBlockSize

  /// Blocks of a FeliCa Lite, or systems with services. Version 1 treated every card as a Lite, and
  /// its first files have no blocks.
  func feliCaImage() throws(ImageError) -> TagImage {
    let version = try number("Data format version", in: 1...FlipperFile.feliCaVersion)
    let pmm = try bytes("Manufacture parameter", count: 8)
    _ = try bytes("Manufacture id", count: 8)
    var image: TagImage
    if entry("Blocks total") != nil {
      image = try feliCaLite()
      image.feliCa = TagImage.FeliCa(pmm: pmm)
    } else {
      image = TagImage(.feliCa)
      var details = TagImage.FeliCa(pmm: pmm)
      if version > 1 { details.systems = try systems() }
      image.feliCa = details
    }
    return image
  }

  private func feliCaLite() throws(ImageError) -> TagImage {
    var image = TagImage.feliCaLite()
    let total = try number("Blocks total", in: 0...image.memory.unitCount)
    _ = try number("Blocks read", in: 0...image.memory.unitCount)
    for index in 0..<total {
      let block = try bytes("Block \(index)", count: 2 + Self.blockSize)
      // Status flag 1 is zero for a block that was read.
      guard block[0] == 0 else { continue }
      image.memory.set(Array(block.dropFirst(2)), at: index * Self.blockSize)
    }
    return image
  }

  private func systems() throws(ImageError) -> [TagImage.FeliCa.System] {
    // Older files of version 2 have one system and do not name it.
    let found = parts.enumerated().filter { index, part in
      index > 0 || part["Service found"] != nil || part["Public blocks read"] != nil
    }
    var systems: [TagImage.FeliCa.System] = []
    for (index, part) in found {
      var system = TagImage.FeliCa.System(code: nil)
      if index > 0 {
        let name = part.values.first {
          $0.key.utf8.count == "System 00".utf8.count && $0.key.hasPrefix("System ")
        }
        system.code = try name.map { entry throws(ImageError) in
          try hexadecimal(entry.value.prefix { $0 != " " && $0 != "|" }, entry)
        }
      }
      for entry in part.values.sorted(by: { $0.line < $1.line }) {
        try read(entry, &system)
      }
      systems.append(system)
    }
    return systems
  }

  /// Reads a line of a table: fields between bars.
  private func read(
    _ entry: FlipperFile.Entry, _ system: inout TagImage.FeliCa.System
  ) throws(ImageError) {
    guard entry.value.hasPrefix("|") else { return }
    let fields = entry.value.split(separator: "|").map { field in
      var text = field.drop { $0 == " " }
      while text.last == " " { text.removeLast() }
      return text
    }
    func field(_ name: String) -> Substring? {
      fields.first { $0.hasPrefix(name) }.map { $0.dropFirst(name.count).drop { $0 == " " } }
    }
    if entry.key.hasPrefix("Area ") {
      var area = TagImage.FeliCa.Area(code: try hexadecimal(field("Code"), entry))
      if let end = field("End") { area.end = try hexadecimal(end, entry) }
      system.areas.append(area)
    } else if entry.key.hasPrefix("Service ") {
      system.services.append(try hexadecimal(field("Code"), entry))
    } else if entry.key.hasPrefix("Block ") {
      guard let data = field("Data:").flatMap({ Hexadecimal.bytes($0) }),
        data.count == Self.blockSize
      else {
        throw ImageError("\"\(entry.key)\" does not have 16 bytes of data", at: .line(entry.line))
      }
      system.blocks.append(
        .init(
          service: try hexadecimal(field("Service code"), entry),
          number: Int(try hexadecimal(field("Block index"), entry)), data: data))
    }
  }

  private func hexadecimal(
    _ text: Substring?, _ entry: FlipperFile.Entry
  ) throws(ImageError) -> UInt16 {
    guard let text, let number = UInt16(text, radix: 16) else {
      throw ImageError("\"\(entry.key)\" has no number where one should be", at: .line(entry.line))
    }
    return number
  }
}
