import SwiftNFCCore

/// The attribute information block, block 0 of an NDEF-formatted tag (NFC Forum Type 3 Tag
/// Operation Specification 1.1).
struct Type3AttributeBlock: Hashable, Sendable {
  /// The major and minor version of the mapping, a half byte each.
  var version: UInt8 = 0x10
  /// The maximum number of blocks in one Read Without Encryption.
  var nbr: UInt8
  /// The maximum number of blocks in one Write Without Encryption.
  var nbw: UInt8
  /// The maximum number of blocks in an NDEF message, without the attribute block.
  var nmaxb: UInt16
  var isWritable = true
  /// The length of the NDEF message in bytes, 24 bits.
  var ln: Int

  /// The 16 bytes of the block. The last two are the sum of the others, most significant first.
  var bytes: [UInt8] {
    let head = [version, nbr, nbw] + nmaxb.bigEndianBytes
    let reserved: [UInt8] = [0, 0, 0, 0]
    let flags: [UInt8] = [0x00, isWritable ? 0x01 : 0x00]
    let length = [16, 8, 0].map { UInt8(truncatingIfNeeded: ln >> $0) }
    let body = head + reserved + flags + length
    let checksum = body.reduce(UInt16(0)) { $0 + UInt16($1) }
    return body + checksum.bigEndianBytes
  }

  /// Returns the attribute block and the blocks of a message, the last one padded with zeros.
  func blocks(with message: [UInt8]) -> [[UInt8]] {
    var attributes = self
    attributes.ln = message.count
    var blocks = [attributes.bytes]
    var rest = message[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(FeliCaBlockAccess.blockSize))
      blocks.append(part + [UInt8](repeating: 0, count: FeliCaBlockAccess.blockSize - part.count))
      rest = rest.dropFirst(FeliCaBlockAccess.blockSize)
    }
    return blocks
  }
}
