import SwiftNFCCore

/// Basic Access Control (Doc 9303-11, 4.3): two exchanges.
struct BasicAccess {
  static let challengeSize = 8
  private static let keySize = 16
  /// The key that the chip would compare is unknown: documents that only have PACE answer so.
  private static let referenceDataNotFound: UInt16 = 0x6A88

  private let keys: SessionKeys

  /// - Parameter password: that of the machine readable zone.
  init(_ password: AccessPassword) {
    keys = SessionKeys(.tripleDES, secret: Array(password.secret.prefix(Self.keySize)))
  }

  /// For the published examples.
  var keyBytes: (encryption: [UInt8], authentication: [UInt8]) { keys.bytes }

  static let challengeCommand = APDU(
    instructionClass: 0, instructionCode: AccessCommand.getChallenge, p1: 0, p2: 0,
    expectedLength: challengeSize)

  /// Returns EXTERNAL AUTHENTICATE (4.3.4.1, steps 2 and 3).
  func command(challenge: [UInt8], own: [UInt8], key: [UInt8]) throws -> APDU {
    guard let cryptogram = keys.encrypt(own + challenge + key), let code = keys.code(cryptogram)
    else { throw Self.failure }
    let data = cryptogram + code
    return APDU(
      instructionClass: 0, instructionCode: AccessCommand.externalAuthenticate, p1: 0, p2: 0,
      data: data, expectedLength: data.count)
  }

  /// Verifies the chip's answer, and derives the session (steps 5 and 6).
  func session(
    _ answer: [UInt8], challenge: [UInt8], own: [UInt8], key: [UInt8]
  ) throws -> SecureMessaging {
    let cryptogram = Array(answer.dropLast(BlockCipher.codeSize))
    guard cryptogram.count == 2 * Self.challengeSize + Self.keySize,
      let code = keys.code(cryptogram),
      OpenSSL.areEqual(code, Array(answer.suffix(BlockCipher.codeSize))),
      let plain = keys.decrypt(cryptogram),
      Array(plain.prefix(Self.challengeSize)) == challenge,
      Array(plain.dropFirst(Self.challengeSize).prefix(Self.challengeSize)) == own
    else { throw ChipChannel.altered }
    let secret = zip(key, plain.suffix(Self.keySize)).map { $0 ^ $1 }
    let counter = (challenge.suffix(4) + own.suffix(4)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return SecureMessaging(SessionKeys(.tripleDES, secret: secret), counter: counter)
  }

  /// Opens the chip after GET CHALLENGE, and begins the session.
  func run(_ channel: ChipChannel, challenge: [UInt8]) throws {
    let own = try channel.link.random(Self.challengeSize)
    let key = try channel.link.random(Self.keySize)
    let answer = try channel.send(command(challenge: challenge, own: own, key: key))
    guard answer.isSuccess else {
      guard answer.statusWord != Self.referenceDataNotFound else {
        throw NFCError(
          .notAuthenticated, "the document accepts only PACE, and says no way of it that is known",
          cause: .statusWord(answer.statusWord))
      }
      throw AccessCommand.wrongPassword(.machineReadableZone, answer.statusWord)
    }
    channel.begin(try session(answer.data, challenge: challenge, own: own, key: key))
  }

  private static let failure = NFCError(
    .unsupported, "this system's libcrypto does not have triple DES")
}
