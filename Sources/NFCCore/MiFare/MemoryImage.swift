/// Files that hold a tag's memory: `.mfd` and `.bin` are its bytes as they are, `.eml` is text, a line of
/// hexadecimal digits a block or page.
public enum MemoryImage {
  /// The text of an `.eml` file.
  ///
  /// - Parameter unitSize: 16 for the blocks of MIFARE Classic, 4 for the pages of Ultralight and NTAG.
  public static func text(_ bytes: [UInt8], unitSize: Int) -> String {
    let size = max(1, unitSize)
    return stride(from: 0, to: bytes.count, by: size).map { first in
      bytes[first..<min(first + size, bytes.count)].hexadecimal + "\n"
    }.joined()
  }

  /// Reads the text of an `.eml` file. Empty lines are skipped; line ends may be of any kind.
  ///
  /// - Throws: `malformedContent` with the line for anything but hexadecimal digits, for lines of
  ///   different lengths, and for no line at all.
  public static func bytes(text: some StringProtocol) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var unitSize: Int?
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    where !line.allSatisfy(\.isWhitespace) {
      guard let unit = [UInt8](hexadecimal: line), unit.count == unitSize ?? unit.count else {
        throw NFCError(
          .malformedContent,
          "line \(index + 1) is not \(unitSize.map { "\($0) bytes" } ?? "a block") in hexadecimal")
      }
      unitSize = unit.count
      bytes += unit
    }
    guard !bytes.isEmpty else { throw NFCError(.malformedContent, "there is no line of bytes") }
    return bytes
  }

  /// Reads a file of either kind: text if every byte is a digit or a blank, else the bytes as they are.
  public static func bytes(file: [UInt8]) throws -> [UInt8] {
    let isText = file.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x09, 0x0A, 0x0D, 0x20: true
      default: false
      }
    }
    return isText && !file.isEmpty ? try bytes(text: String(decoding: file, as: UTF8.self)) : file
  }
}
