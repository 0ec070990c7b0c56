/// The custom commands of NXP's ICODE chips (SL2S2602 data sheet rev. 4.2, 9.5.3; SL2 ICS53/ICS54
/// rev. 3.0, 8.1.3).
enum ICODECommandCode {
  static let setSurveillance: UInt8 = 0xA2
  static let resetSurveillance: UInt8 = 0xA3
  static let lockSurveillance: UInt8 = 0xA4
  static let alarm: UInt8 = 0xA5
  /// Protects EAS; with the option flag, the AFI.
  static let passwordProtect: UInt8 = 0xA6
  static let writeSurveillanceIdentifier: UInt8 = 0xA7
  static let getSystemInformation: UInt8 = 0xAB
  static let getRandomNumber: UInt8 = 0xB2
  static let setPassword: UInt8 = 0xB3
  static let writePassword: UInt8 = 0xB4
  static let lockPassword: UInt8 = 0xB5
  static let protectPage: UInt8 = 0xB6
  static let lockPageProtection: UInt8 = 0xB7
  static let getBlockProtectionStatus: UInt8 = 0xB8
  /// Both commands contain the password.
  static let destroy: UInt8 = 0xB9
  static let enablePrivacy: UInt8 = 0xBA
  static let protectBy64Bits: UInt8 = 0xBB
  static let readSignature: UInt8 = 0xBD
  /// NTAG 5 (NTP53x2 data sheet rev. 3.3, table 114).
  static let readConfiguration: UInt8 = 0xC0
  static let writeConfiguration: UInt8 = 0xC1

  /// NXP's code in a UID and in these commands (ISO/IEC 7816-6).
  static let manufacturer: UInt8 = 0x04
}
