/// What is known of a Type 5 tag's memory: bytes from the beginning on, and where its parts lie.
struct Type5Image: Hashable, Sendable {
  /// Where the message is, or would be.
  struct Place: Hashable, Sendable {
    /// Where the message's type byte is, or will stand.
    var start: Int
    /// Where the message's bytes are; `nil` if no message has been begun.
    var value: Range<Int>?
  }

  /// What a search in the known bytes has come to.
  enum Search: Hashable {
    case found(Place)
    /// More of the memory has to be known: this many bytes.
    case needs(Int)
  }

  var bytes: [UInt8] = []

  /// Looks for the message in the area.
  ///
  /// A zero is a filler without a length: it is reserved in Type 5, yet Android and NXP write it.
  ///
  /// - Throws: `malformedContent` for a value that goes beyond the area, with its place in the
  ///   memory.
  func findMessage(from areaStart: Int, to areaEnd: Int) throws -> Search {
    let size = max(0, areaEnd - areaStart)
    var offset = 0
    while true {
      switch try step(at: offset, areaStart: areaStart, size: size) {
      case .needs(let missing): return .needs(areaStart + missing.upperBound)
      case .end:
        // Nothing but fillers is left: the message may begin before them.
        return .found(Place(start: areaStart + offset, value: nil))
      case .terminator:
        return .found(Place(start: areaStart + terminator(from: offset, areaStart), value: nil))
      case .block(let block):
        if block.tag == TagLengthValue.Tag.ndefMessage {
          let value = (areaStart + block.valueOffset)..<(areaStart + block.end)
          return .found(Place(start: areaStart + block.offset, value: value))
        }
        offset = block.end
      }
    }
  }

  private func step(at offset: Int, areaStart: Int, size: Int) throws -> TagLengthValue.Step {
    do {
      return try TagLengthValue.step(at: offset, size: size) { byte(areaStart + $0) }
    } catch {
      var error = error
      if case .offset(let offset) = error.place { error.place = .offset(areaStart + offset) }
      throw error
    }
  }

  private func byte(_ index: Int) -> UInt8? {
    bytes.indices.contains(index) ? bytes[index] : nil
  }

  /// Where the terminator stands that follows some fillers.
  private func terminator(from offset: Int, _ areaStart: Int) -> Int {
    var offset = offset
    while byte(areaStart + offset) == TagLengthValue.Tag.null { offset += 1 }
    return offset
  }
}
