import TagImages

extension TopazChip {
  var tagImage: TagImage {
    var image = TagImage(.topaz, unitSize: TopazCore.blockSize, bytes: core.memory)
    image.uid = core.uid
    image.headerROM = core.headerROM
    return image
  }
}

extension Topaz96: ImagedChip {}
extension Topaz512: ImagedChip {}

extension TopazCore {
  fileprivate mutating func adopt(_ image: TagImage) {
    setMemory(image.memory.filled(from: memory))
    let headerSize = 2
    if let header = image.headerROM, header.count == headerSize { headerROM = header }
  }
}

extension VirtualTag {
  /// Returns the seven bytes of a UID, of which readers report four; `nil` if the image has none.
  private static func topazUID(_ image: TagImage) -> [UInt8]? {
    guard let uid = image.uid, uid.count <= TopazCore.uidSize else { return nil }
    return uid + [UInt8](repeating: 0, count: TopazCore.uidSize - uid.count)
  }

  static func topaz(_ image: TagImage) throws(VirtualTagNameError) -> VirtualTag {
    let uid = topazUID(image)
    switch image.memory.bytes.count {
    case TopazCore.staticSize:
      var chip = Topaz96(blank: uid ?? Topaz96.defaultUID)
      chip.core.adopt(image)
      return VirtualTag(chip)
    case Topaz512.size:
      var chip = Topaz512(blank: uid ?? Topaz512.defaultUID)
      chip.core.adopt(image)
      return VirtualTag(chip)
    default:
      throw .notADump("no Topaz that is known has \(image.memory.bytes.count) bytes")
    }
  }
}

extension SRIX4K: ImagedChip {
  private static let blockSize = 4
  private static let defaultUID: [UInt8] = [0xD0, 0x02, 0x0C, 0x1F, 0x5A, 0x88, 0x13, 0x6E]

  var tagImage: TagImage {
    let size = memory.count - Self.blockSize
    var image = TagImage(.st25tb, unitSize: Self.blockSize, bytes: Array(memory.prefix(size)))
    image.uid = identifier
    image.systemBlock = Array(memory.dropFirst(size))
    return image
  }

  init(_ image: TagImage) throws(VirtualTagNameError) {
    let count = image.memory.unitCount
    guard Self.blockCounts.contains(count), image.memory.unitSize == Self.blockSize else {
      throw .notADump("no ST25TB that is known has \(count) blocks")
    }
    self.init(
      uid: image.uid.flatMap { $0.count == 8 ? $0 : nil } ?? Self.defaultUID, blockCount: count)
    let system = image.systemBlock ?? [0xFF, 0xFF, 0xFF, 0xFF]
    memory = image.memory.bytes + system
  }
}
