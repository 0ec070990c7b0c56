/// A file with keys and passwords: text with one per line, the keys that Proxmark3 or Flipper Zero has found for a card,
/// or the image of a MIFARE Classic.
package enum KeyFile {
  /// The sizes in bytes of what text may have: a key of a MIFARE Classic, a key of an Ultralight C or AES, a password.
  private static let sizes = [ClassicLayout.keyLength, 16, 4]

  /// Returns the keys, in the order of the file.
  ///
  /// - Throws: ``ImageError`` ``ImageError/Code/malformed`` with the line; it never shows a key.
  package static func keys(in bytes: [UInt8]) throws(ImageError) -> [[UInt8]] {
    guard isText(bytes) else {
      if let keys = ClassicKeyFile.keys(bytes) { return keys }
      return try keys(ofImage: bytes, .binary)
    }
    if isCache(bytes) { return try keys(ofCache: bytes) }
    let format = ImageFormat(guessing: bytes)
    guard format == .binary else { return try keys(ofImage: bytes, format) }
    return try keys(ofText: bytes)
  }

  /// Returns a sentence about a file that is given as a message and has keys only; `nil` for other files.
  package static func remark(on bytes: [UInt8]) -> String? { remark(on: bytes, as: .binary) }

  /// Returns a sentence about a file that is given as an image and has keys only; `nil` for other files.
  static func remark(on bytes: [UInt8], as format: ImageFormat) -> String? {
    guard isText(bytes) else { return nil }
    if isCache(bytes) {
      return "these are the keys of a MIFARE Classic: use the file with --keys"
    }
    // A line of another size may be a block.
    let isBlock = [.binary, .emulator, .mifareClassicTool].contains(format)
    let sizes = isBlock ? [ClassicLayout.keyLength] : sizes
    let lines = lines(bytes)
    guard !lines.isEmpty,
      lines.allSatisfy({ line in
        key(line.text).map { sizes.contains($0.count) } ?? false
      })
    else { return nil }
    return "these are keys, one per line: use them with --keys"
  }

  private static func isText(_ bytes: [UInt8]) -> Bool {
    !bytes.contains(0) && String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
  }

  /// Returns the lines that are not empty, without comments and blanks at both ends.
  private static func lines(_ bytes: [UInt8]) -> [TextLine] {
    TextLine.all(bytes).map(\.withoutComment).filter { !$0.text.isEmpty }
  }

  /// Parses a key, between whose bytes blanks, colons or hyphens may stand.
  private static func key(_ text: Substring) -> [UInt8]? {
    let isSpaced = text.contains(/^[0-9A-Fa-f]{2}([:\-][0-9A-Fa-f]{2})+$/)
    return Hexadecimal.bytes(isSpaced ? text.filter { $0.isHexDigit } : String(text))
  }

  private static func keys(ofText bytes: [UInt8]) throws(ImageError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for line in lines(bytes) {
      guard let key = key(line.text), sizes.contains(key.count) else {
        throw ImageError(
          "a key is 12 hexadecimal digits, or 32 of an Ultralight C or AES, or 8 of a password",
          at: .line(line.number))
      }
      keys.append(key)
    }
    return keys
  }

  private static func keys(
    ofImage bytes: [UInt8], _ format: ImageFormat
  ) throws(ImageError) -> [[UInt8]] {
    let image = try format.decode(bytes)
    let keys = image.classicKeys
    guard !keys.isEmpty else {
      throw ImageError("there are no keys in it", at: nil)
    }
    return keys
  }

  // MARK: Flipper Zero

  /// The keys that Flipper Zero has found for a card, in `nfc/.cache` (flipperdevices/flipperzero-firmware,
  /// applications/main/nfc/helpers/mf_classic_key_cache.c).
  private static let cacheType = "Flipper NFC keys"

  private static func isCache(_ bytes: [UInt8]) -> Bool {
    guard let first = lines(bytes).first?.text else { return false }
    let parts = first.split(separator: ":", maxSplits: 1)
    return parts.count == 2 && parts[0] == "Filetype"
      && parts[1].drop { $0.isWhitespace } == cacheType
  }

  private static func keys(ofCache bytes: [UInt8]) throws(ImageError) -> [[UInt8]] {
    let file = try FlipperFile.Reader(bytes)
    var keys: [[UInt8]] = []
    for entry in file.entries where entry.key.contains(/^Key [AB] sector [0-9]+$/) {
      keys.append(try file.bytes(entry, count: ClassicLayout.keyLength))
    }
    return keys
  }
}
