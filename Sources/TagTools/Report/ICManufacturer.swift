/// The makers of chips, by the first byte of a UID of 7 or 10 bytes, and by the second byte of an ISO 15693 UID.
///
/// Source: the register of IC manufacturers for ISO/IEC 7816-6 (ISO/IEC JTC 1/SC 17, standing document 5), as printed
/// in Proxmark3's `cmdhf14a.c` and in FEIG's `FEDM_ISO_IEC_7816_6_ICManufacturerRegistration.h`.
enum ICManufacturer {
  static func name(_ code: UInt8) -> String? { names[code] }

  private static let names: [UInt8: String] = [
    0x01: "Motorola", 0x02: "STMicroelectronics", 0x03: "Hitachi", 0x04: "NXP", 0x05: "Infineon",
    0x06: "Cylink", 0x07: "Texas Instruments", 0x08: "Fujitsu", 0x09: "Matsushita", 0x0A: "NEC",
    0x0B: "Oki", 0x0C: "Toshiba", 0x0D: "Mitsubishi", 0x0E: "Samsung", 0x0F: "Hynix", 0x10: "LG",
    0x11: "Emosyn", 0x12: "Inside", 0x13: "Orga", 0x14: "Sharp", 0x15: "Atmel",
    0x16: "EM Microelectronic", 0x17: "Smartrac", 0x18: "ZMD", 0x19: "Xicor", 0x1A: "Sony",
    0x1C: "Emosyn", 0x1D: "Shanghai Fudan", 0x1E: "Magellan", 0x1F: "Melexis", 0x20: "Renesas",
    0x21: "Tagsys", 0x22: "Transcore", 0x23: "Shanghai Belling", 0x24: "Masktech",
    0x25: "Innovision", 0x26: "Hitachi ULSI", 0x27: "Yubico", 0x28: "Ricoh", 0x29: "ASK",
    0x2B: "Maxim", 0x2C: "Impinj", 0x2E: "Broadcom", 0x2F: "MStar", 0x31: "RFIDsec",
    0x33: "AMIC", 0x34: "Mikron", 0x35: "Fraunhofer IPMS", 0x36: "IDS", 0x37: "Thinfilm",
    0x38: "HMT", 0x39: "Silicon Craft", 0x3D: "HID", 0x3F: "ams", 0x40: "Gemalto",
    0x41: "Renesas", 0x42: "3ALogics", 0x45: "Invengo", 0x46: "Sysur", 0x47: "CEITEC",
    0x48: "Quanray", 0x49: "MediaTek", 0x4A: "Angstrem", 0x4C: "LEGIC", 0x4D: "Balluff",
    0x4E: "Oberthur",
  ]
}
