/// Checks the names of the files that receive a command's exchanges.
///
/// The parser does not know which words are the names of files, so a word that only looks like the name is refused,
/// too: the other error would be to lose a file.
enum ExchangeFileNames {
  private static let options = ["--record", "--pcap", "--trace"]

  /// - Throws: ``Failure`` `usage` if such a file is also another file of the command line.
  static func check(_ arguments: [String]) throws {
    var targets: [(option: String, path: String)] = []
    var others: [String] = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if options.contains(word), let path = rest.popFirst() {
        targets.append((word, path))
      } else if word.hasPrefix("--"), let equals = word.firstIndex(of: "=") {
        let option = String(word[..<equals])
        let value = String(word[word.index(after: equals)...])
        if options.contains(option) {
          targets.append((option, value))
        } else {
          others.append(value)
        }
      } else {
        others.append(word)
      }
    }
    for (index, target) in targets.enumerated() where target.path != File.standard {
      let words = others + targets[..<index].filter { $0.option != target.option }.map(\.path)
      guard words.contains(where: { File.isSame($0, target.path) }) else { continue }
      throw Failure(
        .usage, "\(File.name(target.path)) is the file of \(target.option), and is named twice",
        advice: "give \(target.option) a file of its own")
    }
  }
}
