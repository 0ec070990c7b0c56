import ArgumentParser

/// The form of a tag's password on the command line, in a file and in the environment: hexadecimal, or `text:` and
/// ASCII characters, each of which is one byte.
enum TagPasswordText {
  private static let prefix = "text:"

  static let advice = "a password of letters is written text:abcd"

  static let help = ArgumentHelp(
    "The tag's password: 4 bytes for an NTAG, Ultralight EV1 or ICODE, 8 for an ST25DV or ST25TV, 16 for an ST25TA, Ultralight C or AES.",
    discussion:
      "In hexadecimal, or as text of ASCII characters: text:abcd is 61626364. The environment variable NFC_PASSWORD does the same.",
    valueName: "password")

  /// Whether a word of the command line is a password in letters.
  static func isText(_ word: some StringProtocol) -> Bool { word.hasPrefix(prefix) }

  /// Parses an argument. An error does not show it.
  static func argument(_ text: String, _ name: String) throws -> [UInt8] {
    switch parse(text) {
    case .success(let bytes): return bytes
    case .failure(let problem):
      throw ValidationError(
        "\(name) is not \(isText(text) ? "a text" : "hexadecimal"): \(problem.reason); \(advice).")
    }
  }

  static func parse(_ text: String) -> Result<[UInt8], Hexadecimal.Problem> {
    guard isText(text) else { return Hexadecimal.parse(text) }
    // The last line of a file has an end.
    var letters = text.dropFirst(prefix.count)
    while letters.last?.isNewline == true { letters = letters.dropLast() }
    guard !letters.isEmpty else { return .failure(Hexadecimal.Problem(reason: "it is empty")) }
    guard letters.unicodeScalars.allSatisfy({ (0x20..<0x7F).contains($0.value) }) else {
      return .failure(
        Hexadecimal.Problem(reason: "after text: only ASCII characters stand, each of one byte"))
    }
    return .success(Array(letters.utf8))
  }
}
