/// The second byte of a request (ISO/IEC 15693-3, 10; 30 to 3D in the edition of 2018).
public enum ISO15693CommandCode {
  public static let inventory: UInt8 = 0x01
  public static let stayQuiet: UInt8 = 0x02
  public static let readSingleBlock: UInt8 = 0x20
  public static let writeSingleBlock: UInt8 = 0x21
  public static let lockBlock: UInt8 = 0x22
  public static let readMultipleBlocks: UInt8 = 0x23
  public static let writeMultipleBlocks: UInt8 = 0x24
  public static let select: UInt8 = 0x25
  public static let resetToReady: UInt8 = 0x26
  public static let writeAFI: UInt8 = 0x27
  public static let lockAFI: UInt8 = 0x28
  public static let writeDSFID: UInt8 = 0x29
  public static let lockDSFID: UInt8 = 0x2A
  public static let getSystemInformation: UInt8 = 0x2B
  public static let getMultipleBlockSecurityStatus: UInt8 = 0x2C
  public static let fastReadMultipleBlocks: UInt8 = 0x2D
  public static let extendedReadSingleBlock: UInt8 = 0x30
  public static let extendedWriteSingleBlock: UInt8 = 0x31
  public static let extendedLockBlock: UInt8 = 0x32
  public static let extendedReadMultipleBlocks: UInt8 = 0x33
  public static let extendedWriteMultipleBlocks: UInt8 = 0x34
  public static let authenticate: UInt8 = 0x35
  public static let keyUpdate: UInt8 = 0x36
  public static let challenge: UInt8 = 0x39
  public static let readBuffer: UInt8 = 0x3A
  public static let extendedGetSystemInformation: UInt8 = 0x3B
  public static let extendedGetMultipleBlockSecurityStatus: UInt8 = 0x3C
  public static let extendedFastReadMultipleBlocks: UInt8 = 0x3D
  /// Custom commands: the maker's code follows.
  public static let custom: ClosedRange<UInt8> = 0xA0...0xDF
  /// Proprietary commands: of the maker's, without its code.
  public static let proprietary: ClosedRange<UInt8> = 0xE0...0xFF
}
