extension VicinityModel {
  /// The properties of M24LR64-R that a reader must support: two-byte block numbers with the protocol
  /// extension flag in ordinary commands, 32 blocks per read (data sheet, 26). It has no name for `nfc
  /// --virtual`, because the sectors with their passwords are missing.
  package static let m24lr64 = VicinityModel(
    "m24lr", uid: [0xE0, 0x02, 0x2C, 0x00, 0x11, 0x22, 0x33, 0x44], blockCount: 2048,
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands, readLimit: 32, requiresProtocolExtension: true,
      icReference: 0x2C, manufacturer: 0x02))
}
