import NFCCore

/// MB89R118 of Fujitsu: 250 blocks of 8 bytes of ferroelectric memory, at most two in a read or
/// write.
///
/// The error of a longer run is not confirmed. Source: Feig's reader manuals; Fujitsu's custom
/// commands are not there.
public struct MB89R118: VirtualChip, VicinityChip {
  public static let blockCount = 250
  public static let blockSize = 8
  /// Product 01 is MB89R118.
  public static let defaultUID: [UInt8] = [0xE0, 0x08, 0x01, 0x18, 0x47, 0x0C, 0x93, 0x5E]

  static let content = Type5Content(
    memorySize: blockCount * blockSize, features: [.readMultipleBlocks, .lockBlock])
  static let profile = VicinityProfile(
    commands: VicinityProfile.usualCommands.union([ISO15693CommandCode.writeMultipleBlocks]),
    readLimit: 2, writeLimit: 2, icReference: 0x01, manufacturer: 0x08)

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

  public var name: String { "mb89r118" }
}

extension VirtualTag {
  /// An MB89R118, 2000 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first.
  ///   - formatted: `false`: all zero.
  public static func mb89r118(
    uid: [UInt8] = MB89R118.defaultUID, formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(MB89R118(uid: uid, formatted: formatted))
  }

  /// An MB89R118 with an encoded NDEF message of up to 1988 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func mb89r118(
    uid: [UInt8] = MB89R118.defaultUID, ndef: [UInt8]
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MB89R118(uid: uid, ndef: ndef))
  }
}
