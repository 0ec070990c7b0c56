/// A Topaz 96 (Broadcom BCM20203T96, before that Innovision IRT5011): an NFC Forum Type 1 Tag with 120
/// bytes, 96 of them for data.
///
/// It supports RID, RALL, READ, WRITE-E and WRITE-NE, only with its own UID. A write to a locked byte is
/// answered with the byte's current value. See `TopazCore` for the form of frames.
public struct Topaz96: VirtualChip, TopazChip {
  var core: TopazCore

  /// - Parameters:
  ///   - uid: 7 bytes, of which a reader sees the first four; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery:
  ///     no data, blocks 0, D and E locked.
  public init(uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(uid: uid, area: formatted ? MessageTLV.emptyArea(size: Self.areaSize) : nil)
  }

  /// - Parameters:
  ///   - uid: 7 bytes, of which a reader sees the first four; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes, at most 90; an empty one leaves the tag empty.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(uid: [UInt8]? = nil, ndef: some TagMessage) throws(VirtualTagError) {
    let area = try MessageTLV.area(ndef.encodedMessage, size: Self.areaSize)
    self.init(uid: uid, area: area)
  }

  /// The default UID. The last byte, 25, is the maker's.
  static let defaultUID: [UInt8] = [0x8A, 0x5C, 0x03, 0x2E, 0x00, 0x10, 0x25]

  private static let areaStart = TopazCore.capabilityContainer + capabilityContainer.count
  static let areaSize = TopazCore.staticDataEnd - areaStart

  /// The capability container: NDEF is present, version 1.0, (14 + 1) · 8 bytes, everything may be read
  /// and written (Type 1 Tag Operation).
  private static let capabilityContainer: [UInt8] = [0xE1, 0x10, 0x0E, 0x00]
  /// Blocks D and E: reserved bytes as dumps show them, LOCK-0 and LOCK-1, six one-time bytes.
  private static let systemBlocks: [UInt8] = [
    0x55, 0x55, 0xAA, 0xAA, 0, 0, 0, 0, 0x01, 0x60, 0, 0, 0, 0, 0, 0,
  ]

  // MARK: TopazChip

  public var name: String { "topaz96" }

  init(blank uid: [UInt8]) {
    var memory = [UInt8](repeating: 0, count: TopazCore.staticSize)
    memory.replaceSubrange(TopazCore.staticDataEnd..., with: Self.systemBlocks)
    core = TopazCore(headerROM: [0x11, 0x48], uid: uid, memory: memory)
  }

  mutating func format(area: [UInt8]) {
    var memory = core.memory
    memory.replaceSubrange(
      TopazCore.capabilityContainer..<Self.areaStart, with: Self.capabilityContainer)
    memory.replaceSubrange(Self.areaStart..<TopazCore.staticDataEnd, with: area)
    core.setMemory(memory)
  }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    switch core.receive(frame) {
    case .answer(let answer): answer
    case .dynamicCommand: nil
    }
  }
}

extension VirtualTag {
  /// Returns a Topaz 96.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes, of which a reader sees the first four; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery.
  public static func topaz96(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(Topaz96(uid: uid, formatted: formatted))
  }

  /// Returns a Topaz 96 with an NDEF message of up to 90 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func topaz96(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try Topaz96(uid: uid, ndef: ndef))
  }
}
