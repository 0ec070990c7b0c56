/// Read Without Encryption: FeliCa Card User's Manual, excerpted edition, 4.4.5.
struct FeliCaReadWithoutEncryption: FeliCaCommand, Hashable {
  var idm: [UInt8]
  var list: FeliCaBlockList

  /// What fits an answer: LEN, code, IDm, flags, number and the blocks are at most 255 bytes.
  static let maximumBlocks = 15

  var encoded: [UInt8] {
    [FeliCaCommandCode.readWithoutEncryption] + idm + list.encoded
  }

  func validate() throws { try list.validate() }

  /// Returns the blocks, 16 bytes each.
  func answer(_ bytes: [UInt8]) throws -> [[UInt8]] {
    var body = try FeliCaAnswer.body(
      of: bytes, to: FeliCaCommandCode.readWithoutEncryption, idm: idm)
    try FeliCaAnswer.takeStatus(from: &body)
    guard let count = body.popFirst() else { throw FeliCaAnswer.tooShort }
    guard Int(count) == list.blocks.count, body.count == Int(count) * FeliCaBlock.size else {
      throw NFCError(.tagResponseError, "the card sent a different number of blocks than requested")
    }
    let data = Array(body)
    return stride(from: 0, to: data.count, by: FeliCaBlock.size).map {
      Array(data[$0..<($0 + FeliCaBlock.size)])
    }
  }
}
