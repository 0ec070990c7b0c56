/// The bytes of a tag that can hold TLVs: its memory without lock bytes and reserved bytes.
///
/// Offsets count the bytes of the area, addresses those of the tag.
struct TagDataArea: Hashable, Sendable {
  private let bytes: Range<Int>
  private let reserved: [Range<Int>]
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
    self.bytes = bytes
    self.reserved = reserved
    self.spans = spans
    size = spans.reduce(0) { $0 + $1.count }
  }

  /// Returns the address of a byte of the area, `nil` after its end.
  func address(_ offset: Int) -> Int? {
    guard offset >= 0 else { return nil }
    var offset = offset
    for span in spans {
      if offset < span.count { return span.lowerBound + offset }
      offset -= span.count
    }
    return nil
  }

  /// Returns the offset of an address in the area, `nil` if it does not belong to it.
  func offset(_ address: Int) -> Int? {
    var offset = 0
    for span in spans {
      if span.contains(address) { return offset + address - span.lowerBound }
      offset += span.count
    }
    return nil
  }

  /// Returns the area without more reserved addresses, as a control TLV names them.
  ///
  /// - Parameter offset: the end of that TLV. Earlier bytes cannot be removed any more, because
  ///   they contain the TLVs.
  func excluding(_ addresses: Range<Int>, after offset: Int) -> TagDataArea {
    guard let next = address(offset), addresses.upperBound > next else { return self }
    let gap = max(next, addresses.lowerBound)..<addresses.upperBound
    return TagDataArea(bytes, without: reserved + [gap])
  }

  /// Returns the TLV at an offset; see ``TagLengthValue/step(at:size:byte:)``.
  ///
  /// - Parameters:
  ///   - byte: by its address; `nil` if it is not known.
  ///   - place: what an error calls an address.
  func step(
    at offset: Int, byte: (Int) -> UInt8?, place: (Int) -> NFCError.Place
  ) throws(NFCError) -> TagLengthValue.Step {
    do throws(NFCError) {
      return try TagLengthValue.step(at: offset, size: size) { address($0).flatMap(byte) }
    } catch {
      var error = error
      if case .offset(let offset) = error.place, let address = address(offset) {
        error.place = place(address)
      }
      throw error
    }
  }

  /// Where the memory that holds the area ends, reserved bytes included.
  var rawEnd: Int { bytes.upperBound }

  /// Where the area ends: the address after its last byte.
  var end: Int { spans.last?.upperBound ?? 0 }
}
