extension ISO15693Chip {
  /// 32 blocks a read, within a sector of 32 (M24LR64-R data sheet, 26.5).
  private static let m24lr = Traits(
    readLimit: 32, sectorLength: 32, wideNumbers: .protocolExtension, hasWiredSide: true,
    locking: .sectors)
  private static let lris64KTraits = Traits(
    readLimit: 32, sectorLength: 32, wideNumbers: .protocolExtension, locking: .sectors)
  private static let dv = Traits(
    writeLimit: 4, wideNumbers: .extendedCommands, hasWiredSide: true, locking: .containerOnly)

  /// One password of 8 bytes per area.
  private static let long = [8]
  /// 8 bytes while the memory is one area, and 4 while it is two.
  private static let longOrShort = [8, 4]

  /// TruST25 (AN5660).
  private static let trust25 = Signature.trust25(SignatureKeys([.st25tv02KC]))

  private static let tv16KOr64K = st(
    "st25tv16KOr64K", "ST25TV16K/64K", [0x48...0x48],
    traits: Traits(wideNumbers: .extendedCommands, locking: .containerOnly), sizes: long)
  private static let tv512Or02K = st(
    "st25tv512Or02K", "ST25TV512/02K", [0x23...0x23], sizes: longOrShort)
  private static let tv512COr02KC = st(
    "st25tv512COr02KC", "ST25TV512C/02KC", [0x08...0x08], sizes: longOrShort)
  private static let dv16KOr64K = st(
    "st25dv16KOr64K", "ST25DV16K/64K", [0x26...0x27], traits: dv, registers: .dv, sizes: long)
  /// ST's drivers, st25dvxxkc.h.
  private static let dv16KCOr64KC = st(
    "st25dv16KCOr64KC", "ST25DV16KC/64KC", [0x51...0x51], traits: dv, registers: .dv, sizes: long)

  static let ofSTMicroelectronics: [ISO15693Chip] = [
    tv512COr02KC,
    tv512COr02KC.member("st25tv512C", "ST25TV512C", blocks: 16, areaRegisters: .tvc),
    tv512COr02KC.member(
      "st25tv02KC", "ST25TV02KC", blocks: 80, areaRegisters: .tvc, signature: trust25),
    // The upper six bits are the chip's: 5, 8 and 10 (Proxmark3, cmdhf15.c); 23 is a later chip.
    st("lri64", "LRI64", [0x14...0x17], traits: Traits(readLimit: 1)),
    st("lri2K", "LRI2K", [0x20...0x22], 64),
    tv512Or02K,
    tv512Or02K.member("st25tv512", "ST25TV512", blocks: 16, areaRegisters: .tv),
    tv512Or02K.member("st25tv02K", "ST25TV02K", blocks: 64, areaRegisters: .tv),
    // IE and JF, which differ in their wired side only, have a code each.
    st("st25dv04K", "ST25DV04K", [0x24...0x25], 128, traits: dv, registers: .dv, sizes: long),
    dv16KOr64K,
    dv16KOr64K.member("st25dv16K", "ST25DV16K", blocks: 512),
    dv16KOr64K.member("st25dv64K", "ST25DV64K", blocks: 2048),
    st("st25dv04KC", "ST25DV04KC", [0x50...0x50], 128, traits: dv, registers: .dv, sizes: long),
    dv16KCOr64KC,
    dv16KCOr64KC.member("st25dv16KC", "ST25DV16KC", blocks: 512),
    dv16KCOr64KC.member("st25dv64KC", "ST25DV64KC", blocks: 2048),
    tv16KOr64K,
    tv16KOr64K.member("st25tv16K", "ST25TV16K", blocks: 512, areaRegisters: .dv),
    tv16KOr64K.member("st25tv64K", "ST25TV64K", blocks: 2048, areaRegisters: .dv),
    st("m24lr64R", "M24LR64-R", [0x2C...0x2C], 2048, traits: m24lr),
    st("lris64K", "LRIS64K", [0x44...0x44], 2048, traits: lris64KTraits),
    st("m24lr16ER", "M24LR16E-R", [0x4E...0x4E], 512, traits: m24lr),
    st(
      "m24lr04ER", "M24LR04E-R", [0x5A...0x5A], 128,
      traits: Traits(readLimit: 32, sectorLength: 32, hasWiredSide: true, locking: .sectors)),
    st("m24lr64ER", "M24LR64E-R", [0x5E...0x5E], 2048, traits: m24lr),
    st("st25tv04KP", "ST25TV04K-P", [0x35...0x35]),
    st("lris2K", "LRIS2K", [0x28...0x2B], 64, traits: Traits(readLimit: 1)),
  ]

  private static func st(
    _ id: ChipID, _ name: String, _ codes: [ClosedRange<UInt8>], _ blocks: Int? = nil,
    traits: Traits = Traits(), registers: AreaRegisters? = nil, sizes: [Int] = []
  ) -> ISO15693Chip {
    ISO15693Chip(
      id, name, ChipMaker.stMicroelectronics, .code(codes), blocks, traits: traits,
      areaRegisters: registers, memoryPasswordSizes: sizes)
  }
}
