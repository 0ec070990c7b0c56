import SwiftNFCCore

/// Secure messaging after Authenticate (0A): MACs of four bytes, CRC_A, and no value that connects
/// one command with the next. Only the data of files and keys is protected, not the commands.
///
/// The reader decrypts and the card encrypts, in both directions: MF3ICDx21_41_81 data sheet,
/// 8.4; MF3ICD40 functional specification, as libfreefare reports it.
struct LegacyMessaging: DESFireMessaging {
  private let cipher: BlockCipher

  private static let codeSize = 4

  init(sessionKey: SecretKey) throws {
    cipher = try BlockCipher(.twoKeyTripleDES, key: sessionKey)
  }

  func protect(_ command: DESFireCommand) throws -> [UInt8] {
    guard !command.data.isEmpty else { return command.header }
    switch command.protection {
    case .administrative, .data(.plain):
      return command.header + command.data
    case .data(.authenticated):
      return command.header + command.data + (try code(command.data))
    case .data(.encrypted):
      let blocks = command.data + CyclicRedundancyCheck.a(command.data) + command.trailer
      return try command.header
        + Self.decrypt(BlockCipher.filled(blocks, blockSize: cipher.blockSize), cipher)
    }
  }

  func unprotect(
    _ answer: [UInt8], status: DESFireStatus, of command: DESFireCommand
  ) throws -> [UInt8] {
    if let count = command.encryptedCount {
      guard !answer.isEmpty, answer.count % cipher.blockSize == 0 else {
        throw NFCError.wrongLength
      }
      return try BlockCipher.separated(cipher.decrypt(answer), count: count) {
        CyclicRedundancyCheck.a($0)
      }
    }
    guard command.protection == .data(.authenticated), case .data = command.answer else {
      return try command.checkLength(answer)
    }
    guard answer.count >= Self.codeSize else { throw NFCError.wrongMAC }
    let data = Array(answer.dropLast(Self.codeSize))
    guard Array(answer.suffix(Self.codeSize)).equalsInConstantTime(try code(data)) else {
      throw NFCError.wrongMAC
    }
    return try command.checkLength(data)
  }

  /// Returns the first bytes of the last block of a CBC run.
  private func code(_ data: [UInt8]) throws -> [UInt8] {
    let blocks = BlockCipher.filled(data, blockSize: cipher.blockSize)
    return Array(try cipher.encrypt(blocks).suffix(cipher.blockSize).prefix(Self.codeSize))
  }

  /// Returns the result of a reader that can only decrypt: each block is combined with the one
  /// that was sent before it.
  static func decrypt(_ data: [UInt8], _ cipher: BlockCipher) throws -> [UInt8] {
    var result: [UInt8] = []
    var previous = cipher.zeroBlock
    for start in stride(from: 0, to: data.count, by: cipher.blockSize) {
      let block = Array(data[start..<min(start + cipher.blockSize, data.count)])
      previous = try cipher.decrypt(block.combined(with: previous))
      result += previous
    }
    return result
  }
}
