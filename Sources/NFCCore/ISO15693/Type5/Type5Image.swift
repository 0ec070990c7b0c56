/// The known part of a Type 5 tag's memory: whole blocks, by their numbers.
struct Type5Image: Hashable, Sendable {
  /// In bytes; `nil` as long as no block has been read.
  private(set) var blockSize: Int?
  private var blocks: [Int: [UInt8]] = [:]

  var isEmpty: Bool { blocks.isEmpty }

  /// Returns a byte by its place in the memory; `nil` if it is not known.
  func byte(_ address: Int) -> UInt8? {
    guard let blockSize, address >= 0 else { return nil }
    return blocks[address / blockSize]?[address % blockSize]
  }

  func block(_ number: Int) -> [UInt8]? { blocks[number] }

  /// These bytes; `nil` if one of them is not known.
  func bytes(_ addresses: Range<Int>) -> [UInt8]? {
    let known = addresses.compactMap(byte)
    return known.count == addresses.count ? known : nil
  }

  /// Returns the first run of blocks that hold some of these bytes and are not known.
  func missing(in addresses: Range<Int>) -> Range<Int>? {
    guard let blockSize, !addresses.isEmpty else { return nil }
    let numbers = (addresses.lowerBound / blockSize)..<((addresses.upperBound - 1) / blockSize + 1)
    guard let first = numbers.first(where: { blocks[$0] == nil }) else { return nil }
    let end = (first..<numbers.upperBound).first { blocks[$0] != nil } ?? numbers.upperBound
    return first..<end
  }

  /// Keeps blocks that were read or written, from a number on.
  ///
  /// - Throws: `tagResponseError` for blocks of another size than those before.
  mutating func keep(_ data: [[UInt8]], from first: Int) throws {
    for (index, block) in data.enumerated() {
      guard !block.isEmpty, block.count == blockSize ?? block.count else {
        throw NFCError(
          .tagResponseError, "the tag's blocks do not have the expected size",
          place: .block(first + index))
      }
      blockSize = block.count
      blocks[first + index] = block
    }
  }

  /// Returns whether all that is known here is what an earlier image has.
  func agrees(with other: Type5Image) -> Bool {
    blockSize == other.blockSize && blocks.allSatisfy { other.blocks[$0.key] == $0.value }
  }
}
