import SwiftNFCCore

/// Secure messaging after AuthenticateEV2First (71) and AuthenticateEV2NonFirst (77), of MIFARE
/// DESFire EV2 and EV3, DESFire Light and the NTAG DNA chips: one key for the cipher, one for MACs;
/// every message contains the transaction identifier and a counter of the commands (NXP AN12196, 4;
/// AN12343, 5; NT4H2421Gx data sheet, 9.1).
package struct EV2Messaging: TransactionMessaging {
  /// The transaction identifier, which the card has chosen, four bytes.
  package let transactionIdentifier: [UInt8]
  /// The number of commands since then.
  package internal(set) var commandCounter: UInt16
  private let cipher: BlockCipher
  private let codeCipher: BlockCipher

  package static let codeSize = TransactionCode.size
  /// The first bytes of the input for each derived value (AN12196, 4.4 and 5.7).
  private static let encryptionLabel: [UInt8] = [0xA5, 0x5A]
  private static let codeLabel: [UInt8] = [0x5A, 0xA5]

  /// Derives the keys of a session: CMACs over parts of both challenges, with the key of the
  /// authentication (AN12196, 4.3).
  ///
  /// - Parameters:
  ///   - reader: the reader's challenge, RndA, 16 bytes.
  ///   - card: the card's challenge, RndB, 16 bytes.
  package init(
    key: BlockCipher, reader: [UInt8], card: [UInt8], transactionIdentifier: [UInt8],
    commandCounter: UInt16 = 0
  ) throws {
    let parts = try TransactionChallenges.derivationInput(reader: reader, card: card)
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

  // MARK: Primitives

  func authenticationCode(_ message: [UInt8]) throws -> [UInt8] {
    try codeCipher.authenticationCode(message)
  }

  /// Returns every second byte of a CMAC, starting with the second.
  package static func truncated(_ code: [UInt8]) -> [UInt8] { TransactionCode.truncated(code) }

  /// Returns the initial value of a CBC run: the encrypted counter.
  package func initialValue(isAnswer: Bool) throws -> [UInt8] {
    let label = isAnswer ? Self.codeLabel : Self.encryptionLabel
    let input = label + transactionIdentifier + commandCounter.littleEndianBytes
    return try cipher.encrypt(BlockCipher.filled(input, blockSize: cipher.blockSize))
  }

  func encrypt(_ blocks: [UInt8]) throws -> [UInt8] {
    try cipher.encrypt(blocks, initialValue: initialValue(isAnswer: false))
  }

  func decrypt(_ blocks: [UInt8]) throws -> [UInt8] {
    try cipher.decrypt(blocks, initialValue: initialValue(isAnswer: true))
  }
}
