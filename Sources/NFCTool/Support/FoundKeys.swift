import TagImages

/// Reads the files of `--keys`: text, and the forms in which other programs save the keys of a card.
enum FoundKeys {
  /// Returns the keys in a file, of any size.
  ///
  /// - Throws: `content` with the line; it never shows a key.
  static func keys(in file: String) throws -> [[UInt8]] {
    do {
      return try KeyFile.keys(in: try File.readSecretBytes(file))
    } catch let error as ImageError {
      let place =
        if case .line(let line) = error.place { ", line \(line)" } else { "" }
      throw Failure(.content, "\(File.name(file))\(place): \(error.reason)")
    }
  }
}
