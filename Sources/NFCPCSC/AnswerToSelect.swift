/// The answer to select of a type A card with its length byte: ISO/IEC 14443-4, 5.2.
struct AnswerToSelect: Hashable {
  /// Without the length byte.
  let bytes: [UInt8]
  let historicalBytes: [UInt8]

  private static let isReserved: UInt8 = 0x80
  private static let interfaceBytes: UInt8 = 0x70
  /// FSCI: higher codes do not represent a size.
  private static let largestSizeCode: UInt8 = 0x0C

  /// `nil` for bytes that are none, such as historical bytes by themselves: the first is not their number,
  /// or the second is no T0.
  init?(_ encoded: [UInt8]) {
    guard encoded.count >= 2, encoded[0] == UInt8(exactly: encoded.count) else { return nil }
    let t0 = encoded[1]
    let header = 2 + (t0 & Self.interfaceBytes).nonzeroBitCount
    guard t0 & Self.isReserved == 0, t0 & 0x0F <= Self.largestSizeCode, header <= encoded.count
    else { return nil }
    bytes = Array(encoded.dropFirst())
    historicalBytes = Array(encoded.dropFirst(header))
  }
}
