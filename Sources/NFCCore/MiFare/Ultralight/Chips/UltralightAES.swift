extension Type2Chip {
  /// MF0AES20 and MF0AESH20. What its pages are for is not in a data sheet that anybody can read.
  static let ultralightAES = Type2Chip(
    typeNumber: "MF0AES20", name: "MIFARE Ultralight AES", maker: "NXP",
    source: .observed("GET_VERSION of chips in the field"),
    recognition: .version([.ultralight(1...3, 4, 0x0F)]),
    pages: nil, lockBits: nil, finalBits: [], blank: nil, hasFastRead: true, counters: [],
    access: .aes, signature: .readSignature([.ultralightAES, .ultralightAESVingcard]),
    hasWiredSide: false, memorySize: 240)
}
