import NFCCore

extension VicinityModel {
  /// ST25TV02K: 64 blocks of 4 bytes.
  ///
  /// Areas with passwords, kill and counter are not there. Source: data sheet ST25TV512/02K
  /// (DS12074); not confirmed in detail.
  public static let st25tv02K = VicinityModel(
    // Product 23 is ST25TV512 and 02K.
    "st25tv", uid: [0xE0, 0x02, 0x23, 0x00, 0x1F, 0x90, 0x4A, 0x38], blockCount: 64,
    features: .readMultipleBlocks,
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands, icReference: 0x23, manufacturer: 0x02))
}

extension VirtualTag {
  /// An ST25TV02K, 256 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: `false`: all zero.
  public static func st25tv(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    vicinity(.st25tv02K, uid: uid, formatted: formatted)
  }

  /// An ST25TV02K with an NDEF message.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func st25tv(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    try vicinity(.st25tv02K, uid: uid, ndef: ndef)
  }
}
