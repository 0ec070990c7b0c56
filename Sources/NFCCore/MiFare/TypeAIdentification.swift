/// What a type A tag is, from ATQA, SAK, ATS and, where they leave it open, one GetVersion.
///
/// Sources: NXP AN10833 (MIFARE type identification procedure), AN10834 for ISO/IEC 14443-4 cards.
enum TypeAIdentification {
  enum Kind: Hashable {
    case miFare(MiFareFamily)
    case iso7816
    case other
  }

  private static let isoWrappedGetVersion: [UInt8] = [0x90, 0x60, 0x00, 0x00, 0x00]
  private static let additionalFrame: UInt16 = 0x91AF
  private static let operationOK: UInt16 = 0x9100
  private static let isoWrappedAdditionalFrame: [UInt8] = [0x90, 0xAF, 0x00, 0x00, 0x00]

  /// DESFire and the NTAG 4xx announce themselves alike: SAK 20, and 80 as the only historical byte
  /// (MF3ICDx21_41_81 data sheet, 8.2; NTAG 424 DNA data sheet, 8.1).
  static func needsVersion(_ target: ISO14443ATarget) -> Bool {
    target.sak == 0x20 && target.historicalBytes == [0x80]
  }

  static func kind(_ target: ISO14443ATarget, version: DESFireVersion?) -> Kind {
    if target.supportsISO14443Part4 {
      if let version {
        return version.isDESFire ? .miFare(.desfire) : version.isPlus ? .miFare(.plus) : .iso7816
      }
      return isPlus(target) ? .miFare(.plus) : .iso7816
    }
    switch target.sak {
    // ATQA says no more: with several tags in the field it is a mixture of theirs.
    case 0x00: return .miFare(.ultralight)
    // Classic with 4-byte or 7-byte UIDs, Plus in security level 1, and cards that emulate them.
    case 0x01, 0x08, 0x09, 0x10, 0x11, 0x18, 0x19, 0x28, 0x38, 0x88, 0x98: return .miFare(.classic)
    default: return .other
    }
  }

  /// The historical bytes of Plus (MF1PLUSx0y1 data sheet, 8.2).
  private static func isPlus(_ target: ISO14443ATarget) -> Bool {
    let historical = target.historicalBytes
    return historical.starts(with: [0xC1, 0x05, 0x2F, 0x2F])
      || historical.starts(with: [0xC1, 0x05, 0x21, 0x30])
  }

  /// MIFARE Classic by SAK (AN10833, table 6).
  static func classic(_ target: ISO14443ATarget) -> TagProduct? {
    switch target.sak {
    case 0x08, 0x88: TagProduct(name: "MIFARE Classic 1K", maker: "NXP", memorySize: 1024)
    case 0x18, 0x98: TagProduct(name: "MIFARE Classic 4K", maker: "NXP", memorySize: 4096)
    case 0x09: TagProduct(name: "MIFARE Classic Mini", maker: "NXP", memorySize: 320)
    case 0x19: TagProduct(name: "MIFARE Classic 2K", maker: "NXP", memorySize: 2048)
    default: nil
    }
  }

  /// The first of GetVersion's three frames, wrapped as ISO/IEC 7816-4 has it; `nil` if the card does
  /// not know the command. The other two are fetched so that the card is left idle.
  static func desfireVersion(_ link: TagLink) throws -> DESFireVersion? {
    var answer = try ResponseAPDU(link.exchange(isoWrappedGetVersion, framing: .tagProtocol))
    let hardware = answer
    var frames = 1
    while answer.statusWord == additionalFrame, frames < 3 {
      answer = try ResponseAPDU(link.exchange(isoWrappedAdditionalFrame, framing: .tagProtocol))
      frames += 1
    }
    guard hardware.statusWord == additionalFrame || hardware.statusWord == operationOK else {
      return nil
    }
    return DESFireVersion(hardware: hardware.data)
  }
}

/// The hardware part of the answer to GetVersion: vendor, type, subtype, major and minor version,
/// storage size, protocol (MF3ICDx21_41_81 data sheet; NTAG 424 DNA data sheet, 10.5.2).
struct DESFireVersion: Hashable, Sendable {
  private let type: UInt8
  private let majorVersion: UInt8
  private let storageSize: UInt8

  init?(hardware: [UInt8]) {
    guard hardware.count >= 7, hardware[0] == 0x04 else { return nil }
    type = hardware[1]
    majorVersion = hardware[3]
    storageSize = hardware[5]
  }

  var isDESFire: Bool { type & 0x0F == 0x01 || type == 0x08 }
  var isPlus: Bool { type & 0x0F == 0x02 }

  var product: TagProduct? {
    switch (type, majorVersion) {
    case (0x01, 0x00): nxp("MIFARE DESFire")
    case (0x01, 0x01): nxp("MIFARE DESFire EV1")
    case (0x01, 0x12), (0x81, 0x12), (0x01, 0x22): nxp("MIFARE DESFire EV2")
    case (0x01, 0x33), (0x81, 0x33): nxp("MIFARE DESFire EV3")
    case (0x08, 0x30), (0x88, 0x30), (0x08, 0x10): nxp("MIFARE DESFire Light")
    case (0x04, 0x10): nxp("NTAG 413 DNA")
    case (0x04, 0x30): nxp("NTAG 424 DNA")
    case (0x02, _), (0x82, _): nxp("MIFARE Plus EV1")
    default: nil
    }
  }

  private func nxp(_ name: String) -> TagProduct {
    // The exponent of two; an odd value lies between two of them (same source).
    let exponent = Int(storageSize >> 1)
    let memorySize = storageSize & 1 == 0 && exponent < 24 ? 1 << exponent : nil
    return TagProduct(name: name, maker: "NXP", memorySize: memorySize)
  }
}
