import ArgumentParser
import NFC
import SecureTags

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A key as it is written: `NUMBER:HEX`, or `AID/NUMBER:HEX`. What is wrong with one is said without it.
struct DESFireGivenKey: Sendable {
  let application: DESFireApplicationIdentifier?
  let number: Int
  let secret: SecretKey

  private static let sizes = [8, 16, 24]
  private static let form = "is like 0:00112233445566778899AABBCCDDEEFF"

  init(_ text: String, _ name: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw ValidationError("\(name) \(Self.form).") }
    let place = parts[0].split(separator: "/", omittingEmptySubsequences: false)
    guard let digits = place.last, place.count <= 2, let number = Int(digits),
      (0..<DESFireApplication.mostKeys).contains(number)
    else {
      throw ValidationError(
        "\(name) begins with the key's number, from 0 to \(DESFireApplication.mostKeys - 1).")
    }
    if place.count == 2 {
      application = try DESFireText.application(String(place[0]), "The application in \(name)")
    } else {
      application = nil
    }
    self.number = number
    var bytes = try Hexadecimal.secret(String(parts[1]), name)
    guard Self.sizes.contains(bytes.count) else {
      throw ValidationError(
        "\(name): a key has 8 bytes (DES), 16 (AES, 2K3DES) or 24 (3K3DES), not \(bytes.count).")
    }
    secret = SecretKey(taking: &bytes)
  }
}

/// `--key`.
struct DESFireKeyOptions: ParsableArguments {
  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "A key, by its number; may be given more than once.",
      discussion: """
        8 bytes for DES, 16 for AES or triple DES with two keys, 24 for three. AID/NUMBER:HEX is a key of \
        that application only. The environment variable NFC_KEYS does the same, with commas between keys.
        """, valueName: "number:hex"),
    transform: { try DESFireGivenKey($0, "--key") })
  var keys: [DESFireGivenKey] = []
}

/// `--keys`.
struct DESFireKeyFiles: ParsableArguments {
  @Option(
    name: .customLong("keys"),
    help: ArgumentHelp(
      "A file of keys, number:hex on each line; # begins a comment.", valueName: "file"))
  var files: [String] = []
}

/// All keys that are given, in the order in which they are tried.
struct DESFireKeyring: Sendable {
  private let keys: [DESFireGivenKey]
  private static let variable = "NFC_KEYS"

  init(_ options: DESFireKeyOptions, _ files: DESFireKeyFiles? = nil) throws {
    keys = try options.keys + Self.keys(in: files?.files ?? []) + Self.inEnvironment()
  }

  private static func keys(in files: [String]) throws -> [DESFireGivenKey] {
    try files.flatMap { file in
      try File.readText(file).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .enumerated().compactMap { index, line -> DESFireGivenKey? in
          let text = line.prefix { $0 != "#" }.filter { !$0.isWhitespace }
          guard !text.isEmpty else { return nil }
          do {
            return try DESFireGivenKey(text, "\(File.name(file)), line \(index + 1)")
          } catch let error as ValidationError {
            throw Failure(.content, Self.clause(error))
          }
        }
    }
  }

  private static func inEnvironment() throws -> [DESFireGivenKey] {
    let text = getenv(variable).map { String(cString: $0) } ?? ""
    do {
      return try text.split { $0 == "," || $0.isWhitespace }.map {
        try DESFireGivenKey(String($0), variable)
      }
    } catch let error as ValidationError {
      throw Failure(.usage, clause(error))
    }
  }

  private static func clause(_ error: ValidationError) -> String {
    error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message
  }

  /// The first that is given for a key; one that names the application before one that names none.
  func secret(_ number: Int, of application: DESFireApplicationIdentifier) -> SecretKey? {
    let fitting = keys.filter {
      $0.number == number && ($0.application == nil || $0.application == application)
    }
    return (fitting.first { $0.application != nil } ?? fitting.first)?.secret
  }

  /// The one that is given as this application's.
  func ownSecret(_ number: Int, of application: DESFireApplicationIdentifier) -> SecretKey? {
    keys.first { $0.number == number && $0.application == application }?.secret
  }
}
