/// Where the lock bits of a Type 2 tag's pages from 16 on are, and which of them lock data.
///
/// The NFC Forum's default place, right behind the data area, is not where most chips have them;
/// those that NXP makes are known by their lock control TLV or by the size that they come with.
///
/// Source: NFC Forum Type 2 Tag, 4.2.2; NTAG213/215/216 data sheet, 8.5.3; NTAG210/212 data sheet,
/// 8.5.3; NTAG203 data sheet, figure 7; MF0ICU2 data sheet, 7.5.3; MF0ULx1 data sheet, 8.5.3;
/// NT3H1101/1201 data sheet, 8.3.8.
struct Type2DynamicLocks: Hashable, Sendable {
  /// The address of the first lock byte.
  let address: Int
  /// The bits that lock pages of the data area.
  let locking: [UInt8]
  /// The bits beside them that make these bits unchangeable.
  let freezing: [UInt8]

  var bytes: Range<Int> { address..<(address + max(locking.count, freezing.count)) }

  /// All that are to be set so that nothing in the data area can be written any more.
  func setting(_ address: Int) -> UInt8 {
    let index = address - self.address
    return (locking.indices.contains(index) ? locking[index] : 0)
      | (freezing.indices.contains(index) ? freezing[index] : 0)
  }

  private init(page: Int, locking: [UInt8], freezing: [UInt8]) {
    address = page * Type2Memory.pageSize
    self.locking = locking
    self.freezing = freezing
  }

  private init(bits: Int, at address: Int) {
    self.address = address
    locking = (0..<((bits + 7) / 8)).map { index in
      let rest = bits - 8 * index
      return rest >= 8 ? 0xFF : 1 << UInt8(rest) - 1
    }
    freezing = []
  }

  /// Page 24: a bit for two pages each, up to page 35.
  private static let ntag212 = Type2DynamicLocks(
    page: 0x24, locking: [0xFF, 0x03], freezing: [0, 0, 0x1F])
  private static let ntag213 = Type2DynamicLocks(
    page: 0x28, locking: [0xFF, 0x0F], freezing: [0, 0, 0x3F])
  /// A bit for 16 pages each.
  private static let ntag215 = Type2DynamicLocks(
    page: 0x82, locking: [0xFF, 0x00], freezing: [0, 0, 0x0F])
  private static let ntag216 = Type2DynamicLocks(
    page: 0xE2, locking: [0xFF, 0x3F], freezing: [0, 0, 0x7F])
  /// A bit for 32 pages each, in sector 1.
  private static let ntagI2C2K = Type2DynamicLocks(
    page: 0x1E0, locking: [0xFF, 0x7F], freezing: [0, 0, 0xFF])
  /// NTAG203 and Ultralight C: bits 1 to 3 and 5 to 7 lock four pages each, 0 and 4 freeze them. The
  /// second byte belongs to counter, settings and key, which have nothing to do with NDEF.
  private static let firstGeneration = Type2DynamicLocks(
    page: 0x28, locking: [0xEE], freezing: [0x11])

  private static let staticDataSize = 48

  /// - Parameters:
  ///   - size: the size byte of the capability container.
  ///   - control: what a lock control TLV says, if there is one.
  /// - Returns: `nil` for a data area that the static lock bytes reach.
  static func of(size: UInt8, control: ControlledArea?) -> Type2DynamicLocks? {
    let dataSize = Int(size) * 8
    guard dataSize > staticDataSize else { return nil }
    if let control, let bits = control.lockBits {
      switch (control.bytes.lowerBound, bits) {
      case (ntag212.address, 10): return ntag212
      case (ntag213.address, 12): return ntag213
      case (firstGeneration.address, 16): return firstGeneration
      default: return Type2DynamicLocks(bits: bits, at: control.bytes.lowerBound)
      }
    }
    switch size {
    case 0x10: return ntag212
    case 0x12: return firstGeneration
    case 0x3E: return ntag215
    case 0x6D: return ntag216
    case 0xEA: return ntagI2C2K
    default:
      // A bit for eight bytes each, right behind the data.
      return Type2DynamicLocks(
        bits: (dataSize - staticDataSize + 7) / 8, at: Type2Memory.firstDataByte + dataSize)
    }
  }
}
