import SwiftNFCCore

extension VicinityModel {
  /// MB89R118 of Fujitsu: 250 blocks of 8 bytes of ferroelectric memory, at most two per read or write.
  ///
  /// The error for more blocks is not confirmed. Source: Feig's reader manuals. Fujitsu's custom commands
  /// are not modeled.
  public static let mb89r118 = VicinityModel(
    // Product 01 is MB89R118.
    "mb89r118", uid: [0xE0, 0x08, 0x01, 0x18, 0x47, 0x0C, 0x93, 0x5E], blockCount: 250,
    blockSize: 8, features: [.readMultipleBlocks, .lockBlock],
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands.union([VicinityCommandCode.writeMultipleBlocks]),
      readLimit: 2, writeLimit: 2, icReference: 0x01, manufacturer: 0x08))
}

extension VirtualTag {
  /// Returns an MB89R118, 2000 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: `false` for a memory of zeros.
  public static func mb89r118(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    vicinity(.mb89r118, uid: uid, formatted: formatted)
  }

  /// Returns an MB89R118 with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func mb89r118(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    try vicinity(.mb89r118, uid: uid, ndef: ndef)
  }
}
