import ArgumentParser
import NFC

/// The keys and passwords that a command is given. What is wrong with one is said without it.
struct TagKeys: ParsableArguments {
  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "A key; may be given more than once.",
      discussion: """
        MIFARE Classic: 6 bytes, tried as key A and as key B; without any, FFFFFFFFFFFF, \
        A0A1A2A3A4A5 and D3F7D3F7D3F7. NTAG and Ultralight EV1: the password, 4 bytes. Ultralight \
        C: 16 bytes.
        """,
      valueName: "hex"))
  private var texts: [String] = []

  private static let passwordSize = 4
  private static let tripleDESKeySize = 16

  mutating func validate() throws {
    for text in texts {
      guard let bytes = [UInt8](hexadecimal: text) else {
        throw ValidationError("--key takes hexadecimal digits, whole bytes.")
      }
      guard [Self.passwordSize, MiFareClassicKey.size, Self.tripleDESKeySize].contains(bytes.count)
      else {
        throw ValidationError(
          "--key takes 6 bytes (Classic), 4 (password) or 16 (Ultralight C), not \(bytes.count).")
      }
    }
  }

  private var all: [[UInt8]] { texts.compactMap { [UInt8](hexadecimal: $0) } }

  /// The keys for a MIFARE Classic.
  var classic: [MiFareClassicKey] {
    get throws {
      guard !all.isEmpty else { return MiFareClassicKey.wellKnown }
      return try all.map { bytes in
        guard let key = MiFareClassicKey(bytes) else {
          throw Failure(
            .usage, "a key of \(bytes.count) bytes is given, and this is a MIFARE Classic",
            advice: "its keys have 6 bytes")
        }
        return key
      }
    }
  }

  /// The password or key for an Ultralight or NTAG.
  ///
  /// One only: a tag may close for good after a few wrong ones.
  func ultralight(_ product: TagProduct?) throws -> UltralightKey? {
    guard let bytes = all.first else { return nil }
    let isTripleDES = product?.name == "MIFARE Ultralight C"
    let name = product?.name ?? "an Ultralight"
    guard all.count == 1 else {
      throw Failure(
        .usage, "\(all.count) keys are given, and \(name) has one", advice: "give the right one")
    }
    let size = isTripleDES ? Self.tripleDESKeySize : Self.passwordSize
    guard bytes.count == size else {
      throw Failure(
        .usage, "a key of \(bytes.count) bytes is given, and this is \(name)",
        advice: isTripleDES ? "its key has 16 bytes" : "its password has 4 bytes")
    }
    return isTripleDES ? .tripleDES(bytes) : .password(bytes)
  }
}

/// What opens the protected pages of an Ultralight or NTAG.
enum UltralightKey {
  case password([UInt8])
  case tripleDES([UInt8])

  /// What the library's procedures take; a 3DES key is proved before them.
  var password: [UInt8]? {
    if case .password(let bytes) = self { bytes } else { nil }
  }
}

extension UltralightCommands {
  /// Opens the tag, if a key is given.
  func open(with key: UltralightKey?) async throws {
    switch key {
    case .password(let bytes): try await authenticate(password: bytes)
    case .tripleDES(let bytes): try await authenticate(key: bytes)
    case nil: break
    }
  }
}
