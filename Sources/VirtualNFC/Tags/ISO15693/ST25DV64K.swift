import NFCCore

/// ST25DV64K: 2048 blocks of 4 bytes, extended commands above block 255, a size that only the
/// extended system information tells.
///
/// Areas with passwords, the mailbox and the wired side are not there. Source: data sheet
/// ST25DV04K/16K/64K (DS10925), 6 and 7; the limits of a read and the error of a run beyond the end
/// are not confirmed.
public struct ST25DV64K: VirtualChip, VicinityChip {
  public static let blockCount = 2048
  public static let blockSize = 4
  /// Product 26 is ST25DV16K and 64K.
  public static let defaultUID: [UInt8] = [0xE0, 0x02, 0x26, 0x00, 0x6B, 0x5D, 0x14, 0xC7]

  static let content = Type5Content(
    memorySize: blockCount * blockSize, isWide: true, features: .readMultipleBlocks)
  static let profile = VicinityProfile(
    commands: VicinityProfile.usualCommands.union(VicinityProfile.extendedCommands)
      .union([ISO15693CommandCode.writeMultipleBlocks]),
    readLimit: blockCount, writeLimit: 4, icReference: 0x26, tellsMemory: false,
    rangeError: .unknown, manufacturer: 0x02)

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

  public var name: String { "st25dv" }
}

extension VirtualTag {
  /// An ST25DV64K, 8192 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first.
  ///   - formatted: `false`: all zero.
  public static func st25dv(
    uid: [UInt8] = ST25DV64K.defaultUID, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(ST25DV64K(uid: uid, formatted: formatted))
  }

  /// An ST25DV64K with an encoded NDEF message of up to 8180 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func st25dv(
    uid: [UInt8] = ST25DV64K.defaultUID, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ST25DV64K(uid: uid, ndef: ndef))
  }
}
