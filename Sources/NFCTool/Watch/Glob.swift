/// A pattern in which `*` matches any number of characters, including none, and `?` matches one
/// character. A pattern without either is a prefix.
struct Glob: Hashable, Sendable {
  let pattern: String
  private let scalars: [Unicode.Scalar]
  private let isPrefix: Bool

  /// - Parameter isWhole: whether a pattern without either is the whole text, not its beginning.
  init(_ pattern: String, isWhole: Bool = false) {
    self.pattern = pattern
    scalars = Array(pattern.unicodeScalars)
    isPrefix = !isWhole && !scalars.contains("*") && !scalars.contains("?")
  }

  /// Returns whether a text matches. The duration is at most proportional to the product of the two lengths.
  func matches(_ text: String) -> Bool {
    let text = Array(text.unicodeScalars)
    guard !isPrefix else { return text.starts(with: scalars) }
    var place = 0
    var index = 0
    // The last asterisk, and the end of the text that it matches.
    var asterisk: (index: Int, end: Int)?
    while place < text.count {
      if index < scalars.count, scalars[index] == "*" {
        asterisk = (index, place)
        index += 1
      } else if index < scalars.count, scalars[index] == "?" || scalars[index] == text[place] {
        index += 1
        place += 1
      } else if let last = asterisk {
        asterisk = (last.index, last.end + 1)
        index = last.index + 1
        place = last.end + 1
      } else {
        return false
      }
    }
    return scalars[index...].allSatisfy { $0 == "*" }
  }
}
