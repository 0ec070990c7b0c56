/// Versions are those of real cards (Proxmark3, `cmdhfmfdes.c`).
extension CardChip {
  /// NXP's product types.
  private enum ProductType {
    static let desfire: UInt8 = 0x01
    static let plus: UInt8 = 0x02
    static let ntag4xx: UInt8 = 0x04
    static let desfireLight: UInt8 = 0x08
    /// DESFire on other hardware: a microcontroller, Apple Wallet, MIFARE 2GO.
    static let desfireOnMicrocontroller: UInt8 = 0x83
    static let appleWallet: UInt8 = 0x91
    static let miFare2GO: UInt8 = 0xA1
  }

  private static func nxp(
    _ id: ChipID, _ name: String, _ recognition: [Recognition], maker: String = "NXP",
    memory: Memory = .reported, files: [Int] = [], _ generation: Generation? = nil,
    _ features: Set<Feature> = [],
    keys: SignatureKeys = .none
  ) -> CardChip {
    CardChip(
      id: id, name: name, maker: maker, recognition: recognition, memory: memory, files: files,
      generation: generation, features: features.union([.readSignature, .mayHaveVersion]),
      signatureKeys: keys)
  }

  static let ofDESFire: [CardChip] = [
    nxp(
      "desfire", "MIFARE DESFire",
      [
        .version(type: ProductType.desfireOnMicrocontroller, majors: []),
        .family(type: ProductType.desfire, majors: [0x00]),
      ], .ev0, [.isChangedByReadersOnly]),
    nxp(
      "appleWalletDESFire", "Apple Wallet DESFire",
      [.version(type: ProductType.appleWallet, majors: [])], maker: "Apple"),
    nxp("miFare2GO", "MIFARE 2GO", [.version(type: ProductType.miFare2GO, majors: [])]),
    nxp(
      "desfireEV1", "MIFARE DESFire EV1", [.family(type: ProductType.desfire, majors: [0x01])],
      .ev1,
      [.isChangedByReadersOnly, .createsNDEF], keys: SignatureKeys([.ntag413DNA])),
    nxp(
      "desfireEV2", "MIFARE DESFire EV2",
      [.family(type: ProductType.desfire, majors: [0x12, 0x22, 0x42])], .ev2,
      [.isChangedByReadersOnly, .createsNDEF], keys: SignatureKeys([.desfireEV2, .desfireEV2XL])),
    nxp(
      "desfireEV3", "MIFARE DESFire EV3",
      [.family(type: ProductType.desfire, majors: [0x33, 0x43])], .ev3,
      [.isChangedByReadersOnly, .createsNDEF], keys: SignatureKeys([.desfireEV3])),
    nxp("duox", "MIFARE DUOX", [.family(type: ProductType.desfire, majors: [0xA0])], .ev3),
    // MF2DL(H)x0 data sheet, 1.1.
    nxp(
      "desfireLight", "MIFARE DESFire Light",
      [.family(type: ProductType.desfireLight, majors: [0x30, 0x10])], memory: .fixed(640), .fixed,
      [.isChangedByReadersOnly, .lrp], keys: SignatureKeys([.desfireLight])),
  ]

  static let ofNTAG4xx: [CardChip] = [
    // NT4H1321 data sheet, 1.1.
    nxp(
      "ntag413DNA", "NTAG 413 DNA", [.family(type: ProductType.ntag4xx, majors: [0x10])],
      memory: .fixed(160), .fixed, [.isChangedByReadersOnly, .version],
      keys: SignatureKeys([.ntag413DNA])),
    // NT4H2421Gx data sheet, 1.1; 8.2.3: capability container, NDEF and data.
    nxp(
      "ntag424DNA", "NTAG 424 DNA", [.family(type: ProductType.ntag4xx, majors: [0x30])],
      memory: .fixed(416), files: [1, 2, 3], .fixed,
      [.isChangedByReadersOnly, .version, .lrp, .ntag424],
      keys: SignatureKeys([.ntag424DNA])),
  ]

  // MARK: MIFARE Plus

  /// The historical bytes of a Plus. Sources: MF1PLUSx0y1 data sheet, 8.2; for the last three bytes Proxmark3
  /// (`cmdhf14a.c`), the list of contactless ATRs of pcsc-tools, and Flipper Zero's firmware, whose pull request 4049 has
  /// an EV1 with the bytes of a Plus X.
  private enum Historical {
    static let sx: [UInt8] = [0xC1, 0x05, 0x2F, 0x2F]
    static let seOrEV: [UInt8] = [0xC1, 0x05, 0x21, 0x30]
    static let otherSE: [UInt8] = [0xC1, 0x05, 0x20, 0x30]
    static let s: [UInt8] = [0x00, 0x35, 0xC7]
    static let x: [UInt8] = [0x01, 0xBC, 0xD6]
    /// With 17 pF, with 70 pF, and others.
    static let se: [[UInt8]] = [[0x00, 0xF6, 0xD1], [0x10, 0xF6, 0xD1], [0x00, 0x77, 0xC1]]
    /// "MFP_ENG".
    static let engineeringSample: [UInt8] = [0x4D, 0x46, 0x50, 0x5F, 0x45, 0x4E, 0x47]
  }

  /// The cards before EV1 do not support commands in the format of ISO/IEC 7816-4, and answer such a command with a byte
  /// that is not a status word.
  private static func plus(
    _ id: ChipID, _ name: String, _ recognition: [Recognition], mayHaveVersion: Bool = true
  ) -> CardChip {
    CardChip(
      id: id, name: name, maker: "NXP", recognition: recognition, memory: .reported,
      files: [], generation: nil, features: mayHaveVersion ? [.mayHaveVersion] : [],
      signatureKeys: .none)
  }

  static let ofPlus: [CardChip] = [
    plus(
      "plusS", "MIFARE Plus S", [.historicalBytes(Historical.sx + Historical.s)],
      mayHaveVersion: false),
    plus("plusX", "MIFARE Plus X", [.historicalBytes(Historical.sx + Historical.x)]),
    plus(
      "plusSE", "MIFARE Plus SE",
      Historical.se.map { .historicalBytes(Historical.seOrEV + $0) }
        + [.historicalBytes(Historical.otherSE)]),
    nxp(
      "plusEV1", "MIFARE Plus EV1", [.family(type: ProductType.plus, majors: [0x11])],
      keys: SignatureKeys([.plusEV1, .plusTrojka])),
    // No signature of one is public.
    nxp(
      "plusEV2", "MIFARE Plus EV2", [.family(type: ProductType.plus, majors: [0x22])],
      keys: SignatureKeys([.plusEV2], mayBeOthers: true)),
    // One whose historical bytes or version do not say more.
    plus(
      "plus", "MIFARE Plus",
      [
        .family(type: ProductType.plus, majors: []), .historicalBytes(Historical.sx),
        .historicalBytes(Historical.seOrEV), .allHistoricalBytes(Historical.engineeringSample),
      ]),
  ]
}
