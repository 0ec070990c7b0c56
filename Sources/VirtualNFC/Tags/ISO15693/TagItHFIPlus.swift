import SwiftNFCCore

extension VicinityModel {
  /// Tag-it HF-I Plus: 64 blocks of 4 bytes; writes and locks require the option flag, and are answered
  /// after a second end of frame.
  ///
  /// Without the flag, a chip refuses with "option not supported" (ATrappmann/PN5180-Library, issue 32). Source: Texas
  /// Instruments SCBU011.
  public static let tagItHFIPlus = VicinityModel(
    // Product 00 is Tag-it HF-I Plus.
    "tag-it", uid: [0xE0, 0x07, 0x00, 0x00, 0x25, 0xB8, 0x6F, 0x02], blockCount: 64,
    features: [.readMultipleBlocks, .lockBlock, .specialFrame],
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands, requiresWriteOption: true, icReference: 0x8B,
      manufacturer: 0x07))
}

extension VirtualTag {
  /// Returns a Tag-it HF-I Plus, 256 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: `false` for a memory of zeros.
  public static func tagIt(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    vicinity(.tagItHFIPlus, uid: uid, formatted: formatted)
  }

  /// Returns a Tag-it HF-I Plus with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func tagIt(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    try vicinity(.tagItHFIPlus, uid: uid, ndef: ndef)
  }
}
