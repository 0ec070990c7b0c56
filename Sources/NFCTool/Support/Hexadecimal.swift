import ArgumentParser
import NFC

/// Hexadecimal on the command line.
enum Hexadecimal {
  /// Reads an argument: hexadecimal of either case, blanks and colons ignored, at least one byte.
  static func argument(_ text: String, _ name: String) throws -> [UInt8] {
    guard let bytes = [UInt8](hexadecimal: text) else {
      let digits = text.unicodeScalars.filter { $0.properties.isASCIIHexDigit }
      let others = text.unicodeScalars.contains {
        !$0.properties.isASCIIHexDigit && !$0.properties.isWhitespace && $0 != ":"
      }
      let reason =
        others
        ? "it has other characters than hexadecimal digits, blanks and colons"
        : "\(digits.count) digits are not whole bytes"
      throw ValidationError("\(name) \"\(text)\" is not hexadecimal: \(reason).")
    }
    guard !bytes.isEmpty else { throw ValidationError("\(name) \"\(text)\" is empty.") }
    return bytes
  }

  /// Refuses a command that is longer than reader and tag can take, before anything is sent.
  static func checkLength(_ command: [UInt8], atMost maximum: Int) throws {
    guard command.count <= maximum else {
      throw Failure(
        .usage, "a command of \(command.count) bytes is too long",
        advice: "\(maximum) bytes are the most that can be sent")
    }
  }
}

/// Raw commands on the command line. What is wrong with one is said without it: it may hold a key.
struct RawCommands: ParsableArguments {
  @Argument(help: ArgumentHelp("The commands in hexadecimal.", valueName: "hex"))
  private var texts: [String] = []

  mutating func validate() throws {
    for (index, text) in texts.enumerated() {
      guard let bytes = [UInt8](hexadecimal: text), !bytes.isEmpty else {
        throw ValidationError("Command \(index + 1) is not hexadecimal, or not whole bytes.")
      }
    }
  }

  var all: [[UInt8]] { texts.compactMap { [UInt8](hexadecimal: $0) } }

  func checkNotEmpty() throws {
    guard !texts.isEmpty else { throw ValidationError("Missing expected argument '<hex> ...'") }
  }
}
