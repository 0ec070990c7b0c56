/// A memory chip of STMicroelectronics with type B modulation and its own protocol (SRx and ST25TB), by its UID.
///
/// D0, the maker, then the product code in the upper six bits of the third byte. ST25TB's code has eight bits, the
/// upper six of which are those of an older chip. Sources: Proxmark3, `cmdhf14b.c`; Flipper Zero, `st25tb.c`, where
/// the numbers of blocks are from.
enum ST25TBProduct {
  private static let prefix: [UInt8] = [0xD0, 0x02]
  private static let uidLength = 8
  private static let blockSize = 4

  private static let chips: [UInt8: (id: ChipID, name: String, blocks: Int)] = [
    0x03: (.srix4K, "SRIX4K", 128),
    0x04: (.srix512, "SRIX512", 16),
    0x06: (.sri512OrST25TB512AC, "SRI512 or ST25TB512-AC", 16),
    0x07: (.sri4KOrST25TB04K, "SRI4K or ST25TB04K", 128),
    0x0C: (.srt512OrST25TB512AT, "SRT512 or ST25TB512-AT", 16),
    0x0F: (.sri2KOrST25TB02K, "SRI2K or ST25TB02K", 64),
  ]

  /// Returns the chip; `nil` if the UID is no such chip's.
  ///
  /// - Parameter uid: most significant byte first.
  static func tagProduct(uid: [UInt8]) -> TagProduct? {
    guard uid.count == uidLength, uid.starts(with: prefix), let chip = chips[uid[2] >> 2] else {
      return nil
    }
    return TagProduct(
      chip.id, name: chip.name, maker: "STMicroelectronics", memorySize: chip.blocks * blockSize)
  }
}
