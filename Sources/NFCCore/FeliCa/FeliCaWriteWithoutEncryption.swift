/// Write Without Encryption: FeliCa Card User's Manual, excerpted edition, 4.4.6.
struct FeliCaWriteWithoutEncryption: FeliCaCommand, Hashable {
  var idm: [UInt8]
  var list: FeliCaBlockList
  /// The data, 16 bytes for each block of the list.
  var data: [[UInt8]]

  /// What fits a command: LEN, code, IDm, the services, the list and the blocks are at most 255 bytes.
  static let maximumBlocks = 13

  var encoded: [UInt8] {
    [FeliCaCommandCode.writeWithoutEncryption] + idm + list.encoded + data.flatMap { $0 }
  }

  func validate() throws {
    try list.validate()
    guard data.count == list.blocks.count, data.allSatisfy({ $0.count == FeliCaBlock.size }) else {
      throw NFCError(
        .invalidParameter, "each of the \(list.blocks.count) blocks takes \(FeliCaBlock.size) bytes"
      )
    }
  }

  func answer(_ bytes: [UInt8]) throws {
    var body = try FeliCaAnswer.body(
      of: bytes, to: FeliCaCommandCode.writeWithoutEncryption, idm: idm)
    try FeliCaAnswer.takeStatus(from: &body)
  }
}
