import NFCCore

/// Secure messaging after AuthenticateEV2First (71) and AuthenticateEV2NonFirst (77), as MIFARE DESFire EV2 and
/// EV3, DESFire Light and the NTAG DNA chips have it: one key for the cipher, one for MACs, a number of the
/// transaction and a counter of its commands in everything (NXP AN12196, 4; AN12343, 5; NT4H2421Gx data sheet, 9.1).
package struct EV2Messaging: DESFireMessaging {
  /// The number that the card has given the transaction, four bytes.
  package let transactionIdentifier: [UInt8]
  /// How many commands there have been since it was given.
  package private(set) var commandCounter: UInt16
  private let cipher: BlockCipher
  private let codeCipher: BlockCipher

  package static let codeSize = 8
  private static let challengeSize = 16
  /// What the first input of each derived value begins with (AN12196, 4.4 and 5.7).
  private static let encryptionLabel: [UInt8] = [0xA5, 0x5A]
  private static let codeLabel: [UInt8] = [0x5A, 0xA5]
  /// A counter, and the length of the derived key in bits.
  private static let derivationSuffix: [UInt8] = [0x00, 0x01, 0x00, 0x80]

  /// The keys of a session: CMACs, with the key that was proved, over parts of both challenges (AN12196, 4.3).
  ///
  /// - Parameters:
  ///   - reader: the reader's challenge, RndA, 16 bytes.
  ///   - card: the card's, RndB, 16 bytes.
  package init(
    key: BlockCipher, reader: [UInt8], card: [UInt8], transactionIdentifier: [UInt8],
    commandCounter: UInt16 = 0
  ) throws {
    guard reader.count == Self.challengeSize, card.count == Self.challengeSize else {
      throw NFCError(.invalidParameter, "a challenge has \(Self.challengeSize) bytes")
    }
    let parts =
      Self.derivationSuffix + reader[0..<2]
      + Array(reader[2..<8]).combined(with: card[0..<6]) + card[6...] + reader[8...]
    func derived(_ label: [UInt8]) throws -> SecretKey {
      var bytes = try key.authenticationCode(label + parts)
      return SecretKey(taking: &bytes)
    }
    try self.init(
      encryptionKey: derived(Self.encryptionLabel), codeKey: derived(Self.codeLabel),
      transactionIdentifier: transactionIdentifier, commandCounter: commandCounter)
  }

  package init(
    encryptionKey: SecretKey, codeKey: SecretKey, transactionIdentifier: [UInt8],
    commandCounter: UInt16 = 0
  ) throws {
    cipher = try BlockCipher(.aes128, key: encryptionKey)
    codeCipher = try BlockCipher(.aes128, key: codeKey)
    self.transactionIdentifier = transactionIdentifier
    self.commandCounter = commandCounter
  }

  // MARK: Commands and answers

  mutating func protect(_ command: DESFireCommand) throws -> [UInt8] {
    guard command.protection != .data(.plain) else { return command.header + command.data }
    let body =
      command.protection == .enciphered
      ? try encipher(command.data + command.trailer) : command.data
    return command.header + body
      + (try code(command.code.rawValue, commandCounter, command.header + body))
  }

  mutating func unprotect(
    _ answer: [UInt8], status: DESFireStatus, of command: DESFireCommand
  ) throws -> [UInt8] {
    commandCounter &+= 1
    guard command.protection != .data(.plain) else { return try command.checkLength(answer) }
    if case .endOfSession = command.answer, answer.isEmpty { return [] }
    let body = try checkedBody(answer, status: status.code)
    return try command.checkLength(
      command.protection == .enciphered ? try decipher(body) : body)
  }

  /// An answer without its MAC, which is right.
  private func checkedBody(_ answer: [UInt8], status: UInt8) throws -> [UInt8] {
    guard answer.count >= Self.codeSize else { throw NFCError.wrongMAC }
    let body = Array(answer.dropLast(Self.codeSize))
    let expected = try code(status, commandCounter, body)
    guard Array(answer.suffix(Self.codeSize)).equalsInConstantTime(expected) else {
      throw NFCError.wrongMAC
    }
    return body
  }

  // MARK: Primitives

  /// Every second byte of the CMAC, from the second on (AN12196, 4.5: MACt).
  ///
  /// - Parameter first: the command code or the answer's status.
  package func code(_ first: UInt8, _ counter: UInt16, _ rest: [UInt8]) throws -> [UInt8] {
    Self.truncated(
      try codeCipher.authenticationCode(
        [first] + counter.littleEndianBytes + transactionIdentifier + rest))
  }

  /// Every second byte of a CMAC, from the second on.
  package static func truncated(_ code: [UInt8]) -> [UInt8] {
    code.indices.filter { $0 % 2 == 1 }.map { code[$0] }
  }

  /// The initial value of a cipher run: the counter's current value, enciphered.
  package func initialValue(isAnswer: Bool) throws -> [UInt8] {
    let label = isAnswer ? Self.codeLabel : Self.encryptionLabel
    let input = label + transactionIdentifier + commandCounter.littleEndianBytes
    return try cipher.encrypt(BlockCipher.filled(input, blockSize: cipher.blockSize))
  }

  private func encipher(_ data: [UInt8]) throws -> [UInt8] {
    guard !data.isEmpty else { return [] }
    return try cipher.encrypt(
      BlockCipher.marked(data, blockSize: cipher.blockSize),
      initialValue: initialValue(isAnswer: false))
  }

  private func decipher(_ blocks: [UInt8]) throws -> [UInt8] {
    guard !blocks.isEmpty else { return [] }
    guard blocks.count % cipher.blockSize == 0,
      let data = BlockCipher.unmarked(
        try cipher.decrypt(blocks, initialValue: initialValue(isAnswer: true)))
    else { throw NFCError.wrongCheck }
    return data
  }
}
