extension Type2Chip {
  /// Every chip, in the order in which they are recognized.
  package static let all: [Type2Chip] = [
    .ultralight, .ultralightC, .ultralightEV1, .ultralightEV1Large, .ultralightEV1Early,
    .ultralightEV1With31, .ultralightEV1With51, .ultralightNano, .ultralightAES,
    .ntag203, .ntag210, .ntag210Micro, .ntag212, .ntag213, .ntag213C, .ntag213F, .ntag213TT,
    .ntag215, .ntag215F, .nt2h1411, .ntag216, .ntag216F, .ntag223DNA, .ntag223DNAStatusDetect,
    .ntag224DNA, .ntag224DNAStatusDetect, .ntagI2C1K, .ntagI2C2K, .ntagI2CPlus1K,
    .ntagI2CPlus2K, .feijuNTAG213, .feijuNTAG215, .mikronUltralight, .mikronUltralightLarge,
    .st25tn01K, .st25tn512,
  ]
}

extension Type2Chip.PasswordSettings {
  /// CFGLCK in ACCESS (NTAG213/215/216 data sheet, 8.5.7; MF0ULx1 data sheet, 8.5.7).
  static func configurationLock(inPage page: Int) -> Type2Chip.FinalBits {
    Type2Chip.FinalBits(page: page, byte: 0, mask: 0x40)
  }
}
