import SwiftNFCJSONText
import ArgumentParser
import NFC
import SecureTags

/// Parses the arguments of `nfc desfire`.
enum DESFireText {
  /// Parses six hexadecimal digits, most significant first, as `nfc desfire info` prints them.
  static func application(_ text: String, _ name: String) throws -> DESFireApplicationIdentifier {
    let bytes = try Hexadecimal.argument(text, name)
    guard bytes.count == 3,
      let identifier = DESFireApplicationIdentifier(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    else {
      throw ValidationError(
        "\(name) has six hexadecimal digits, not \"\(ArgumentText.shown(text))\".")
    }
    return identifier
  }

  static func file(_ text: String, _ name: String) throws -> Int {
    try NumberArgument.integer(text, name, in: 0...(DESFireApplication.mostFiles - 1))
  }

  static func key(_ text: String, _ name: String) throws -> Int {
    try NumberArgument.integer(text, name, in: 0...(DESFireApplication.mostKeys - 1))
  }

  static func isoIdentifier(_ text: String, _ name: String) throws -> UInt16 {
    let bytes = try Hexadecimal.argument(text, name)
    guard bytes.count == 2 else {
      throw ValidationError("\(name) has four hexadecimal digits.")
    }
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }

  /// Returns a key's number, `everyone` or `nobody`.
  static func access(_ text: String, _ name: String) throws -> DESFireAccess {
    switch text {
    case "everyone", "free": return .everyone
    case "nobody", "never": return .nobody
    default:
      guard let number = Int(text), (0..<DESFireApplication.mostKeys).contains(number) else {
        throw ValidationError(
          "\(name) is a key's number from 0 to \(DESFireApplication.mostKeys - 1), everyone or nobody, "
            + "not \"\(ArgumentText.shown(text))\".")
      }
      return .key(number)
    }
  }

  static func json(_ access: DESFireAccess) -> JSONValue {
    if case .key(let number) = access { .integer(number) } else { .string("\(access)") }
  }
}

/// The options `--app` and `--file`.
struct DESFireFileOptions: ParsableArguments {
  @Option(
    name: .customLong("app"), help: ArgumentHelp("The application.", valueName: "aid"),
    transform: { try DESFireText.application($0, "--app") })
  var application: DESFireApplicationIdentifier

  @Option(
    name: .customLong("file"), help: ArgumentHelp("The file.", valueName: "number"),
    transform: { try DESFireText.file($0, "--file") })
  var file: Int
}

extension DESFireKey.Kind: ExpressibleByArgument {}
