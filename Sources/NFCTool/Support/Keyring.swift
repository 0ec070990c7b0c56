import ArgumentParser
import SecureTags

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension SecretKey {
  /// Parses a key or password on the command line that has this many bytes. An error does not show it.
  ///
  /// - Parameter name: the option.
  init(_ text: String, _ name: String, size: Int) throws {
    var bytes = try Hexadecimal.secret(text, name)
    guard bytes.count == size else {
      throw ValidationError("\(name) takes \(size) bytes, not \(bytes.count).")
    }
    self.init(taking: &bytes)
  }
}

/// The part of a key argument before the colon, which says which of a tag's keys it is.
protocol KeyPlace: Hashable, Sendable {
  /// - Parameter name: the source of the text, such as `--key`.
  init(_ text: Substring, _ name: String) throws
  /// The permitted sizes of a key in bytes, and their description. If empty, any size is permitted.
  static var sizes: [Int] { get }
  static var sizesText: String { get }
  /// The required form of a key, as a clause without its subject.
  static var form: String { get }
  /// The help text of `--key`.
  static var help: ArgumentHelp { get }
}

/// A key as it is written on the command line: its place, a colon, and hexadecimal digits. An error does not
/// show it.
struct GivenKey<Place: KeyPlace>: Sendable {
  let place: Place
  let secret: SecretKey

  /// - Parameter name: the source of the text, such as `--key`.
  init(_ text: String, _ name: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw ValidationError("\(name) \(Place.form).") }
    place = try Place(parts[0], name)
    var bytes = try Hexadecimal.secret(String(parts[1]), name)
    guard Place.sizes.isEmpty || Place.sizes.contains(bytes.count) else {
      throw ValidationError("\(name): a key has \(Place.sizesText), not \(bytes.count).")
    }
    secret = SecretKey(taking: &bytes)
  }
}

/// The option `--key`.
struct KeyOptions<Place: KeyPlace>: ParsableArguments {
  @Option(name: .customLong("key"), help: Place.help, transform: { try GivenKey($0, "--key") })
  var keys: [GivenKey<Place>] = []
}

/// The option `--keys`.
struct KeyFiles: ParsableArguments {
  @Option(
    name: .customLong("keys"),
    help: ArgumentHelp(
      "A file of such keys, one per line; # begins a comment.", valueName: "file"),
    completion: .file())
  var files: [String] = []
}

/// All specified keys, in the order in which they are tried: `--key`, `--keys`, and the
/// environment.
struct Keyring<Place: KeyPlace>: Sendable {
  private let keys: [GivenKey<Place>]

  /// - Throws: ``Failure`` for a file that cannot be read, a line that is not a key, or two keys for one
  ///   place from the same source.
  init(_ options: KeyOptions<Place>, _ files: KeyFiles? = nil) throws {
    let given = try options.keys + Self.keys(in: files?.files ?? [])
    var places: Set<Place> = []
    for key in given where !places.insert(key.place).inserted {
      throw Failure(.usage, "\(key.place) is given twice", advice: "give the right one")
    }
    // Keys on the command line take precedence.
    keys = try given + Self.inEnvironment().filter { !places.contains($0.place) }
  }

  /// Returns the keys in files.
  static func keys(in files: [String]) throws -> [GivenKey<Place>] {
    try files.flatMap { file in
      try File.readSecrets(file).split(
        omittingEmptySubsequences: false, whereSeparator: \.isNewline
      )
      .enumerated().compactMap { index, line -> GivenKey<Place>? in
        let text = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
        guard !text.isEmpty else { return nil }
        do {
          return try GivenKey(text, "\(File.name(file)), line \(index + 1)")
        } catch let error as ValidationError {
          throw Failure(.content, clause(error))
        }
      }
    }
  }

  private static func inEnvironment() throws -> [GivenKey<Place>] {
    let variable = "NFC_KEYS"
    let text = getenv(variable).map { String(cString: $0) } ?? ""
    do {
      return try text.split { $0 == "," || $0.isWhitespace }.map {
        try GivenKey(String($0), variable)
      }
    } catch let error as ValidationError {
      throw Failure(.usage, clause(error))
    }
  }

  private static func clause(_ error: ValidationError) -> String {
    error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
  }

  /// Returns the first key for a place.
  subscript(_ place: Place) -> SecretKey? { keys.first { $0.place == place }?.secret }

  var byPlace: [Place: SecretKey] {
    Dictionary(keys.map { ($0.place, $0.secret) }) { first, _ in first }
  }
}

extension KeyPlace {
  static var environmentHelp: String {
    "The environment variable NFC_KEYS does the same, with commas between the keys."
  }
}

/// The number of a key of an NTAG DNA.
struct NumberedKeyPlace: KeyPlace, CustomStringConvertible {
  let number: Int

  private static let numbers = 0...255
  static let sizes: [Int] = []
  static let sizesText = ""
  static let form = "is a key's number, a colon and the key"
  static let help = ArgumentHelp(
    "A key that the tag has, with its number before it; may be given more than once.",
    discussion: environmentHelp, valueName: "number:hex")

  init(_ text: Substring, _ name: String) throws {
    guard let number = Int(text), Self.numbers.contains(number) else {
      throw ValidationError("\(name) \(Self.form).")
    }
    self.number = number
  }

  var description: String { "key \(number)" }
}

/// The number of a key of a DESFire card, optionally of one application.
struct DESFireKeyPlace: KeyPlace, CustomStringConvertible {
  let application: DESFireApplicationIdentifier?
  let number: Int

  static let sizes = [8, 16, 24]
  static let sizesText = "8 bytes (DES), 16 (AES, 2K3DES) or 24 (3K3DES)"
  static let form = "is like 0:00112233445566778899AABBCCDDEEFF"
  static let help = ArgumentHelp(
    "A key, by its number; may be given more than once.",
    discussion: """
      8 bytes for DES, 16 for AES or triple DES with two keys, 24 for three. AID/NUMBER:HEX is a key of \
      that application only. \(environmentHelp)
      """, valueName: "number:hex")

  init(_ text: Substring, _ name: String) throws {
    let place = text.split(separator: "/", omittingEmptySubsequences: false)
    guard let digits = place.last, place.count <= 2, let number = Int(digits),
      (0..<DESFireApplication.mostKeys).contains(number)
    else {
      throw ValidationError(
        "\(name) begins with the key's number, from 0 to \(DESFireApplication.mostKeys - 1).")
    }
    application =
      place.count == 2
      ? try DESFireText.application(String(place[0]), "The application in \(name)") : nil
    self.number = number
  }

  init(_ number: Int, of application: DESFireApplicationIdentifier?) {
    self.application = application
    self.number = number
  }

  var description: String { "key \(number)\(application.map { " of \($0.name)" } ?? "")" }
}

extension Keyring where Place == DESFireKeyPlace {
  /// Returns the key to use for a key number. A key that was specified for the application takes precedence
  /// over one without an application.
  func secret(_ number: Int, of application: DESFireApplicationIdentifier) -> SecretKey? {
    ownSecret(number, of: application) ?? self[DESFireKeyPlace(number, of: nil)]
  }

  /// Returns the key that was specified for this application.
  func ownSecret(_ number: Int, of application: DESFireApplicationIdentifier) -> SecretKey? {
    self[DESFireKeyPlace(number, of: application)]
  }
}
