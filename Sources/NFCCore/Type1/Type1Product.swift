/// A Type 1 chip, by the first byte of its header ROM: what its memory is, and how it is formatted.
///
/// Sources: Topaz BCM20203T96 and BCM20203T512 technical specifications. The control TLVs and the
/// position of the dynamic lock bits are those that every maker of tags with 512 bytes writes.
struct Type1Product: Hashable, Sendable {
  let id: ChipID
  /// HR0: high half 1, NDEF; low half 1, static memory.
  let headerByte: UInt8
  let name: String
  /// All blocks, in bytes.
  let size: Int
  /// Where the lock bits of dynamic memory are; `nil` for a chip without.
  let dynamicLocks: Range<Int>?
  /// The TLVs before the message of a formatted tag.
  let controlTLVs: [UInt8]

  static let all = [
    Type1Product(
      id: .topaz96, headerByte: 0x11, name: "Topaz 96", size: 120, dynamicLocks: nil,
      controlTLVs: []),
    // 48 lock bits from byte 2 of block F on, two reserved bytes before them.
    Type1Product(
      id: .topaz512, headerByte: 0x12, name: "Topaz 512", size: 512, dynamicLocks: 0x7A..<0x80,
      controlTLVs: [0x01, 0x03, 0xF2, 0x30, 0x33, 0x02, 0x03, 0xF0, 0x02, 0x03]),
  ]

  /// `nil` for a chip that is not known.
  static func of(header: [UInt8]) -> Type1Product? {
    all.first { $0.headerByte == header.first }
  }

  /// As the capability container has it: blocks less one.
  var containerSize: UInt8 { UInt8(truncatingIfNeeded: size / Type1Memory.blockSize - 1) }

  var tagProduct: TagProduct { TagProduct(id, name: name, maker: "Broadcom", memorySize: size) }
}

extension OtherTag {
  /// RID: the reader completes it with the UID (Topaz 512 technical specification, 3.3).
  private static let readIdentification: [UInt8] = [0x78]

  /// Identifies the chip of a Jewel or Topaz tag, with one exchange, RID, or of an ST SRx tag, by its UID. Returns
  /// `nil` for an unknown chip, and without an exchange for a tag of another kind.
  ///
  /// - Throws: the errors of ``OtherTag/transceive(_:timeout:)``:
  ///   ``NFCError/Code/tagResponseError``, ``NFCError/Code/tagConnectionLost``.
  public func product() async throws -> TagProduct? {
    if technology == .iso14443b2sr { return ST25TBProduct.tagProduct(uid: identifier) }
    guard technology == .jewel else { return nil }
    let header = try await transceive(Self.readIdentification)
    return Type1Product.of(header: header)?.tagProduct
  }
}
