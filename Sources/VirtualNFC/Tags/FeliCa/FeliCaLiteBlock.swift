/// Block numbers of FeliCa Lite and Lite-S (FeliCa Lite-S User's Manual).
enum FeliCaLiteBlock {
  /// S_PAD0 to S_PAD13, the user blocks.
  static let scratchPads: ClosedRange<UInt8> = 0x00...0x0D
  /// The subtraction register.
  static let register: UInt8 = 0x0E
  /// S_PAD0 to REG, the blocks for which MC has one bit each.
  static let userBlocks: ClosedRange<UInt8> = 0x00...0x0E
  /// The random challenge, which cannot be read.
  static let randomChallenge: UInt8 = 0x80
  static let mac: UInt8 = 0x81
  /// The IDm, followed by data of the issuer.
  static let id: UInt8 = 0x82
  /// The IDm and the PMm.
  static let deviceID: UInt8 = 0x83
  static let serviceCode: UInt8 = 0x84
  static let systemCode: UInt8 = 0x85
  static let cardKeyVersion: UInt8 = 0x86
  /// The card key, which cannot be read.
  static let cardKey: UInt8 = 0x87
  static let memoryConfiguration: UInt8 = 0x88
  /// Lite-S: the number of writes.
  static let writeCounter: UInt8 = 0x90
  /// Lite-S: the MAC.
  static let macA: UInt8 = 0x91
  /// Lite-S: external authentication.
  static let state: UInt8 = 0x92
  /// Lite-S: the result of the card's memory check.
  static let crcCheck: UInt8 = 0xA0

  /// Blocks in non-volatile memory, in the order of a dump.
  static let stored: [UInt8] =
    Array(userBlocks) + [id, deviceID, serviceCode, systemCode, cardKeyVersion, cardKey]
    + [memoryConfiguration]
}

/// MC, the memory configuration block (FeliCa Lite-S User's Manual).
struct FeliCaLiteConfiguration: Hashable, Sendable {
  /// The offsets in the block.
  private enum Offset {
    /// MC_SP_REG_ALL_RW: one bit for each of S_PAD0 to REG, 1 for read and write. The last bit applies to
    /// this field itself and to the restrictions.
    static let allReadWrite = 0
    /// MC_ALL: FF until the first issuance is finished.
    static let all = 2
    /// SYS_OP: 01 if the tag answers as an NDEF tag.
    static let systemOption = 3
    /// MC_CKCKV_W_MAC_A.
    static let keyWriteMAC = 5
    /// MC_SP_REG_R_RESTR.
    static let readRestriction = 6
    /// MC_SP_REG_W_RESTR.
    static let writeRestriction = 8
    /// MC_SP_REG_W_MAC_A.
    static let writeMAC = 10
    /// MC_STATE_W_MAC_A.
    static let stateWriteMAC = 12
    static let reserved = 13
  }

  private static let unlocked: UInt8 = 0xFF
  private static let bitOfItself: UInt8 = 15

  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = Array(bytes.prefix(FeliCaBlockAccess.blockSize))
    while self.bytes.count < FeliCaBlockAccess.blockSize { self.bytes.append(0) }
  }

  /// Returns the block on delivery. The last byte is RF_PRM, which is always 07.
  static func blank(isNDEF: Bool) -> FeliCaLiteConfiguration {
    FeliCaLiteConfiguration([0xFF, 0xFF, unlocked, isNDEF ? 0x01 : 0x00, 0x07])
  }

  var isNDEF: Bool { bytes[Offset.systemOption] & 0x01 != 0 }
  /// Whether ID, SER_C, CKV, CK and the options can still be written.
  var systemBlocksAreWritable: Bool { bytes[Offset.all] == Self.unlocked }
  var restrictionsAreWritable: Bool { bit(Self.bitOfItself, at: Offset.allReadWrite) }
  var keyWriteNeedsMAC: Bool { bytes[Offset.keyWriteMAC] & 0x01 != 0 }
  var stateWriteNeedsMAC: Bool { bytes[Offset.stateWriteMAC] & 0x01 != 0 }

  func isWritable(_ userBlock: UInt8) -> Bool { bit(userBlock, at: Offset.allReadWrite) }
  func readNeedsAuthentication(_ userBlock: UInt8) -> Bool {
    bit(userBlock, at: Offset.readRestriction)
  }
  func writeNeedsAuthentication(_ userBlock: UInt8) -> Bool {
    bit(userBlock, at: Offset.writeRestriction)
  }
  func writeNeedsMAC(_ userBlock: UInt8) -> Bool { bit(userBlock, at: Offset.writeMAC) }

  /// Returns the irreversible state: removed permissions (bits 0 to 15), issuance (bit 16), and permanent
  /// restrictions (from bit 17 on, one bit for each of their bytes that is not zero).
  func irreversibleState(place: Int) -> IrreversibleState {
    var bits = UInt64(~bytes[0]) | UInt64(~bytes[1]) << 8
    if !systemBlocksAreWritable { bits |= 1 << 16 }
    for (index, byte) in bytes[Offset.readRestriction..<Offset.reserved].enumerated()
    where byte != 0 {
      bits |= 1 << UInt64(17 + index)
    }
    var state = IrreversibleState()
    state.add(.memoryConfiguration, place: place, bits: bits)
    return state
  }

  private func bit(_ index: UInt8, at offset: Int) -> Bool {
    bytes[offset + Int(index / 8)] >> (index % 8) & 1 != 0
  }

  /// Returns the block after a write: permissions can only be removed, restrictions only added, and
  /// locked fields do not change.
  func updated(with data: [UInt8], isLiteS: Bool) -> FeliCaLiteConfiguration {
    var result = bytes
    for (offset, value) in data.prefix(FeliCaBlockAccess.blockSize).enumerated() {
      switch offset {
      case Offset.allReadWrite..<Offset.all:
        if restrictionsAreWritable { result[offset] &= value }
      case Offset.all..<Offset.keyWriteMAC:
        if systemBlocksAreWritable { result[offset] = value }
      case Offset.keyWriteMAC:
        if systemBlocksAreWritable, isLiteS { result[offset] = value }
      case Offset.readRestriction..<Offset.reserved:
        if restrictionsAreWritable, isLiteS { result[offset] |= value }
      default: break
      }
    }
    return FeliCaLiteConfiguration(result)
  }
}
