/// FeliCa Lite, RC-S965: 14 blocks for the user, a subtraction register, MAC for reading (FeliCa
/// Lite User's Manual).
public struct FeliCaLite: VirtualChip, FeliCaLiteChip {
  public let name = "felica-lite"
  var core: FeliCaLiteCore

  /// IC type F0 in the second byte.
  private static let pmm: [UInt8] = [0x00, 0xF0, 0x00, 0x00, 0x02, 0x06, 0x03, 0x00]

  /// - Parameters:
  ///   - idm: 8 bytes.
  ///   - ndef: An encoded NDEF message of at most 208 bytes.
  ///   - formatted: Whether the tag is NDEF-formatted; as it leaves the factory if not.
  public init(idm: [UInt8], ndef: [UInt8]? = nil, formatted: Bool = true) {
    core = FeliCaLiteCore(
      generation: .lite, idm: idm, pmm: Self.pmm, ndef: ndef, formatted: formatted)
  }
}

extension VirtualTag {
  /// A FeliCa Lite tag, NDEF-formatted unless told otherwise.
  public static func feliCaLite(
    idm: [UInt8] = [0x01, 0x27, 0x00, 0x5D, 0x4C, 0x08, 0xF4, 0x6B], ndef: [UInt8]? = nil,
    formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(FeliCaLite(idm: idm, ndef: ndef, formatted: formatted))
  }
}
