/// The makers of chips, by the second byte of a UID.
package enum ISO15693Maker {
  /// The register of IC manufacturers of ISO/IEC 7816-6, as far as public lists have it (Proxmark3,
  /// cmdhf15.c).
  private static let makers: [UInt8: String] = [
    0x01: "Motorola", 0x02: "STMicroelectronics", 0x03: "Hitachi", 0x04: "NXP",
    0x05: "Infineon", 0x06: "Cylink", 0x07: "Texas Instruments", 0x08: "Fujitsu",
    0x09: "Matsushita", 0x0A: "NEC", 0x0B: "Oki", 0x0C: "Toshiba", 0x0D: "Mitsubishi",
    0x0E: "Samsung", 0x0F: "Hynix", 0x10: "LG", 0x11: "Emosyn-EM", 0x12: "HID",
    0x13: "Orga", 0x14: "Sharp", 0x15: "Atmel", 0x16: "EM Microelectronic",
    0x17: "KSW Microtec", 0x18: "ZMD", 0x19: "Xicor", 0x1A: "Sony",
    0x1B: "Malaysia Microelectronic Solutions", 0x1C: "Emosyn", 0x1D: "Shanghai Fudan",
    0x1E: "Magellan", 0x1F: "Melexis", 0x20: "Renesas", 0x21: "TAGSYS", 0x22: "Transcore",
    0x23: "Shanghai Belling", 0x24: "Masktech", 0x25: "Innovision", 0x26: "Hitachi ULSI",
    0x27: "Cypak", 0x28: "Ricoh", 0x29: "ASK", 0x2A: "Unicore", 0x2B: "Maxim",
    0x2C: "Impinj", 0x2D: "RightPlug Alliance", 0x2E: "Broadcom", 0x2F: "MStar",
    0x30: "BeeDar", 0x31: "RFIDsec", 0x32: "Schweizer Electronic", 0x33: "AMIC",
    0x34: "Mikron", 0x35: "Fraunhofer IPMS", 0x36: "IDS Microchip", 0x37: "Kovio",
    0x38: "HMT Microelectronic", 0x39: "Silicon Craft", 0x3A: "Advanced Film Device",
    0x3B: "Nitecrest", 0x3C: "Verayo", 0x3D: "HID Global", 0x3E: "Productivity Engineering",
    0x3F: "ams", 0x40: "Gemalto", 0x41: "Renesas", 0x42: "3Alogics", 0x43: "Top TroniQ",
    0x44: "Gentag", 0x67: "ON Semiconductor",
  ]

  package static let stMicroelectronics: UInt8 = 0x02
  package static let nxp: UInt8 = 0x04
  package static let infineon: UInt8 = 0x05
  package static let texasInstruments: UInt8 = 0x07
  package static let fujitsu: UInt8 = 0x08
  package static let emMicroelectronic: UInt8 = 0x16

  /// Returns the maker's name; `nil` if it is not known.
  package static func name(_ code: UInt8) -> String? { makers[code] }
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
    manufacturerCode(uid: uid).flatMap(ISO15693Maker.name)
  }
}
