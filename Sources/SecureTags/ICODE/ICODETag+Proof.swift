import NFCCore

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
  /// Mutual authentication, which opens protected memory, and writing keys are not supported; see
  /// ``ICODETag``.
  ///
  /// - Parameters:
  ///   - number: the number of the key, 0 to 3.
  ///   - key: 16 bytes.
  /// - Throws: ``NFCError/Code/authenticationFailed`` for a chip with another key;
  ///   ``NFCError/Code/tagRefused`` if the key is not active; ``NFCError/Code/unsupported`` for a chip
  ///   without AES keys, or a reader that does not send the command;
  ///   ``NFCError/Code/invalidParameter``.
  public func proveKey(_ number: Int, _ key: SecretKey) async throws {
    guard Self.chipsWithKeys.contains(product.id) else {
      throw NFCError(.unsupported, "\(product.name) has no AES keys")
    }
    guard let number = UInt8(exactly: number), number < ICODEProof.keyCount,
      key.count == ICODEProof.keySize
    else {
      throw NFCError(
        .invalidParameter,
        "keys are 0 to \(ICODEProof.keyCount - 1) and have \(ICODEProof.keySize) bytes")
    }
    try await run { commands in
      let challenge = commands.link.random(ICODEProof.challengeSize)
      let request = try ISO15693Request(
        .authenticate(
          cryptoSuite: ICODEProof.suite, message: ICODEProof.message(number, challenge)),
        flags: .highDataRate, uid: commands.uid
      ).encoded()
      let response = try ISO15693Response(decoding: commands.link.transceive(request))
      let block = try ICODEProof.block(response.checkedPayload())
      guard try ICODEProof.isValid(block, of: challenge, key) else {
        throw NFCError(
          .authenticationFailed,
          "the tag does not prove that it has key \(number); it may be a copy"
        )
      }
    }
  }

  /// Those whose UID says only that they are one of them are asked.
  private static let chipsWithKeys: Set<ChipID> = [
    .icodeDNA, .ntag5LinkOrBoost, .icodeDNAOrNTAG5,
  ]
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
  private static let randomSize = 4
  /// What begins every answer of the suite: a Barker code, and whether the tag has finished.
  private static let barker: UInt8 = 0x27
  private static let isFinished: UInt8 = 0x80

  /// Returns the message of a challenge, whose last byte comes first.
  static func message(_ number: UInt8, _ challenge: [UInt8]) -> [UInt8] {
    [method, number] + challenge.reversed()
  }

  /// Returns the block in an answer, in the standard's order.
  static func block(_ payload: [UInt8]) throws -> [UInt8] {
    guard let first = payload.first, first & ~isFinished == barker else {
      throw NFCError(.tagResponseError, "the tag's answer does not belong to an authentication")
    }
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
