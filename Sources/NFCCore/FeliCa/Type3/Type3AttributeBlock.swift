/// The attribute information block, block 0 of a type 3 tag: NFC Forum, Type 3 Tag Operation
/// Specification 1.1, 6.1.
struct Type3AttributeBlock: Hashable, Sendable {
  /// Major version in the high half, minor version in the low one.
  var version: UInt8
  /// Nbr: the maximum number of blocks in one Read Without Encryption.
  var maximumBlocksRead: UInt8
  /// Nbw: the maximum number of blocks in one Write Without Encryption.
  var maximumBlocksWritten: UInt8
  /// Nmaxb: blocks for the message, which follow this one.
  var dataBlocks: UInt16
  /// WriteFlag is not 00: a write was begun and not ended.
  var isBeingWritten: Bool
  /// RWFlag is 01.
  var isWritable: Bool
  /// Ln: the length of the message in bytes, 24 bits.
  var length: Int

  /// Where the block is.
  static let number = 0
  /// The only major version that exists.
  static let majorVersion: UInt8 = 1
  static let currentVersion: UInt8 = 0x10

  private static let writeInProgress: UInt8 = 0x0F
  private static let readWrite: UInt8 = 0x01
  private static let checkedBytes = 14

  init(
    version: UInt8 = currentVersion, maximumBlocksRead: UInt8, maximumBlocksWritten: UInt8,
    dataBlocks: UInt16, isBeingWritten: Bool = false, isWritable: Bool = true, length: Int = 0
  ) {
    self.version = version
    self.maximumBlocksRead = maximumBlocksRead
    self.maximumBlocksWritten = maximumBlocksWritten
    self.dataBlocks = dataBlocks
    self.isBeingWritten = isBeingWritten
    self.isWritable = isWritable
    self.length = length
  }

  /// Reads the block. A block that says nothing, as on a tag that is not formatted, or a major version
  /// that is not known here, is `nil`: no reader may use what follows.
  ///
  /// - Throws: `malformedContent` with block 0.
  init?(_ bytes: [UInt8]) throws {
    guard bytes.count == FeliCaBlock.size else {
      throw Self.malformed("the attribute block has \(bytes.count) bytes")
    }
    guard bytes.contains(where: { $0 != 0 }) else { return nil }
    let sum = bytes.prefix(Self.checkedBytes).reduce(0) { $0 + Int($1) }
    guard sum == Int(bytes[14]) << 8 | Int(bytes[15]) else {
      throw Self.malformed("the attribute block's checksum is wrong")
    }
    guard bytes[0] >> 4 == Self.majorVersion else { return nil }
    guard bytes[1] > 0 else { throw Self.malformed("no block can be read by the attribute block") }
    self.init(
      version: bytes[0], maximumBlocksRead: bytes[1], maximumBlocksWritten: bytes[2],
      dataBlocks: UInt16(bytes[3]) << 8 | UInt16(bytes[4]), isBeingWritten: bytes[9] != 0,
      isWritable: bytes[10] == Self.readWrite,
      length: Int(bytes[11]) << 16 | Int(bytes[12]) << 8 | Int(bytes[13]))
    guard length <= capacity else {
      throw Self.malformed(
        "the length field gives \(length) bytes, and there is room for \(capacity)")
    }
  }

  /// Parses a block in which only the length is wrong, as one of an empty message; `nil` for any
  /// other.
  init?(withoutLength bytes: [UInt8]) {
    guard bytes.count == FeliCaBlock.size else { return nil }
    var empty = bytes
    empty.replaceSubrange(11..<14, with: [0, 0, 0])
    // The checksum is right with the existing length; it is corrected for the new one.
    let sum = bytes.prefix(Self.checkedBytes).reduce(0) { $0 + Int($1) }
    guard sum == Int(bytes[14]) << 8 | Int(bytes[15]) else { return nil }
    let rest = sum - bytes[11..<14].reduce(0) { $0 + Int($1) }
    empty[14] = UInt8(truncatingIfNeeded: rest >> 8)
    empty[15] = UInt8(truncatingIfNeeded: rest)
    guard let block = try? Type3AttributeBlock(empty) else { return nil }
    self = block
  }

  /// The 16 bytes; the last two are the sum of the others.
  var encoded: [UInt8] {
    var bytes: [UInt8] = [version, maximumBlocksRead, maximumBlocksWritten]
    bytes += dataBlocks.bigEndianBytes + [0, 0, 0, 0]
    bytes += [isBeingWritten ? Self.writeInProgress : 0, isWritable ? Self.readWrite : 0]
    bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
    let sum = bytes.reduce(0) { $0 + Int($1) }
    return bytes + [UInt8(truncatingIfNeeded: sum >> 8), UInt8(truncatingIfNeeded: sum)]
  }

  /// The capacity of the data blocks in bytes, limited to the 24 bits of Ln.
  var capacity: Int { min(Int(dataBlocks) * FeliCaBlock.size, 0xFF_FFFF) }

  /// The length of the message for a reader: 0 while a write is not finished.
  var messageLength: Int { isBeingWritten ? 0 : length }

  static func malformed(_ reason: String) -> NFCError {
    NFCError(.malformedContent, reason, place: .block(number))
  }
}
