/// The content of a value block: the value three times, once inverted, and an address four times, twice
/// inverted.
///
/// Source: MF1S50YYX data sheet, 8.6.2.
struct ValueBlock: Hashable, Sendable {
  /// The bits of a signed number.
  var value: UInt32
  /// The address, which is free for the user; calculations do not change it.
  var address: UInt8

  init(value: UInt32, address: UInt8) {
    self.value = value
    self.address = address
  }

  /// Parses a block; `nil` if the copies differ, so that it is not a value block.
  init?(block: [UInt8]) {
    guard block.count == 16 else { return nil }
    let value = Self.number(Array(block[0..<4]))
    self.init(value: value, address: block[12])
    guard block == bytes else { return nil }
  }

  /// Returns the block after INCREMENT or DECREMENT; `nil` if the value would leave its range, which a card refuses. A
  /// card ignores the sign of the operand.
  ///
  /// Source: Android, frameworks/base commit b134223f, which says that both are findings of NXP.
  func counted(by operand: UInt32, isIncrement: Bool) -> ValueBlock? {
    let amount = Int32(operand & 0x7FFF_FFFF)
    let old = Int32(bitPattern: value)
    let (new, isOverflow) =
      isIncrement ? old.addingReportingOverflow(amount) : old.subtractingReportingOverflow(amount)
    return isOverflow ? nil : ValueBlock(value: UInt32(bitPattern: new), address: address)
  }

  var bytes: [UInt8] {
    let plain = Self.littleEndian(value)
    let inverse = Self.littleEndian(~value)
    return plain + inverse + plain + [address, ~address, address, ~address]
  }

  /// Returns four bytes, least significant first, as a number; missing ones count as zero.
  static func number(_ bytes: [UInt8]) -> UInt32 {
    bytes.prefix(4).enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
  }

  private static func littleEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }
}
