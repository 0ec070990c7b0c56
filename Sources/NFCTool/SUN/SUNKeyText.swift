import ArgumentParser
import SUNMessage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Parses keys of SUN messages on the command line. A key is 16 bytes, which may be preceded by a number and
/// a colon, as in options that name a tag's keys. Errors never show a key.
enum SUNKeyText {
  private static let variable = "NFC_KEYS"

  static func key(_ text: String, _ name: String) throws -> SUNKey {
    let bytes = try Hexadecimal.secret(digits(text), name)
    guard let key = SUNKey(bytes) else {
      throw ValidationError("\(name) has \(SUNKey.size) bytes, not \(bytes.count).")
    }
    return key
  }

  static let uidSize = 7

  /// Returns the bytes that follow the UID in the input of a key's diversification.
  static func diversification(_ text: String) throws -> [UInt8] {
    let bytes = text.isEmpty ? [] : try Hexadecimal.argument(text, "--diversify")
    let longest = SUNKey.longestDiversificationInput - uidSize
    guard bytes.count <= longest else {
      throw ValidationError("--diversify takes at most \(longest) bytes, not \(bytes.count).")
    }
    return bytes
  }

  /// Returns the text without the key's number.
  private static func digits(_ text: String) -> String {
    guard let colon = text.firstIndex(of: ":"), Int(text[..<colon]) != nil else { return text }
    let rest = String(text[text.index(after: colon)...])
    guard case .success(let bytes) = Hexadecimal.parse(rest), bytes.count == SUNKey.size else {
      return text
    }
    return rest
  }

  /// Returns the first key that the environment contains.
  static func inEnvironment() throws -> SUNKey? {
    guard let text = getenv(variable).map({ String(cString: $0) }) else { return nil }
    let first = text.split { $0 == "," || $0.isWhitespace }.first
    do {
      return try first.map { try key(String($0), variable) }
    } catch let error as ValidationError {
      throw Failure(.usage, "\(error.message)")
    }
  }
}
