extension ISO15693Chip {
  /// The UID that an NTAG 5 shows in privacy mode instead of its own (NTP53x2 data sheet rev. 3.3, 8.7).
  package static let privateUID: [UInt8] = [0xE0, 0x04, 0, 0, 0, 0, 0, 0]

  /// The third byte of a UID is the line, and bits 36 and 35 are the generation (SL2S2602 data sheet, 8.3). Bit 37 is
  /// clear in all of them: ICODE 3 has it set, with the bits around it clear (Proxmark3, cmdhf15.c).
  private enum UID {
    static let line: UInt8 = 0x01
    static let lineS: UInt8 = 0x02
    static let lineL: UInt8 = 0x03
    static let generation: UInt8 = 0x38
    static let sli: UInt8 = 0x00
    static let slix2: UInt8 = 0x08
    static let slix: UInt8 = 0x10
    static let dna: UInt8 = 0x18
    /// Bit 38 counts too.
    static let generationOfICODE3: UInt8 = 0x78
    static let icode3: UInt8 = 0x20
  }

  private static let passwordSizes = [4]
  private static let fewPasswords: Set<UInt8> = [
    ICODE.privacy, ICODE.destroy, ICODE.surveillance,
  ]
  /// No read of several blocks, no security status (Android, rw_i93.c).
  private static let singleOnly = Traits(readLimit: 1)
  /// The system information reports more blocks than there are (Android, rw_i93.c).
  private static let small = Traits(readLimit: 1, misstatesMemory: true)
  /// SL2S5302 rev. 3.2, 8.4.3; SL2 ICS53/ICS54 rev. 3.0, 8.1.3.
  private static let inPages = ICODE(passwords: ICODE.allPasswords, memory: .pages(count: 10))

  /// A chip whose UID says only that it is one of these. The chips with keys among them are asked.
  private static let dnaOrNTAG5 = ISO15693Chip(
    "icodeDNAOrNTAG5", "ICODE DNA or NTAG 5", ChipMaker.nxp,
    .generation(UID.line, mask: UID.generation, bits: UID.dna), traits: Traits(hasWiredSide: true),
    icode: ICODE(hasKeys: true), memoryPasswordSizes: passwordSizes,
    signature: .readSignature(SignatureKeys([.icode, .ntag21x])))

  static let ofNXP: [ISO15693Chip] = [
    ISO15693Chip(
      "icodeDNAOrNTAG5InPrivacyMode", "ICODE DNA or NTAG 5 in privacy mode", ChipMaker.nxp,
      .uid(privateUID),
      traits: Traits(hasWiredSide: true, hasSystemInformation: false), icode: ICODE(hasKeys: true),
      memoryPasswordSizes: passwordSizes,
      signature: .readSignature(SignatureKeys([.icode, .ntag21x]))),
    ISO15693Chip(
      "icodeSLI", "ICODE SLI", ChipMaker.nxp,
      .generation(UID.line, mask: UID.generation, bits: UID.sli), 28,
      icode: ICODE(hasPlainSurveillance: true)),
    // SL2S2002 rev. 3.4, 9.4.3.
    ISO15693Chip(
      "icodeSLIX", "ICODE SLIX", ChipMaker.nxp,
      .generation(UID.line, mask: UID.generation, bits: UID.slix), 28,
      icode: ICODE(passwords: [ICODE.surveillance], hasPlainSurveillance: true)),
    // SL2S2602 rev. 4.2, 8.4.2 and 9.5.3: block 79 is the counter, which is outside the parts. A genuine one with
    // another signature was seen, on a label of a printer's maker (flipperzero-firmware, pull request 2316).
    ISO15693Chip(
      "icodeSLIX2", "ICODE SLIX2", ChipMaker.nxp,
      .generation(UID.line, mask: UID.generation, bits: UID.slix2), 80,
      traits: Traits(counterBlock: 79),
      icode: ICODE(passwords: ICODE.allPasswords, memory: .parts(lastBlock: 78)),
      memoryPasswordSizes: passwordSizes,
      signature: .readSignature(SignatureKeys([.icode], mayBeOthers: true))),
    dnaOrNTAG5,
    // 63 blocks and a counter (SL2S6002 data sheet). No password for its memory is confirmed.
    dnaOrNTAG5.member(
      "icodeDNA", "ICODE DNA", blocks: 64, memoryPasswordSizes: [],
      signature: .readSignature(SignatureKeys([.icode]))
    ) { $0.counterBlock = 63 },
    // NTP5210 data sheet. Two parts like those of SLIX2, divided at a block of one byte (NTP53x2 data sheet rev. 3.3,
    // 8.2.3.3). The family shares its features except keys and the wired side (tables 220 to 223).
    dnaOrNTAG5.member(
      "ntag5Switch", "NTAG 5 switch", blocks: 128,
      icode: ICODE(passwords: ICODE.allPasswords, memory: .parts(lastBlock: 126)),
      signature: .readSignature(SignatureKeys([.ntag21x]))
    ) { $0.counterBlock = 127 },
    // NTP53x2 and NTA5332 data sheets. The last block is a counter, and the chip reads "up to 3Fh blocks" (NTP53x2 data
    // sheet rev. 3.3, 8.1.2.1 and 8.2.3.5).
    dnaOrNTAG5.member(
      "ntag5LinkOrBoost", "NTAG 5 link or boost", blocks: 512,
      icode: ICODE(
        passwords: ICODE.allPasswords, memory: .parts(lastBlock: 255), hasKeys: true,
        hasConfiguration: true),
      signature: .readSignature(SignatureKeys([.ntag21x]))
    ) {
      $0.counterBlock = 511
      $0.readLimit = 0x3F
    },
    // No signature of one is public.
    ISO15693Chip(
      "icode3", "ICODE 3", ChipMaker.nxp,
      .generation(UID.line, mask: UID.generationOfICODE3, bits: UID.icode3), icode: ICODE(),
      signature: .readSignature(SignatureKeys([.icode], mayBeOthers: true))),
    ISO15693Chip(
      "icodeSLIXS", "ICODE SLIX-S", ChipMaker.nxp,
      .generation(UID.lineS, mask: UID.generation, bits: UID.slix), 40, traits: singleOnly,
      icode: inPages, memoryPasswordSizes: passwordSizes),
    ISO15693Chip(
      "icodeSLIS", "ICODE SLI-S", ChipMaker.nxp, .code([UID.lineS...UID.lineS]), 40,
      traits: singleOnly, icode: inPages, memoryPasswordSizes: passwordSizes),
    ISO15693Chip(
      "icodeSLIXL", "ICODE SLIX-L", ChipMaker.nxp,
      .generation(UID.lineL, mask: UID.generation, bits: UID.slix), 8, traits: small,
      icode: ICODE(passwords: fewPasswords)),
    ISO15693Chip(
      "icodeSLIL", "ICODE SLI-L", ChipMaker.nxp, .code([UID.lineL...UID.lineL]), 8,
      traits: small, icode: ICODE(passwords: fewPasswords)),
  ]
}
