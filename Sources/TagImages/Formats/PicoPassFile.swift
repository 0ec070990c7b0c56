/// `.picopass` of Flipper Zero's program for iCLASS cards (bettse/picopass, picopass_device.c, version
/// 1): lines of a key, a colon and a value.
///
/// It writes the number of blocks that the configuration block specifies for the first application, and
/// ignores those after them. A block that was not read has question marks, in older versions zeros or FF.
enum PicoPassFile {
  static let fileType = "Flipper Picopass device"
  private static let version = 1
  /// The maximum number of blocks in a file.
  private static let blockCount = 32
  /// The minimum number of blocks: serial number and configuration are in every file.
  private static let fewestBlocks = 2
  private static let unknown = "??"

  static func objection(to image: TagImage) -> String? {
    guard image.kind == .iClass else { return "" }
    let isComplete = image.memory.known(0..<fewestBlocks * PicoPassLayout.blockSize) != nil
    return image.memory.unitCount == blockCount && isComplete
      ? nil : "of more than \(blockCount) blocks, or without its first blocks"
  }

  static func encode(_ image: TagImage) -> [UInt8] {
    var file = FlipperFile.Writer()
    file.line("Filetype", fileType)
    file.line("Version", version)
    file.comment("Picopass blocks")
    for number in 0..<image.memory.unitCount {
      let block = image.memory.unit(number)
      // A block is either completely known or unknown.
      let isKnown = !block.contains(nil)
      file.line(
        "Block \(number)",
        Hexadecimal.text(
          isKnown ? block : block.map { _ in nil }, unknown: unknown, separator: " "))
    }
    return Array(file.text.utf8)
  }

  static func decode(_ bytes: [UInt8]) throws(ImageError) -> TagImage {
    let file = try FlipperFile.Reader(bytes)
    guard let header = file.entries.first, header.key == "Filetype", header.value == fileType
    else { throw ImageError("the first line is not \"Filetype: \(fileType)\"", at: .line(1)) }
    _ = try file.number("Version", in: version...version)
    let size = PicoPassLayout.blockSize
    var image = TagImage(.iClass, memory: .init(unitSize: size, unitCount: blockCount))
    for number in 0..<blockCount {
      let key = "Block \(number)"
      guard let entry = number < fewestBlocks ? try file.required(key) : file.entry(key) else {
        continue
      }
      guard let block = Hexadecimal.bytes(entry.value, unknown: UInt8(ascii: "?")),
        block.count == size
      else {
        throw ImageError(
          "block \(number) is not \(size) bytes in hexadecimal", at: .line(entry.line))
      }
      image.memory.set(block, at: number * size)
    }
    guard image.memory.known(0..<fewestBlocks * size) != nil else {
      throw ImageError("serial number or configuration is unknown", at: .line(header.line))
    }
    return image
  }
}
