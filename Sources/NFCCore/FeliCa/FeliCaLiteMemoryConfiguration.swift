/// MC, the memory configuration block of FeliCa Lite and Lite-S: FeliCa Lite User's Manual; FeliCa Lite-S
/// User's Manual, 7.3.8.
///
/// Permissions can only be removed and restrictions only added; a change takes effect at the next
/// power-up. Sets contain the numbers of the blocks S_PAD0 to S_PAD13 (0 to 13) and REG (14).
public struct FeliCaLiteMemoryConfiguration: Hashable, Sendable {
  /// S_PAD0 to S_PAD13 and REG.
  public static let blocks = 0...14

  private enum Offset {
    /// MC_SP_REG_ALL_RW: a bit for each of S_PAD0 to REG, from the low one; 1 for read and write.
    static let readWrite = 0
    /// MC_ALL.
    static let all = 2
    /// SYS_OP.
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
  }

  private static let unlocked: UInt8 = 0xFF
  private static let flag: UInt8 = 0x01
  /// In MC_SP_REG_ALL_RW: the field itself and the restrictions.
  private static let ownBit = 15

  /// The content of the block.
  public private(set) var bytes: [UInt8]

  /// Creates a configuration; `nil` if there are not 16 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == FeliCaBlock.size else { return nil }
    self.bytes = bytes
  }

  /// Blocks that can be written; the others are read only.
  public var writableBlocks: Set<Int> {
    get { set(at: Offset.readWrite) }
    set { change(Offset.readWrite, to: newValue) }
  }
  /// Whether ``writableBlocks`` and the restrictions can still be changed.
  public var restrictionsAreWritable: Bool {
    get { bit(Self.ownBit, at: Offset.readWrite) }
    set { setBit(Self.ownBit, at: Offset.readWrite, to: newValue) }
  }
  /// MC_ALL: whether ID, SER_C, CKV, CK and the options can still be written without a MAC.
  public var systemBlocksAreWritable: Bool {
    get { bytes[Offset.all] == Self.unlocked }
    set { bytes[Offset.all] = newValue ? Self.unlocked : 0x00 }
  }
  /// SYS_OP: whether the card presents itself as an NDEF tag.
  public var supportsNDEF: Bool {
    get { bytes[Offset.systemOption] & Self.flag != 0 }
    set { setBit(0, at: Offset.systemOption, to: newValue) }
  }
  /// Lite-S: CK and CKV can be written with MAC_A even when the system blocks are closed.
  public var keyIsWritableWithMAC: Bool {
    get { bytes[Offset.keyWriteMAC] & Self.flag != 0 }
    set { setBit(0, at: Offset.keyWriteMAC, to: newValue) }
  }
  /// Lite-S: blocks that can be read only after mutual authentication.
  public var readRestrictedBlocks: Set<Int> {
    get { set(at: Offset.readRestriction) }
    set { change(Offset.readRestriction, to: newValue) }
  }
  /// Lite-S: blocks that can be written only after mutual authentication.
  public var writeRestrictedBlocks: Set<Int> {
    get { set(at: Offset.writeRestriction) }
    set { change(Offset.writeRestriction, to: newValue) }
  }
  /// Lite-S: blocks that can be written only with MAC_A.
  public var blocksWrittenWithMAC: Set<Int> {
    get { set(at: Offset.writeMAC) }
    set { change(Offset.writeMAC, to: newValue) }
  }
  /// Lite-S: whether STATE can be written only with MAC_A.
  public var stateIsWrittenWithMAC: Bool {
    get { bytes[Offset.stateWriteMAC] & Self.flag != 0 }
    set { setBit(0, at: Offset.stateWriteMAC, to: newValue) }
  }

  /// Returns the blocks that anyone can write. Only Lite-S has the restrictions; in Lite, their
  /// bytes have no meaning.
  func openBlocks(_ generation: FeliCaLiteGeneration) -> Set<Int> {
    switch generation {
    case .lite: writableBlocks
    case .liteS:
      writableBlocks.subtracting(writeRestrictedBlocks).subtracting(blocksWrittenWithMAC)
    }
  }

  private func bit(_ index: Int, at offset: Int) -> Bool {
    bytes[offset + index / 8] >> UInt8(index % 8) & 1 != 0
  }

  private mutating func setBit(_ index: Int, at offset: Int, to value: Bool) {
    let mask: UInt8 = 1 << UInt8(index % 8)
    if value { bytes[offset + index / 8] |= mask } else { bytes[offset + index / 8] &= ~mask }
  }

  private func set(at offset: Int) -> Set<Int> {
    Set(Self.blocks.filter { bit($0, at: offset) })
  }

  private mutating func change(_ offset: Int, to blocks: Set<Int>) {
    for block in Self.blocks { setBit(block, at: offset, to: blocks.contains(block)) }
  }
}

extension FeliCaLiteMemoryConfiguration {
  /// Returns the irreversible effects of writing this over another configuration.
  public func irreversibleEffects(
    on old: FeliCaLiteMemoryConfiguration
  ) -> Set<IrreversibleEffect> {
    var effects: Set<IrreversibleEffect> = []
    func insert(_ blocks: Set<Int>, _ effect: IrreversibleEffect) {
      if !blocks.isEmpty { effects.insert(effect) }
    }
    insert(old.writableBlocks.subtracting(writableBlocks), .locksMemory)
    insert(readRestrictedBlocks.subtracting(old.readRestrictedBlocks), .restrictsReading)
    insert(writeRestrictedBlocks.subtracting(old.writeRestrictedBlocks), .restrictsWriting)
    insert(blocksWrittenWithMAC.subtracting(old.blocksWrittenWithMAC), .requiresCodes)
    if stateIsWrittenWithMAC, !old.stateIsWrittenWithMAC { effects.insert(.requiresCodes) }
    if !restrictionsAreWritable, old.restrictionsAreWritable { effects.insert(.locksConfiguration) }
    if !systemBlocksAreWritable, old.systemBlocksAreWritable {
      effects.insert(.closesSystemBlocks)
    }
    return effects
  }
}
