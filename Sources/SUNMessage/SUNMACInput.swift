/// From which place on the MAC covers the link, up to the MAC itself (SDMMACInputOffset).
public enum SUNMACInput: Hashable, Sendable {
  /// One of the others, whichever is right.
  case automatic
  /// Nothing of the link, only UID and counter, as in NXP AN12196, 3.4.4.2.1. Not possible with file data.
  case none
  /// From the file data on, as in AN12196, 3.4.4.2.2.
  case fileData
  /// From the first place that the chip fills in.
  case firstMirror
  /// The whole link as far as an NDEF record holds it, without `https://www.`, `https://` and the like.
  case link
  /// From this byte of the link on, 0 for the whole of it.
  case offset(Int)
}

extension SUNMessage {
  /// What an NDEF URI record has a code for in place of characters: NFC Forum, URI Record Type Definition, table 3;
  /// those of web links.
  private static let abbreviations = ["https://www.", "http://www.", "https://", "http://"]

  /// The ranges of the link that may be covered.
  func coveredRanges(_ input: SUNMACInput) throws(SUNError) -> [Range<Int>] {
    guard let end = places[.mac]?.lowerBound else { throw .missing(.mac) }
    let fileData = places[.fileData]?.lowerBound
    var starts: [Int]
    switch input {
    case .automatic:
      let all: [SUNMACInput] = [.none, .fileData, .firstMirror, .link, .offset(0)]
      starts = []
      for input in all where fileData == nil || input != .none {
        if let ranges = try? coveredRanges(input) { starts += ranges.map(\.lowerBound) }
      }
    case .none: starts = [end]
    case .fileData:
      guard let fileData else { throw .missing(.fileData) }
      starts = [fileData]
    case .firstMirror: starts = [places.values.map(\.lowerBound).min() ?? end]
    case .link:
      let text = String(decoding: link, as: UTF8.self).lowercased()
      starts = Self.abbreviations.filter(text.hasPrefix).map(\.utf8.count)
      if starts.isEmpty { starts = [0] }
    case .offset(let offset): starts = [offset]
    }
    var ranges: [Range<Int>] = []
    // The chip has the file data covered whole (NT4H2421Gx data sheet, 9.3.7).
    for start in starts where (0...min(end, fileData ?? end)).contains(start) {
      if !ranges.contains(start..<end) { ranges.append(start..<end) }
    }
    return ranges
  }
}
