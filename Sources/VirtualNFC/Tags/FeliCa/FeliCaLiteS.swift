/// FeliCa Lite-S, RC-S966: 14 blocks for the user, a subtraction register, MAC_A, mutual
/// authentication (FeliCa Lite-S User's Manual).
public struct FeliCaLiteS: VirtualChip, FeliCaLiteChip {
  public let name = "felica-lite-s"
  var core: FeliCaLiteCore

  /// IC type F1 in the second byte; the response times of the manual's table.
  private static let pmm: [UInt8] = [0x00, 0xF1, 0x00, 0x00, 0x00, 0x01, 0x43, 0x00]

  /// - Parameters:
  ///   - idm: 8 bytes.
  ///   - ndef: An encoded NDEF message of at most 208 bytes.
  ///   - formatted: Whether the tag is NDEF-formatted; as it leaves the factory if not.
  public init(idm: [UInt8], ndef: [UInt8]? = nil, formatted: Bool = true) {
    core = FeliCaLiteCore(
      generation: .liteS, idm: idm, pmm: Self.pmm, ndef: ndef, formatted: formatted)
  }
}

extension VirtualTag {
  /// A FeliCa Lite-S tag, NDEF-formatted unless told otherwise.
  public static func feliCaLiteS(
    idm: [UInt8] = [0x01, 0x2E, 0x4C, 0xD8, 0x6A, 0x1F, 0x93, 0x05], ndef: [UInt8]? = nil,
    formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(FeliCaLiteS(idm: idm, ndef: ndef, formatted: formatted))
  }
}
