/// The command codes of NXP's Type 2 chips. Each chip knows only some of them.
///
/// Source: NTAG213/215/216 data sheet rev. 3.2, table 22; MF0ULx1 rev. 3.3, table 9; MF0ICU2 rev.
/// 3.3, section 9; NT3H1101/1201 rev. 3.3, section 10.
enum Type2Command {
  /// Start page; sixteen bytes come back.
  static let read: UInt8 = 0x30
  /// First and last page.
  static let fastRead: UInt8 = 0x3A
  /// Page, four bytes.
  static let write: UInt8 = 0xA2
  /// Page; sixteen bytes in a second frame, of which the first four count.
  static let compatibilityWrite: UInt8 = 0xA0
  /// How many bytes the second frame of COMPATIBILITY_WRITE has.
  static let compatibilityDataSize = 16
  static let getVersion: UInt8 = 0x60
  /// Counter number; three bytes come back, least significant first.
  static let readCounter: UInt8 = 0x39
  /// Counter number, three bytes of increment least significant first, one byte that is ignored.
  static let incrementCounter: UInt8 = 0xA5
  /// Counter number.
  static let checkTearingEvent: UInt8 = 0x3E
  /// Address 00.
  static let readSignature: UInt8 = 0x3C
  /// Four bytes of password.
  static let passwordAuthenticate: UInt8 = 0x1B
  /// Address 00; begins the authentication of Ultralight C.
  static let authenticate: UInt8 = 0x1A
  /// The second half of the authentication of Ultralight C, and the first byte of its first answer.
  static let authenticateContinued: UInt8 = 0xAF
  /// Sixteen bytes of installation identifier, four of the reader's capabilities.
  static let virtualCardSelectLast: UInt8 = 0x4B
  /// The code, 16 and 4 bytes.
  static let virtualCardSelectLastSize = 1 + 16 + 4
  /// FF; the sector and three bytes that are ignored in a second frame.
  static let sectorSelect: UInt8 = 0xC2
  static let sectorSelectArgument: UInt8 = 0xFF
}

/// What a Type 2 chip says to a command.
enum Type2Answer: Hashable, Sendable {
  /// Bytes, followed by their CRC.
  case data([UInt8])
  /// The four bits A.
  case acknowledge
  /// Four bits other than A. The chip then returns to IDLE or HALT and does not answer until it is
  /// selected again.
  case refusal(NegativeAcknowledge)
  /// No answer: the passive acknowledge of SECTOR_SELECT.
  case silence
}

/// The reason that a chip gives for its refusal, in four bits.
///
/// A virtual EEPROM has no write errors, so that their codes (5 or 7, 2 in an Ultralight C) are not
/// among these. Source: NTAG213/215/216 rev. 3.2, table 23; MF0ICU2 rev. 3.3, table 15.
enum NegativeAcknowledge: UInt8, Hashable, Sendable {
  /// A page, length or command that does not exist or is not allowed.
  case invalidArgument = 0x0
  /// A wrong CRC or parity bit.
  case checkError = 0x1
  /// Too many wrong passwords, or a counter that would overflow.
  case counterOverflow = 0x4
}
