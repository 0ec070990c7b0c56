import SwiftNFCCore

extension VicinityModel {
  /// ICODE SLI-S: 40 blocks of 4 bytes, read one at a time, and written without the option flag.
  ///
  /// This is its memory; ``VirtualTag/icodeSLIS(uid:formatted:)`` has its passwords, too. Source: data sheet
  /// SL2 ICS53/ICS54 rev. 3.0.
  public static let icodeSLIS = VicinityModel(
    // Product 02 is SLI-S.
    "icode-sli-s", uid: [0xE0, 0x04, 0x02, 0x00, 0x3D, 0x62, 0xA9, 0x15], blockCount: 40,
    profile: VicinityProfile(
      commands: VicinityProfile.basicCommands, refusesWriteOption: true, icReference: 0x02,
      truncatesReads: true, givesNoReasons: true, manufacturer: 0x04))
}

extension VirtualTag {
  /// Returns an ICODE SLI-S, 160 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: `false` for a memory of zeros.
  public static func icodeSLIS(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(ICODESLIXS(.icodeSLIS, uid: uid, formatted: formatted))
  }

  /// Returns an ICODE SLI-S with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func icodeSLIS(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ICODESLIXS(.icodeSLIS, uid: uid, ndef: ndef))
  }
}
