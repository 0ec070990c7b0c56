import NFCCore

/// ICODE SLI-S: 40 blocks of 4 bytes, read one at a time; commands that it does not know are not
/// answered.
///
/// Its passwords, EPC and privacy are not there. Source: data sheet SL2 ICS53/ICS54 rev. 3.0.
public struct ICODESLIS: VirtualChip, VicinityChip {
  public static let blockCount = 40
  public static let blockSize = 4
  /// Product 02 is SLI-S.
  public static let defaultUID: [UInt8] = [0xE0, 0x04, 0x02, 0x00, 0x3D, 0x62, 0xA9, 0x15]

  static let content = Type5Content(
    memorySize: blockCount * blockSize, features: [])
  static let profile = VicinityProfile(
    commands: VicinityProfile.basicCommands, icReference: 0x02, isSilentOnUnknown: true,
    manufacturer: 0x04)

  var core: VicinityCore

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first.
  ///   - formatted: with a capability container and an empty message; else all zero.
  public init(uid: [UInt8] = defaultUID, formatted: Bool = true) {
    core = VicinityCore(
      uid: uid, blockCount: Self.blockCount, blockSize: Self.blockSize,
      content: formatted ? Self.content.empty : [])
  }

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first.
  ///   - ndef: The encoded message.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(uid: [UInt8] = defaultUID, ndef: [UInt8]) throws(VirtualTagError) {
    core = VicinityCore(
      uid: uid, blockCount: Self.blockCount, blockSize: Self.blockSize,
      content: try Self.content.holding(ndef))
  }

  public var name: String { "icode-sli-s" }
}

extension VirtualTag {
  /// An ICODE SLI-S, 160 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first.
  ///   - formatted: `false`: all zero.
  public static func icodeSLIS(
    uid: [UInt8] = ICODESLIS.defaultUID, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(ICODESLIS(uid: uid, formatted: formatted))
  }

  /// An ICODE SLI-S with an encoded NDEF message of up to 150 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func icodeSLIS(
    uid: [UInt8] = ICODESLIS.defaultUID, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ICODESLIS(uid: uid, ndef: ndef))
  }
}
