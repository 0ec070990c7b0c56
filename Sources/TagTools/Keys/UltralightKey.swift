import NFC
import SecureTags

/// The password or key for the protected pages of an Ultralight or NTAG.
package enum UltralightKey: Sendable {
  case password([UInt8])
  case tripleDES([UInt8])
  /// Keys of which one may be right.
  case oneOfTripleDES([[UInt8]])
  case aes(SecretKey)

  private static let passwordSize = 4
  private static let keySize = 16
  static let sizes = [passwordSize, keySize]

  /// Returns the size in bytes of what a chip has.
  static func size(for product: TagProduct?) -> Int {
    [.aes, .tripleDES].contains(Type2Chip(product)?.secretKind) ? keySize : passwordSize
  }

  /// - Throws: ``TagSecretError`` for a length that the chip does not support.
  package init(_ bytes: [UInt8], _ product: TagProduct?) throws {
    let kind = Type2Chip(product)?.secretKind
    let hasKey = [.aes, .tripleDES].contains(kind)
    let size = hasKey ? Self.keySize : Self.passwordSize
    guard bytes.count == size else {
      throw TagSecretError(
        .keySize(size),
        "a key of \(bytes.count) bytes is given, and this is \(product?.name ?? "an Ultralight")")
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
  package func open(with key: UltralightKey?) async throws {
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
