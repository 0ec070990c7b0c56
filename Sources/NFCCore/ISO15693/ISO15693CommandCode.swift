/// The second byte of a request (ISO/IEC 15693-3, 10; 30 to 3D in the edition of 2018).
package enum ISO15693CommandCode {
  package static let inventory: UInt8 = 0x01
  package static let stayQuiet: UInt8 = 0x02
  package static let readSingleBlock: UInt8 = 0x20
  package static let writeSingleBlock: UInt8 = 0x21
  package static let lockBlock: UInt8 = 0x22
  package static let readMultipleBlocks: UInt8 = 0x23
  package static let writeMultipleBlocks: UInt8 = 0x24
  package static let select: UInt8 = 0x25
  package static let resetToReady: UInt8 = 0x26
  package static let writeAFI: UInt8 = 0x27
  package static let lockAFI: UInt8 = 0x28
  package static let writeDSFID: UInt8 = 0x29
  package static let lockDSFID: UInt8 = 0x2A
  package static let getSystemInformation: UInt8 = 0x2B
  package static let getMultipleBlockSecurityStatus: UInt8 = 0x2C
  package static let fastReadMultipleBlocks: UInt8 = 0x2D
  package static let extendedReadSingleBlock: UInt8 = 0x30
  package static let extendedWriteSingleBlock: UInt8 = 0x31
  package static let extendedLockBlock: UInt8 = 0x32
  package static let extendedReadMultipleBlocks: UInt8 = 0x33
  package static let extendedWriteMultipleBlocks: UInt8 = 0x34
  package static let authenticate: UInt8 = 0x35
  package static let keyUpdate: UInt8 = 0x36
  package static let challenge: UInt8 = 0x39
  package static let readBuffer: UInt8 = 0x3A
  package static let extendedGetSystemInformation: UInt8 = 0x3B
  package static let extendedGetMultipleBlockSecurityStatus: UInt8 = 0x3C
  package static let extendedFastReadMultipleBlocks: UInt8 = 0x3D
  /// Custom commands: the maker's code follows.
  package static let custom: ClosedRange<UInt8> = 0xA0...0xDF
  /// Proprietary commands of the maker, without its code.
  package static let proprietary: ClosedRange<UInt8> = 0xE0...0xFF
}
