/// A Type 1 chip, by the first byte of its header ROM: what its memory is, and how it is formatted.
///
/// Sources: Topaz BCM20203T96 and BCM20203T512 technical specifications. The control TLVs and the
/// position of the dynamic lock bits are those that every maker of tags with 512 bytes writes.
package struct Type1Product: Hashable, Sendable {
  let id: ChipID
  /// HR0: high half 1, NDEF; low half 1, static memory.
  package let headerByte: UInt8
  package let name: String
  /// All blocks, in bytes.
  package let size: Int
  /// Where the lock bits of dynamic memory are; `nil` for a chip without.
  package let dynamicLocks: Range<Int>?
  /// The TLVs before the message of a formatted tag.
  package let controlTLVs: [UInt8]

  private static let blockSize = 8

  package static let all = [
    Type1Product(
      id: "topaz96", headerByte: 0x11, name: "Topaz 96", size: 120, dynamicLocks: nil,
      controlTLVs: []),
    // 48 lock bits from byte 2 of block F on, two reserved bytes before them.
    Type1Product(
      id: "topaz512", headerByte: 0x12, name: "Topaz 512", size: 512, dynamicLocks: 0x7A..<0x80,
      controlTLVs: [0x01, 0x03, 0xF2, 0x30, 0x33, 0x02, 0x03, 0xF0, 0x02, 0x03]),
  ]

  /// `nil` for a chip that is not known.
  package static func of(header: [UInt8]) -> Type1Product? {
    all.first { $0.headerByte == header.first }
  }

  /// As the capability container has it: blocks less one.
  package var containerSize: UInt8 { UInt8(truncatingIfNeeded: size / Self.blockSize - 1) }

  package var tagProduct: TagProduct {
    TagProduct(id, name: name, maker: "Broadcom", memorySize: size)
  }
}
