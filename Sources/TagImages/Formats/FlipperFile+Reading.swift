import SwiftNFCChipBook

extension FlipperFile {
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageFormat.Decoding {
    let file = try Reader(bytes)
    guard let header = file.entries.first, header.key == "Filetype" else {
      throw ImageError("the first line is not \"Filetype: \(fileType)\"", at: .line(1))
    }
    file.consult(header.key)
    if header.value == PicoPassFile.fileType {
      return ImageFormat.Decoding(image: try PicoPassFile.decode(bytes))
    }
    guard header.value == fileType else {
      throw ImageError("this is a file of another kind", at: .line(header.line))
    }
    // No release used version 1, so no such files exist.
    let version = try file.number("Version", in: 2...Self.version)
    let device = try file.required("Device type")
    var image = try content(String(device.value), file, version, at: device.line)
    let uid = try file.required("UID")
    image.uid = try file.bytes(uid)
    guard image.kind.uidLengths.contains(image.uid?.count ?? 0) else {
      throw ImageError(
        "\(image.kind.name) has no UID of \(image.uid?.count ?? 0) bytes", at: .line(uid.line))
    }
    if let atqa = try file.optionalBytes("ATQA", count: 2) {
      image.atqa = version < firstVersionWithATQA ? atqa.reversed() : atqa
    }
    image.sak = try file.optionalByte("SAK")
    image.ats = try file.answerToSelect()
    let contradiction = try file.remarkOnIdentifier(of: image)
    let remarks = file.remarks(on: image) + [contradiction].compactMap(\.self)
    return ImageFormat.Decoding(image: image, losses: file.losses, remarks: remarks)
  }

  private static func content(
    _ device: String, _ file: Reader, _ version: Int, at line: Int
  ) throws(ImageError) -> TagImage {
    switch device {
    case DeviceType.type2: return try file.type2(name: nil)
    case DeviceType.classic: return try file.classic()
    case DeviceType.desfire: return try file.desfireImage()
    case DeviceType.vicinity, DeviceType.slix, DeviceType.vicinityBefore4:
      return try file.vicinityImage()
    case DeviceType.feliCa: return try file.feliCaImage()
    case DeviceType.st25tb: return try file.st25tb()
    case DeviceType.ctx: return try file.ctx()
    case DeviceType.barcode: return try file.barcode()
    case DeviceType.bPrime, DeviceType.innovatron: return try file.bPrime()
    case DeviceType.type4: return try file.smartCardImage()
    case DeviceType.plus: return try file.plusImage()
    case DeviceType.typeA4 where file.hasFiles: return try file.smartCardImage()
    case DeviceType.typeA3, DeviceType.typeA4, DeviceType.uid, DeviceType.bankCard,
      DeviceType.ntag4xx, DeviceType.emv:
      return try file.identityImage()
    case DeviceType.typeB3, DeviceType.typeB4:
      var image =
        try device == DeviceType.typeB4 && file.hasFiles
        ? file.smartCardImage() : TagImage(.iso14443b)
      image.applicationData = try file.optionalBytes("Application data", count: 4)
      image.protocolInfo = try file.optionalBytes("Protocol info")
      return image
    default:
      // Before version 4, the chip's name is the device type.
      guard Type2Chip.inFiles.contains(where: { $0.files?.flipperName == device }) else {
        throw ImageError("the device type \"\(device)\" is not known", at: .line(line))
      }
      return try file.type2(name: device)
    }
  }
}

extension FlipperFile.Reader {
  /// Returns a type A card without memory. The version distinguishes an NTAG 4xx from others
  /// (lib/nfc/protocols/ntag4xx); it has 28 bytes, or the first 7 of them.
  fileprivate func identityImage() throws(ImageError) -> TagImage {
    var image = TagImage(.iso14443a)
    image.version = try optionalBytes(FlipperFile.piccVersionKey).flatMap { BinaryFile.nonZero($0) }
    return image
  }

  /// Returns sentences about content that was read in a way that is not obvious.
  fileprivate func remarks(on image: TagImage) -> [String] {
    guard image.kind == .classic else { return [] }
    let count = (0..<image.memory.unitCount).count { block in
      entry("Block \(block)").map { classicBlock($0, block)?.isShort ?? false } ?? false
    }
    guard count > 0 else { return [] }
    return [
      count == 1
        ? "1 block is shorter than 16 bytes, and is treated as unread, as Flipper Zero does"
        : "\(count) blocks are shorter than 16 bytes, and are treated as unread, as Flipper Zero does"
    ]
  }

  // MARK: Type 2

  private static let largestPageCount = 510
  private static let largestCounter = 0xFF_FFFF

  fileprivate func type2(name: String?) throws(ImageError) -> TagImage {
    var name = name
    let dataVersion = try optionalNumber("Data format version", in: 0...FlipperFile.type2Version)
    if name == nil, let entry = entry("NTAG/Ultralight type") {
      name = String(entry.value)
      guard Type2Chip.inFiles.contains(where: { $0.files?.flipperName == name }) else {
        throw ImageError("there is no chip of this name", at: .line(entry.line))
      }
    }
    let total = try number("Pages total", in: 1...Self.largestPageCount)
    let read =
      (dataVersion ?? 0) < 1
      ? total : try optionalNumber("Pages read", in: 0...Self.largestPageCount) ?? total
    var pages: [[UInt8]] = []
    for page in 0..<total { pages.append(try bytes("Page \(page)", count: 4)) }
    var image = TagImage(.type2, memory: .init(unitSize: 4, unitCount: total))
    image.memory.set(pages.prefix(read).flatMap { $0 }, at: 0)
    image.version = BinaryFile.nonZero(try bytes("Mifare version", count: 8))
    image.signature = BinaryFile.nonZero(try bytes("Signature", count: 32))
    if let signature = try optionalBytes("AES signature", count: 48) {
      image.signature = BinaryFile.nonZero(signature)
    }
    let failures = try optionalNumber(
      "Failed authentication attempts", in: 0...Int(UInt32.max))
    image.failedAuthentications = failures == 0 ? nil : failures
    if let chip = chip(name, image) {
      if let places = FlipperFile.places(chip) {
        image.memory = rearranged(image.memory, chip, places)
      }
      image.arrangeType2(named: chip)
    } else {
      image.arrangeType2()
    }
    let counters = image.type2Chip?.counterNumbers ?? 0..<3
    for index in 0..<3 where !counters.contains(index) {
      // The chip has no such counter, and a value of it would be lost: all entries are written for every chip.
      consult("Counter \(index)", ifOneOf: ["0"])
      consult("Tearing \(index)", ifOneOf: ["00", "BD"])
    }
    for index in counters {
      guard let entry = entry("Counter \(index)") else { continue }
      let value = UInt32(try number(entry, in: 0...Self.largestCounter))
      let tearing = try optionalByte("Tearing \(index)")
      image.counters[index] = BinaryFile.counter(
        (0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }, tearing: tearing)
    }
    return image
  }

  /// Returns the chip. A version is more precise than the name; NTAG210 has no name.
  private func chip(_ name: String?, _ image: TagImage) -> Type2Chip? {
    if let version = image.version { return Type2Chip.inFiles(version: version) }
    return name.flatMap { name in Type2Chip.inFiles.first { $0.files?.flipperName == name } }
  }

  private func rearranged(
    _ memory: TagImage.Memory, _ chip: Type2Chip, _ places: [Int?]
  ) -> TagImage.Memory {
    var image = TagImage.Memory(
      unitSize: 4, bytes: Array(repeating: 0, count: chip.pageCount * 4))
    for (index, page) in places.enumerated() {
      guard let page, index < memory.unitCount else { continue }
      image.set(memory.unit(index), at: page * 4)
    }
    return image
  }

  // MARK: MIFARE Classic

  fileprivate func classic() throws(ImageError) -> TagImage {
    let type = try required("Mifare Classic type")
    guard
      let count = FlipperFile.classicTypes.first(where: {
        $0.value.lowercased() == type.value.lowercased()
      })?.key
    else { throw ImageError("there is no MIFARE Classic of this name", at: .line(type.line)) }
    let size = ClassicLayout.blockSize
    var image = TagImage(.classic, memory: .init(unitSize: size, unitCount: count))
    for block in 0..<count {
      let entry = try required("Block \(block)")
      guard let content = classicBlock(entry, block) else {
        throw ImageError(
          "block \(block) is not \(size) bytes in hexadecimal", at: .line(entry.line))
      }
      image.memory.set(content.bytes, at: block * size)
    }
    let version = try optionalNumber("Data format version", in: 0...FlipperFile.classicVersion)
    if version ?? 1 < FlipperFile.classicVersion { try removeUnopened(&image) }
    return image
  }

  /// Returns the bytes of a block, `nil` for what is not hexadecimal or too long.
  ///
  /// Of a block that is too short, Flipper Zero keeps only a complete key A and complete access bits of a trailer
  /// (lib/nfc/protocols/mf_classic/mf_classic.c, `mf_classic_parse_block`).
  private func classicBlock(
    _ entry: FlipperFile.Entry, _ block: Int
  ) -> (bytes: [UInt8?], isShort: Bool)? {
    let size = ClassicLayout.blockSize
    // A line may end within a byte.
    let isCut = entry.value.split(separator: " ").last?.utf8.count == 1
    let value = isCut ? entry.value.dropLast() : entry.value
    guard let bytes = Hexadecimal.bytes(value, unknown: UInt8(ascii: "?")),
      bytes.count < size || bytes.count == size && !isCut
    else { return nil }
    guard bytes.count < size else { return (bytes, false) }
    let parts =
      ClassicLayout.isTrailer(block)
      ? [size - ClassicLayout.keyLength, ClassicLayout.keyLength] : []
    let kept = parts.first { $0 <= bytes.count } ?? 0
    return (bytes.prefix(kept) + Array(repeating: nil, count: size - kept), true)
  }

  /// Removes bytes that were not read. Version 1 has zeros for them, and one bit for each sector whose
  /// key A or key B is known.
  private func removeUnopened(_ image: inout TagImage) throws(ImageError) {
    guard let mapA = try optionalBytes("Key A map", count: 8),
      let mapB = try optionalBytes("Key B map", count: 8)
    else { return }
    for sector in 0..<image.sectorCount {
      func isSet(_ map: [UInt8]) -> Bool { map[7 - sector / 8] >> (sector % 8) & 1 == 1 }
      let trailer = ClassicLayout.trailer(ofSector: sector)
      if !isSet(mapA) { image.memory.markUnknown(trailer.keyA) }
      if !isSet(mapB) { image.memory.markUnknown(trailer.keyB) }
      guard !isSet(mapA), !isSet(mapB) else { continue }
      let blocks = ClassicLayout.blocks(ofSector: sector)
      image.memory.markUnknown(
        blocks.lowerBound * ClassicLayout.blockSize..<blocks.upperBound * ClassicLayout.blockSize)
    }
  }

  // MARK: ISO 15693

  fileprivate func vicinityImage() throws(ImageError) -> TagImage {
    var image = TagImage(.iso15693)
    var details = TagImage.Vicinity()
    details.dsfid = try optionalByte("DSFID")
    details.afi = try optionalByte("AFI")
    details.icReference = try optionalByte("IC Reference")
    details.isDSFIDLocked = try optionalBool("Lock DSFID")
    details.isAFILocked = try optionalBool("Lock AFI")
    if let count = try optionalNumber(
      "Block Count", in: 1...FlipperFile.largestVicinityBlockCount)
    {
      let entry = try required("Block Size")
      guard let size = try bytes(entry, count: 1).first.map({ Int($0) }), (1...32).contains(size)
      else { throw ImageError("a block has 01 to 20 bytes", at: .line(entry.line)) }
      image.memory = TagImage.Memory(
        unitSize: size, bytes: try bytes("Data Content", count: count * size))
      try readLocks(&details, count)
    }
    for (password, key) in FlipperFile.vicinityPasswords {
      details.passwords[password] = try optionalBytes(key, count: 4)
    }
    details.acceptsAllPasswords = try acceptsAllPasswords()
    image.signature = try optionalBytes("Signature", count: 32).flatMap { BinaryFile.nonZero($0) }
    details.isPrivate = try optionalBool("Privacy Mode")
    details.protectionPointer = try optionalByte("Protection Pointer")
    details.protectionCondition = try optionalByte("Protection Condition")
    details.isEASLocked = try optionalBool("Lock EAS")
    details.isProtectionLocked = try optionalBool("Lock PPL")
    image.vicinity = details
    return image
  }

  private func acceptsAllPasswords() throws(ImageError) -> Bool? {
    guard let entry = entry(FlipperFile.Capabilities.key) else { return nil }
    switch entry.value {
    case FlipperFile.Capabilities.standard: return false
    case FlipperFile.Capabilities.acceptsAllPasswords: return true
    default:
      throw ImageError(
        "\"\(FlipperFile.Capabilities.key)\" is neither \(FlipperFile.Capabilities.standard) nor "
          + FlipperFile.Capabilities.acceptsAllPasswords, at: .line(entry.line))
    }
  }

  /// Older files have one byte before those of the blocks: bit 0 for DSFID, bit 1 for AFI.
  private func readLocks(
    _ details: inout TagImage.Vicinity, _ count: Int
  ) throws(ImageError) {
    guard let entry = entry("Security Status") else { return }
    var status = try bytes(entry)
    if status.count == count + 1, details.isDSFIDLocked == nil {
      let locks = status.removeFirst()
      details.isDSFIDLocked = locks & 0x01 != 0
      details.isAFILocked = locks & 0x02 != 0
    }
    guard status.count == count else {
      throw ImageError(
        "\"Security Status\" has \(status.count) bytes, not \(count)", at: .line(entry.line))
    }
    details.lockedBlocks = status.map { $0 & 0x01 != 0 }
  }

  // MARK: ST25TB

  fileprivate func st25tb() throws(ImageError) -> TagImage {
    let type = try required("ST25TB Type")
    guard let count = FlipperFile.st25tbTypes.first(where: { $0.name == type.value })?.blocks else {
      throw ImageError("there is no ST25TB of this name", at: .line(type.line))
    }
    var content: [UInt8] = []
    for block in 0..<count { content += try bytes("Block \(block)", count: 4) }
    var image = TagImage(.st25tb, unitSize: 4, bytes: content)
    image.systemBlock = try optionalBytes("System OTP Block", count: 4)
    return image
  }
}
