/// The content of a pass of Apple Wallet, as the phone has sent it for one tap.
///
/// The phone encrypts the message of a pass and the time for the issuer's public key, so that a server can decrypt what
/// a reader without the key has received: this needs no reader. Apple does not publish the format; it is known from
/// public implementations (RfidResearchGroup/proxmark3, `cmdhfvas.c`; kormax/apple-vas), and from answers of real phones
/// that decrypt with the published key of a demonstration pass.
///
/// - Important: The protocol has no challenge: an answer can be sent again. Its time is the only protection. Refuse what
///   is older than some seconds, and what was there before; ``PassMemory`` does both.
public struct VASMessage: Hashable, Sendable {
  /// The message, at most 64 bytes: `nfc.message` in `pass.json`.
  public let message: [UInt8]
  /// The time of the phone in seconds since 2001-01-01, 00:00 UTC.
  public let secondsSince2001: UInt32
  /// The x coordinate of the key that the phone has made for this tap, 32 bytes: two taps never have the same.
  public let phoneKey: [UInt8]

  /// The time of the phone in seconds since 1970-01-01, 00:00 UTC.
  public var secondsSince1970: Int { Int(secondsSince2001) + Self.epoch }
  /// The message as text; `nil` if it is not UTF-8.
  public var text: String? { String(validating: message, as: UTF8.self) }

  /// Decrypts a cryptogram.
  ///
  /// Both forms that are known of the derivation of keys are tried; real phones have always used the first.
  ///
  /// - Parameters:
  ///   - cryptogram: the value of the tag 9F27; `vasData` in Core NFC.
  ///   - passType: the pass type identifier, such as `pass.com.example.card`.
  ///   - key: the issuer's private key.
  /// - Throws: ``PassError``; no content is returned before its tag has been verified.
  public init(cryptogram: [UInt8], passType: String, key: MerchantKey) throws(PassError) {
    guard cryptogram.count >= Self.minimumSize else { throw .tooShort(cryptogram.count) }
    guard cryptogram.count <= Self.minimumSize + Self.maximumMessageSize else {
      throw .tooLong(cryptogram.count)
    }
    let identifier = Array(cryptogram.prefix(Self.identifierSize))
    guard identifier == key.identifier else { throw .otherKey(identifier: identifier) }
    let phoneKey = Array(cryptogram.dropFirst(Self.identifierSize).prefix(MerchantKey.size))
    // The y coordinate does not matter: both points have the same x in common with the issuer's key.
    guard var secret = key.key.sharedSecret(withPoint: [0x02] + phoneKey) else { throw .notAPoint }
    defer { secret.wipe() }
    let body = Array(cryptogram.dropFirst(Self.identifierSize + MerchantKey.size))
    let passTypeHash = Self.identifierHash(of: passType)
    let forms: [(sharedInfo: [UInt8], authenticated: [UInt8])] = [
      (Self.algorithm + Self.party + passTypeHash, []), (Self.party, passTypeHash),
    ]
    for form in forms {
      var derived = Digest.x963(secret, sharedInfo: form.sharedInfo)
      defer { derived.wipe() }
      guard
        let plain = AuthenticatedCipher.decrypt(
          body, key: derived, nonce: Self.nonce, authenticated: form.authenticated)
      else { continue }
      secondsSince2001 = plain.prefix(Self.timeSize).reduce(0) { $0 << 8 | UInt32($1) }
      message = Array(plain.dropFirst(Self.timeSize))
      self.phoneKey = phoneKey
      return
    }
    throw .wrongTag
  }

  /// The SHA-256 of a pass type identifier, by which a reader asks for it, 32 bytes.
  public static func identifierHash(of passType: String) -> [UInt8] {
    Digest.sha256(Array(passType.utf8))
  }

  /// The maximum size of the message: Apple, Wallet Passes, `Pass.NFC`.
  public static let maximumMessageSize = 64
  /// The size of an identifier of a key.
  static let identifierSize = 4
  static let timeSize = 4
  /// A cryptogram with an empty message.
  static let minimumSize =
    identifierSize + MerchantKey.size + timeSize + AuthenticatedCipher.tagSize
  /// 2001-01-01 in seconds since 1970-01-01.
  private static let epoch = 978_307_200
  /// 16 bytes, not the usual 12.
  private static let nonce = [UInt8](repeating: 0, count: 16)
  /// AlgorithmID of NIST SP 800-56A, with its length.
  private static let algorithm: [UInt8] = [0x0D] + Array("id-aes256-GCM".utf8)
  private static let party = Array("ApplePay encrypted VAS data".utf8)
}

extension VASMessage: CustomStringConvertible, CustomDebugStringConvertible {
  /// The message is personal data, so that it is not part of the description.
  public var description: String { "VASMessage(\(message.count) bytes, hidden)" }
  public var debugDescription: String { description }
}
