import SwiftNFCCore

extension VirtualTag {
  /// Returns a tag with the content of a dump, whose size and content determine the chip.
  ///
  /// | Bytes | Chip |
  /// |---|---|
  /// | 64 | MIFARE Ultralight |
  /// | 80, 164 | MIFARE Ultralight EV1, or NTAG210 and NTAG212 |
  /// | 168 | NTAG203 |
  /// | 176, 192 | MIFARE Ultralight C, without and with its key |
  /// | 180, 540, 924 | NTAG213, NTAG215, NTAG216 |
  /// | 936, 1960 | NTAG I²C 1K, 2K |
  /// | 320, 1024, 4096 | MIFARE Classic Mini, 1K, 4K |
  ///
  /// - Throws: ``VirtualTagNameError/notADump(_:)``.
  public static func dump(_ bytes: [UInt8]) throws(VirtualTagNameError) -> VirtualTag {
    if let chip = MIFAREClassic(dump: bytes) { return VirtualTag(chip) }
    // This chip's UID has no check bytes.
    if let chip = NTAGI2C(dump: bytes) { return VirtualTag(chip) }
    guard let make = type2Chip(bytes) else {
      throw .notADump("no chip has a dump of \(bytes.count) bytes")
    }
    guard hasValidUID(bytes) else {
      throw .notADump("a check byte of the UID, the fourth or the ninth byte, is wrong")
    }
    guard let tag = make(bytes) else {
      throw .notADump("the dump is of no chip that is known")
    }
    return tag
  }

  private static func type2Chip(_ bytes: [UInt8]) -> (([UInt8]) -> VirtualTag?)? {
    switch bytes.count {
    case 64: return { MIFAREUltralight(dump: $0).map { VirtualTag($0) } }
    case 80 where isNTAG(bytes): return { NTAG21x(.ntag210, dump: $0).map { VirtualTag($0) } }
    case 164 where isNTAG(bytes): return { NTAG21x(.ntag212, dump: $0).map { VirtualTag($0) } }
    case 80, 164: return { MIFAREUltralightEV1(dump: $0).map { VirtualTag($0) } }
    case 168: return { NTAG203(dump: $0).map { VirtualTag($0) } }
    case 176, 192: return { MIFAREUltralightC(dump: $0).map { VirtualTag($0) } }
    case 180: return { NTAG21x(.ntag213, dump: $0).map { VirtualTag($0) } }
    case 540: return { NTAG21x(.ntag215, dump: $0).map { VirtualTag($0) } }
    case 924: return { NTAG21x(.ntag216, dump: $0).map { VirtualTag($0) } }
    default: return nil
    }
  }

  /// Returns whether a dump is from an NTAG210 or NTAG212 and not from an Ultralight EV1 of the same
  /// size. The NTAGs have a capability container on delivery, the Ultralights after formatting. The
  /// remaining difference is the first configuration page, in which NTAGs set STRG_MOD_EN (NTAG21x data
  /// sheet, 8.5.7; for NTAG210 and NTAG212 not confirmed) and have MIRROR_PAGE, which is zero in an
  /// Ultralight. If both are zero, the dump is read as that of an Ultralight.
  private static func isNTAG(_ bytes: [UInt8]) -> Bool {
    let capabilityContainer = 12
    let ndefMagicNumber: UInt8 = 0xE1
    let configurationLength = 16
    let strongModulationEnabled: UInt8 = 0x04
    let configuration = bytes.suffix(configurationLength)
    let mirrorPage = configuration.startIndex + 2
    return bytes[capabilityContainer] == ndefMagicNumber
      && (configuration.first.map { $0 & strongModulationEnabled } != 0
        || configuration[mirrorPage] != 0)
  }

  /// Returns whether BCC0 and BCC1 match the cascade levels of the UID (ISO/IEC 14443-3, 6.5.3.2).
  static func hasValidUID(_ bytes: [UInt8]) -> Bool {
    let cascadeTag: UInt8 = 0x88
    return bytes[0..<4].reduce(cascadeTag, ^) == 0 && bytes[4..<9].reduce(0, ^) == 0
  }
}
