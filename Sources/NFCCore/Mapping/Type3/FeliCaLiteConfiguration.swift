/// MC, the memory configuration block of FeliCa Lite and Lite-S: FeliCa Lite User's Manual; FeliCa
/// Lite-S User's Manual, 7.3.8.
///
/// A change counts from the next power-up.
struct FeliCaLiteConfiguration: Hashable, Sendable {
  /// MC's block number.
  static let blockNumber = 0x88
  /// S_PAD0 to S_PAD13.
  static let scratchPads = 0...13
  /// What one command reads.
  static let maximumBlocksRead: UInt8 = 4
  /// What one command writes; a second block could only be MAC_A.
  static let maximumBlocksWritten: UInt8 = 1
  /// The system code of the card, besides 12FC.
  static let systemCode: [UInt8] = [0x88, 0xB4]

  private enum Offset {
    /// MC_SP_REG_ALL_RW: a bit for each of S_PAD0 to REG, from the low one; 1 for read and write.
    static let readWrite = 0
    /// MC_ALL: FF while the options can be written.
    static let all = 2
    /// SYS_OP: bit 1 set where the card answers as NDEF tag, to Polling with 12FC.
    static let systemOption = 3
    /// MC_SP_REG_W_RESTR, Lite-S: a bit for each block that is written after authentication only.
    static let writeRestriction = 8
    /// MC_SP_REG_W_MAC_A, Lite-S: a bit for each block that is written with MAC_A only.
    static let writeMAC = 10
  }

  private static let unlocked: UInt8 = 0xFF
  private static let supportsNDEF: UInt8 = 0x01
  /// In MC_SP_REG_ALL_RW: whether that field itself can be written.
  private static let ownBit = 15

  private(set) var bytes: [UInt8]
  /// Lite-S: blocks can be closed to all who do not authenticate. In Lite those bytes say nothing.
  private let hasRestrictions: Bool

  /// `nil` if there are not 16 bytes.
  init?(_ bytes: [UInt8], hasRestrictions: Bool = true) {
    guard bytes.count == FeliCaBlock.size else { return nil }
    self.bytes = bytes
    self.hasRestrictions = hasRestrictions
  }

  var isNDEF: Bool { bytes[Offset.systemOption] & Self.supportsNDEF != 0 }

  /// Whether SYS_OP can still be changed.
  var optionsAreWritable: Bool { bytes[Offset.all] == Self.unlocked }

  /// Whether blocks can still be locked.
  var locksAreWritable: Bool { bit(Self.ownBit, at: Offset.readWrite) }

  /// Whether everybody may write a scratch pad.
  func isWritable(_ block: Int) -> Bool {
    let isRestricted = bit(block, at: Offset.writeRestriction) || bit(block, at: Offset.writeMAC)
    return bit(block, at: Offset.readWrite) && !(hasRestrictions && isRestricted)
  }

  /// With SYS_OP set, and nothing else changed.
  var supportingNDEF: FeliCaLiteConfiguration {
    var result = self
    result.bytes[Offset.systemOption] |= Self.supportsNDEF
    return result
  }

  /// With the bits of all scratch pads taken away; REG and the field's own bit stay as they are.
  var lockingScratchPads: FeliCaLiteConfiguration {
    var result = self
    for block in Self.scratchPads {
      result.bytes[Offset.readWrite + block / 8] &= ~(1 << UInt8(block % 8))
    }
    return result
  }

  private func bit(_ index: Int, at offset: Int) -> Bool {
    (0...Self.ownBit).contains(index) && bytes[offset + index / 8] >> UInt8(index % 8) & 1 != 0
  }
}
