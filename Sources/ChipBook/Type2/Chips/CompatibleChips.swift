/// Chips of other makers that answer GET_VERSION in NXP's form. The features that they copy were
/// observed, not promised: they are dumped, and user memory is restored; no irreversible change
/// relies on this record.
extension Type2Chip {
  /// Feiju: compatible with NTAG213 (filters of air purifiers).
  static let feijuNTAG213 = compatible(
    "feijuNTAG213", "feiju-213", "NTAG213 compatible", "Feiju",
    [
      Version(
        vendor: ChipMaker.feiju, type: 0x04, subtypes: 2...2, major: 1, minors: 0...0,
        storageSize: 0x0F)
    ], of: .ntag213)

  /// Feiju, with another vendor code: compatible with NTAG215.
  static let feijuNTAG215 = compatible(
    "feijuNTAG215", "feiju-215", "NTAG215 compatible", "Feiju",
    [
      Version(
        vendor: 0x05, type: 0x34, subtypes: 2...2, major: 1, minors: 0...0, storageSize: 0x11)
    ], of: .ntag215)

  /// Mikron K5016 (tickets): compatible with Ultralight EV1.
  static let mikronUltralight = compatible(
    "mikronUltralight", "K5016-80", "K5016", "Mikron", [mikron(storageSize: 0x0B)],
    of: .ultralightEV1, signature: .presumed([.mikron]))

  static let mikronUltralightLarge = compatible(
    "mikronUltralightLarge", "K5016-164", "K5016", "Mikron", [mikron(storageSize: 0x0E)],
    of: .ultralightEV1Large, signature: .presumed([.mikron]))

  private static func mikron(storageSize: UInt8) -> Version {
    Version(
      vendor: ChipMaker.mikron, type: 0x21, subtypes: 1...1, major: 1, minors: 0...0,
      storageSize: storageSize)
  }

  private static func compatible(
    _ id: ChipID, _ typeNumber: String, _ name: String, _ maker: String,
    _ versions: [Version], of chip: Type2Chip, signature: Signature = .readSignature([])
  ) -> Type2Chip {
    chip.sibling(
      id, typeNumber: typeNumber, name: name, maker: maker,
      source: .observed("GET_VERSION of chips in the field, and the memory of \(chip.name)"),
      recognition: .version(versions), signature: signature)
  }
}
