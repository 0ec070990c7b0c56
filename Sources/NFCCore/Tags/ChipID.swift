/// The identity of a chip. Its name is only for people: makers give several chips the same name, and
/// the names of this package may be corrected.
///
/// Each chip that this package can name has one case. Where activation or UID leave several chips open,
/// the group has a case, too.
package enum ChipID: Hashable, Sendable, CaseIterable {
  // MARK: Type 1

  case topaz96, topaz512

  // MARK: Type B memories of STMicroelectronics

  case srix4K, srix512, sri512OrST25TB512AC, sri4KOrST25TB04K, srt512OrST25TB512AT, sri2KOrST25TB02K

  // MARK: Ultralight and NTAG

  case ultralight, ultralightC, ultralightNano, ultralightAES
  case ultralightEV1, ultralightEV1Large, ultralightEV1Early
  case ultralightEV1With31, ultralightEV1With51
  case ntag203, ntag210, ntag210Micro, ntag212
  case ntag213, ntag213C, ntag213F, ntag213TT
  case ntag215, ntag215F, nt2h1411, ntag216, ntag216F
  case ntag223DNA, ntag223DNAStatusDetect, ntag224DNA, ntag224DNAStatusDetect
  case ntagI2C1K, ntagI2C2K, ntagI2CPlus1K, ntagI2CPlus2K
  case feijuNTAG213, feijuNTAG215, mikronUltralight, mikronUltralightLarge
  case st25tn01K, st25tn512

  // MARK: MIFARE Classic

  case classicMini, classic1K, classic2K, classic4K, tnp3xxx
  case infineonClassic1K, mpcosWithClassic4K
  case smartMXWithClassic1K, smartMXWithClassic4K

  // MARK: MIFARE Plus

  /// One whose historical bytes or version do not say more.
  case plus
  case plusS, plusX, plusSE, plusEV1, plusEV2
  /// In security level 2.
  case plus2K, plus4K

  // MARK: DESFire and NTAG 4xx

  case desfire, desfireEV1, desfireEV2, desfireEV3, desfireLight, duox
  case appleWalletDESFire, miFare2GO
  case ntag413DNA, ntag424DNA

  // MARK: Type 4 of STMicroelectronics

  case st25ta02K, st25ta02KB, st25ta02KP, st25ta02KBP, st25ta02KD, st25ta02KBD
  case st25ta512, st25ta512B, st25ta16K, st25ta64K
  case m24sr02, m24sr04, m24sr16, m24sr64

  // MARK: FeliCa

  case feliCaStandard, feliCaLite, feliCaLiteS, feliCaLink, feliCaPlug
  case mobileFeliCa, appleWalletFeliCa

  // MARK: ISO 15693 of NXP

  case icodeSLI, icodeSLIS, icodeSLIL
  case icodeSLIX, icodeSLIXS, icodeSLIXL, icodeSLIX2
  case icodeDNA, icode3, ntag5Switch, ntag5LinkOrBoost
  case icodeDNAOrNTAG5

  // MARK: ISO 15693 of STMicroelectronics

  case st25tv512C, st25tv02KC, st25tv512COr02KC
  case st25tv512, st25tv02K, st25tv512Or02K
  case st25tv16K, st25tv64K, st25tv16KOr64K, st25tv04KP
  case st25dv04K, st25dv16K, st25dv64K, st25dv16KOr64K
  case st25dv04KC, st25dv16KC, st25dv64KC, st25dv16KCOr64KC
  case lri64, lri2K, lris2K, lris64K
  case m24lr04ER, m24lr16ER, m24lr64R, m24lr64ER

  // MARK: ISO 15693 of other makers

  case rf430FRL, tagItPlus, tagItStandard, tagItPro
  case srf55V10P, srf55V10S, srf55V02P, srf55V02S, srf55V01P
  case em4006, em4033, em4034, em4035, em4036, em4133, em4135
  case em4233, em4233SLIC, em4237, em4425
  case mb89r118
}

// MARK: - Families

extension ChipID {
  /// Whether the chip is an ST25DV, or of a group whose chips are all ST25DV.
  package var isST25DV: Bool {
    switch self {
    case .st25dv04K, .st25dv16K, .st25dv64K, .st25dv16KOr64K, .st25dv04KC, .st25dv16KC,
      .st25dv64KC, .st25dv16KCOr64KC:
      true
    default: false
    }
  }

  /// Whether the chip is an ST25TA or M24SR, type 4 chips with passwords.
  package var isST25TA: Bool {
    switch self {
    case .st25ta02K, .st25ta02KB, .st25ta02KP, .st25ta02KBP, .st25ta02KD, .st25ta02KBD,
      .st25ta512, .st25ta512B, .st25ta16K, .st25ta64K, .m24sr02, .m24sr04, .m24sr16, .m24sr64:
      true
    default: false
    }
  }

  /// Whether the chip is an ICODE, or an NTAG 5, which has the commands of an ICODE.
  package var isICODE: Bool {
    switch self {
    case .icodeSLI, .icodeSLIS, .icodeSLIL, .icodeSLIX, .icodeSLIXS, .icodeSLIXL, .icodeSLIX2,
      .icodeDNA, .icode3, .ntag5Switch, .ntag5LinkOrBoost, .icodeDNAOrNTAG5:
      true
    default: false
    }
  }

  /// Whether the card is a DESFire of NXP by name, from the first generation to Light.
  package var isDESFire: Bool {
    switch self {
    case .desfire, .desfireEV1, .desfireEV2, .desfireEV3, .desfireLight: true
    default: false
    }
  }

  /// Whether the card is a FeliCa Lite or Lite-S.
  package var isFeliCaLite: Bool { self == .feliCaLite || self == .feliCaLiteS }
}
