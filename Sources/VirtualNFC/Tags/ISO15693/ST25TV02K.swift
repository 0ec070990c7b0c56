import NFCCore

/// ST25TV02K: 64 blocks of 4 bytes.
///
/// Areas with passwords, kill and counter are not there. Source: data sheet ST25TV512/02K
/// (DS12074); not confirmed in detail.
public struct ST25TV02K: VirtualChip, VicinityChip {
  public static let blockCount = 64
  public static let blockSize = 4
  /// Product 23 is ST25TV512 and 02K.
  public static let defaultUID: [UInt8] = [0xE0, 0x02, 0x23, 0x00, 0x1F, 0x90, 0x4A, 0x38]

  static let content = Type5Content(
    memorySize: blockCount * blockSize, features: .readMultipleBlocks)
  static let profile = VicinityProfile(
    commands: VicinityProfile.usualCommands, icReference: 0x23, manufacturer: 0x02)

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

  public var name: String { "st25tv" }
}

extension VirtualTag {
  /// An ST25TV02K, 256 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first.
  ///   - formatted: `false`: all zero.
  public static func st25tv(
    uid: [UInt8] = ST25TV02K.defaultUID, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(ST25TV02K(uid: uid, formatted: formatted))
  }

  /// An ST25TV02K with an encoded NDEF message of up to 246 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func st25tv(
    uid: [UInt8] = ST25TV02K.defaultUID, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ST25TV02K(uid: uid, ndef: ndef))
  }
}
