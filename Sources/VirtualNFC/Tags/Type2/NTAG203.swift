/// NTAG203: 42 pages, one-time bits in page 3, lock bits in pages 2 and 28h, a counter in page 29h.
///
/// Lock bits take effect at the next REQA or WUPA. GET_VERSION and FAST_READ are not supported: they are
/// refused like any unknown command, and the chip is then silent until it is selected again.
///
/// Source: data sheet NTAG203 rev. 3.0.
public struct NTAG203: VirtualChip, Type2Chip {
  static let pageTotal = 42
  static let map: LockMap =
    .static + .fourPageBlocks + .configuration([OneWayCounter.page...OneWayCounter.page])
  /// The data area, with the lock control TLV of the factory (table 7 of the data sheet).
  static let dataArea = Type2DataArea(
    capabilityContainer: [0xE1, 0x10, 0x12, 0x00], controlTLVs: [0x01, 0x03, 0xA0, 0x10, 0x44])

  /// The default UID.
  static let defaultUID: [UInt8] = [0x04, 0x92, 0x5E, 0xC3, 0x1A, 0x27, 0x80]

  var activation: TypeAActivation
  var pages: [UInt8]
  var awaitedPage: Int?
  var facts: Type2Facts?
  var lockBitsInForce: [UInt8]

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because the chip leaves the factory with a capability container and an
  ///     empty message.
  public init(uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(uid: uid, content: Self.dataArea.emptyContent)
  }

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(uid: [UInt8]? = nil, ndef: some TagMessage) throws(VirtualTagError) {
    self.init(uid: uid, content: try Self.dataArea.content(message: ndef.encodedMessage))
  }

  /// Creates a chip from a dump; `nil` unless it has 168 bytes.
  public init?(dump: [UInt8]) {
    guard dump.count == Self.pageTotal * Type2Memory.pageSize,
      let uid = Type2Memory.uid(ofDump: dump)
    else { return nil }
    self.init(uid: uid, content: [])
    load(dump)
  }

  private init(uid: [UInt8]?, content: [UInt8]) {
    let uid = uid ?? Self.defaultUID
    activation = Self.activation(uid: uid)
    pages = Type2Memory.image(
      uid: uid, pageCount: Self.pageTotal, content: [Type2Memory.oneTimePage: content])
    lockBitsInForce = pages
  }

  // MARK: VirtualChip

  public var name: String { "ntag203" }

  // MARK: Type2Chip

  var lockMap: LockMap { Self.map }

  var frozenSettings: IrreversibleState { OneWayCounter.state(pages) }

  mutating func program(_ data: [UInt8], page: Int) -> Type2Answer {
    guard page == OneWayCounter.page else {
      store(data, page: page)
      return .acknowledge
    }
    let offset = page * Type2Memory.pageSize
    let counter = Array(pages[offset..<(offset + 2)])
    guard let sum = OneWayCounter.adding(data, to: counter, ignoresHighBits: false)
    else { return .refusal(.invalidArgument) }
    pages.replaceSubrange(offset..<(offset + 2), with: sum)
    return .acknowledge
  }

  mutating func execute(_ command: [UInt8]) -> Type2Answer { executeBasic(command) }
  mutating func activateSettings() { lockBitsInForce = pages }
}

extension VirtualTag {
  /// Returns an NTAG203, 144 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because the chip leaves the factory formatted.
  public static func ntag203(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAG203(uid: uid, formatted: formatted))
  }

  /// Returns an NTAG203 with an NDEF message of up to 137 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntag203(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAG203(uid: uid, ndef: ndef))
  }
}
