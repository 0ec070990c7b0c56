import SwiftNFCCore

/// The common part of the secure messaging of EV2 and LRP: a transaction identifier, a command counter,
/// and MACs over both sides' data (NXP AN12196, 4; AN12343, 7; NT4H2421Gx data sheet, 9.1 and 9.2). They
/// differ in the computation of MACs and the encryption of data.
protocol TransactionMessaging: DESFireMessaging {
  /// The transaction identifier, which the card has chosen, four bytes.
  var transactionIdentifier: [UInt8] { get }
  /// The number of commands since then.
  var commandCounter: UInt16 { get set }

  /// Returns a CMAC of 16 bytes, made with the key for MACs.
  func authenticationCode(_ message: [UInt8]) throws -> [UInt8]
  /// - Parameter blocks: a command's data, padded to whole blocks.
  mutating func encrypt(_ blocks: [UInt8]) throws -> [UInt8]
  /// - Parameter blocks: an answer's data, in whole blocks.
  mutating func decrypt(_ blocks: [UInt8]) throws -> [UInt8]
}

/// The eight bytes of a MAC that are sent.
enum TransactionCode {
  static let size = 8
  static let blockSize = 16

  /// Returns every second byte, starting with the second (AN12196, 4.5: MACt).
  static func truncated(_ code: [UInt8]) -> [UInt8] {
    code.indices.filter { $0 % 2 == 1 }.map { code[$0] }
  }
}

/// The random values that both sides have drawn for a session, from which its keys are derived.
enum TransactionChallenges {
  static let size = 16
  /// A counter, and the length of the derived key in bits.
  private static let derivationPrefix: [UInt8] = [0x00, 0x01, 0x00, 0x80]

  /// The part of a derivation's input that both generations share (AN12196, 4.3; AN12343, 7.2.6).
  ///
  /// - Parameters:
  ///   - reader: the reader's challenge, RndA, 16 bytes.
  ///   - card: the card's, RndB, 16 bytes.
  static func derivationInput(reader: [UInt8], card: [UInt8]) throws -> [UInt8] {
    guard reader.count == size, card.count == size else {
      throw NFCError(.invalidParameter, "a challenge has \(size) bytes")
    }
    var input = derivationPrefix + reader[0..<2]
    input += Array(reader[2..<8]).combined(with: card[0..<6])
    input += card[6...]
    input += reader[8...]
    return input
  }
}

extension TransactionMessaging {
  mutating func protect(_ command: DESFireCommand) throws -> [UInt8] {
    // The answer has the next number, which must not be 0 again.
    guard commandCounter < .max else { throw NFCError.outOfNumbers }
    guard command.protection != .data(.plain) else { return command.header + command.data }
    var body = command.data
    if command.protection == .encrypted, !(command.data + command.trailer).isEmpty {
      body = try encrypt(
        BlockCipher.marked(command.data + command.trailer, blockSize: TransactionCode.blockSize))
    }
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
    guard command.protection == .encrypted, !body.isEmpty else {
      return try command.checkLength(body)
    }
    guard body.count % TransactionCode.blockSize == 0,
      let data = BlockCipher.unmarked(try decrypt(body))
    else { throw NFCError.wrongCheck }
    return try command.checkLength(data)
  }

  /// Checks the MAC of an answer and returns the answer without it.
  private func checkedBody(_ answer: [UInt8], status: UInt8) throws -> [UInt8] {
    guard answer.count >= TransactionCode.size else { throw NFCError.wrongMAC }
    let body = Array(answer.dropLast(TransactionCode.size))
    let expected = try code(status, commandCounter, body)
    guard Array(answer.suffix(TransactionCode.size)).equalsInConstantTime(expected) else {
      throw NFCError.wrongMAC
    }
    return body
  }

  /// Returns the MAC over a command or an answer, as it is sent.
  ///
  /// - Parameter first: the command code or the answer's status.
  func code(_ first: UInt8, _ counter: UInt16, _ rest: [UInt8]) throws -> [UInt8] {
    TransactionCode.truncated(
      try authenticationCode([first] + counter.littleEndianBytes + transactionIdentifier + rest))
  }
}
