extension ISO15693Chip {
  /// Only single blocks, no system information (Android, rw_i93.c).
  private static let smallTagIt = Traits(
    readLimit: 1, needsWriteOption: true, hasSystemInformation: false)

  static let ofTexasInstruments: [ISO15693Chip] = {
    func chip(
      _ id: ChipID, _ name: String, _ codes: [ClosedRange<UInt8>], _ blocks: Int?, _ traits: Traits
    ) -> ISO15693Chip {
      ISO15693Chip(
        id, name, ChipMaker.texasInstruments, .code(codes), blocks, traits: traits)
    }
    return [
      chip("rf430FRL", "RF430FRL", [0xA0...0xA0], nil, Traits(readLimit: 3, hasWiredSide: true)),
      chip(
        "tagItPlus", "Tag-it HF-I Plus", [0x00...0x1F, 0x80...0x81], 64,
        Traits(needsWriteOption: true)),
      chip("tagItStandard", "Tag-it HF-I Standard", [0xC0...0xC1], 8, smallTagIt),
      chip("tagItPro", "Tag-it HF-I Pro", [0xC4...0xC5], 8, smallTagIt),
    ]
  }()

  static let ofInfineon: [ISO15693Chip] = {
    func chip(_ id: ChipID, _ name: String, _ codes: UInt8...) -> ISO15693Chip {
      ISO15693Chip(id, name, ChipMaker.infineon, .code(codes.map { $0...$0 }))
    }
    return [
      chip("srf55V10P", "my-d vicinity SRF55V10P", 0x00),
      chip("srf55V10S", "my-d vicinity SRF55V10S", 0x10),
      chip("srf55V02P", "my-d vicinity SRF55V02P", 0x40),
      chip("srf55V02S", "my-d vicinity SRF55V02S", 0x50),
      chip("srf55V01P", "my-d light SRF55V01P", 0xA1, 0xA8),
    ]
  }()

  /// Six bits of the code are the chip's, two the capacitor's.
  static let ofEMMicroelectronic: [ISO15693Chip] = {
    func chip(_ id: ChipID, _ name: String, _ codes: UInt8...) -> ISO15693Chip {
      ISO15693Chip(id, name, ChipMaker.emMicroelectronic, .code(codes.map { $0...$0 }))
    }
    return [
      chip("em4034", "EM4034", 0x04), chip("em4035", "EM4035", 0x0C),
      chip("em4135", "EM4135", 0x10), chip("em4036", "EM4036", 0x14, 0x94),
      chip("em4006", "EM4006", 0x18), chip("em4133", "EM4133", 0x1C, 0x9C),
      chip("em4033", "EM4033", 0x20), chip("em4233", "EM4233", 0x24, 0x7C),
      chip("em4233SLIC", "EM4233 SLIC", 0x28, 0xA8), chip("em4237", "EM4237", 0x3C, 0xBC),
      chip("em4425", "EM4425", 0x78),
    ]
  }()

  static let ofFujitsu: [ISO15693Chip] = [
    // At most two blocks a command (Feig's reader manuals).
    ISO15693Chip(
      "mb89r118", "MB89R118", ChipMaker.fujitsu, .code([0x01...0x01]), 250, 8,
      traits: Traits(readLimit: 2, writeLimit: 2))
  ]
}
