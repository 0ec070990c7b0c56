/// A value block: a signed number three times, once inverted, and an address four times, twice inverted.
///
/// Source: MF1S50YYX data sheet, 8.6.2.1.
public struct MiFareClassicValueBlock: Hashable, Sendable {
  /// The value.
  public var value: Int32
  /// A byte for the user: the block of a backup copy. Calculations do not change it.
  public var address: UInt8

  /// Creates a value block.
  public init(value: Int32, address: UInt8 = 0) {
    self.value = value
    self.address = address
  }

  /// Parses a block.
  ///
  /// - Throws: ``NFCError/Code/malformedContent`` for a size other than 16, or if the copies
  ///   differ, so that the block is not a value block.
  public init(_ block: [UInt8]) throws {
    guard block.count == MiFareClassicGeometry.blockSize else {
      throw NFCError(.malformedContent, "a value block has 16 bytes, not \(block.count)")
    }
    let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(block[$1]) << (8 * UInt32($1)) }
    self.init(value: Int32(bitPattern: bits), address: block[12])
    guard bytes == block else {
      throw NFCError(.malformedContent, "the block is not a value block: its copies differ")
    }
  }

  /// The 16 bytes of the block, numbers least significant byte first.
  public var bytes: [UInt8] {
    let plain = Self.littleEndian(UInt32(bitPattern: value))
    let inverse = Self.littleEndian(~UInt32(bitPattern: value))
    return plain + inverse + plain + [address, ~address, address, ~address]
  }

  private static func littleEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }
}
