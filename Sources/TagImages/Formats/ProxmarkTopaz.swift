/// What Proxmark3 stores of a Topaz (client/src/cmdhftopaz.c and cmdhftopaz.h, `topaz_tag_t`).
enum ProxmarkTopaz {
  private static let blockSize = 8
  private static let staticSize = 120
  private static let uidLength = 7
  /// The position of the size in the structure, and in a memory that was taken for one: the last two bytes of the
  /// capability container.
  private static let sizePlace = 10
  private static let dataPlace = 12
  /// With two addresses of four or of eight bytes at the end.
  private static let structureSizes: Set<Int> = [140, 152]

  /// The `.bin` file of a chip with static memory: header ROM, UID, size, and 15 blocks.
  ///
  /// - Returns: `nil` unless the UID stands in block 0, too.
  static func image(structure bytes: [UInt8]) -> TagImage? {
    guard structureSizes.contains(bytes.count), bytes[0] & 0xF0 == 0x10 else { return nil }
    let data = Array(bytes[dataPlace..<dataPlace + staticSize])
    let uid = Array(bytes[2..<2 + uidLength])
    guard data.starts(with: uid) else { return nil }
    var image = TagImage(.topaz, unitSize: blockSize, bytes: data)
    image.headerROM = Array(bytes[0..<2])
    image.uid = uid
    return image
  }

  /// The `.json` file of a chip with more memory, which has the memory in place of the structure: its first bytes
  /// stand as header ROM, UID and size, and one of them, the container's version, is missing.
  ///
  /// - Returns: `nil` unless these bytes continue as a Topaz's memory.
  static func image(
    shifted blocks: [UInt8], header: [UInt8], uid: [UInt8], size: [UInt8]
  ) -> TagImage? {
    let magicNumber: UInt8 = 0xE1
    guard header.count == 2, uid.count == uidLength, size.count == 2, header[0] & 0xF0 != 0x10,
      uid[6] == magicNumber
    else { return nil }
    let count = (Int(size[0]) + 1) * blockSize
    guard count > staticSize, count <= 2048 else { return nil }
    var image = TagImage(
      .topaz, memory: TagImage.Memory(unitSize: blockSize, unitCount: count / blockSize))
    image.memory.set(header + uid, at: 0)
    image.memory.set(size, at: sizePlace)
    image.memory.set(Array(blocks.prefix(count - dataPlace)), at: dataPlace)
    image.uid = header + uid.prefix(uidLength - header.count)
    return image
  }
}
