import SwiftNFCCore

/// A transaction with a MIFARE Plus: one key for the cipher, one for MACs, an identifier that the
/// card chooses, and the number of reads and writes so far.
///
/// Both generations have the same MACs. They differ in how the keys are derived and in the initial values.
///
/// Sources: NXP's reader library (`phalMfp_Sw`, and `phalMfpEVx_Sw` for EV1), liblogicalaccess; a recording of
/// Proxmark3 (`hf_mfp_mad_sl3.trace`) contains commands and answers of the first generation.
struct MIFAREPlusMessaging: Sendable {
  static let codeSize = 8
  static let identifierSize = 4
  private static let challengeSize = 16

  /// The positions in the challenges that the session keys are made from: where five bytes of both
  /// challenges begin, where the five bytes that are combined begin, and a last byte.
  private static let encryption = (first: 11, combined: 4, last: UInt8(0x11))
  private static let authentication = (first: 7, combined: 0, last: UInt8(0x22))
  /// The first bytes of the input for each key and each initial value of EV1.
  private static let (encryptionLabel, codeLabel): ([UInt8], [UInt8]) = (
    [0xA5, 0x5A], [0x5A, 0xA5]
  )

  let form: MIFAREPlusSecureMessaging
  let identifier: [UInt8]
  private(set) var reads: UInt16
  private(set) var writes: UInt16
  private let cipher: BlockCipher
  private let codeCipher: BlockCipher

  /// - Parameters:
  ///   - key: the key of the authentication.
  ///   - reader: the reader's challenge, RndA, 16 bytes.
  ///   - card: the card's challenge, RndB, 16 bytes.
  init(
    _ form: MIFAREPlusSecureMessaging = .ev0, key: BlockCipher, reader: [UInt8], card: [UInt8],
    identifier: [UInt8], reads: UInt16 = 0, writes: UInt16 = 0
  ) throws {
    guard reader.count == Self.challengeSize, card.count == Self.challengeSize,
      identifier.count == Self.identifierSize
    else {
      throw NFCError(.invalidParameter, "a challenge has \(Self.challengeSize) bytes")
    }
    func encrypted(_ parts: (first: Int, combined: Int, last: UInt8)) throws -> [UInt8] {
      let first = parts.first..<parts.first + 5
      let combined = parts.combined..<parts.combined + 5
      var block = reader[first] + card[first]
      block += Array(reader[combined]).combined(with: card[combined])
      block.append(parts.last)
      return try key.encrypt(Array(block))
    }
    func authenticated(_ label: [UInt8]) throws -> [UInt8] {
      try key.authenticationCode(
        label + TransactionChallenges.derivationInput(reader: reader, card: card))
    }
    func cipher(_ key: [UInt8]) throws -> BlockCipher {
      var bytes = key
      return try BlockCipher(.aes128, key: SecretKey(taking: &bytes))
    }
    self.form = form
    self.identifier = identifier
    self.reads = reads
    self.writes = writes
    switch form {
    case .ev0:
      self.cipher = try cipher(encrypted(Self.encryption))
      codeCipher = try cipher(encrypted(Self.authentication))
    case .ev1:
      self.cipher = try cipher(authenticated(Self.encryptionLabel))
      codeCipher = try cipher(authenticated(Self.codeLabel))
    }
  }

  private static func bytes(_ number: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
  }

  private var counters: [UInt8] { Self.bytes(reads) + Self.bytes(writes) }
  private var counterBlock: [UInt8] { counters + counters + counters }

  private func initialValue(isAnswer: Bool) throws -> [UInt8] {
    switch form {
    case .ev0: return isAnswer ? counterBlock + identifier : identifier + counterBlock
    case .ev1:
      let input = (isAnswer ? Self.codeLabel : Self.encryptionLabel) + identifier + counters
      return try cipher.encrypt(BlockCipher.filled(input, blockSize: cipher.blockSize))
    }
  }

  /// The initial values of an authentication in this transaction; `nil` for zeros, which EV1 always has.
  var authenticationVectors: (command: [UInt8], answer: [UInt8])? {
    form == .ev0 ? (identifier + counterBlock, counterBlock + identifier) : nil
  }

  /// Returns every second byte of the CMAC.
  private func code(_ head: UInt8, _ counter: UInt16, _ rest: [UInt8]) throws -> [UInt8] {
    let whole = try codeCipher.authenticationCode([head] + Self.bytes(counter) + identifier + rest)
    return stride(from: 1, to: whole.count, by: 2).map { whole[$0] }
  }

  // MARK: Reading

  func readCommand(_ code: UInt8, _ parameters: [UInt8]) throws -> [UInt8] {
    guard reads < .max else { throw NFCError.outOfNumbers }
    return [code] + parameters + (try self.code(code, reads, parameters))
  }

  /// Returns the data of the answer to a read.
  ///
  /// - Parameter answer: the answer without its status.
  /// - Throws: `tagResponseError` for an answer that did not come from the card, or that belongs to
  ///   another command.
  mutating func readAnswer(
    _ answer: [UInt8], to parameters: [UInt8], count: Int, isEncrypted: Bool
  ) throws -> [UInt8] {
    reads &+= 1
    guard answer.count == count + Self.codeSize else { throw NFCError.wrongLength }
    let data = Array(answer.prefix(count))
    guard
      Array(answer.suffix(Self.codeSize)).equalsInConstantTime(
        try code(MIFAREPlusStatus.ok, reads, parameters + data))
    else { throw NFCError.wrongMAC }
    return isEncrypted ? try cipher.decrypt(data, initialValue: initialValue(isAnswer: true)) : data
  }

  // MARK: Writing

  /// - Parameter encrypted: whole blocks, which are sent encrypted after the parameters.
  func writeCommand(
    _ code: UInt8, _ parameters: [UInt8], plain: [UInt8] = [], encrypted: [UInt8] = []
  ) throws -> [UInt8] {
    guard writes < .max else { throw NFCError.outOfNumbers }
    let sent =
      parameters + plain
      + (encrypted.isEmpty
        ? [] : try cipher.encrypt(encrypted, initialValue: initialValue(isAnswer: false)))
    return [code] + sent + (try self.code(code, writes, sent))
  }

  /// A counter and a MAC of the transaction, before the MAC of an answer: an EV1 returns them after a write to a block
  /// that its configuration names for this (`phalMfpEVx_Sw_WriteExt`). They concern whoever has that key.
  private static let transactionCodeSize = 4 + 8

  /// - Throws: see ``readAnswer(_:to:count:isEncrypted:)``.
  mutating func writeAnswer(_ answer: [UInt8]) throws {
    writes &+= 1
    let data = Array(answer.dropLast(Self.codeSize))
    guard data.isEmpty || data.count == Self.transactionCodeSize,
      Array(answer.suffix(Self.codeSize)).equalsInConstantTime(
        try code(MIFAREPlusStatus.ok, writes, data))
    else { throw NFCError.wrongMAC }
  }
}
