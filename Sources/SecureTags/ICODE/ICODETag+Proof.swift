import SwiftNFCCore

extension ICODETag {
  /// The numbers of the AES keys.
  public static let keyNumbers = 0..<ICODEProof.keyCount
  /// The size of an AES key in bytes.
  public static let keySize = ICODEProof.keySize

  /// Has the chip prove that it has an AES key, which shows that it is not a copy: one exchange. Nothing
  /// is unlocked, and the key is not sent.
  ///
  /// For ICODE DNA and NTAG 5 link and boost, whose key must have been written and activated. A reader
  /// has to send the tag's commands unchanged: one of PC/SC with transparent sessions, or SpringCard's.
  ///
  /// This is the tag authentication (TAM1) of ISO/IEC 29167-10. The order of the bytes over ISO/IEC 15693
  /// is that of NXP's reader library (`phalICode_Sam_NonX_AuthenticateTAM1`); not tried on hardware.
  /// Nothing is opened by it; see ``authenticate(withKey:_:)`` for that.
  ///
  /// - Parameters:
  ///   - number: the number of the key, 0 to 3.
  ///   - key: 16 bytes.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a chip with another key;
  ///   ``NFCError/Code/tagRefused`` if the key is not active; ``NFCError/Code/unsupported`` for a chip
  ///   without AES keys, or a reader that does not send the command;
  ///   ``NFCError/Code/invalidParameter``.
  public func proveKey(_ number: Int, _ key: SecretKey) async throws {
    let number = try checkedNumber(number, of: key)
    let hasLimit = features.hasConfiguration
    try await run { commands in
      try Self.countingAttempts(hasLimit, commands) { try Self.prove(number, key, commands) }
    }
  }

  /// TAM1: one exchange.
  static func prove(_ number: UInt8, _ key: SecretKey, _ commands: VicinityCommands) throws {
    let challenge = commands.link.random(ICODEProof.challengeSize)
    let payload = try authenticate(ICODEProof.message(number, challenge), commands)
    guard try ICODEProof.isValid(ICODEProof.block(payload), of: challenge, key) else {
      throw unproven(number)
    }
  }

  /// Authenticates with an AES key, and the chip authenticates in turn: two exchanges. What the key's privileges allow
  /// is allowed until the field has been off, for instance reading and writing memory that is protected by this key.
  ///
  /// For ICODE DNA and NTAG 5 link and boost, and for the readers of ``proveKey(_:_:)``.
  ///
  /// This is the mutual authentication (MAM1 and MAM2) of ISO/IEC 29167-10. The order of the bytes over ISO/IEC 15693
  /// is that of NXP's reader library (`phalICode_Sw_AuthenticateMAM`); not tried on hardware. The chip is asked to do
  /// nothing else; see ``enablePrivacy(withKey:_:)`` and ``destroyPermanently(withKey:_:)`` for that.
  ///
  /// - Parameters:
  ///   - number: the number of the key, 0 to 3.
  ///   - key: 16 bytes.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a chip with another key, to which no proof of this one is
  ///   sent, and of an NTAG 5 with a limit, with the number of authentications that are left (two more exchanges);
  ///   ``NFCError/Code/tagRefused`` if the key is not active or not for mutual authentication;
  ///   ``NFCError/Code/unsupported`` for a chip without AES keys, or a reader that does not send the command;
  ///   ``NFCError/Code/invalidParameter``.
  public func authenticate(withKey number: Int, _ key: SecretKey) async throws {
    let number = try checkedNumber(number, of: key)
    let hasLimit = features.hasConfiguration
    try await run { commands in
      try Self.countingAttempts(hasLimit, commands) {
        try Self.authenticate(number, key, commands)
      }
    }
  }

  /// MAM1 and MAM2: two exchanges.
  static func authenticate(
    _ number: UInt8, _ key: SecretKey, _ commands: VicinityCommands
  ) throws {
    try finish(try begin(number, key, commands), key, for: .authentication, commands)
  }

  /// MAM1, after which the tag has proved the key: one exchange.
  static func begin(
    _ number: UInt8, _ key: SecretKey, _ commands: VicinityCommands
  ) throws -> ICODEMutualProof {
    let challenge = commands.link.random(ICODEProof.challengeSize)
    let first = try authenticate(ICODEMutualProof.firstMessage(number, challenge), commands)
    guard let tagChallenge = try ICODEMutualProof.tagChallenge(in: first, of: challenge, key)
    else { throw unproven(number) }
    return ICODEMutualProof(challenge: challenge, tagChallenge: tagChallenge)
  }

  /// MAM2, which proves the key to the tag: one exchange.
  static func finish(
    _ proof: ICODEMutualProof, _ key: SecretKey, for purpose: ICODEMutualProof.Purpose,
    _ commands: VicinityCommands
  ) throws {
    let message = try ICODEMutualProof.secondMessage(
      proof.challenge, proof.tagChallenge, key, for: purpose)
    try ICODEMutualProof.checkEnd(try authenticate(message, commands))
  }

  /// Adds to the error of a wrong key how many authentications the tag still accepts, where it counts them: two
  /// exchanges, only then.
  private static func countingAttempts(
    _ hasLimit: Bool, _ commands: VicinityCommands, _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch var error as NFCError where hasLimit && error.code == .authenticationFailed {
      let left = (try? configuration(commands))?.authenticationsLeft
      error.attempts = left.map { .left($0) }
      throw error
    }
  }

  func checkedNumber(_ number: Int, of key: SecretKey) throws -> UInt8 {
    guard features.hasKeys else {
      throw NFCError(.unsupported, "\(product.name) has no AES keys")
    }
    guard let number = UInt8(exactly: number), number < ICODEProof.keyCount,
      key.count == ICODEProof.keySize
    else {
      throw NFCError(
        .invalidParameter,
        "keys are 0 to \(ICODEProof.keyCount - 1) and have \(ICODEProof.keySize) bytes")
    }
    return number
  }

  private static func unproven(_ number: UInt8) -> NFCError {
    NFCError(
      .authenticationFailed, "the tag does not prove that it has key \(number); it may be a copy")
  }

  /// AUTHENTICATE: one exchange. Returns the answer, beginning with the Barker code.
  private static func authenticate(
    _ message: [UInt8], _ commands: VicinityCommands
  ) throws -> [UInt8] {
    let request = try ISO15693Request(
      .authenticate(cryptoSuite: ICODEProof.suite, message: message),
      flags: .highDataRate, uid: commands.uid
    ).encoded()
    return try ISO15693Response(decoding: commands.link.transceive(request)).checkedPayload()
  }
}

/// Tag authentication, TAM1, of ISO/IEC 29167-10.
enum ICODEProof {
  static let keyCount = 4
  static let keySize = 16
  static let challengeSize = 10
  /// AES-128.
  static let suite: UInt8 = 0x00
  /// Tag authentication without custom data.
  private static let method: UInt8 = 0x00
  /// C_TAM1, and the tag's random number after it.
  private static let constant: [UInt8] = [0x96, 0xC5]
  static let randomSize = 4
  /// What begins every answer of the suite: a Barker code, and whether the tag has finished.
  private static let barker: UInt8 = 0x27
  private static let isFinished: UInt8 = 0x80

  /// Returns the message of a challenge, whose last byte comes first.
  static func message(_ number: UInt8, _ challenge: [UInt8]) -> [UInt8] {
    [method, number] + challenge.reversed()
  }

  /// Verifies that an answer belongs to an authentication.
  static func check(_ payload: [UInt8]) throws {
    guard let first = payload.first, first & ~isFinished == barker else {
      throw NFCError(.tagResponseError, "the tag's answer does not belong to an authentication")
    }
  }

  /// Returns the block in an answer, in the standard's order.
  static func block(_ payload: [UInt8]) throws -> [UInt8] {
    try check(payload)
    let first = payload[0]
    guard first & isFinished != 0 else {
      throw NFCError(.tagResponseError, "the tag requires more time than the reader gives it")
    }
    guard payload.count == 1 + keySize else { throw NFCError.wrongLength }
    return payload.dropFirst().reversed()
  }

  /// Returns whether a block was encrypted with the key after the challenge.
  static func isValid(_ block: [UInt8], of challenge: [UInt8], _ key: SecretKey) throws -> Bool {
    let plain = try BlockCipher(.aes128, key: key).decrypt(block)
    let expected = constant + challenge
    let found = plain.prefix(constant.count) + plain.dropFirst(constant.count + randomSize)
    return Array(found).equalsInConstantTime(expected)
  }
}

/// Mutual authentication, MAM1 and MAM2, of ISO/IEC 29167-10: the two challenges, after the tag has proved the key.
struct ICODEMutualProof {
  /// The reader's challenge.
  let challenge: [UInt8]
  let tagChallenge: [UInt8]

  /// What the tag is to do once the reader has proved the key: the last four bits of C_MAM2 (NTP53x2 data sheet rev.
  /// 3.3, table 164).
  enum Purpose: UInt8 {
    case authentication = 0x0
    case enablePrivacy = 0x9
    case leavePrivacy = 0xA
    case destroy = 0xB
  }

  /// Mutual authentication, and its second step.
  private static let (method, secondStep): (UInt8, UInt8) = (0x02, 0x04)
  /// C_MAM1 and C_MAM2; the last four bits of the second are the purpose.
  private static let (firstConstant, secondConstant): ([UInt8], [UInt8]) = (
    [0xDA, 0x83], [0xDA, 0x80]
  )

  /// Returns MAM1 with the reader's challenge, whose last byte comes first.
  static func firstMessage(_ number: UInt8, _ challenge: [UInt8]) -> [UInt8] {
    [method, number] + challenge.reversed()
  }

  /// Returns the tag's challenge in the answer to MAM1; `nil` if the tag has another key. The answer is a block, which
  /// contains the end of the tag's challenge and the reader's, and the rest of the tag's challenge after it.
  static func tagChallenge(
    in payload: [UInt8], of challenge: [UInt8], _ key: SecretKey
  ) throws -> [UInt8]? {
    try ICODEProof.check(payload)
    let clear = ICODEProof.challengeSize - ICODEProof.randomSize
    guard payload.count == 1 + ICODEProof.keySize + clear else { throw NFCError.wrongLength }
    let answer = Array(payload.dropFirst().reversed())
    let plain = try BlockCipher(.aes128, key: key).decrypt(Array(answer.prefix(ICODEProof.keySize)))
    let end = firstConstant.count..<firstConstant.count + ICODEProof.randomSize
    let found = Array(plain[..<end.lowerBound] + plain[end.upperBound...])
    guard found.equalsInConstantTime(firstConstant + challenge) else { return nil }
    return answer.suffix(clear) + plain[end]
  }

  /// Returns MAM2. The tag has only the encrypting direction of the cipher, so the reader decrypts.
  static func secondMessage(
    _ challenge: [UInt8], _ tagChallenge: [UInt8], _ key: SecretKey,
    for purpose: Purpose = .authentication
  ) throws -> [UInt8] {
    let constant = [secondConstant[0], secondConstant[1] | purpose.rawValue]
    let plain = constant + challenge.suffix(ICODEProof.randomSize) + tagChallenge
    return [method | secondStep] + (try BlockCipher(.aes128, key: key).decrypt(plain)).reversed()
  }

  /// Verifies the answer to MAM2, which has no data.
  static func checkEnd(_ payload: [UInt8]) throws {
    try ICODEProof.check(payload)
    guard payload.count == 1 else { throw NFCError.wrongLength }
  }
}
