/// The position in the link from which the MAC covers it, up to the MAC itself (SDMMACInputOffset).
public enum SUNMACInput: Hashable, Sendable {
  /// Whichever of the other cases is right.
  case automatic
  /// Nothing of the link, only UID and counter, as in NXP AN12196, 3.4.4.2.1. Not possible with
  /// file data.
  case none
  /// From the file data on, as in AN12196, 3.4.4.2.2.
  case fileData
  /// From the first part that the chip inserts.
  case firstMirror
  /// The whole link as an NDEF record stores it, without `https://www.`, `https://` and so on.
  case link
  /// From this byte of the link on, 0 for the whole of it.
  case offset(Int)
}

extension SUNMessage {
  /// The prefixes of web links that an NDEF URI record replaces with a code: NFC Forum, URI Record
  /// Type Definition, table 3.
  private static let abbreviations = ["https://www.", "http://www.", "https://", "http://"]

  /// Returns the ranges of the link that the MAC may cover.
  func coveredRanges(_ input: SUNMACInput) throws(SUNError) -> [Range<Int>] {
    guard let end = places[.mac]?.lowerBound else { throw .missing(.mac) }
    // A chip inserts the file data before the MAC (NT4H2421Gx data sheet, 10.7.1, tables 69 and 71). What someone has
    // added after it is covered by no MAC.
    if let fileData = places[.fileData], fileData.upperBound > end { return [] }
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
    // The MAC must cover the file data completely (NT4H2421Gx data sheet, 9.3.7).
    for start in starts where (0...min(end, fileData ?? end)).contains(start) {
      if !ranges.contains(start..<end) { ranges.append(start..<end) }
    }
    return ranges
  }
}
