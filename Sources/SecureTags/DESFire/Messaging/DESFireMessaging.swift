import SwiftNFCCore

/// How a session protects commands and checks answers; one type for each generation of secure messaging.
protocol DESFireMessaging: Sendable {
  /// Returns the bytes that follow the command code.
  mutating func protect(_ command: DESFireCommand) throws -> [UInt8]

  /// Checks an answer and returns its data without protection.
  ///
  /// - Parameter answer: the data of all frames, including the MAC.
  /// - Throws: `tagResponseError` for an answer that did not come from the card, or that belongs to
  ///   another command.
  mutating func unprotect(
    _ answer: [UInt8], status: DESFireStatus, of command: DESFireCommand
  ) throws -> [UInt8]
}

/// The result of an authentication.
struct DESFireSession: Sendable {
  let keyNumber: UInt8
  var messaging: any DESFireMessaging
}

extension NFCError {
  // These errors have no cause: the answers arrived without a transmission error, so the card is still
  // present.

  /// The error for an answer that the card cannot have sent.
  static let wrongMAC = NFCError(
    .tagResponseError, "the card's answer has a wrong MAC and is not used")

  static let wrongCheck = NFCError(
    .tagResponseError, "the card's encrypted answer has a wrong check and is not used")

  static let wrongLength = NFCError(
    .tagResponseError, "the card's answer does not have the length that was requested")
}

extension NFCError {
  /// The error for a session whose counter has no further number. With one that was used before, MACs and initial values
  /// would repeat. A MIFARE Plus has a status for it, 07 (NXP's reader library, `PHAL_MFP_RESP_ERR_CMD_OVERFLOW`).
  static let outOfNumbers = NFCError(
    .notAuthenticated,
    "the session has counted as many commands as it can and has ended: authenticate again")
}

extension DESFireCommand {
  /// Checks the number of bytes in an answer.
  func checkLength(_ data: [UInt8]) throws -> [UInt8] {
    switch answer {
    case .none, .endOfSession: guard data.isEmpty else { throw NFCError.wrongLength }
    case .data(let count): guard data.count == count else { throw NFCError.wrongLength }
    case .anyData: break
    }
    return data
  }

  /// The number of data bytes in an encrypted answer; `nil` if the answer is not encrypted.
  var encryptedCount: Int? {
    if case .data(let count) = answer, protection == .encrypted { count } else { nil }
  }
}

extension BlockCipher {
  /// Decrypts an answer whose data are followed by a checksum, and zeros or a mark and zeros.
  static func separated(
    _ blocks: [UInt8], count: Int, check: ([UInt8]) -> [UInt8]
  ) throws -> [UInt8] {
    guard blocks.count >= count else { throw NFCError.wrongLength }
    let data = Array(blocks.prefix(count))
    let expected = check(data)
    let rest = Array(blocks.dropFirst(count))
    let padding = rest.dropFirst(expected.count)
    guard Array(rest.prefix(expected.count)).equalsInConstantTime(expected),
      padding.dropFirst().allSatisfy({ $0 == 0 }),
      padding.first.map({ $0 == 0 || $0 == paddingMark }) ?? true
    else { throw NFCError.wrongCheck }
    return data
  }
}
