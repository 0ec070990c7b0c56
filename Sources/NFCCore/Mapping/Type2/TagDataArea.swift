/// The bytes of a tag that can hold TLVs: its memory without lock bytes and reserved bytes.
///
/// Offsets count the bytes of the area, addresses those of the tag.
struct TagDataArea: Hashable, Sendable {
  private let spans: [Range<Int>]
  /// In bytes.
  let size: Int

  /// - Parameters:
  ///   - bytes: addresses of the tag.
  ///   - reserved: addresses that do not belong to the area, in any order; they may overlap.
  init(_ bytes: Range<Int>, without reserved: [Range<Int>] = []) {
    var spans: [Range<Int>] = []
    var start = bytes.lowerBound
    for gap in reserved.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      let end = min(gap.lowerBound, bytes.upperBound)
      if start < end { spans.append(start..<end) }
      start = max(start, gap.upperBound)
    }
    if start < bytes.upperBound { spans.append(start..<bytes.upperBound) }
    self.spans = spans
    size = spans.reduce(0) { $0 + $1.count }
  }

  /// The address of a byte of the area, `nil` beyond its end.
  func address(_ offset: Int) -> Int? {
    guard offset >= 0 else { return nil }
    var offset = offset
    for span in spans {
      if offset < span.count { return span.lowerBound + offset }
      offset -= span.count
    }
    return nil
  }

  /// The place of an address in the area, `nil` if it does not belong to it.
  func offset(_ address: Int) -> Int? {
    var offset = 0
    for span in spans {
      if span.contains(address) { return offset + address - span.lowerBound }
      offset += span.count
    }
    return nil
  }

  /// Where the area ends: the address after its last byte.
  var end: Int { spans.last?.upperBound ?? 0 }
}
