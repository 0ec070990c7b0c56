/// The commands and blocks of FeliCa Lite or Lite-S.
package enum FeliCaLiteGeneration: Hashable, Sendable {
  case lite
  case liteS
}

/// The block numbers of FeliCa Lite and Lite-S, and the limits of one command (FeliCa Lite-S User's
/// Manual, 3.1).
package enum FeliCaLiteLayout {
  /// S_PAD0 to S_PAD13.
  package static let scratchPads = 0...13
  /// REG, whose numbers can only be decreased (the users' manuals; SATO, CL4NX/CL6NX programming reference, parameters
  /// rga and rgb).
  package static let subtractionRegister: UInt8 = 0x0E
  package static let randomChallenge: UInt8 = 0x80
  package static let mac: UInt8 = 0x81
  package static let id: UInt8 = 0x82
  package static let cardKeyVersion: UInt8 = 0x86
  package static let cardKey: UInt8 = 0x87
  package static let memoryConfiguration: UInt8 = 0x88
  /// Lite-S.
  package static let writeCounter: UInt8 = 0x90
  package static let macA: UInt8 = 0x91
  package static let state: UInt8 = 0x92

  /// RC and CK, which read as zeros, if at all.
  package static let hiddenBlocks = [randomChallenge, cardKey]

  /// The card's own; with SYS_OP it answers to that of NDEF too.
  package static let systemCode: UInt16 = 0x88B4
  package static let readService: UInt16 = 0x000B
  package static let writeService: UInt16 = 0x0009
  /// In one command, MAC counted.
  package static let maximumBlocksRead = 4
  /// In one command; a second block could only be MAC_A.
  package static let maximumBlocksWritten = 1
}
