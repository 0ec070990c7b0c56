/// What a file of Flipper Zero or of its forks says about a tag, and an image has no place for: the card number of an
/// EMV card, the security level of a MIFARE Plus.
extension FlipperFile.Reader {
  /// Keys whose values repeat what others say: the type follows from the PMm, the tree from the codes
  /// (lib/nfc/protocols/felica/felica.c), the length from the bytes; before version 4, the subtype is the
  /// chip of the UID.
  private static let repetitions: Set<String> = [
    "IC Type", "ATR Length", "Directory Tree", "Subtype",
  ]
  private static let mostNames = 16

  /// The names of these values, each once, as the file has them.
  var losses: [String] {
    var seen: Set<String> = []
    let names = ignoredEntries.map(\.key).filter {
      !Self.repetitions.contains($0) && seen.insert($0).inserted
    }
    guard names.count > Self.mostNames else { return names }
    return names.prefix(Self.mostNames - 1) + ["\(names.count - Self.mostNames + 1) more values"]
  }
}
