/// The structure that Proxmark3 stores as `.bin` for an ISO 15693 tag (include/iso15.h, `iso15_tag_t`). The state of
/// its simulation comes last; its size differs between versions and compilers.
struct ProxmarkVicinity {
  /// The versions of the structure: a number of blocks of one byte and locks of 160 blocks, or two bytes and 256
  /// blocks, as in `15693 v4` and `15693 v5` (client/src/fileutils.c, `json15_save_tag`).
  private static let versions = [
    ProxmarkVicinity(countSize: 1, largestCount: 160),
    ProxmarkVicinity(countSize: 2, largestCount: 256),
  ]

  private static let uid = 0..<8
  private static let dsfid = 8
  private static let isDSFIDLocked = 9
  private static let afi = 10
  private static let isAFILocked = 11
  private static let blockSize = 12
  private static let blockCount = 13
  private static let dataSize = 2048
  private static let randomNumberSize = 2
  private static let passwordSize = 4
  /// State and two flags: 1 to 4 bytes, and one or two each.
  private static let stateSizes = 1...7
  /// Most significant byte of a UID.
  private static let uidMark: UInt8 = 0xE0
  private static let blockSizes = 1...32

  let countSize: Int
  let largestCount: Int

  private var icReference: Int { Self.blockCount + countSize }
  private var locks: Range<Int> { icReference + 1..<icReference + 1 + largestCount }
  private var data: Range<Int> { locks.upperBound..<locks.upperBound + Self.dataSize }
  private var password: Range<Int> {
    let first = data.upperBound + Self.randomNumberSize
    return first..<first + Self.passwordSize
  }

  /// - Returns: `nil` for other bytes.
  static func image(structure bytes: [UInt8]) -> TagImage? {
    let version = versions.first { stateSizes.contains(bytes.count - $0.password.upperBound) }
    return version?.image(bytes)
  }

  private func image(_ bytes: [UInt8]) -> TagImage? {
    let size = Int(bytes[Self.blockSize])
    let count = (0..<countSize).reduce(0) { $0 | Int(bytes[Self.blockCount + $1]) << (8 * $1) }
    let locks = bytes[locks].prefix(count)
    guard bytes[Self.uid.upperBound - 1] == Self.uidMark, Self.blockSizes.contains(size),
      (1...largestCount).contains(count), size * count <= data.count,
      (locks + [bytes[Self.isDSFIDLocked], bytes[Self.isAFILocked]]).allSatisfy({ $0 <= 1 })
    else { return nil }
    var image = TagImage(
      .iso15693, unitSize: size, bytes: Array(bytes[data].prefix(size * count)))
    image.uid = bytes[Self.uid].reversed()
    var details = TagImage.Vicinity()
    details.dsfid = bytes[Self.dsfid]
    details.isDSFIDLocked = bytes[Self.isDSFIDLocked] != 0
    details.afi = bytes[Self.afi]
    details.isAFILocked = bytes[Self.isAFILocked] != 0
    details.icReference = bytes[icReference]
    details.lockedBlocks = locks.map { $0 != 0 }
    details.passwords[.privacy] = BinaryFile.nonZero(Array(bytes[password]))
    image.vicinity = details
    return image
  }
}
