import SwiftNFCCore

/// Password Authenticated Connection Establishment (Doc 9303-11, 4.4): MSE:Set AT, and four GENERAL AUTHENTICATE.
struct PACE {
  /// What the chip has shown about its key during access: integrated chip authentication (4.4.3.5).
  struct ChipProof: Hashable, Sendable {
    /// The chip's public key of the mapping.
    let mappingKey: [UInt8]
    /// The number by which the chip's own key was multiplied.
    let factor: [UInt8]
    let curve: StandardCurve
    /// The number of the parameters, which is that of the key in EF.CardSecurity.
    let keyIdentifier: Int?

    /// Returns whether a key is the one that the chip has.
    func isProof(of key: PublicKey) -> Bool {
      guard case .curve(curve, let point) = key else { return false }
      return OpenSSL.product(factor, of: point, on: curve) == mappingKey
    }
  }

  /// The tags of dynamic authentication data (4.4.4.2).
  private enum Tag {
    static let nonce: UInt32 = 0x80
    static let ownMapping: UInt32 = 0x81
    static let chipMapping: UInt32 = 0x82
    static let ownKey: UInt32 = 0x83
    static let chipKey: UInt32 = 0x84
    static let ownToken: UInt32 = 0x85
    static let chipToken: UInt32 = 0x86
    static let chipProof: UInt32 = 0x8A
  }

  private let info: PACEInfo
  private let password: AccessPassword

  init(_ info: PACEInfo, _ password: AccessPassword) {
    self.info = info
    self.password = password
  }

  /// The key that encrypts the chip's nonce (9.7.3).
  var passwordKey: [UInt8] { info.cipher.key(.password, from: password.secret) }

  // MARK: Procedure

  /// Opens the chip and begins the session.
  ///
  /// - Throws: `authenticationFailed` for a wrong password; `notAuthenticated` if the chip refuses the protocol;
  ///   `malformedContent`.
  func run(_ channel: ChipChannel) throws -> ChipProof? {
    try setTemplate(channel)
    let nonce = try nonce(channel)
    let mapped = try map(nonce, channel)
    let agreement = KeyAgreement(info.parameters, generator: mapped.generator)
    let own = try agreement.keyPair(random: channel.link.random)
    let chip = try value(Tag.chipKey, of: ask(Tag.ownKey, own.public, channel, step: 3))
    guard chip != own.public, let secret = agreement.secret(own.private.bytes, chip) else {
      throw Self.malformed
    }
    let keys = SessionKeys(info.cipher, secret: secret)
    let ownToken = try token(keys, of: chip)
    let answer = try channel.send(
      AccessCommand.generalAuthenticate(DER.object(Tag.ownToken, ownToken), isLast: true))
    guard answer.isSuccess else {
      throw AccessCommand.wrongPassword(password.kind, answer.statusWord)
    }
    let objects = try AccessCommand.objects(answer.data)
    guard let chipToken = objects[Tag.chipToken],
      OpenSSL.areEqual(chipToken, try token(keys, of: own.public))
    else { throw ChipChannel.altered }
    channel.begin(SecureMessaging(keys))
    return chipProof(objects[Tag.chipProof], mappingKey: mapped.chipKey, keys)
  }

  /// Sends MSE:Set AT. Older chips require the number of the parameters always, some others refuse it.
  private func setTemplate(_ channel: ChipChannel) throws {
    let template =
      DER.object(0x80, info.identifier.bytes) + DER.object(0x83, [password.reference])
    let number = DER.object(
      0x84, DER.number(info.parameterIdentifier ?? info.parameters.number))
    var answer = try channel.send(Self.setTemplate(template + number))
    if [0x6A80, 0x6A88].contains(answer.statusWord) {
      answer = try channel.send(Self.setTemplate(template))
    }
    // 63Cx says how many attempts are left.
    guard answer.isSuccess || answer.statusWord & 0xFFF0 == 0x63C0 else {
      if answer.statusWord == Self.referenceDataNotFound {
        throw NFCError(
          .notAuthenticated, "the document does not open by \(password)",
          cause: .statusWord(answer.statusWord))
      }
      throw Self.refused(1, answer.statusWord)
    }
  }

  private static func setTemplate(_ data: [UInt8]) -> APDU {
    APDU(
      instructionClass: 0, instructionCode: AccessCommand.manageSecurityEnvironment, p1: 0xC1,
      p2: 0xA4, data: data)
  }

  private func nonce(_ channel: ChipChannel) throws -> [UInt8] {
    let answer = try channel.send(AccessCommand.generalAuthenticate([], isLast: false))
    guard answer.isSuccess else { throw Self.refused(1, answer.statusWord) }
    let encrypted = try value(Tag.nonce, of: AccessCommand.objects(answer.data))
    guard [16, 32].contains(encrypted.count),
      let nonce = info.cipher.decrypt(encrypted, key: passwordKey)
    else { throw Self.malformed }
    return nonce
  }

  private func map(
    _ nonce: [UInt8], _ channel: ChipChannel
  ) throws -> (generator: [UInt8], chipKey: [UInt8]) {
    if info.mapping == .integrated {
      let own = try channel.link.random(info.cipher.keySize)
      _ = try ask(Tag.ownMapping, own, channel, step: 2)
      guard
        let generator = NonceMapping.integrated(nonce, own, info.cipher, info.parameters)
      else { throw Self.malformed }
      return (generator, [])
    }
    let agreement = KeyAgreement(info.parameters)
    let own = try agreement.keyPair(random: channel.link.random)
    let chip = try value(Tag.chipMapping, of: ask(Tag.ownMapping, own.public, channel, step: 2))
    guard chip != own.public, let shared = agreement.shared(own.private.bytes, chip),
      let generator = NonceMapping.generic(nonce, shared: shared, info.parameters)
    else { throw Self.malformed }
    return (generator, chip)
  }

  private func ask(
    _ tag: UInt32, _ value: [UInt8], _ channel: ChipChannel, step: Int
  ) throws -> [UInt32: [UInt8]] {
    let answer = try channel.send(
      AccessCommand.generalAuthenticate(DER.object(tag, value), isLast: false))
    guard answer.isSuccess else { throw Self.refused(step, answer.statusWord) }
    return try AccessCommand.objects(answer.data)
  }

  private func value(_ tag: UInt32, of objects: [UInt32: [UInt8]]) throws -> [UInt8] {
    guard let value = objects[tag], !value.isEmpty else { throw Self.malformed }
    return value
  }

  /// The MAC over a public key with the protocol's identifier (4.4.3.4).
  private func token(_ keys: SessionKeys, of publicKey: [UInt8]) throws -> [UInt8] {
    let key: [UInt8]
    switch info.parameters {
    case .curve: key = DER.object(0x86, publicKey)
    // An integer, without leading zeros (9.4.1).
    case .modular: key = DER.object(0x84, publicKey.significant)
    }
    guard let code = keys.code(DER.object(0x7F49, info.identifier.encoded + key)) else {
      throw Self.malformed
    }
    return code
  }

  /// Decrypts what the chip says about its own key. What is not right proves nothing, and is no error of the access.
  private func chipProof(
    _ cryptogram: [UInt8]?, mappingKey: [UInt8], _ keys: SessionKeys
  ) -> ChipProof? {
    guard info.mapping == .chipAuthentication, let cryptogram,
      case .curve(let curve) = info.parameters,
      let value = keys.encrypt([UInt8](repeating: 0xFF, count: info.cipher.blockSize)),
      let padded = keys.decrypt(cryptogram, initialValue: value),
      let factor = BlockCipher.unpadded(padded), !factor.isEmpty
    else { return nil }
    return ChipProof(
      mappingKey: mappingKey, factor: factor, curve: curve, keyIdentifier: info.parameterIdentifier)
  }

  // MARK: Errors

  /// The document does not have this kind of password.
  private static let referenceDataNotFound: UInt16 = 0x6A88

  private static let malformed = NFCError(
    .malformedContent, "the document's answer to PACE is malformed")

  private static func refused(_ step: Int, _ word: UInt16) -> NFCError {
    NFCError(
      .notAuthenticated, "the document refuses PACE in step \(step)", cause: .statusWord(word))
  }
}
