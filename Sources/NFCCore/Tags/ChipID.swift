/// A chip that code decides by. A product's name is for people and may change; this is for code.
///
/// Each record of a chip has one. Type 2 chips are identified by their record's type number, and asked for
/// their traits (``TagProduct/isUltralightC``); a product that no code distinguishes has none.
package enum ChipID: Hashable, Sendable {
  // MARK: MIFARE DESFire and NTAG DNA

  case desfire, desfireEV1, desfireEV2, desfireEV3, duox, desfireLight
  case ntag413DNA, ntag424DNA

  // MARK: MIFARE Plus

  /// A Plus whose kind is not known.
  case plus
  case plusS, plusX, plusSE, plusEV1, plusEV2

  // MARK: STMicroelectronics

  /// ST25TA of the first generation, and ST25TA16K and 64K.
  case st25ta
  /// ST25TA of the second generation, which have a signature.
  case st25taSigned
  case m24sr
  /// Every ST25DV.
  case st25dv
  case st25tv16K, st25tv64K
  /// An ST25TV16K or ST25TV64K, whose UIDs begin alike.
  case st25tv16KOr64K
  case st25tv512, st25tv02K
  /// An ST25TV512 or ST25TV02K, whose UIDs begin alike.
  case st25tv512Or02K
  case st25tv02KC

  // MARK: NXP's ISO/IEC 15693 chips

  case icodeSLI, icodeSLIX, icodeSLIX2, icodeSLIS, icodeSLIXS, icodeSLIL, icodeSLIXL, icode3
  case icodeDNA, ntag5Switch, ntag5LinkOrBoost
  /// An ICODE DNA or NTAG 5, whose UIDs begin alike.
  case icodeDNAOrNTAG5

  // MARK: FeliCa

  case feliCaStandard, feliCaLite, feliCaLiteS

  /// Whether the chip is a DESFire with a file system of its own, and not an NTAG.
  package var isDESFire: Bool {
    switch self {
    case .desfire, .desfireEV1, .desfireEV2, .desfireEV3, .desfireLight: true
    default: false
    }
  }

  /// Whether the chip is one of the NTAG DNA, which are fixed DESFires.
  package var isNTAGDNA: Bool { self == .ntag413DNA || self == .ntag424DNA }

  /// Whether the chip is an ST25TA or its predecessor.
  package var isST25TA: Bool { self == .st25ta || self == .st25taSigned || self == .m24sr }

  /// Whether the chip is an ICODE, or an NTAG 5, which has an ICODE's commands.
  package var isICODE: Bool {
    switch self {
    case .icodeSLI, .icodeSLIX, .icodeSLIX2, .icodeSLIS, .icodeSLIXS, .icodeSLIL, .icodeSLIXL,
      .icode3, .icodeDNA, .ntag5Switch, .ntag5LinkOrBoost, .icodeDNAOrNTAG5:
      true
    default: false
    }
  }
}

extension TagProduct {
  /// Whether the chip is a MIFARE Ultralight C, which is opened by a triple DES key.
  package var isUltralightC: Bool {
    if case .tripleDES? = Type2Chip(self)?.access { true } else { false }
  }

  /// Whether the chip is a MIFARE Ultralight AES: of the chips with an AES key, the one whose settings are known.
  package var isUltralightAES: Bool {
    if case .aes(.some)? = Type2Chip(self)?.access { true } else { false }
  }

  /// Whether the chip can show its UID and counter as text in its pages.
  package var hasMirror: Bool { Type2Chip(self)?.passwordSettings?.hasMirror ?? false }
}
