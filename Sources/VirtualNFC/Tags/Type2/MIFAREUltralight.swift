/// MIFARE Ultralight, MF0ICU1: 16 pages, one-time bits in page 3, lock bits in page 2.
///
/// Lock bits take effect at the next REQA or WUPA. The chip refuses every command except READ, WRITE and
/// COMPATIBILITY_WRITE, and is silent after a refusal until it is selected again.
///
/// Source: data sheet MF0ICU1 rev. 3.9. It is not confirmed whether it answers unknown commands with NAK
/// 0 or with silence.
public struct MIFAREUltralight: VirtualChip, Type2Chip {
  static let pageTotal = 16
  static let dataArea = Type2DataArea(capabilityContainer: [0xE1, 0x10, 0x06, 0x00])

  /// Pages 3 and 4 on delivery; all others are zero.
  private static let factoryContent: [UInt8] = [0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF]

  /// The default UID.
  static let defaultUID: [UInt8] = [0x04, 0x58, 0xA3, 0x61, 0xB7, 0x20, 0x80]

  var activation: TypeAActivation
  var pages: [UInt8]
  var awaitedPage: Int?
  var facts: Type2Facts?
  var lockBitsInForce: [UInt8]

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery.
  public init(uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(uid: uid, content: formatted ? Self.dataArea.emptyContent : Self.factoryContent)
  }

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(uid: [UInt8]? = nil, ndef: some TagMessage) throws(VirtualTagError) {
    self.init(uid: uid, content: try Self.dataArea.content(message: ndef.encodedMessage))
  }

  /// Creates a chip from a dump; `nil` unless the dump has 64 bytes.
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

  public var name: String { "ultralight" }

  // MARK: Type2Chip

  var lockMap: LockMap { .static }

  /// Executes a command. An unknown command is an error in this chip's state diagram, which returns it to
  /// IDLE or HALT without an answer (data sheet, 7.3); later chips answer NAK. Readers use this to
  /// distinguish it from an Ultralight C: nfc-mfultralight assumes an Ultralight EV1 after any answer to
  /// GET_VERSION.
  mutating func execute(_ command: [UInt8]) -> Type2Answer {
    switch command.first {
    case Type2Command.read, Type2Command.write, Type2Command.compatibilityWrite:
      return executeBasic(command)
    default:
      activation.stopResponding()
      return .silence
    }
  }

  mutating func activateSettings() { lockBitsInForce = pages }
}

extension VirtualTag {
  /// Returns a MIFARE Ultralight (MF0ICU1), 48 bytes of user memory.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery.
  public static func ultralight(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(MIFAREUltralight(uid: uid, formatted: formatted))
  }

  /// Returns a MIFARE Ultralight (MF0ICU1) with an NDEF message of up to 46 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ultralight(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREUltralight(uid: uid, ndef: ndef))
  }
}
