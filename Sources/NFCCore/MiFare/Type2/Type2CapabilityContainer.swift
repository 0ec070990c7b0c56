/// The capability container of a Type 1 or Type 2 tag: magic number, version, size, access.
///
/// Source: NFC Forum Type 1 Tag, 6.1; NFC Forum Type 2 Tag, 4.3.
struct Type2CapabilityContainer: Hashable, Sendable {
  static let length = 4
  static let magicNumber: UInt8 = 0xE1
  /// Version 1.0: the one that this package writes, and the only major version that exists.
  static let version: UInt8 = 0x10
  static let readWrite: UInt8 = 0x00
  /// The low half byte is the write access: F is none for ever.
  static let readOnly: UInt8 = 0x0F

  /// The size byte; its unit depends on the type.
  let size: UInt8
  private let access: UInt8

  /// Parses a container; `nil` if these bytes are not a capability container of a known version.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.length, bytes[0] == Self.magicNumber,
      bytes[1] >> 4 == Self.version >> 4
    else { return nil }
    size = bytes[2]
    access = bytes[3]
  }

  /// Whether the message may be read without a secret. All values but 0 are proprietary or reserved.
  var isReadable: Bool { access >> 4 == 0 }
  /// Whether the message may be written without a secret. All values but 0 forbid it or are reserved.
  var isWritable: Bool { access & 0x0F == 0 }
}

/// A range of bytes that a control TLV removes from the data area.
///
/// Source: NFC Forum Type 2 Tag, 4.4.1 and 4.4.2; the same in NFC Forum Type 1 Tag, 6.4.
struct ControlledArea: Hashable, Sendable {
  /// Byte addresses, from the tag's first byte on.
  let bytes: Range<Int>
  /// The number of lock bits; `nil` for a memory control TLV.
  let lockBits: Int?
  /// The number of bytes of the data area that a lock bit closes; `nil` for a memory control TLV.
  let bytesPerLockBit: Int?

  /// The TLVs that specify such an area.
  static let tags: Set<UInt8> = [
    TagLengthValue.Tag.lockControl, TagLengthValue.Tag.memoryControl,
  ]

  private static let valueLength = 3

  /// Parses the value of a control TLV: position, size, page control. A block of another kind or
  /// size results in `nil`.
  ///
  /// The halves of the position count pages and bytes; the low half of page control is the exponent
  /// of the size of such a page. A size of 0 means 256, in bits for locks and in bytes for memory.
  init?(tag: UInt8, value: [UInt8]) {
    guard value.count == Self.valueLength else { return nil }
    let exponent = Int(value[2] & 0x0F)
    let start = Int(value[0] >> 4) << exponent + Int(value[0] & 0x0F)
    let size = value[1] == 0 ? 256 : Int(value[1])
    switch tag {
    case TagLengthValue.Tag.lockControl:
      lockBits = size
      bytesPerLockBit = 1 << Int(value[2] >> 4)
      bytes = start..<(start + (size + 7) / 8)
    case TagLengthValue.Tag.memoryControl:
      lockBits = nil
      bytesPerLockBit = nil
      bytes = start..<(start + size)
    default:
      return nil
    }
  }
}
