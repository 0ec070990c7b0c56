/// FeliCa Lite or Lite-S.
enum FeliCaLiteGeneration: Hashable, Sendable {
  case lite
  case liteS

  /// By the IC type in PMm; `nil` for other cards (FeliCa Lite-S User's Manual, 2.3).
  init?(pmm: [UInt8]) {
    switch pmm.dropFirst().first {
    case 0xF0: self = .lite
    case 0xF1, 0xF2: self = .liteS
    default: return nil
    }
  }
}

/// The block numbers of FeliCa Lite and Lite-S, and the limits of one command (FeliCa Lite-S User's
/// Manual, 3.1).
enum FeliCaLiteLayout {
  /// S_PAD0 to S_PAD13.
  static let scratchPads = 0...13
  static let randomChallenge: UInt8 = 0x80
  static let mac: UInt8 = 0x81
  static let id: UInt8 = 0x82
  static let cardKeyVersion: UInt8 = 0x86
  static let cardKey: UInt8 = 0x87
  static let memoryConfiguration: UInt8 = 0x88
  /// Lite-S.
  static let writeCounter: UInt8 = 0x90
  static let macA: UInt8 = 0x91
  static let state: UInt8 = 0x92

  /// The card's own; with SYS_OP it answers to that of NDEF too.
  static let systemCode: UInt16 = 0x88B4
  static let readService: UInt16 = 0x000B
  static let writeService: UInt16 = 0x0009
  /// In one command, MAC counted.
  static let maximumBlocksRead = 4
  /// In one command; a second block could only be MAC_A.
  static let maximumBlocksWritten = 1
}
