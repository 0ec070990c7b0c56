import NFCCore

/// Tag-it HF-I Plus: 64 blocks of 4 bytes; writes and locks need the option flag, and answer after
/// a second end of frame.
///
/// The error without the flag is not confirmed. Source: Texas Instruments SCBU011.
public struct TagItHFIPlus: VirtualChip, VicinityChip {
  public static let blockCount = 64
  public static let blockSize = 4
  /// Product 00 is Tag-it HF-I Plus.
  public static let defaultUID: [UInt8] = [0xE0, 0x07, 0x00, 0x00, 0x25, 0xB8, 0x6F, 0x02]

  static let content = Type5Content(
    memorySize: blockCount * blockSize, features: [.readMultipleBlocks, .lockBlock, .specialFrame])
  static let profile = VicinityProfile(
    commands: VicinityProfile.usualCommands, requiresWriteOption: true, icReference: 0x8B,
    manufacturer: 0x07)

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

  public var name: String { "tag-it" }
}

extension VirtualTag {
  /// A Tag-it HF-I Plus, 256 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first.
  ///   - formatted: `false`: all zero.
  public static func tagIt(
    uid: [UInt8] = TagItHFIPlus.defaultUID, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(TagItHFIPlus(uid: uid, formatted: formatted))
  }

  /// A Tag-it HF-I Plus with an encoded NDEF message of up to 246 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func tagIt(
    uid: [UInt8] = TagItHFIPlus.defaultUID, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try TagItHFIPlus(uid: uid, ndef: ndef))
  }
}
