import SwiftNFCCore

/// A key of a MIFARE DESFire card, a DESFire Light or an NTAG DNA chip. Its bytes are never shown.
public struct DESFireKey: Hashable, Sendable {
  /// The cipher that a key is for. All keys of an application are of one kind.
  @nonexhaustive
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// DES, 8 bytes, or triple DES with two keys, 16 bytes; the card stores 16 bytes, and equal
    /// halves make it DES.
    case des
    /// Triple DES with three keys, 24 bytes.
    case threeKeyTripleDES = "3k3des"
    /// AES-128, 16 bytes.
    case aes

    /// Bits 7 and 8 of the number of keys in CreateApplication and GetKeySettings, and of the key number when
    /// the card's own key changes its kind (MF3ICDx21_41_81 data sheet, 9.4.4).
    init?(bits: UInt8) {
      switch bits & Self.mask {
      case 0x00: self = .des
      case 0x40: self = .threeKeyTripleDES
      case 0x80: self = .aes
      default: return nil
      }
    }

    static let mask: UInt8 = 0xC0

    var bits: UInt8 {
      switch self {
      case .des: 0x00
      case .threeKeyTripleDES: 0x40
      case .aes: 0x80
      }
    }

    var algorithm: BlockCipher.Algorithm {
      switch self {
      case .des: .twoKeyTripleDES
      case .threeKeyTripleDES: .threeKeyTripleDES
      case .aes: .aes128
      }
    }
  }

  /// The kind of the key, which decides how it authenticates.
  public let kind: Kind
  /// The version that GetKeyVersion reports: for AES a separate byte, otherwise the lowest bits of
  /// the first eight bytes.
  public let version: UInt8
  let secret: SecretKey

  private static let desKeySize = 8

  /// Creates a key from hexadecimal digits; see ``SecretKey/init(hexadecimal:)``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for any other text, and for another number of bytes, which the error
  ///   names.
  public init(_ kind: Kind, hexadecimal text: some StringProtocol, version: UInt8? = nil) throws {
    guard let bytes = SecretKey(hexadecimal: text) else {
      throw NFCError(.invalidParameter, "a key for \(kind.name) is not hexadecimal")
    }
    try self.init(kind, bytes, version: version)
  }

  /// - Parameters:
  ///   - bytes: 8 or 16 for ``Kind/des``, 24 for three keys, 16 for AES.
  ///   - version: `nil` leaves the bytes of a DES key unchanged, and is 0 for AES. A version
  ///     replaces the parity bits of a DES key, which the cipher does not use.
  /// - Throws: ``NFCError/Code/invalidParameter`` for another number of bytes, which the error names.
  public init(_ kind: Kind, _ bytes: SecretKey, version: UInt8? = nil) throws {
    var copy = bytes.withUnsafeBytes { Array($0) }
    defer { copy.wipe() }
    if kind == .des, copy.count == Self.desKeySize { copy += copy }
    guard copy.count == kind.algorithm.keySize else {
      let sizes = kind == .des ? "8 or 16" : "\(kind.algorithm.keySize)"
      throw NFCError(
        .invalidParameter, "a key for \(kind.name) has \(sizes) bytes, not \(bytes.count)")
    }
    if kind != .aes, let version { Self.set(version, in: &copy) }
    self.kind = kind
    self.version =
      kind == .aes
      ? version ?? 0 : copy.prefix(Self.desKeySize).reduce(0) { $0 << 1 | $1 & 1 }
    secret = SecretKey(copy)
  }

  /// Creates a key from bytes; see ``init(_:_:version:)``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for another number of bytes.
  public init(_ kind: Kind, bytes: [UInt8], version: UInt8? = nil) throws {
    try self.init(kind, SecretKey(bytes), version: version)
  }

  /// Sets the parity bits of the first eight bytes to the version's bits. Those of the second half
  /// of a key with two different halves get the opposite, so that the halves stay different (as in
  /// libfreefare).
  private static func set(_ version: UInt8, in bytes: inout [UInt8]) {
    let isDES = bytes.count == 16 && bytes.prefix(8) == bytes.suffix(8)
    for index in 0..<desKeySize {
      let bit = version >> (7 - index) & 1
      bytes[index] = bytes[index] & 0xFE | bit
      guard bytes.count == 16 else { continue }
      let second = index + desKeySize
      bytes[second] = isDES ? bytes[index] : bytes[second] & 0xFE | (1 - bit)
    }
  }

  /// Returns a key of zeros: the value of every key on delivery, unless the card's configuration
  /// specifies another default.
  public static func factory(_ kind: Kind) -> DESFireKey {
    DESFireKey(
      kind: kind, version: 0,
      secret: SecretKey([UInt8](repeating: 0, count: kind.algorithm.keySize)))
  }

  private init(kind: Kind, version: UInt8, secret: SecretKey) {
    self.kind = kind
    self.version = version
    self.secret = secret
  }

  var cipher: BlockCipher { get throws { try BlockCipher(kind.algorithm, key: secret) } }

  /// Whether the two halves of a DES key are equal, so that the card treats it as DES.
  var isSingleDES: Bool {
    kind == .des
      && secret.withUnsafeBytes { Array($0.prefix(8)).equalsInConstantTime(Array($0.suffix(8))) }
  }

  /// Hashes only the values of a key that are not secret, so that keys can be in sets.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(version)
  }
}

extension DESFireKey.Kind {
  /// The usual name: `AES`.
  public var name: String {
    switch self {
    case .des: "DES"
    case .threeKeyTripleDES: "3K3DES"
    case .aes: "AES"
    }
  }
}

extension DESFireKey: CustomStringConvertible {
  /// Its kind and version, none of its bytes.
  public var description: String { "\(kind.name) key, version \([version].hexadecimal)" }
}
