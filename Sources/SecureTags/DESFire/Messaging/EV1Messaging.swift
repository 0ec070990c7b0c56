import SwiftNFCCore

/// Secure messaging after AuthenticateISO (1A) and AuthenticateAES (AA): a CMAC over every command and
/// answer, a CRC-32 in the encrypted data, and an initial value that each message passes to the next, so
/// that none can be left out, repeated or exchanged (MF3ICDx21_41_81 data sheet, 8.4.2 and 8.4.3).
struct EV1Messaging: DESFireMessaging {
  private let cipher: BlockCipher
  private var vector: [UInt8]

  private static let codeSize = 8

  /// - Parameter initialValue: what the messages so far have left; zeros for a new session.
  init(
    _ algorithm: BlockCipher.Algorithm, sessionKey: SecretKey, initialValue: [UInt8]? = nil
  ) throws {
    cipher = try BlockCipher(algorithm, key: sessionKey)
    vector = initialValue ?? cipher.zeroBlock
  }

  mutating func protect(_ command: DESFireCommand) throws -> [UInt8] {
    let whole = [command.code.rawValue] + command.header + command.data
    guard command.protection == .encrypted, !command.data.isEmpty else {
      vector = try cipher.authenticationCode(whole, initialValue: vector)
      // Only commands with data send their MAC.
      let hasCode = command.protection == .data(.authenticated) && !command.data.isEmpty
      return command.header + command.data + (hasCode ? vector.prefix(Self.codeSize) : [])
    }
    let blocks = BlockCipher.filled(
      command.data + Checksum.crc32(whole) + command.trailer, blockSize: cipher.blockSize)
    let encrypted = try cipher.encrypt(blocks, initialValue: vector)
    vector = Array(encrypted.suffix(cipher.blockSize))
    return command.header + encrypted
  }

  mutating func unprotect(
    _ answer: [UInt8], status: DESFireStatus, of command: DESFireCommand
  ) throws -> [UInt8] {
    if let count = command.encryptedCount {
      guard !answer.isEmpty, answer.count % cipher.blockSize == 0 else {
        throw NFCError.wrongLength
      }
      let blocks = try cipher.decrypt(answer, initialValue: vector)
      vector = Array(answer.suffix(cipher.blockSize))
      return try BlockCipher.separated(blocks, count: count) {
        Checksum.crc32($0 + [status.code])
      }
    }
    if case .endOfSession = command.answer, answer.isEmpty { return [] }
    guard answer.count >= Self.codeSize else { throw NFCError.wrongMAC }
    let data = Array(answer.dropLast(Self.codeSize))
    vector = try cipher.authenticationCode(data + [status.code], initialValue: vector)
    guard
      Array(answer.suffix(Self.codeSize)).equalsInConstantTime(Array(vector.prefix(Self.codeSize)))
    else { throw NFCError.wrongMAC }
    return try command.checkLength(data)
  }
}
