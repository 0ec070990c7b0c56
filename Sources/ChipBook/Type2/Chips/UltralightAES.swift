extension Type2Chip {
  /// MF0AES20 and MF0AESH20: 60 pages, two of four pages each with an AES key.
  ///
  /// The pages are as in pretix (libpretixnfc), StuStaPay, Proxmark3 and Unleashed Firmware; the
  /// last of these was tried against Proxmark3 on a real chip. None of them says which bits freeze
  /// the lock bits of page 28h: this is taken from the Ultralight EV1, whose lock bits have the
  /// same positions.
  static let ultralightAES = Type2Chip(
    id: "ultralightAES", typeNumber: "MF0AES20", name: "MIFARE Ultralight AES", maker: "NXP",
    source: .observed("libpretixnfc, StuStaPay, Proxmark3, Unleashed Firmware"),
    recognition: .version([.ultralight(1...3, 4, 0x0F)]),
    pages: Type2PageMap(
      (4...39, .user), (40...40, .locks), (41...42, .configuration), (43...44, .reserved),
      (45...45, .configuration), (46...47, .reserved), (48...55, .secret), (56...59, .reserved)),
    lockBits: .dynamic(page: 40, pagesPerBit: 2, last: 39),
    finalBits: [
      FinalBits(page: 42, byte: 0, mask: 0x40), FinalBits(page: 45, byte: 0, mask: 0xE0),
    ], blank: nil, hasFastRead: true, counters: [0, 1, 2], mirror: nil,
    access: .aes(AESSettings(firstPage: 41)),
    signature: .readSignature([.ultralightAES, .ultralightAESVingcard]),
    hasWiredSide: false, memorySize: 240,
    // Not described; next to the keys.
    otherSecrets: [56...59], model: nil,
    // The name is from Unleashed Firmware, a fork of Flipper Zero's.
    files: Files(
      flipperName: "Mifare Ultralight AES", partialPageCounts: [], mayEndWithSignature: false))
}
