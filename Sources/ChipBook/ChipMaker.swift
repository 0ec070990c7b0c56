/// The makers of chips, by the code that each has in the UIDs of its chips: the first byte of an ISO/IEC 14443 type A
/// UID of 7 or 10 bytes (ISO/IEC 14443-3, 6.5.4), and the second byte of an ISO/IEC 15693 UID (ISO/IEC 15693-3, 4.1).
package enum ChipMaker {
  package static let stMicroelectronics: UInt8 = 0x02
  package static let nxp: UInt8 = 0x04
  package static let infineon: UInt8 = 0x05
  package static let texasInstruments: UInt8 = 0x07
  package static let fujitsu: UInt8 = 0x08
  package static let emMicroelectronic: UInt8 = 0x16
  package static let mikron: UInt8 = 0x34
  package static let feiju: UInt8 = 0x53

  /// Returns the maker's short name; `nil` for a code that is not in the register.
  package static func name(_ code: UInt8) -> String? { names[code] }

  /// Source: the register of IC manufacturers for ISO/IEC 7816-6 (ISO/IEC JTC 1/SC 17, standing document 5) of 28 March
  /// 2023. Where another company has taken over a code, the name that is known from the chips follows in parentheses.
  private static let names: [UInt8: String] = [
    0x01: "Motorola", 0x02: "STMicroelectronics", 0x03: "Hitachi", 0x04: "NXP",
    0x05: "Infineon", 0x06: "Cylink", 0x07: "Texas Instruments", 0x08: "Fujitsu",
    0x09: "Matsushita", 0x0A: "NEC", 0x0B: "Oki", 0x0C: "Toshiba", 0x0D: "Mitsubishi",
    0x0E: "Samsung", 0x0F: "Hynix", 0x10: "LG", 0x11: "Emosyn-EM", 0x12: "WISeKey (Inside)",
    0x13: "Orga", 0x14: "Sharp", 0x15: "Atmel", 0x16: "EM Microelectronic", 0x17: "Smartrac",
    0x18: "ZMD", 0x19: "Xicor", 0x1A: "Sony", 0x1B: "Malaysia Microelectronic Solutions",
    0x1C: "Emosyn", 0x1D: "Shanghai Fudan", 0x1E: "Magellan", 0x1F: "Melexis",
    0x20: "Renesas", 0x21: "TAGSYS", 0x22: "Transcore", 0x23: "Shanghai Belling",
    0x24: "Masktech", 0x25: "Innovision", 0x26: "Hitachi ULSI", 0x27: "Yubico", 0x28: "Ricoh",
    0x29: "ASK", 0x2A: "Unicore", 0x2B: "Maxim", 0x2C: "Impinj", 0x2D: "RightPlug Alliance",
    0x2E: "Broadcom", 0x2F: "MStar", 0x30: "BeeDar", 0x31: "RFIDsec",
    0x32: "Schweizer Electronic", 0x33: "AMIC", 0x34: "Mikron", 0x35: "Fraunhofer IPMS",
    0x36: "IDS Microchip", 0x37: "Kovio", 0x38: "HMT Microelectronic", 0x39: "Silicon Craft",
    0x3A: "Advanced Film Device", 0x3B: "Nitecrest", 0x3C: "Verayo", 0x3D: "HID Global",
    0x3E: "Productivity Engineering", 0x3F: "ams", 0x40: "Thales (Gemalto)", 0x41: "Renesas",
    0x42: "3Alogics", 0x43: "Top TroniQ", 0x44: "Gentag", 0x45: "Invengo",
    0x46: "Guangzhou Sysur", 0x47: "CEITEC", 0x48: "Shanghai Quanray", 0x49: "MediaTek",
    0x4A: "Angstrem", 0x4B: "Celisic", 0x4C: "LEGIC", 0x4D: "Balluff", 0x4E: "Oberthur",
    0x4F: "Silterra", 0x50: "DELTA", 0x51: "Giesecke & Devrient",
    0x52: "Shenzhen China Vision", 0x53: "Shanghai Feiju", 0x54: "Intel", 0x55: "Microsensys",
    0x56: "Sonix", 0x57: "Qualcomm", 0x58: "Realtek", 0x59: "Freevision", 0x5A: "Giantec",
    0x5B: "Angstrem-T", 0x5C: "StarChip", 0x5D: "Spirtech", 0x5E: "Gantner",
    0x5F: "Nordic Semiconductor", 0x60: "Verisiti", 0x61: "Wearlinks", 0x62: "Userstar",
    0x63: "Pragmatic", 0x64: "LSI-TEC", 0x65: "Tendyron", 0x66: "MUTO Smart",
    0x67: "ON Semiconductor", 0x68: "TÜBİTAK BİLGEM", 0x69: "Huada", 0x6A: "Seveney",
    0x6B: "Thales DIS Design Services", 0x6C: "Wisesec", 0x6D: "NM-Teh",
    0x70: "ifm electronic", 0x71: "Sichuan Kiloway", 0x72: "Ford", 0x73: "Beijing Tsingteng",
    0x74: "Huada EverCore", 0x75: "Smartchip", 0x76: "Tongxin", 0x77: "Ningbo IOT",
    0x78: "AU Optronics", 0x79: "Cubic", 0x7A: "Abbott Diabetes Care",
    0x7B: "Shenzhen Nation RFID", 0x7C: "DB HiTek", 0x7D: "SATO Vicinity", 0x7E: "Holtek",
    0x7F: "Goodix", 0x80: "Panthronics", 0x81: "Beijing Huada Infosec",
    0x82: "Shanghai Oriental Magnetic Card", 0x83: "8ApeX", 0x84: "Abbott", 0x85: "Proqure",
    0x86: "Schreiner",
  ]
}

extension ISO15693Chip {
  private static let uidLength = 8

  /// Returns the second byte of the UID: the maker's code of ISO/IEC 7816-6; `nil` for a UID
  /// without one.
  package static func manufacturerCode(uid: [UInt8]) -> UInt8? {
    uid.count == uidLength ? uid[1] : nil
  }

  /// Returns the maker's name; `nil` if it is not known.
  package static func manufacturer(uid: [UInt8]) -> String? {
    manufacturerCode(uid: uid).flatMap(ChipMaker.name)
  }
}
