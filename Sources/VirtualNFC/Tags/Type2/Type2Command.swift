/// The command codes of NXP's Type 2 chips. Each chip supports only some of them.
///
/// Source: NTAG213/215/216 data sheet rev. 3.2, table 22; MF0ULx1 rev. 3.3, table 9; MF0ICU2 rev. 3.3,
/// section 9; NT3H1101/1201 rev. 3.3, section 10.
enum Type2Command {
  /// READ, with the start page. The answer has sixteen bytes.
  static let read: UInt8 = 0x30
  /// FAST_READ, with the first and the last page.
  static let fastRead: UInt8 = 0x3A
  /// WRITE, with the page and four bytes.
  static let write: UInt8 = 0xA2
  /// COMPATIBILITY_WRITE, with the page. A second frame has sixteen bytes, of which the first four are
  /// used.
  static let compatibilityWrite: UInt8 = 0xA0
  /// The number of bytes in the second frame of COMPATIBILITY_WRITE.
  static let compatibilityDataSize = 16
  static let getVersion: UInt8 = 0x60
  /// READ_CNT, with the counter number. The answer has three bytes, least significant first.
  static let readCounter: UInt8 = 0x39
  /// INCR_CNT, with the counter number, three bytes of increment least significant first, and one byte
  /// that is ignored.
  static let incrementCounter: UInt8 = 0xA5
  /// CHECK_TEARING_EVENT, with the counter number.
  static let checkTearingEvent: UInt8 = 0x3E
  /// READ_SIG, with address 00.
  static let readSignature: UInt8 = 0x3C
  /// PWD_AUTH, with four bytes of password.
  static let passwordAuthenticate: UInt8 = 0x1B
  /// AUTHENTICATE, with address 00; begins the authentication of Ultralight C.
  static let authenticate: UInt8 = 0x1A
  /// The second half of the authentication of Ultralight C, and the first byte of its first answer.
  static let authenticateContinued: UInt8 = 0xAF
  /// VCSL, with sixteen bytes of installation identifier and four of the reader's capabilities.
  static let virtualCardSelectLast: UInt8 = 0x4B
  /// The size of VCSL: the code, 16 and 4 bytes.
  static let virtualCardSelectLastSize = 1 + 16 + 4
  /// SECTOR_SELECT, with FF; a second frame has the sector and three bytes that are ignored.
  static let sectorSelect: UInt8 = 0xC2
  static let sectorSelectArgument: UInt8 = 0xFF
}

/// The answer of a Type 2 chip to a command.
enum Type2Answer: Hashable, Sendable {
  /// Bytes, followed by their CRC.
  case data([UInt8])
  /// The four bits A, an acknowledge.
  case acknowledge
  /// Four bits other than A. The chip then returns to IDLE or HALT and does not answer until it is
  /// selected again.
  case refusal(NegativeAcknowledge)
  /// No answer: the passive acknowledge of SECTOR_SELECT.
  case silence
}

/// The reason for a refusal, in four bits.
///
/// A virtual EEPROM has no write errors, so their codes (5 or 7, 2 in an Ultralight C) are not included.
/// Source: NTAG213/215/216 rev. 3.2, table 23; MF0ICU2 rev. 3.3, table 15.
enum NegativeAcknowledge: UInt8, Hashable, Sendable {
  /// A page, length or command that does not exist or is not allowed.
  case invalidArgument = 0x0
  /// A wrong CRC or parity bit.
  case checkError = 0x1
  /// Too many wrong passwords, or a counter that would overflow.
  case counterOverflow = 0x4
}
