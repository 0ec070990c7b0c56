import ArgumentParser
import NFC
import SecureTags

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The keys and passwords for a command. Errors never show them.
struct TagKeys: ParsableArguments {
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

  /// The keys for a MIFARE Classic, without repetitions: the specified keys, followed by the well-known ones.
  var classic: [MiFareClassicKey] { get throws { try found.classic } }

  /// Checks the files of keys, and refuses a key for a tag that has none. A file may be for other tags.
  ///
  /// - Parameter tag: the kind of the tag, with its article.
  func checkAbsence(for tag: String) throws { try found.checkAbsence(for: tag) }

  /// Returns the password or key for an Ultralight or NTAG; see ``Found/ultralight(_:password:)``.
  func ultralight(_ product: TagProduct?, password: [UInt8]? = nil) throws -> UltralightKey? {
    try found.ultralight(product, password: password)
  }
}

extension TagKeys {
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

    /// The keys for a MIFARE Classic, without repetitions: those of the command line, its files and the environment,
    /// followed by those of the file that a virtual card was made from, and the well-known ones.
    var classic: [MiFareClassicKey] {
      get throws {
        var known: Set<MiFareClassicKey> = []
        let others = leavesOutDefaults ? [] : ImagedTags.classicKeys + MiFareClassicKey.wellKnown
        return try (own + others).filter {
          known.insert($0).inserted
        }
      }
    }

    /// The keys for a MIFARE Classic that are named; a file may have others, too.
    private var own: [MiFareClassicKey] {
      get throws {
        let found = inFiles.filter { $0.count == MiFareClassicKey.size }
        return try (given + found + inEnvironment.get()).map { bytes in
          guard let key = MiFareClassicKey(bytes) else {
            throw Failure(
              .usage, "a key of \(bytes.count) bytes is given, and this is a MIFARE Classic",
              advice: "its keys have 6 bytes")
          }
          return key
        }
      }
    }

    /// Uses the keys for the message of a MIFARE Classic.
    func use(for card: MiFareClassicCommands) throws {
      let own = try own + (leavesOutDefaults ? [] : ImagedTags.keysOfMessages)
      guard !own.isEmpty || leavesOutDefaults else { return }
      card.setNDEFKeys(own, includesPublicKeys: !leavesOutDefaults)
    }

    /// Refuses a key for a tag that has none. A file may be for other tags.
    ///
    /// - Parameter tag: the kind of the tag, with its article.
    func checkAbsence(for tag: String) throws {
      guard given.isEmpty else {
        throw Failure(
          .usage, "a key is given, and \(tag) has none for this command",
          advice: "leave --key out")
      }
    }

    /// Returns the password or key for an Ultralight or NTAG.
    ///
    /// Only one is used, because a tag may become permanently inaccessible after a few wrong ones. An Ultralight C
    /// counts none, so that all keys of a file are tried.
    ///
    /// - Parameter password: the specified password.
    func ultralight(_ product: TagProduct?, password: [UInt8]? = nil) throws -> UltralightKey? {
      let size = UltralightKey.size(for: product)
      let found = inFiles.filter { $0.count == size }
      let named = given + (password.map { [$0] } ?? [])
      let all = named + found.filter { !named.contains($0) }
      guard let bytes = all.first else { return nil }
      guard all.count == 1 else {
        if named.isEmpty, Type2Chip(product)?.secretKind == .tripleDES { return .oneOfTripleDES(found) }
        throw Failure(
          .usage, "\(all.count) keys are given, and \(product?.name ?? "an Ultralight") has one",
          advice: "give the right one")
      }
      return try UltralightKey(bytes, product)
    }
  }
}

/// The password or key for the protected pages of an Ultralight or NTAG.
enum UltralightKey {
  case password([UInt8])
  case tripleDES([UInt8])
  /// Keys of which one may be right.
  case oneOfTripleDES([[UInt8]])
  case aes(SecretKey)

  private static let passwordSize = 4
  private static let keySize = 16

  /// Returns the size in bytes of what a chip has.
  static func size(for product: TagProduct?) -> Int {
    [.aes, .tripleDES].contains(Type2Chip(product)?.secretKind) ? keySize : passwordSize
  }

  /// - Throws: `usage` for a length that the chip does not support.
  init(_ bytes: [UInt8], _ product: TagProduct?) throws {
    let kind = Type2Chip(product)?.secretKind
    let hasKey = [.aes, .tripleDES].contains(kind)
    guard bytes.count == (hasKey ? Self.keySize : Self.passwordSize) else {
      throw Failure(
        .usage,
        "a key of \(bytes.count) bytes is given, and this is \(product?.name ?? "an Ultralight")",
        advice: hasKey ? "its key has 16 bytes" : "its password has 4 bytes")
    }
    self = kind == .aes ? .aes(SecretKey(bytes)) : hasKey ? .tripleDES(bytes) : .password(bytes)
  }

  /// The password for the library's calls, or `nil` for a key, which is proved before those calls.
  var password: [UInt8]? {
    if case .password(let bytes) = self { bytes } else { nil }
  }
}

extension UltralightCommands {
  /// Authenticates, if a key was specified.
  func open(with key: UltralightKey?) async throws {
    switch key {
    case .password(let bytes): try await authenticate(password: bytes)
    case .tripleDES(let bytes): try await authenticate(key: bytes)
    case .oneOfTripleDES(let keys):
      for key in keys.dropLast() {
        do {
          return try await authenticate(key: key)
        } catch let error as NFCError where error.group == .refusal {
          continue
        }
      }
      if let last = keys.last { try await authenticate(key: last) }
    case .aes(let key): try await authenticate(.dataProtection, key)
    case nil: break
    }
  }
}
