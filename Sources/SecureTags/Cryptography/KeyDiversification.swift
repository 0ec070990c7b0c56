import SwiftNFCCore

/// Derives the keys of individual cards from one master key and data of the card: NXP AN10922.
///
/// ```swift
/// let input = uid + applicationIdentifier + Array("my system".utf8)
/// let key = try KeyDiversification.key(master, .aes128, input: input)
/// ```
public enum KeyDiversification {
  /// The cipher that the keys are for.
  @nonexhaustive
  public enum Algorithm: Hashable, Sendable, CaseIterable {
    /// AES with keys of 16 bytes.
    case aes128
    /// AES with keys of 24 bytes.
    case aes192
    /// Triple DES with two keys. The version in the parity bits is not set.
    case twoKeyTripleDES
    /// Triple DES with three keys. The version in the parity bits is not set.
    case threeKeyTripleDES

    var cipher: BlockCipher.Algorithm {
      switch self {
      case .aes128: .aes128
      case .aes192: .aes192
      case .twoKeyTripleDES: .twoKeyTripleDES
      case .threeKeyTripleDES: .threeKeyTripleDES
      }
    }

    /// The first bytes of the input for each part of the key: AN10922, 2.2 to 2.5.
    var constants: [UInt8] {
      switch self {
      case .aes128: [0x01]
      case .aes192: [0x11, 0x12]
      case .twoKeyTripleDES: [0x21, 0x22]
      case .threeKeyTripleDES: [0x31, 0x32, 0x33]
      }
    }

    /// The maximum number of bytes of input.
    public var longestInput: Int { 2 * cipher.blockSize - 1 }
  }

  /// Returns the key of one card.
  ///
  /// - Parameters:
  ///   - master: 16 bytes for AES-128 and two-key triple DES, 24 for AES-192 and three-key triple
  ///     DES.
  ///   - input: data that differ from card to card, usually the UID, the application identifier and
  ///     a name of the system; 1 to 31 bytes for AES, 1 to 15 for triple DES.
  /// - Throws: ``NFCError/Code/invalidParameter`` for other lengths.
  public static func key(
    _ master: SecretKey, _ algorithm: Algorithm, input: [UInt8]
  ) throws -> SecretKey {
    guard (1...algorithm.longestInput).contains(input.count) else {
      throw NFCError(
        .invalidParameter,
        "the input has 1 to \(algorithm.longestInput) bytes, not \(input.count)")
    }
    let cipher = try BlockCipher(algorithm.cipher, key: master)
    var parts = try algorithm.constants.map { try cipher.codeOfTwoBlocks([$0] + input) }
    defer { for index in parts.indices { parts[index].wipe() } }
    var key: [UInt8]
    if algorithm == .aes192 {
      // Two blocks make 24 bytes: they overlap in the middle (2.3).
      let half = cipher.blockSize / 2
      key =
        Array(parts[0].prefix(half))
        + Array(parts[0].suffix(half)).combined(with: Array(parts[1].prefix(half)))
        + parts[1].suffix(half)
    } else {
      key = parts.flatMap { $0 }
    }
    return SecretKey(taking: &key)
  }
}

extension BlockCipher {
  /// Returns a CMAC over a message that is always padded to two blocks, even if it would fit into
  /// one (AN10922, 2.2).
  fileprivate func codeOfTwoBlocks(_ message: [UInt8]) throws -> [UInt8] {
    let size = 2 * blockSize
    guard message.count <= blockSize else {
      return try authenticationCode(message)
    }
    var blocks = Self.filled(Self.marked(message, blockSize: blockSize), blockSize: size)
    let last = Array(blocks.suffix(blockSize)).combined(
      with: doubled(doubled(try encrypt(zeroBlock))))
    blocks.replaceSubrange(blockSize..., with: last)
    return Array(try encrypt(blocks).suffix(blockSize))
  }
}

extension DESFireKey {
  /// Returns the key of one card according to AN10922, with the version of this key.
  ///
  /// - Parameter input: see ``KeyDiversification/key(_:_:input:)``.
  /// - Throws: ``NFCError/Code/invalidParameter`` for an input that is empty or too long.
  public func diversified(by input: [UInt8]) throws -> DESFireKey {
    let algorithm: KeyDiversification.Algorithm =
      switch kind {
      case .aes: .aes128
      case .des: .twoKeyTripleDES
      case .threeKeyTripleDES: .threeKeyTripleDES
      }
    return try DESFireKey(
      kind, KeyDiversification.key(secret, algorithm, input: input), version: version)
  }
}
