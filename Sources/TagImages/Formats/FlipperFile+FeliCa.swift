extension FlipperFile.Reader {
  private static let blockSize = TagImage.feliCaBlockSize

  /// Blocks of a FeliCa Lite, or systems with services. Version 1 treated every card as a Lite, and
  /// its first files have no blocks.
  func feliCaImage() throws(ImageError) -> TagImage {
    let version = try number("Data format version", in: 1...FlipperFile.newestFeliCaVersion)
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

  /// Returns a sentence about an IDm that contradicts the UID: they are the same value, which the file has twice.
  func remarkOnIdentifier(of image: TagImage) throws(ImageError) -> String? {
    guard image.kind == .feliCa || image.kind == .feliCaLite, let uid = image.uid,
      let identifier = try optionalBytes("Manufacture id", count: 8), identifier != uid
    else { return nil }
    return
      "the UID \(Hexadecimal.text(uid)) is used; the file also has \(Hexadecimal.text(identifier)) as "
      + "\"Manufacture id\""
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
      index > 0 || Self.tables.contains { part[$0] != nil }
    }
    var systems: [TagImage.FeliCa.System] = []
    for (_, part) in found { systems.append(try system(part)) }
    if let entry = entry("System found") { try check(entry, systems.count) }
    return systems
  }

  private static let (areas, services, blocks) = (
    "Area found", "Service found", "Public blocks read"
  )
  private static let tables = [areas, services, blocks]

  private func system(
    _ part: [String: FlipperFile.Entry]
  ) throws(ImageError) -> TagImage.FeliCa.System {
    var system = TagImage.FeliCa.System(code: nil)
    // The code of each node by its key in the file.
    var nodes: [String: UInt16] = [:]
    Self.tables.forEach(consult)
    for entry in part.values.sorted(by: { $0.line < $1.line }) {
      if Self.beginsPart(entry.key) {
        consult(entry.key)
        let fields = fields(entry)
        system.code = try hexadecimal(fields.first, entry)
        nodes[entry.key] = TagImage.FeliCa.System.systemNode
        try readKeyVersion(fields, entry, TagImage.FeliCa.System.systemNode, &system)
      } else if entry.key.hasSuffix(Self.key),
        let node = nodes[String(entry.key.dropLast(Self.key.count))]
      {
        consult(entry.key)
        system.keys[node, default: .init()].value = try bytes(entry)
      } else if let node = try read(entry, &system) {
        nodes[entry.key] = node
      }
    }
    try checkCounts(part, system)
    removeUsualIndexes(&system)
    return system
  }

  /// More areas or services than any card has, and as many as their numbers of three digits can count.
  private static let largestTable = 0x1000

  /// Makes indexes unknown that follow from the codes: only others have to be kept.
  private func removeUsualIndexes(_ system: inout TagImage.FeliCa.System) {
    for index in system.areas.indices {
      let usual = FlipperFile.services(of: system.areas[index], in: system)
      guard system.areas[index].firstService == usual.first,
        system.areas[index].lastService == usual.last
      else { continue }
      system.areas[index].firstService = nil
      system.areas[index].lastService = nil
    }
  }

  /// The end of the name of a line with a key, which follows that of its system, area or service.
  private static let key = " Key"

  /// Checks that the tables are complete, because a file may have been cut off at the end of any line. The table of
  /// blocks is the last one, and every firmware that names systems writes it.
  private func checkCounts(
    _ part: [String: FlipperFile.Entry], _ system: TagImage.FeliCa.System
  ) throws(ImageError) {
    guard let blocks = part[Self.blocks] else {
      throw ImageError("the system ends without \"\(Self.blocks)\"", at: .line(lastLine))
    }
    try check(blocks, system.blocks.count)
    if let areas = part[Self.areas] { try check(areas, system.areas.count) }
    if let services = part[Self.services] { try check(services, system.services.count) }
  }

  private func check(_ entry: FlipperFile.Entry, _ count: Int) throws(ImageError) {
    guard try number(entry, in: 0...0xFFFF) == count else {
      throw ImageError(
        "\"\(entry.key)\" is \(entry.value), and the file has \(count)", at: .line(entry.line))
    }
  }

  /// The fields between the bars of a line.
  private func fields(_ entry: FlipperFile.Entry) -> [Substring] {
    entry.value.split(separator: "|").map { field in
      var text = field.drop { $0 == " " }
      while text.last == " " { text.removeLast() }
      return text
    }
  }

  private func field(_ name: String, _ fields: [Substring]) -> Substring? {
    fields.first { $0.hasPrefix(name) }.map { $0.dropFirst(name.count).drop { $0 == " " } }
  }

  private func readKeyVersion(
    _ fields: [Substring], _ entry: FlipperFile.Entry, _ node: UInt16,
    _ system: inout TagImage.FeliCa.System
  ) throws(ImageError) {
    guard let version = field("Key version", fields) else { return }
    system.keys[node, default: .init()].version = try hexadecimal(version, entry)
  }

  /// Reads a line of a table, and returns the code if it is that of an area or a service.
  private func read(
    _ entry: FlipperFile.Entry, _ system: inout TagImage.FeliCa.System
  ) throws(ImageError) -> UInt16? {
    guard entry.value.hasPrefix("|") else { return nil }
    let fields = fields(entry)
    if entry.key.hasPrefix("Block ") {
      consult(entry.key)
      system.blocks.append(try block(fields, entry))
      return nil
    }
    let isArea = entry.key.hasPrefix("Area ")
    guard isArea || entry.key.hasPrefix("Service ") else { return nil }
    consult(entry.key)
    let code = try hexadecimal(field("Code", fields), entry)
    guard max(system.areas.count, system.services.count) < Self.largestTable else {
      throw ImageError(
        "a system has more than \(Self.largestTable) areas or services", at: .line(entry.line))
    }
    if isArea {
      var area = TagImage.FeliCa.Area(code: code)
      if let end = field("End", fields) { area.end = try hexadecimal(end, entry) }
      if let range = field("Services", fields) { try readIndexes(range, entry, &area) }
      system.areas.append(area)
    } else {
      system.services.append(code)
    }
    try readKeyVersion(fields, entry, code, &system)
    return code
  }

  /// Reads the indexes of an area's services: #004-#011, or #012-#000 if there is none.
  private func readIndexes(
    _ range: Substring, _ entry: FlipperFile.Entry, _ area: inout TagImage.FeliCa.Area
  ) throws(ImageError) {
    let indexes = range.split(separator: "-").map { $0.drop { $0 == "#" } }
    guard indexes.count == 2 else {
      throw ImageError("\"\(entry.key)\" has no range of services", at: .line(entry.line))
    }
    area.firstService = Int(try hexadecimal(indexes[0], entry))
    area.lastService = Int(try hexadecimal(indexes[1], entry))
  }

  private func block(
    _ fields: [Substring], _ entry: FlipperFile.Entry
  ) throws(ImageError) -> TagImage.FeliCa.Block {
    guard let data = field("Data:", fields).flatMap({ Hexadecimal.bytes($0) }),
      data.count == Self.blockSize
    else {
      throw ImageError("\"\(entry.key)\" does not have 16 bytes of data", at: .line(entry.line))
    }
    return .init(
      service: try hexadecimal(field("Service code", fields), entry),
      number: Int(try hexadecimal(field("Block index", fields), entry)), data: data)
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
