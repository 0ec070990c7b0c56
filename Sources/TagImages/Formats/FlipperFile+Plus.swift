/// MIFARE Plus. Development versions of Flipper Zero's firmware write what they have read with AES keys, an unknown
/// block or key as `??` (lib/nfc/protocols/mf_plus/mf_plus_i.c); its releases write no more than level, type and size.
extension FlipperFile {
  enum PlusKey {
    static let model = "Card Type"
    static let level = "Security Level"
    static let size = "Memory Size"
    static let dataVersion = "Data format version"
    static let signature = "Signature"
    static func block(_ number: Int) -> String { "Block \(number)" }
    static func configuration(_ number: Int) -> String { "Config Block \(number)" }
    static func sectorKey(_ sector: Int, isB: Bool) -> String { "Key \(isB ? "B" : "A") \(sector)" }
  }

  static let plusVersion = 1
  static let plusLevels = ["SL0", "SL1", "SL2", "SL3"]
  static let plusUnknown = "Unknown"
  static let plusModels: [(name: String, model: TagImage.MIFAREPlus.Model)] = [
    ("Mifare Plus", .plus), ("Mifare Plus X", .x), ("Mifare Plus S", .s), ("Mifare Plus SE", .se),
    ("Mifare Plus EV1", .ev1), ("Mifare Plus EV2", .ev2),
  ]
  static let plusSizes: [(name: String, blocks: Int)] = [("1K", 64), ("2K", 128), ("4K", 256)]
  static let plusCardKeys: [(name: String, address: UInt16)] = [
    ("Card Master Key", 0x9000), ("Card Config Key", 0x9001), ("L3 Switch Key", 0x9003),
    ("SL1 Card Auth Key", 0x9004),
  ]
  static let plusSectorKeys: UInt16 = 0x4000
  static let plusConfiguration: UInt16 = 0xB000
  static let plusConfigurationCount = 4
  static let plusVersionLength = 28
  static let plusSignatureLength = 56
  /// The level that has blocks and keys.
  static let plusContentLevel = 3
}

extension FlipperFile.Reader {
  func plusImage() throws(ImageError) -> TagImage {
    var image = TagImage(.iso14443a)
    image.version = try optionalBytes(FlipperFile.piccVersionKey).flatMap { BinaryFile.nonZero($0) }
    var plus = TagImage.MIFAREPlus()
    plus.model = try choice(FlipperFile.PlusKey.model, FlipperFile.plusModels.map(\.name))
      .map { FlipperFile.plusModels[$0].model }
    plus.securityLevel = try choice(FlipperFile.PlusKey.level, FlipperFile.plusLevels)
    if let size = try choice(FlipperFile.PlusKey.size, FlipperFile.plusSizes.map(\.name)) {
      plus.memory = TagImage.Memory(
        unitSize: TagImage.MIFAREPlus.blockSize, unitCount: FlipperFile.plusSizes[size].blocks)
    }
    let hasContent =
      try optionalNumber(FlipperFile.PlusKey.dataVersion, in: 0...FlipperFile.plusVersion) != nil
    if hasContent {
      if plus.securityLevel == FlipperFile.plusContentLevel { try readPlusContent(&plus) }
      if let entry = entry(FlipperFile.PlusKey.signature), !entry.value.hasPrefix("?") {
        image.signature = try bytes(entry, count: FlipperFile.plusSignatureLength)
      }
    }
    if plus != TagImage.MIFAREPlus() { image.plus = plus }
    return image
  }

  private func readPlusContent(_ plus: inout TagImage.MIFAREPlus) throws(ImageError) {
    for number in 0..<plus.memory.unitCount {
      let block = try plusBlock(FlipperFile.PlusKey.block(number))
      plus.memory.set(block, at: number * TagImage.MIFAREPlus.blockSize)
    }
    for sector in 0..<plus.sectorCount {
      for isB in [false, true] {
        let address = FlipperFile.plusSectorKeys + UInt16(2 * sector + (isB ? 1 : 0))
        plus.keys[address] = try known(FlipperFile.PlusKey.sectorKey(sector, isB: isB))
      }
    }
    for key in FlipperFile.plusCardKeys { plus.keys[key.address] = try known(key.name) }
    for number in 0..<FlipperFile.plusConfigurationCount {
      plus.configuration[FlipperFile.plusConfiguration + UInt16(number)] = try known(
        FlipperFile.PlusKey.configuration(number))
    }
  }

  /// Returns the index of a value in its possible values; `nil` for an unknown one, and without the line.
  private func choice(_ key: String, _ values: [String]) throws(ImageError) -> Int? {
    guard let entry = entry(key), entry.value != FlipperFile.plusUnknown else { return nil }
    guard let index = values.firstIndex(where: { $0 == entry.value }) else {
      throw ImageError(
        "\"\(key)\" is not one of \(values.joined(separator: ", "))", at: .line(entry.line))
    }
    return index
  }

  private func plusBlock(_ key: String) throws(ImageError) -> [UInt8?] {
    let entry = try required(key)
    guard let bytes = Hexadecimal.bytes(entry.value, unknown: UInt8(ascii: "?")),
      bytes.count == TagImage.MIFAREPlus.blockSize
    else {
      throw ImageError(
        "\"\(key)\" is not \(TagImage.MIFAREPlus.blockSize) bytes in hexadecimal",
        at: .line(entry.line))
    }
    return bytes
  }

  /// Returns the value of a key whose bytes are all known.
  private func known(_ key: String) throws(ImageError) -> [UInt8]? {
    let bytes = try plusBlock(key)
    let known = bytes.compactMap { $0 }
    return known.count == bytes.count ? known : nil
  }
}

extension FlipperFile.Writer {
  /// Writes what follows after the ATS. Flipper Zero requires the version, with zeros for a card that has none.
  mutating func plus(_ plus: TagImage.MIFAREPlus, of image: TagImage) {
    line(
      FlipperFile.piccVersionKey,
      image.version ?? [UInt8](repeating: 0, count: FlipperFile.plusVersionLength))
    line(
      FlipperFile.PlusKey.model,
      FlipperFile.plusModels.first { $0.model == plus.model }?.name ?? FlipperFile.plusUnknown)
    let level = plus.securityLevel.flatMap {
      FlipperFile.plusLevels.indices.contains($0) ? FlipperFile.plusLevels[$0] : nil
    }
    line(FlipperFile.PlusKey.level, level ?? FlipperFile.plusUnknown)
    let size = FlipperFile.plusSizes.first { $0.blocks == plus.memory.unitCount }
    line(FlipperFile.PlusKey.size, size?.name ?? FlipperFile.plusUnknown)
    line(FlipperFile.PlusKey.dataVersion, FlipperFile.plusVersion)
    if plus.securityLevel == FlipperFile.plusContentLevel {
      comment("SL3 blocks and keys, '??' means unknown")
      content(of: plus, blockCount: size?.blocks ?? 0)
    }
    if let signature = image.signature, signature.count == FlipperFile.plusSignatureLength {
      line(FlipperFile.PlusKey.signature, signature)
    }
  }

  private mutating func content(of plus: TagImage.MIFAREPlus, blockCount: Int) {
    let unknown = [UInt8?](repeating: nil, count: TagImage.MIFAREPlus.blockSize)
    func text(_ bytes: [UInt8?]) -> String {
      Hexadecimal.text(bytes, unknown: "??", separator: " ")
    }
    func text(_ bytes: [UInt8]?) -> String { text(bytes.map { $0.map(Optional.some) } ?? unknown) }
    for number in 0..<blockCount {
      line(FlipperFile.PlusKey.block(number), text(plus.memory.unit(number)))
    }
    for sector in 0..<(blockCount > 0 ? plus.sectorCount : 0) {
      for isB in [false, true] {
        let address = FlipperFile.plusSectorKeys + UInt16(2 * sector + (isB ? 1 : 0))
        line(FlipperFile.PlusKey.sectorKey(sector, isB: isB), text(plus.keys[address]))
      }
    }
    for key in FlipperFile.plusCardKeys { line(key.name, text(plus.keys[key.address])) }
    for number in 0..<FlipperFile.plusConfigurationCount {
      let address = FlipperFile.plusConfiguration + UInt16(number)
      line(FlipperFile.PlusKey.configuration(number), text(plus.configuration[address]))
    }
  }
}
