/// The 16-bit counter in page 29h of NTAG203 and Ultralight C.
///
/// The first WRITE sets it; each later one adds to it. According to the data sheets, the sum takes effect
/// after the field is reset; on a virtual chip, it takes effect immediately.
///
/// Source: NTAG203 rev. 3.0, section 8.6; MF0ICU2 rev. 3.3, section 7.5.11.
enum OneWayCounter {
  static let page = 0x29
  private static let largestIncrement: UInt8 = 0x0F

  /// Returns the irreversible state of the counter in these pages.
  static func state(_ pages: [UInt8]) -> IrreversibleState {
    var state = IrreversibleState()
    let offset = page * Type2Memory.pageSize
    state.add(.counter, place: page, bytes: pages[offset..<(offset + 2)])
    return state
  }

  /// Returns the new counter bytes, least significant first; `nil` for a refusal.
  ///
  /// - Parameters:
  ///   - data: the data written to the page, of which two bytes are used.
  ///   - ignoresHighBits: whether only the low four bits of the first byte are used and the rest is ignored, as in
  ///     Ultralight C. NTAG203 refuses anything above 000F.
  static func adding(
    _ data: [UInt8], to counter: [UInt8], ignoresHighBits: Bool
  ) -> [UInt8]? {
    guard data.count >= 2, counter.count == 2 else { return nil }
    if counter == [0, 0] { return Array(data.prefix(2)) }
    let increment = data[0] & largestIncrement
    guard ignoresHighBits || (data[0] == increment && data[1] == 0) else { return nil }
    let sum = Int(counter[0]) + Int(counter[1]) << 8 + Int(increment)
    guard sum <= 0xFFFF else { return nil }
    return [UInt8(sum & 0xFF), UInt8(sum >> 8)]
  }
}
