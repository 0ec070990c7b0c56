/// A Topaz 512 (Broadcom BCM20203T512): an NFC Forum Type 1 Tag with dynamic memory, 512 bytes.
///
/// Besides the commands of ``Topaz96`` it answers RSEG, READ8, WRITE-E8 and WRITE-NE8. Its blocks
/// 10 to 3F have a lock bit each in block F.
public struct Topaz512: VirtualChip {
  private var chip: TopazChip

  /// As it leaves the factory: no data, blocks 0, D, E and F locked.
  ///
  /// - Parameter uid: 7 bytes, of which a reader sees the first four.
  public init(uid: [UInt8]) {
    var memory = [UInt8](repeating: 0, count: Self.size)
    memory.replaceSubrange(TopazChip.staticDataEnd..<TopazChip.staticSize, with: Self.systemBlocks)
    chip = TopazChip(headerROM: [0x12, 0x4C], uid: uid, memory: memory)
  }

  /// With a capability container, the control TLVs and an NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes, of which a reader sees the first four.
  ///   - ndef: The encoded message, at most 462 bytes; none leaves the tag empty.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(uid: [UInt8], ndef: [UInt8]) throws(VirtualTagError) {
    self.init(uid: uid, area: try NDEFArea.bytes(holding: ndef, size: Self.areaSize))
  }

  /// - Parameters:
  ///   - uid: 7 bytes, of which a reader sees the first four.
  ///   - formatted: Whether it is an NFC Forum tag with an empty message; if not, it is as it
  ///     leaves the factory.
  public init(uid: [UInt8] = defaultUID, formatted: Bool) {
    if formatted {
      self.init(uid: uid, area: NDEFArea.empty(size: Self.areaSize))
    } else {
      self.init(uid: uid)
    }
  }

  private init(uid: [UInt8], area: [UInt8]) {
    self.init(uid: uid)
    var memory = chip.memory
    memory.replaceSubrange(TopazChip.capabilityContainer..<Self.areaStart, with: Self.header)
    memory.replaceSubrange(
      Self.areaStart..<TopazChip.staticDataEnd, with: area[..<Self.staticAreaSize])
    memory.replaceSubrange(Self.dynamicDataStart..., with: area[Self.staticAreaSize...])
    chip.setMemory(memory)
  }

  /// The UID unless another is asked for. The last byte, 25, is the maker's.
  public static let defaultUID: [UInt8] = [0x47, 0x1B, 0x9D, 0x02, 0x00, 0x10, 0x25]

  private static let areaStart = TopazChip.capabilityContainer + header.count
  private static let staticAreaSize = TopazChip.staticDataEnd - areaStart
  private static let areaSize = staticAreaSize + size - dynamicDataStart

  static let size = 512
  private static let dynamicDataStart = 128
  private static let segmentSize = 128

  /// The capability container (version 1.0, (63 + 1) · 8 bytes, all may be read and written), the
  /// lock control TLV (48 lock bits from byte 2 of block F on, each for 8 bytes) and the memory
  /// control TLV (2 reserved bytes at byte 0 of block F): Type 1 Tag Operation.
  private static let header: [UInt8] = [
    0xE1, 0x10, 0x3F, 0x00, 0x01, 0x03, 0xF2, 0x30, 0x33, 0x02, 0x03, 0xF0, 0x02, 0x03,
  ]
  /// Blocks D and E: reserved bytes as dumps show them, LOCK-0 and LOCK-1, six one-time bytes.
  private static let systemBlocks: [UInt8] = [
    0x55, 0x55, 0xAA, 0xAA, 0x12, 0x49, 0x06, 0x00, 0x01, 0xE0, 0, 0, 0, 0, 0, 0,
  ]

  public var name: String { "topaz512" }
  public var identifier: [UInt8] { Array(chip.uid.prefix(4)) }
  public var modulation: RadioFrame.Modulation { .typeA }

  /// Blocks 0 to 3F. The UID at their beginning stays what it is.
  public var memory: [UInt8] {
    get { chip.memory }
    set { chip.setMemory(newValue) }
  }

  public mutating func powerOn() { chip.setPower() }
  public mutating func powerOff() { chip.setPower() }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    switch chip.receive(frame) {
    case .answer(let answer): answer
    case .dynamicCommand(let code, let address, let data):
      dynamicCommand(code, address: address, data: data).map(TopazChip.frame)
    }
  }

  /// A block beyond the memory is answered too, with zeros, and keeps nothing: tags are known to
  /// answer for every block number; what they answer is not confirmed.
  private mutating func dynamicCommand(
    _ code: UInt8, address: UInt8, data: [UInt8]
  ) -> [UInt8]? {
    let block = Int(address) * TopazChip.blockSize
    switch code {
    case TopazChip.Command.readSegment:
      // The segment stands in the high half.
      return [address] + bytes(at: Int(address >> 4) * Self.segmentSize, count: Self.segmentSize)
    case TopazChip.Command.read8: break
    case TopazChip.Command.writeErase8: chip.write(data, at: block, isErasing: true)
    case TopazChip.Command.writeNoErase8: chip.write(data, at: block, isErasing: false)
    default: return nil
    }
    return [address] + bytes(at: block, count: TopazChip.blockSize)
  }

  private func bytes(at first: Int, count: Int) -> [UInt8] {
    (first..<first + count).map { chip.memory.indices.contains($0) ? chip.memory[$0] : 0 }
  }
}

extension VirtualTag {
  /// A Topaz 512.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes, of which a reader sees the first four. The last, 25, is the maker's.
  ///   - formatted: Whether it is an NFC Forum tag with an empty message; if not, it is as it
  ///     leaves the factory.
  public static func topaz512(
    uid: [UInt8] = Topaz512.defaultUID, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(Topaz512(uid: uid, formatted: formatted))
  }

  /// A Topaz 512 with an encoded NDEF message of up to 462 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func topaz512(
    uid: [UInt8] = Topaz512.defaultUID, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try Topaz512(uid: uid, ndef: ndef))
  }
}
