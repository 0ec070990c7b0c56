import SwiftNFCCore

/// The commands of MIFARE Plus in security levels 3 and 0: NXP's reader library (`phalMfp`),
/// Proxmark3 (`mifare4.c`), liblogicalaccess.
enum MIFAREPlusCommandCode {
  static let authenticateFirst: UInt8 = 0x70
  static let authenticateFollowing: UInt8 = 0x76
  static let authenticateContinued: UInt8 = 0x72
  static let resetAuthentication: UInt8 = 0x78
  /// Since EV1: the authentication that moves sectors to another level (`phalMfpEVx`).
  static let switchSectors: UInt8 = 0x7A
  static let getVersion: UInt8 = 0x60
  /// Reads encrypted data, with a MAC on command and answer.
  static let readEncrypted: UInt8 = 0x31
  static let readPlain: UInt8 = 0x33
  static let writeEncrypted: UInt8 = 0xA1
  static let writePlain: UInt8 = 0xA3
  static let increment: UInt8 = 0xB1
  static let decrement: UInt8 = 0xB3
  static let transfer: UInt8 = 0xB5
  static let incrementTransfer: UInt8 = 0xB7
  static let decrementTransfer: UInt8 = 0xB9
  static let restore: UInt8 = 0xC3
  static let writePersonalization: UInt8 = 0xA8
  static let commitPersonalization: UInt8 = 0xAA
}

/// The first byte of an answer.
enum MIFAREPlusStatus {
  static let ok: UInt8 = 0x90
  private static let accessDenied: UInt8 = 0x06
  private static let tooMany: UInt8 = 0x07
  private static let wrongCode: UInt8 = 0x08
  private static let invalidBlock: UInt8 = 0x09
  private static let noSuchBlock: UInt8 = 0x0A
  private static let unavailable: UInt8 = 0x0B
  private static let wrongLength: UInt8 = 0x0C
  private static let failure: UInt8 = 0x0F
  // Since EV1: `phalMfpEVx.h`.
  private static let transactionCode: UInt8 = 0x05
  private static let notSupported: UInt8 = 0x0D

  /// Returns the error for a refused command.
  static func error(_ status: UInt8) -> NFCError {
    let (code, reason): (NFCError.Code, String) =
      switch status {
      case accessDenied:
        (
          .notAuthenticated,
          "the card's access conditions do not allow it, or the block holds no value"
        )
      case tooMany: (.tagRefused, "there were too many reads or writes in this transaction")
      case wrongCode: (.tagRefused, "the card finds the command's MAC wrong")
      case invalidBlock, noSuchBlock: (.tagRefused, "there is no such block")
      case transactionCode:
        (.notAuthenticated, "the card's settings for transaction MACs do not allow it")
      case notSupported: (.unsupported, "the card does not support the command")
      case unavailable: (.unsupported, "the card does not know the command in this state")
      case wrongLength: (.tagRefused, "the card finds the command's length wrong")
      case failure: (.tagRefused, "the card could not carry the command out")
      default: (.tagRefused, "the card has refused the command")
      }
    return NFCError(code, reason, cause: .desfireStatus(status))
  }
}
