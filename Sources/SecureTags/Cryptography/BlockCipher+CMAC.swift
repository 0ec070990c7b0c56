/// CMAC message authentication codes: NIST SP 800-38B; RFC 4493 for AES.
extension BlockCipher {
  /// The constant that doubling combines with the last byte, for blocks of 64 and of 128 bits (SP
  /// 800-38B, 5.3).
  private static let reductionOf64: UInt8 = 0x1B
  private static let reductionOf128: UInt8 = 0x87
  /// The first byte of the padding: one bit, then zeros.
  package static let paddingMark: UInt8 = 0x80

  /// Returns the full block of the code.
  ///
  /// - Parameter initialValue: one block that precedes the message, for protocols in which each
  ///   code depends on the one before; `nil` for the standard's zeros.
  package func authenticationCode(
    _ message: [UInt8], initialValue: [UInt8]? = nil
  ) throws -> [UInt8] {
    let first = doubled(try encrypt(zeroBlock))
    let isWhole = !message.isEmpty && message.count % blockSize == 0
    var blocks = isWhole ? message : Self.marked(message, blockSize: blockSize)
    let last = blocks.suffix(blockSize).combinedBytes(with: isWhole ? first : doubled(first))
    blocks.replaceSubrange((blocks.count - blockSize)..., with: last)
    return Array(try encrypt(blocks, initialValue: initialValue).suffix(blockSize))
  }

  /// Returns a block doubled, from which the subkeys are derived (SP 800-38B, 6.1).
  func doubled(_ block: [UInt8]) -> [UInt8] {
    var result = zip(block, block.dropFirst() + [0]).map { $0 << 1 | $1 >> 7 }
    if let top = block.first, top & 0x80 != 0, let last = result.popLast() {
      result.append(last ^ (blockSize == 8 ? Self.reductionOf64 : Self.reductionOf128))
    }
    return result
  }

  /// Returns the message padded with a set bit and then zeros to whole blocks (ISO/IEC 9797-1,
  /// padding method 2): at least one byte more.
  package static func marked(_ message: [UInt8], blockSize: Int) -> [UInt8] {
    let padded = message + [paddingMark]
    return filled(padded, blockSize: blockSize)
  }

  /// Returns the message padded with zeros to whole blocks (ISO/IEC 9797-1, padding method 1);
  /// unchanged if it already has whole blocks.
  package static func filled(_ message: [UInt8], blockSize: Int) -> [UInt8] {
    let rest = message.count % blockSize
    return rest == 0 ? message : message + [UInt8](repeating: 0, count: blockSize - rest)
  }

  /// Returns the message without the padding of ``marked(_:blockSize:)``; `nil` if that padding is
  /// missing.
  package static func unmarked(_ blocks: [UInt8]) -> [UInt8]? {
    guard let mark = blocks.lastIndex(where: { $0 != 0 }), blocks[mark] == paddingMark else {
      return nil
    }
    return Array(blocks[..<mark])
  }
}

extension ArraySlice<UInt8> {
  fileprivate func combinedBytes(with other: [UInt8]) -> [UInt8] {
    zip(self, other).map { $0 ^ $1 }
  }
}
