import NFC
import SecureTags

/// The keys and passwords that a program has for a tag, before it knows which kind of tag that is.
///
/// A MIFARE Classic has 6-byte keys, which are tried as key A and as key B of each sector; an NTAG or Ultralight EV1 has a
/// password of 4 bytes, an Ultralight C or AES a key of 16. What a tag does not have is either an error, or left out:
///
/// ```swift
/// let keys = TagKeys([key])
/// ```
///
/// Errors and descriptions do not show keys.
public struct TagKeys: Sendable {
  private let given: [[UInt8]]
  private let candidates: [[UInt8]]
  private let includesPublicKeys: Bool

  /// Creates a collection of keys.
  ///
  /// - Parameters:
  ///   - keys: the keys of this tag. A key that it cannot have is a ``TagSecretError``.
  ///   - candidates: keys that may be for other tags, such as those of a file. Those of another size are left out.
  ///   - includesPublicKeys: whether the keys with which cards are delivered are tried on a MIFARE Classic after the
  ///     others (`MiFareClassicKey.wellKnown`).
  public init(
    _ keys: [SecretKey] = [], candidates: [SecretKey] = [], includesPublicKeys: Bool = true
  ) {
    self.init(
      given: keys.map { $0.withUnsafeBytes { Array($0) } },
      candidates: candidates.map { $0.withUnsafeBytes { Array($0) } },
      includesPublicKeys: includesPublicKeys)
  }

  package init(given: [[UInt8]], candidates: [[UInt8]], includesPublicKeys: Bool) {
    self.given = given
    self.candidates = candidates
    self.includesPublicKeys = includesPublicKeys
  }

  /// Whether there is a key that is not public.
  public var isEmpty: Bool { given.isEmpty && candidates.isEmpty }

  /// The keys for a MIFARE Classic, without repetitions: those that were given, followed by the public ones.
  ///
  /// - Throws: ``TagSecretError`` if a given key has another size.
  package var classic: [MiFareClassicKey] {
    get throws {
      var known: Set<MiFareClassicKey> = []
      return try (own + (includesPublicKeys ? MiFareClassicKey.wellKnown : [])).filter {
        known.insert($0).inserted
      }
    }
  }

  private var own: [MiFareClassicKey] {
    get throws {
      let fitting = candidates.filter { $0.count == MiFareClassicKey.size }
      return try (given + fitting).map { bytes in
        guard let key = MiFareClassicKey(bytes) else {
          throw TagSecretError(
            .keySize(MiFareClassicKey.size),
            "a key of \(bytes.count) bytes is given, and this is a MIFARE Classic")
        }
        return key
      }
    }
  }

  /// Whether an Ultralight or NTAG may have one of the keys, or one was given that it cannot have.
  var mayOpenUltralight: Bool {
    !given.isEmpty || candidates.contains { UltralightKey.sizes.contains($0.count) }
  }

  /// Uses the keys for the message of a MIFARE Classic. Without keys, the card is opened with those of NDEF.
  ///
  /// - Throws: ``TagSecretError`` if a given key has another size.
  package func use(for card: MiFareClassicCommands) throws {
    let own = try own
    guard !own.isEmpty || !includesPublicKeys else { return }
    card.setNDEFKeys(own, includesPublicKeys: includesPublicKeys)
  }

  /// Refuses a key for a tag that has none.
  ///
  /// - Parameter tag: the kind of the tag, with its article.
  /// - Throws: ``TagSecretError``.
  package func checkAbsence(for tag: String) throws {
    guard given.isEmpty else {
      throw TagSecretError(.noKeys, "a key is given, and \(tag) has none")
    }
  }

  /// Returns the password or key for an Ultralight or NTAG.
  ///
  /// Only one is used, because a tag may become permanently inaccessible after a few wrong ones. An Ultralight C
  /// counts none, so that all candidates are tried.
  ///
  /// - Parameter password: the tag's password, if it was given as such.
  /// - Throws: ``TagSecretError``.
  package func ultralight(
    _ product: TagProduct?, password: [UInt8]? = nil
  ) throws -> UltralightKey? {
    let size = UltralightKey.size(for: product)
    let found = candidates.filter { $0.count == size }
    let named = given + (password.map { [$0] } ?? [])
    let all = named + found.filter { !named.contains($0) }
    guard let bytes = all.first else { return nil }
    guard all.count == 1 else {
      if named.isEmpty, Type2Chip(product)?.secretKind == .tripleDES {
        return .oneOfTripleDES(found)
      }
      throw TagSecretError(
        .severalKeys,
        "\(all.count) keys are given, and \(product?.name ?? "an Ultralight") has one")
    }
    return try UltralightKey(bytes, product)
  }
}

extension TagKeys: CustomStringConvertible, CustomReflectable {
  /// The number of keys. They are not shown.
  public var description: String { "\(given.count + candidates.count) keys, not shown" }

  /// Without the keys.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
