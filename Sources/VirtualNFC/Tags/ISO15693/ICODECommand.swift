/// The custom commands of NXP's ICODE chips (SL2S2602 data sheet rev. 4.2, 9.5.3).
enum ICODECommand {
  static let inventoryRead: UInt8 = 0xA0
  static let fastInventoryRead: UInt8 = 0xA1
  static let setEAS: UInt8 = 0xA2
  static let resetEAS: UInt8 = 0xA3
  static let lockEAS: UInt8 = 0xA4
  static let alarmEAS: UInt8 = 0xA5
  static let passwordProtect: UInt8 = 0xA6
  static let writeEASIdentifier: UInt8 = 0xA7
  static let getSystemInformation: UInt8 = 0xAB
  static let getRandomNumber: UInt8 = 0xB2
  static let setPassword: UInt8 = 0xB3
  static let writePassword: UInt8 = 0xB4
  static let lockPassword: UInt8 = 0xB5
  static let protectPage: UInt8 = 0xB6
  static let lockPageProtection: UInt8 = 0xB7
  static let getBlockProtectionStatus: UInt8 = 0xB8
  static let destroy: UInt8 = 0xB9
  static let enablePrivacy: UInt8 = 0xBA
  static let protectBy64Bits: UInt8 = 0xBB
  static let stayQuietPersistent: UInt8 = 0xBC
  static let readSignature: UInt8 = 0xBD
  /// NTAG 5 (data sheet NTP53x2 rev. 3.3, 8.2.3.2).
  static let readConfiguration: UInt8 = 0xC0
  static let writeConfiguration: UInt8 = 0xC1
}

/// The purpose of a password, identified by its number (SL2S2602 data sheet, table 21).
struct ICODEPassword: RawRepresentable, Hashable, Sendable {
  let rawValue: UInt8

  static let read = ICODEPassword(rawValue: 0x01)
  static let write = ICODEPassword(rawValue: 0x02)
  static let privacy = ICODEPassword(rawValue: 0x04)
  static let destroy = ICODEPassword(rawValue: 0x08)
  static let eas = ICODEPassword(rawValue: 0x10)
  /// Reading and writing the restricted area of an NTAG 5 (data sheet NTP53x2 rev. 3.3, table 125).
  static let areaRead = ICODEPassword(rawValue: 0x40)
  static let areaWrite = ICODEPassword(rawValue: 0x80)

  static let length = 4

  /// The value of a password on delivery (SL2S2602 data sheet, 9.5.3.2).
  var factoryValue: [UInt8] {
    self == .privacy || self == .destroy ? [0x0F, 0x0F, 0x0F, 0x0F] : [0, 0, 0, 0]
  }
}
