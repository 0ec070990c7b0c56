/// A memory chip of STMicroelectronics with type B modulation and its own protocol (SRx and ST25TB).
///
/// D0, the maker, then the product code in the upper six bits of the third byte of the UID. ST25TB's code has eight
/// bits, the upper six of which are those of an older chip. Sources: Proxmark3, `cmdhf14b.c`; Flipper Zero, `st25tb.c`,
/// where the numbers of blocks are from; libnfc's nfc-st25tb (gentilkiwi), which names the rule of each chip's locks;
/// SRIX4K data sheet, 4, and SRI512 data sheet, 4, for blocks 0 to 6.
package struct SRxChip: Hashable, Sendable {
  let id: ChipID
  let name: String
  /// The upper six bits of the product code.
  let code: UInt8
  let blockCount: Int
  /// Which bits of the system block lock which blocks; `nil` if that is not known.
  package let lockRegister: LockRegister?

  /// The blocks whose bits can only be cleared.
  package static let oneTimeBlocks = 0...4
  /// The blocks with counters that can only be decreased.
  package static let counterBlocks = 5...6

  private static let prefix: [UInt8] = [0xD0, 0x02]
  private static let uidLength = 8
  private static let blockSize = 4

  package static let all = [
    SRxChip(id: "srix4K", name: "SRIX4K", code: 0x03, blockCount: 128, lockRegister: .narrow),
    SRxChip(id: "srix512", name: "SRIX512", code: 0x04, blockCount: 16, lockRegister: .narrow),
    SRxChip(
      id: "sri512OrST25TB512AC", name: "SRI512 or ST25TB512-AC", code: 0x06, blockCount: 16,
      lockRegister: .wide),
    SRxChip(
      id: "sri4KOrST25TB04K", name: "SRI4K or ST25TB04K", code: 0x07, blockCount: 128,
      lockRegister: .narrow),
    SRxChip(
      id: "srt512OrST25TB512AT", name: "SRT512 or ST25TB512-AT", code: 0x0C, blockCount: 16,
      lockRegister: .wide),
    SRxChip(
      id: "sri2KOrST25TB02K", name: "SRI2K or ST25TB02K", code: 0x0F, blockCount: 64,
      lockRegister: .narrow),
  ]

  /// Creates the chip of a UID, most significant byte first; `nil` if the UID is no such chip's.
  package init?(uid: [UInt8]) {
    guard uid.count == Self.uidLength, uid.starts(with: Self.prefix),
      let chip = Self.all.first(where: { $0.code == uid[2] >> 2 })
    else { return nil }
    self = chip
  }

  /// Creates the chip that a product is.
  package init?(_ product: TagProduct?) {
    guard let product, let chip = Self.all.first(where: { $0.id == product.id }) else {
      return nil
    }
    self = chip
  }

  private init(
    id: ChipID, name: String, code: UInt8, blockCount: Int, lockRegister: LockRegister?
  ) {
    self.id = id
    self.name = name
    self.code = code
    self.blockCount = blockCount
    self.lockRegister = lockRegister
  }

  /// The chip as programs see it.
  package var product: TagProduct {
    TagProduct(
      id, name: name, maker: "STMicroelectronics", memorySize: blockCount * Self.blockSize)
  }
}
