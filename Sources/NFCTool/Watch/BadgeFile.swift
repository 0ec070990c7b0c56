import NFC

/// A file of UIDs for a rule: one per line, then anything after a blank; `#` begins a comment.
enum BadgeFile {
  private static let maximumSize = 4 << 20

  /// - Throws: a ``Failure`` with the line that is not a UID.
  static func read(_ path: String) throws -> Set<String> {
    let bytes = try File.read(path)
    guard bytes.count <= maximumSize, let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(.content, "\(File.name(path)) is not a file of UIDs")
    }
    var badges: Set<String> = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let words = line.prefix { $0 != "#" }.drop { $0 == "\u{FEFF}" }
        .split(whereSeparator: \.isWhitespace)
      guard let word = words.first else { continue }
      guard let uid = try? Hexadecimal.argument(String(word), "uid"), !uid.isEmpty else {
        throw Failure(
          .content, "\(File.name(path)), line \(index + 1): \"\(word)\" is not a UID in hexadecimal"
        )
      }
      badges.insert(uid.hexadecimal)
    }
    return badges
  }
}
