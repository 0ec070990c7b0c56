extension TravelDocument {
  /// What the chip of a document supports. Each property is independent of the others; unless they are set, the chip
  /// opens by Basic Access Control, and by PACE with generic mapping, AES-128 and brainpoolP256r1.
  ///
  /// A test makes the keys, and signs the public ones in data groups 14 and 15 and in EF.CardSecurity. A copy of a
  /// document, whose maker did not have its keys, has other private keys here than those groups promise.
  public struct Chip: Hashable, Sendable {
    /// Whether Basic Access Control opens the chip.
    public var opensByBasicAccess = true
    /// The ways of PACE that EF.CardAccess lists, in its order. Without any, there is no EF.CardAccess.
    public var passwordProtocols = [PasswordProtocol()]
    /// The digits of the card access number, a second password of PACE; `nil` for a document without one.
    public var cardAccessNumber: String?
    /// Whether the files can be read without access, as those of some old passports.
    public var isOpen = false
    /// The keys of chip authentication.
    public var agreementKeys: [AgreementKey] = []
    /// The private key with which chip authentication mapping proves the chip, over the curve of its way of PACE.
    public var mappingKey: [UInt8]?
    /// EF.CardSecurity, which is read after PACE.
    public var cardSecurity: [UInt8]?
    /// The key of active authentication.
    public var signatureKey: SignatureKey?
    /// The sizes that EF.ATR/INFO states; without them, commands with extended length fields are refused except those
    /// of access.
    public var extendedLengths: ExtendedLengths?
    /// EF.DIR.
    public var directory: [UInt8]?
    /// The interface: type B chooses its PUPI at each power-up.
    public var isTypeB = false

    // Habits of some chips.

    /// Whether an error ends everything until the carrier has been off: a wrong password, a wrong command in a session,
    /// or a read that is too large.
    public var isDeadAfterErrors = false
    /// Whether a signature that does not fit the answer is cut off, with the status word of success.
    public var cutsLongSignatures = false
    /// Whether the files of the application have short identifiers.
    public var hasShortIdentifiers = true
    /// The most bytes that are read at once; `nil` for as many as fit.
    public var largestRead: Int?
    /// The status word for more than ``largestRead``. With 6C00, its second byte names the size.
    public var statusForLargeReads: UInt16 = 0x6700
    /// Whether that status word comes without protection, and neither the command nor the answer is counted.
    public var refusesLargeReadsBare = false

    /// Creates the default chip.
    public init() {}
  }

  /// A block cipher of PACE and of chip authentication, with the MAC and key derivation that belong to it
  /// (Doc 9303-11, 9.7 and 9.8).
  public enum Cipher: Int, Hashable, Sendable, CaseIterable {
    /// Triple DES with two keys.
    case tripleDES = 1
    /// AES with 16 bytes of key.
    case aes128
    /// AES with 24 bytes of key.
    case aes192
    /// AES with 32 bytes of key.
    case aes256
  }

  /// A way of PACE (Doc 9303-11, 9.2.1).
  public struct PasswordProtocol: Hashable, Sendable {
    /// How the nonce is mapped.
    public enum Mapping: Hashable, Sendable, CaseIterable {
      /// By an agreement.
      case generic
      /// By a function of the nonce.
      case integrated
      /// By an agreement, and the chip proves its key.
      case chipAuthentication
    }

    /// How the nonce is mapped.
    public var mapping: Mapping
    /// The cipher.
    public var cipher: Cipher
    /// The number of the standardized domain parameters: 0 to 2 for integers, 8 to 18 for curves (Doc 9303-11,
    /// 9.5.1).
    public var domainParameters: Int

    /// Creates a way of PACE; 13 is brainpoolP256r1.
    public init(
      _ mapping: Mapping = .generic, _ cipher: Cipher = .aes128, domainParameters: Int = 13
    ) {
      self.mapping = mapping
      self.cipher = cipher
      self.domainParameters = domainParameters
    }
  }

  /// A key of chip authentication (Doc 9303-11, 6.2).
  public struct AgreementKey: Hashable, Sendable {
    /// The cipher of the session that follows.
    public var cipher: Cipher
    /// The number of the standardized domain parameters.
    public var domainParameters: Int
    /// The private key, most significant byte first.
    public var privateKey: [UInt8]
    /// The number of the key in data group 14; `nil` for the only one.
    public var identifier: Int?

    /// Creates a key.
    public init(
      _ cipher: Cipher, domainParameters: Int, privateKey: [UInt8], identifier: Int? = nil
    ) {
      self.cipher = cipher
      self.domainParameters = domainParameters
      self.privateKey = privateKey
      self.identifier = identifier
    }

    /// The public key: an uncompressed point or an integer; `nil` for unknown domain parameters.
    public var publicKey: [UInt8]? {
      DocumentGroup(domainParameters)?.multiple(privateKey)
    }
  }

  /// A key of active authentication (Doc 9303-11, 6.1).
  public enum SignatureKey: Hashable, Sendable {
    /// RSA: the modulus and the private exponent. Signatures follow ISO/IEC 9796-2, digital signature scheme 1, with
    /// SHA-1 or SHA-256.
    case rsa(modulus: [UInt8], privateExponent: [UInt8], usesSHA256: Bool = false)
    /// ECDSA with SHA-256 over a curve by its number. Signatures are r and s, or with `isDER` a sequence of them.
    case ecdsa(domainParameters: Int, privateKey: [UInt8], isDER: Bool = false)
  }

  /// The sizes of commands and answers with extended length fields in bytes, answers with their status word.
  public struct ExtendedLengths: Hashable, Sendable {
    /// The longest command.
    public var command: Int
    /// The longest answer.
    public var response: Int

    /// Creates sizes.
    public init(command: Int, response: Int) {
      self.command = command
      self.response = response
    }
  }
}
