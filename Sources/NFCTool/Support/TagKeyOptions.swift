import ArgumentParser
import NFC
import TagTools

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The keys and passwords for a command. Errors never show them.
struct TagKeyOptions: ParsableArguments {
  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "A key; may be given more than once.",
      discussion: """
        MIFARE Classic: 6 bytes, tried as key A and as key B before FFFFFFFFFFFF, A0A1A2A3A4A5 and \
        D3F7D3F7D3F7. NTAG and Ultralight EV1: the password, 4 bytes. Ultralight C and AES: 16 bytes. The \
        environment variable NFC_KEYS does the same for MIFARE Classic, with commas between the keys.
        """,
      valueName: "hex"),
    transform: { try Hexadecimal.secret($0, "--key") })
  private var given: [[UInt8]] = []

  @Option(
    name: .customLong("keys"),
    help: ArgumentHelp(
      "A file of keys, one per line; # begins a comment.",
      discussion: """
        Also the keys that Proxmark3 or Flipper Zero has found for a card, and the image of a MIFARE Classic.
        """, valueName: "file"), completion: .file())
  private var files: [String] = []

  @Flag(
    name: .customLong("no-default-keys"),
    help: "Try only the given keys of a MIFARE Classic, not the default ones.")
  private var leavesOutDefaults = false

  private static let passwordSize = 4
  private static let tripleDESKeySize = 16

  mutating func validate() throws {
    for bytes in given {
      guard [Self.passwordSize, MiFareClassicKey.size, Self.tripleDESKeySize].contains(bytes.count)
      else {
        throw ValidationError(
          "--key takes 6 bytes (Classic), 4 (password) or 16 (Ultralight C, AES), not \(bytes.count)."
        )
      }
    }
    guard
      !leavesOutDefaults || !given.isEmpty || !files.isEmpty || getenv(Self.variable) != nil
    else {
      throw ValidationError("--no-default-keys needs a --key or --keys.")
    }
  }

  /// Whether the command line names a key.
  var areGiven: Bool { !given.isEmpty || !files.isEmpty }

  /// Returns the keys in the files, in their order, of any size.
  private func keysInFiles() throws -> [[UInt8]] {
    try files.flatMap { try FoundKeys.keys(in: $0) }
  }

  private static let variable = "NFC_KEYS"

  /// Returns the keys of a MIFARE Classic in the environment. Keys with a place before them, such as `0:…`, are for
  /// other tags.
  private static func keysInEnvironment() throws -> [[UInt8]] {
    let text = getenv(variable).map { String(cString: $0) } ?? ""
    return try text.split { $0 == "," || $0.isWhitespace }.compactMap { word in
      if case .success(let bytes) = Hexadecimal.parse(String(word)),
        bytes.count == MiFareClassicKey.size
      {
        return bytes
      }
      guard word.contains(":") else {
        throw Failure(.usage, "\(variable): a key of a MIFARE Classic is 12 hexadecimal digits")
      }
      return nil
    }
  }

  /// Reads the files and the environment.
  ///
  /// - Throws: ``Failure`` for a file that cannot be read, or a line that is not a key.
  var found: Found {
    get throws {
      Found(
        given: given, inFiles: try keysInFiles(),
        inEnvironment: Result {
          try Self.keysInEnvironment()
        }, leavesOutDefaults: leavesOutDefaults)
    }
  }
}

extension TagKeyOptions {
  /// The keys of the command line, its files, and the environment.
  struct Found: Sendable {
    fileprivate let given: [[UInt8]]
    fileprivate let inFiles: [[UInt8]]
    /// An error is reported only for a tag that has such keys.
    fileprivate let inEnvironment: Result<[[UInt8]], any Error>
    fileprivate let leavesOutDefaults: Bool

    static let none = Found(
      given: [], inFiles: [], inEnvironment: .success([]), leavesOutDefaults: false)

    /// Whether the command line names a key.
    var areGiven: Bool { !given.isEmpty || !inFiles.isEmpty }

    /// Returns the keys for a tag: those of the command line, its files and the environment, followed by those of the
    /// file that a virtual card was made from, and the well-known ones. A file may be for other tags.
    func keys(for tag: DetectedTag) throws -> TagKeys {
      try keys(for: tag, others: ImagedTags.classicKeys)
    }

    /// Returns the keys for the message of a tag. No key is needed to read what the file of a virtual card has.
    func messageKeys(for tag: DetectedTag) throws -> TagKeys {
      try keys(for: tag, others: ImagedTags.keysOfMessages)
    }

    private func keys(for tag: DetectedTag, others: [MiFareClassicKey]) throws -> TagKeys {
      let environment = tag.hasClassicKeys ? try inEnvironment.get() : []
      return TagKeys(
        given: given,
        candidates: inFiles + environment + (leavesOutDefaults ? [] : others.map(\.bytes)),
        includesPublicKeys: !leavesOutDefaults)
    }
  }
}

extension DetectedTag {
  /// Whether the tag has the sectors of a MIFARE Classic.
  fileprivate var hasClassicKeys: Bool {
    switch self {
    case .miFare(let tag): tag.classic != nil
    case .iso7816(let card): card.miFareClassic?.classic != nil
    default: false
    }
  }
}
