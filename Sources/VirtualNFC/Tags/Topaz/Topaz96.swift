/// A Topaz 96 (Broadcom BCM20203T96, before that Innovision IRT5011): an NFC Forum Type 1 Tag with
/// 120 bytes, 96 of them for data.
///
/// It answers RID, RALL, READ, WRITE-E and WRITE-NE, to its own UID only; a locked byte that is
/// written is answered with what it holds. See `TopazChip` for how frames look here.
public struct Topaz96: VirtualChip {
  private var chip: TopazChip

  /// As it leaves the factory: no data, blocks 0, D and E locked.
  ///
  /// - Parameter uid: 7 bytes, of which a reader sees the first four.
  public init(uid: [UInt8]) {
    var memory = [UInt8](repeating: 0, count: TopazChip.staticSize)
    memory.replaceSubrange(TopazChip.staticDataEnd..., with: Self.systemBlocks)
    chip = TopazChip(headerROM: [0x11, 0x48], uid: uid, memory: memory)
  }

  /// With a capability container and an NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes, of which a reader sees the first four.
  ///   - ndef: The encoded message, at most 90 bytes; none leaves the tag empty.
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
    memory.replaceSubrange(
      TopazChip.capabilityContainer..<Self.areaStart, with: Self.capabilityContainer)
    memory.replaceSubrange(Self.areaStart..<TopazChip.staticDataEnd, with: area)
    chip.setMemory(memory)
  }

  /// The UID unless another is asked for. The last byte, 25, is the maker's.
  public static let defaultUID: [UInt8] = [0x8A, 0x5C, 0x03, 0x2E, 0x00, 0x10, 0x25]

  private static let areaStart = TopazChip.capabilityContainer + capabilityContainer.count
  private static let areaSize = TopazChip.staticDataEnd - areaStart

  /// NDEF is there, version 1.0, (14 + 1) · 8 bytes, all may be read and written (Type 1 Tag
  /// Operation).
  private static let capabilityContainer: [UInt8] = [0xE1, 0x10, 0x0E, 0x00]
  /// Blocks D and E: reserved bytes as dumps show them, LOCK-0 and LOCK-1, six one-time bytes.
  private static let systemBlocks: [UInt8] = [
    0x55, 0x55, 0xAA, 0xAA, 0, 0, 0, 0, 0x01, 0x60, 0, 0, 0, 0, 0, 0,
  ]

  public var name: String { "topaz96" }
  public var identifier: [UInt8] { Array(chip.uid.prefix(4)) }
  public var modulation: RadioFrame.Modulation { .typeA }

  /// Blocks 0 to E. The UID at their beginning stays what it is.
  public var memory: [UInt8] {
    get { chip.memory }
    set { chip.setMemory(newValue) }
  }

  public mutating func powerOn() { chip.setPower() }
  public mutating func powerOff() { chip.setPower() }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    switch chip.receive(frame) {
    case .answer(let answer): answer
    case .dynamicCommand: nil
    }
  }
}

extension VirtualTag {
  /// A Topaz 96.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes, of which a reader sees the first four. The last, 25, is the maker's.
  ///   - formatted: Whether it is an NFC Forum tag with an empty message; if not, it is as it
  ///     leaves the factory.
  public static func topaz96(
    uid: [UInt8] = Topaz96.defaultUID, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(Topaz96(uid: uid, formatted: formatted))
  }

  /// A Topaz 96 with an encoded NDEF message of up to 90 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func topaz96(
    uid: [UInt8] = Topaz96.defaultUID, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try Topaz96(uid: uid, ndef: ndef))
  }
}
