/// FeliCa Lite-S, RC-S966: 14 user blocks, a subtraction register, MAC_A, mutual authentication (FeliCa
/// Lite-S User's Manual).
public struct FeliCaLiteS: VirtualChip, FeliCaLiteChip {
  public let name = "felica-lite-s"
  var core: FeliCaLiteCore

  /// Whether an issued card answers a write with the status flags FF 71 when WCNT is above 10 000: the
  /// memory is worn, and the write is performed. Flipper's firmware behaves like this; the manual does
  /// not specify a number.
  public var warnsAboutWear: Bool {
    get { core.warnsAboutWear }
    set { core.warnsAboutWear = newValue }
  }

  /// Whether MAC_A is zeros if it is the only block that is read, as with Flipper's firmware, and not a
  /// MAC of the block list. No public source settles it.
  public var macAAloneIsZero: Bool {
    get { core.macAAloneIsZero }
    set { core.macAAloneIsZero = newValue }
  }

  /// The PMm. The IC type in its second byte is F1; the response times are those of the manual's table.
  private static let pmm: [UInt8] = [0x00, 0xF1, 0x00, 0x00, 0x00, 0x01, 0x43, 0x00]

  /// The default IDm.
  static let defaultIDm: [UInt8] = [0x01, 0x2E, 0x4C, 0xD8, 0x6A, 0x1F, 0x93, 0x05]

  /// - Parameters:
  ///   - idm: 8 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NDEF tag with an empty message; as on delivery if not.
  public init(idm: [UInt8]? = nil, formatted: Bool = true) {
    core = FeliCaLiteCore(
      generation: .liteS, idm: idm ?? Self.defaultIDm, pmm: Self.pmm, formatted: formatted)
  }

  /// - Parameters:
  ///   - idm: 8 bytes; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(idm: [UInt8]? = nil, ndef: some TagMessage) throws(VirtualTagError) {
    core = try FeliCaLiteCore(
      generation: .liteS, idm: idm ?? Self.defaultIDm, pmm: Self.pmm, ndef: ndef)
  }
}

extension VirtualTag {
  /// Returns a FeliCa Lite-S tag.
  ///
  /// - Parameters:
  ///   - idm: 8 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NDEF tag with an empty message; as on delivery if not.
  public static func feliCaLiteS(idm: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(FeliCaLiteS(idm: idm, formatted: formatted))
  }

  /// Returns a FeliCa Lite-S tag with an NDEF message of up to 208 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func feliCaLiteS(
    idm: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try FeliCaLiteS(idm: idm, ndef: ndef))
  }
}
