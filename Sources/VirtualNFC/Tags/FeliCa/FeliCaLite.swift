/// FeliCa Lite, RC-S965: 14 user blocks, a subtraction register, a MAC for reading (FeliCa Lite User's
/// Manual).
public struct FeliCaLite: VirtualChip, FeliCaLiteChip {
  public let name = "felica-lite"
  var core: FeliCaLiteCore

  /// The PMm. The IC type in its second byte is F0.
  private static let pmm: [UInt8] = [0x00, 0xF0, 0x00, 0x00, 0x02, 0x06, 0x03, 0x00]

  /// The default IDm.
  static let defaultIDm: [UInt8] = [0x01, 0x27, 0x00, 0x5D, 0x4C, 0x08, 0xF4, 0x6B]

  /// - Parameters:
  ///   - idm: 8 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NDEF tag with an empty message; as on delivery if not.
  public init(idm: [UInt8]? = nil, formatted: Bool = true) {
    core = FeliCaLiteCore(
      generation: .lite, idm: idm ?? Self.defaultIDm, pmm: Self.pmm, formatted: formatted)
  }

  /// - Parameters:
  ///   - idm: 8 bytes; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(idm: [UInt8]? = nil, ndef: some TagMessage) throws(VirtualTagError) {
    core = try FeliCaLiteCore(
      generation: .lite, idm: idm ?? Self.defaultIDm, pmm: Self.pmm, ndef: ndef)
  }
}

extension VirtualTag {
  /// Returns a FeliCa Lite tag.
  ///
  /// - Parameters:
  ///   - idm: 8 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NDEF tag with an empty message; as on delivery if not.
  public static func feliCaLite(idm: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(FeliCaLite(idm: idm, formatted: formatted))
  }

  /// Returns a FeliCa Lite tag with an NDEF message of up to 208 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func feliCaLite(
    idm: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try FeliCaLite(idm: idm, ndef: ndef))
  }
}
