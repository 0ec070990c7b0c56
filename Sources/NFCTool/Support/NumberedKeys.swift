import ArgumentParser
import SecureTags

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A key and its number on the tag, as `0:00112233…`. What is wrong with one is said without it.
struct NumberedKey: Sendable {
  let number: Int
  let secret: SecretKey

  private static let numbers = 0...255

  /// - Parameter name: where it stands: `--key`.
  init(_ text: String, _ name: String) throws {
    guard let colon = text.firstIndex(of: ":"), let number = Int(text[..<colon]),
      Self.numbers.contains(number)
    else { throw ValidationError("\(name) is a key's number, a colon and the key.") }
    let key = String(text[text.index(after: colon)...])
    self.number = number
    secret = SecretKey(try Hexadecimal.secret(key, "\(name) \(number)"))
  }
}

/// The keys that a tag has: `--key`, `--keys` or the environment.
struct NumberedKeys: ParsableArguments {
  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "A key that the tag has, with its number before it; may be given more than once.",
      discussion: "The environment variable NFC_KEYS does the same, with commas between the keys.",
      valueName: "number:hex"),
    transform: { try NumberedKey($0, "--key") })
  private var given: [NumberedKey] = []

  @Option(
    name: .customLong("keys"),
    help: ArgumentHelp("A file of such keys, one per line; # begins a comment.", valueName: "file"))
  private var files: [String] = []

  private static let variable = "NFC_KEYS"

  /// Those that are given, then those in files; the environment only where neither is.
  ///
  /// - Throws: ``Failure`` for a file that cannot be read, or a line that is no key.
  var byNumber: [Int: SecretKey] {
    get throws {
      var keys = given
      for file in files {
        for (index, line) in try File.readText(file).split(
          omittingEmptySubsequences: false, whereSeparator: \.isNewline
        ).enumerated() {
          let text = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
          guard !text.isEmpty else { continue }
          do {
            keys.append(try NumberedKey(text, "a line"))
          } catch {
            throw Failure(
              .content,
              "\(File.name(file)), line \(index + 1): a key is its number, a colon and hexadecimal digits"
            )
          }
        }
      }
      if keys.isEmpty, let text = getenv(Self.variable).map({ String(cString: $0) }) {
        do {
          keys = try text.split { $0 == "," || $0.isWhitespace }.map {
            try NumberedKey(String($0), Self.variable)
          }
        } catch let error as ValidationError {
          throw Failure(.usage, error.message)
        }
      }
      var result: [Int: SecretKey] = [:]
      for key in keys {
        guard result.updateValue(key.secret, forKey: key.number) == nil else {
          throw Failure(.usage, "key \(key.number) is given twice", advice: "give the right one")
        }
      }
      return result
    }
  }
}
