import ArgumentParser
import NFC
import TagTools

/// Parses hexadecimal numbers on the command line and in files of keys. Upper and lower case are accepted,
/// and each number may have the prefix `0x`. Blanks, colons and hyphens are ignored.
enum Hexadecimal {
  /// Parses an argument that may be shown in an error. It has at least one byte.
  static func argument(_ text: String, _ name: String) throws -> [UInt8] {
    try bytes(text, "\(name) \"\(ArgumentText.shown(text))\"")
  }

  /// Parses an argument that may be a secret. An error does not show it.
  static func secret(_ text: String, _ name: String) throws -> [UInt8] {
    try bytes(text, name)
  }

  private static func bytes(_ text: String, _ name: String) throws -> [UInt8] {
    switch parse(text) {
    case .success(let bytes): return bytes
    case .failure(let problem):
      throw ValidationError("\(name) is not hexadecimal: \(problem.reason).")
    }
  }

  /// The reason why a text is not accepted, as a clause.
  struct Problem: Error {
    let reason: String
  }

  private static let separators: Set<Unicode.Scalar> = [" ", "\t", "\n", "\r", ":", "-"]

  static func parse(_ text: String) -> Result<[UInt8], Problem> {
    let text = ArgumentText.utf8(text) ?? text
    var digits: [UInt8] = []
    var isAtStart = true
    let scalars = Array(text.unicodeScalars)
    var index = 0
    while index < scalars.count {
      let scalar = scalars[index]
      index += 1
      if separators.contains(scalar) {
        isAtStart = true
        continue
      }
      if isAtStart, scalar == "0", index < scalars.count, ["x", "X"].contains(scalars[index]) {
        index += 1
        isAtStart = false
        continue
      }
      isAtStart = false
      guard scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
        return .failure(Problem(reason: "character \(index) is not a digit from 0 to F"))
      }
      digits.append(UInt8(digit))
    }
    guard !digits.isEmpty else { return .failure(Problem(reason: "it is empty")) }
    guard digits.count.isMultiple(of: 2) else {
      return .failure(
        Problem(
          reason: "it has \(digits.count) digit\(digits.count == 1 ? "" : "s"), and a byte has two")
      )
    }
    return .success(
      stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  /// Throws an error for a command that is longer than the reader and the tag accept, before anything is
  /// sent.
  static func checkLength(_ command: [UInt8], atMost maximum: Int) throws {
    guard command.count <= maximum else {
      throw Failure(
        .usage, "a command of \(command.count) bytes is too long",
        advice: "\(maximum) bytes are the most that can be sent")
    }
  }
}

/// The raw commands on the command line. An error does not show a command, because it may contain a key.
struct RawCommands: ParsableArguments {
  @Argument(help: ArgumentHelp("The commands in hexadecimal.", valueName: "hex"))
  private var texts: [String] = []

  mutating func validate() throws { _ = try parsed }

  private var parsed: [[UInt8]] {
    get throws {
      try texts.enumerated().map { try Hexadecimal.secret($1, "Command \($0 + 1)") }
    }
  }

  var all: [[UInt8]] { (try? parsed) ?? [] }

  func checkNotEmpty() throws {
    guard !texts.isEmpty else { throw ValidationError("Missing expected argument '<hex> ...'") }
  }
}

extension [UInt8] {
  /// The UID as text for people; a PC/SC reader may not report it.
  var uidText: String { isEmpty || !ImagedTags.isKnown(self) ? "no UID" : hexadecimal }

  /// The name of the tag with this UID in errors.
  var tagName: String {
    isEmpty || !ImagedTags.isKnown(self) ? "tag without UID" : "tag \(hexadecimal)"
  }
}
