/// The parts of a Type 2 memory that are the same in all chips.
enum Type2Memory {
  /// The size of a page in bytes (NFC Forum Type 2 Tag, section 4).
  static let pageSize = 4
  /// The page of the static lock bytes, in its bytes 2 and 3.
  static let staticLockPage = 2
  /// The page whose bits can be set and never cleared: one-time bits, or the capability container.
  static let oneTimePage = 3
  /// The size of the UID and its two check bytes.
  static let identityLength = 9

  /// Returns pages 0 to 2: the UID with a check byte after its third and its seventh byte, as in the two
  /// cascade levels of the anticollision; the internal byte 48; no lock bits.
  ///
  /// Source: NTAG213/215/216 rev. 3.2, section 8.5.1. The internal byte is 48 in NXP's chips.
  static func header(uid: [UInt8]) -> [UInt8] {
    let cascadeTag: UInt8 = 0x88
    let first = Array(uid.prefix(3))
    let second = Array(uid.dropFirst(3))
    return first + [first.reduce(cascadeTag, ^)] + second
      + [second.reduce(0, ^), 0x48, 0x00, 0x00]
  }

  /// Returns the UID of a dump with such a header; `nil` for a dump without one.
  static func uid(ofDump dump: [UInt8]) -> [UInt8]? {
    guard dump.count >= identityLength else { return nil }
    return Array(dump[0..<3] + dump[4..<8])
  }

  /// Returns a chip's memory: the header, followed by zeros except for `content`, by page address. The
  /// total number of pages is `pageCount`.
  static func image(uid: [UInt8], pageCount: Int, content: [Int: [UInt8]]) -> [UInt8] {
    var image = header(uid: uid)
    image += [UInt8](repeating: 0, count: max(0, pageCount * pageSize - image.count))
    for (page, bytes) in content {
      let offset = page * pageSize
      guard offset >= 0, offset + bytes.count <= image.count else { continue }
      image.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    }
    return image
  }
}

/// The data area of an NFC Forum Type 2 tag: it begins at page 4 and has the size in the capability
/// container.
struct Type2DataArea {
  /// The unit of the size in byte 2 of the capability container, in bytes.
  private static let sizeUnit = 8

  let capabilityContainer: [UInt8]
  /// The TLVs before the message.
  var controlTLVs: [UInt8] = []

  var size: Int { Int(capabilityContainer[2]) * Self.sizeUnit }

  /// Returns capability container, control TLVs and the message, for the pages from 3 on.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  func content(message: [UInt8]) throws(VirtualTagError) -> [UInt8] {
    let field = try MessageTLV.bytes(message, room: size - controlTLVs.count)
    return capabilityContainer + controlTLVs + field
  }

  /// The content without a message.
  var emptyContent: [UInt8] { capabilityContainer + controlTLVs + MessageTLV.empty }
}
