import SwiftNFCCore

/// The MACs of a session with a MIFARE Ultralight AES whose SEC_MSG_ACT is set: eight bytes after
/// every command and answer, over a counter that increases by one each time. The MAC of an
/// acknowledge covers only the counter.
///
/// Sources: StuStaPay and Unleashed Firmware, which cite data sheet MF0AES(H)20, 8.8.3; a trace of
/// Proxmark3 (`hf_14a_mful_aes_defaultkey_secure_message`) contains a command and its answer.
struct UltralightAESMessaging: Sendable {
  static let codeSize = 8
  private static let challengeSize = 16
  /// The first bytes of the input for the session key: a label, a counter, the length of the key in
  /// bits.
  private static let derivation: [UInt8] = [0x5A, 0xA5, 0x00, 0x01, 0x00, 0x80]

  private let cipher: BlockCipher
  private(set) var counter: UInt16 = 0

  /// - Parameters:
  ///   - key: the key of the authentication.
  ///   - reader: the reader's challenge, RndA, 16 bytes.
  ///   - tag: the tag's challenge, RndB, 16 bytes.
  init(key: BlockCipher, reader: [UInt8], tag: [UInt8]) throws {
    guard reader.count == Self.challengeSize, tag.count == Self.challengeSize else {
      throw NFCError(.invalidParameter, "a challenge has \(Self.challengeSize) bytes")
    }
    var input = Self.derivation + reader[0..<2]
    input += Array(reader[2..<8]).combined(with: tag[0..<6])
    input += tag[6...]
    input += reader[8...]
    var bytes = try key.authenticationCode(input)
    cipher = try BlockCipher(.aes128, key: SecretKey(taking: &bytes))
  }

  /// Returns every second byte of the CMAC.
  private mutating func code(_ message: [UInt8]) throws -> [UInt8] {
    let number = [UInt8(truncatingIfNeeded: counter), UInt8(truncatingIfNeeded: counter >> 8)]
    let code = try cipher.authenticationCode(number + message)
    counter &+= 1
    return stride(from: 1, to: code.count, by: 2).map { code[$0] }
  }

  /// The last number of a command. A further one and its answer would take the last two, and 0 would come again.
  private static let lastNumber = UInt16.max - 3

  mutating func protect(_ command: [UInt8]) throws -> [UInt8] {
    guard counter <= Self.lastNumber else { throw NFCError.outOfNumbers }
    return command + (try code(command))
  }

  /// - Throws: `tagResponseError` for an answer whose MAC is wrong.
  mutating func unprotect(_ answer: [UInt8]) throws -> [UInt8] {
    guard answer.count >= Self.codeSize else { throw NFCError.wrongTagCode }
    let body = Array(answer.dropLast(Self.codeSize))
    guard Array(answer.suffix(Self.codeSize)).equalsInConstantTime(try code(body)) else {
      throw NFCError.wrongTagCode
    }
    return body
  }
}

extension NFCError {
  /// The error for an answer that the tag cannot have sent.
  static let wrongTagCode = NFCError(
    .tagResponseError, "the tag's answer has a wrong MAC and is not used")
}
