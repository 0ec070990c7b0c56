/// A Topaz 512 (Broadcom BCM20203T512): an NFC Forum Type 1 Tag with dynamic memory, 512 bytes.
///
/// In addition to the commands of ``Topaz96``, it supports RSEG, READ8, WRITE-E8 and WRITE-NE8. Block F
/// has one lock bit for each of blocks 10 to 3F.
public struct Topaz512: VirtualChip, TopazChip {
  var core: TopazCore

  /// - Parameters:
  ///   - uid: 7 bytes, of which a reader sees the first four; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery:
  ///     no data, blocks 0, D, E and F locked.
  public init(uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(uid: uid, area: formatted ? MessageTLV.emptyArea(size: Self.areaSize) : nil)
  }

  /// - Parameters:
  ///   - uid: 7 bytes, of which a reader sees the first four; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes, at most 462; an empty one leaves the tag empty.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(uid: [UInt8]? = nil, ndef: some TagMessage) throws(VirtualTagError) {
    let area = try MessageTLV.area(ndef.encodedMessage, size: Self.areaSize)
    self.init(uid: uid, area: area)
  }

  /// The default UID. The last byte, 25, is the maker's.
  static let defaultUID: [UInt8] = [0x47, 0x1B, 0x9D, 0x02, 0x00, 0x10, 0x25]

  private static let areaStart = TopazCore.capabilityContainer + header.count
  private static let staticAreaSize = TopazCore.staticDataEnd - areaStart
  static let areaSize = staticAreaSize + size - dynamicDataStart

  static let size = 512
  private static let dynamicDataStart = 128
  private static let segmentSize = 128

  /// The capability container (version 1.0, (63 + 1) · 8 bytes, everything may be read and written), the
  /// lock control TLV (48 lock bits from byte 2 of block F on, each for 8 bytes) and the memory control
  /// TLV (2 reserved bytes at byte 0 of block F): Type 1 Tag Operation.
  private static let header: [UInt8] = [
    0xE1, 0x10, 0x3F, 0x00, 0x01, 0x03, 0xF2, 0x30, 0x33, 0x02, 0x03, 0xF0, 0x02, 0x03,
  ]
  /// Blocks D and E: reserved bytes as dumps show them, LOCK-0 and LOCK-1, six one-time bytes.
  private static let systemBlocks: [UInt8] = [
    0x55, 0x55, 0xAA, 0xAA, 0x12, 0x49, 0x06, 0x00, 0x01, 0xE0, 0, 0, 0, 0, 0, 0,
  ]

  // MARK: TopazChip

  public var name: String { "topaz512" }

  init(blank uid: [UInt8]) {
    var memory = [UInt8](repeating: 0, count: Self.size)
    memory.replaceSubrange(TopazCore.staticDataEnd..<TopazCore.staticSize, with: Self.systemBlocks)
    core = TopazCore(headerROM: [0x12, 0x4C], uid: uid, memory: memory)
  }

  mutating func format(area: [UInt8]) {
    var memory = core.memory
    memory.replaceSubrange(TopazCore.capabilityContainer..<Self.areaStart, with: Self.header)
    memory.replaceSubrange(
      Self.areaStart..<TopazCore.staticDataEnd, with: area[..<Self.staticAreaSize])
    memory.replaceSubrange(Self.dynamicDataStart..., with: area[Self.staticAreaSize...])
    core.setMemory(memory)
  }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    switch core.receive(frame) {
    case .answer(let answer): answer
    case .dynamicCommand(let code, let address, let data):
      dynamicCommand(code, address: address, data: data).map(TopazCore.frame)
    }
  }

  /// Executes a command with 8 bytes of data. A block beyond the memory is answered with zeros and not
  /// stored. Real tags answer for every block number; the content of those answers is not confirmed.
  private mutating func dynamicCommand(
    _ code: UInt8, address: UInt8, data: [UInt8]
  ) -> [UInt8]? {
    let block = Int(address) * TopazCore.blockSize
    switch code {
    case TopazCore.Command.readSegment:
      // The segment is in the high half byte.
      return [address] + bytes(at: Int(address >> 4) * Self.segmentSize, count: Self.segmentSize)
    case TopazCore.Command.read8: break
    case TopazCore.Command.writeErase8: core.write(data, at: block, isErasing: true)
    case TopazCore.Command.writeNoErase8: core.write(data, at: block, isErasing: false)
    default: return nil
    }
    return [address] + bytes(at: block, count: TopazCore.blockSize)
  }

  private func bytes(at first: Int, count: Int) -> [UInt8] {
    (first..<first + count).map { core.memory.indices.contains($0) ? core.memory[$0] : 0 }
  }
}

extension VirtualTag {
  /// Returns a Topaz 512.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes, of which a reader sees the first four; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery.
  public static func topaz512(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(Topaz512(uid: uid, formatted: formatted))
  }

  /// Returns a Topaz 512 with an NDEF message of up to 462 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func topaz512(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try Topaz512(uid: uid, ndef: ndef))
  }
}
