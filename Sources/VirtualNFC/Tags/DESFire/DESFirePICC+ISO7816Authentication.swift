/// GET CHALLENGE, EXTERNAL AUTHENTICATE and INTERNAL AUTHENTICATE (ISO/IEC 7816-4, 7.5), which EV1 and later cards
/// have. Together they begin a session of EV1's messaging.
///
/// Sources: NXP's reader library, SpringCard's and Proxmark3, which agree on all bytes. Of the statuses, that of a
/// wrong key is Proxmark3's, and 6C00 SpringCard's; the others are not confirmed, nor is whether a card accepts another
/// command in between.
extension DESFirePICC {
  /// P1: the algorithm of the key.
  private enum Algorithm {
    /// The key's own.
    static let implicit: UInt8 = 0x00
    static let des: UInt8 = 0x02
    static let tripleDES: UInt8 = 0x04
    static let aes: UInt8 = 0x09

    static func value(_ kind: DESFireKey.Kind) -> UInt8 {
      switch kind {
      case .des: des
      case .tripleDES: tripleDES
      case .aes: aes
      }
    }
  }

  /// The bit of P2 for a key of the application, not of the card.
  private static let applicationKey: UInt8 = 0x80

  /// Returns the card's first random bytes, as many as the keys of the selected level require. Ends the session.
  mutating func getChallenge(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
    guard command.parameter == 0 else { throw Refusal(.incorrectParameters) }
    guard command.data.isEmpty else { throw Refusal(.wrongLength) }
    guard let size = selected.keys.first?.challengeSize, command.expectedLength == size else {
      throw Refusal(StatusWord.wrongExpectedLength(0x100))
    }
    session = nil
    let challenge = challenge(size)
    interindustry = .challenged(challenge)
    return challenge
  }

  /// Returns the key that P1 and P2 name.
  private func key(_ command: CommandAPDU) throws(Refusal) -> (number: UInt8, key: DESFireKey) {
    let number = command.p2 & ~Self.applicationKey
    guard (command.p2 & Self.applicationKey != 0) == (selection != nil),
      Int(number) < selected.keys.count
    else { throw Refusal(.incorrectParameters) }
    let key = selected.keys[Int(number)]
    guard command.p1 == Algorithm.implicit || command.p1 == Algorithm.value(key.kind) else {
      throw Refusal(.incorrectParameters)
    }
    return (number, key)
  }

  /// Verifies the reader: its first random bytes and the card's, encrypted.
  mutating func authenticateExternally(
    _ command: CommandAPDU, _ before: InterindustryAuthentication?
  ) throws(Refusal) -> [UInt8] {
    let (number, key) = try key(command)
    guard case .challenged(let challenge) = before, challenge.count == key.challengeSize else {
      throw Refusal(.conditionsOfUseNotSatisfied)
    }
    guard command.data.count == 2 * challenge.count else { throw Refusal(.wrongLength) }
    let plain = key.cipher.decrypt(command.data, vector: key.cipher.zeroVector)
    guard Array(plain.suffix(challenge.count)) == challenge else {
      throw Refusal(.securityStatusNotSatisfied)
    }
    interindustry = .verified(
      key: number, reader: Array(plain.prefix(challenge.count)),
      vector: Array(command.data.suffix(key.cipher.blockSize)))
    return []
  }

  /// Proves the key to the reader: the card's second random bytes and the reader's, encrypted. The reader's first and
  /// the card's second ones make the session's key.
  mutating func authenticateInternally(
    _ command: CommandAPDU, _ before: InterindustryAuthentication?
  ) throws(Refusal) -> [UInt8] {
    let (number, key) = try key(command)
    guard case .verified(number, let reader, let vector) = before else {
      throw Refusal(.conditionsOfUseNotSatisfied)
    }
    let size = key.challengeSize
    guard command.data.count == size, command.expectedLength >= 2 * size else {
      throw Refusal(.wrongLength)
    }
    let own = challenge(size)
    session = DESFireSession(
      scheme: .standard, keyNumber: number, cipher: key.sessionCipher(reader: reader, card: own))
    return key.cipher.encrypt(own + command.data, vector: vector)
  }
}
