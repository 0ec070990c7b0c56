/// CMAC: NIST SP 800-38B; RFC 4493 for AES.
extension BlockCipher {
  /// The last byte that doubling adds, for blocks of 64 and of 128 bits (SP 800-38B, 5.3).
  private static let reductionOf64: UInt8 = 0x1B
  private static let reductionOf128: UInt8 = 0x87
  /// The first bit of what fills up the last block.
  package static let paddingMark: UInt8 = 0x80

  /// The whole block of the code.
  ///
  /// - Parameter initialValue: one block that comes before the message, for protocols that let each code
  ///   depend on the one before; `nil` for the standard's zeros.
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

  /// What the subkeys are made by (SP 800-38B, 6.1).
  func doubled(_ block: [UInt8]) -> [UInt8] {
    var result = zip(block, block.dropFirst() + [0]).map { $0 << 1 | $1 >> 7 }
    if let top = block.first, top & 0x80 != 0, let last = result.popLast() {
      result.append(last ^ (blockSize == 8 ? Self.reductionOf64 : Self.reductionOf128))
    }
    return result
  }

  /// With a bit that is set after the end, and zeros to whole blocks (ISO/IEC 9797-1, padding method 2): at
  /// least one byte more.
  package static func marked(_ message: [UInt8], blockSize: Int) -> [UInt8] {
    let padded = message + [paddingMark]
    return filled(padded, blockSize: blockSize)
  }

  /// With zeros to whole blocks (ISO/IEC 9797-1, padding method 1); nothing more if there are whole blocks.
  package static func filled(_ message: [UInt8], blockSize: Int) -> [UInt8] {
    let rest = message.count % blockSize
    return rest == 0 ? message : message + [UInt8](repeating: 0, count: blockSize - rest)
  }

  /// The message without what ``marked(_:blockSize:)`` has added; `nil` if that is not there.
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
