import SwiftNFCCore

/// ICODE SLIX2: 80 blocks of 4 bytes in two pages with passwords, a counter in block 79, privacy, a
/// signature of the UID, and inventory read commands.
///
/// Inventory read commands for a single addressed or selected label are not modeled. Source: data sheet
/// SL2S2602 rev. 4.2.
public struct ICODESLIX2: VirtualChip, ICODEInventoryChip {
  static let counterBlock = 79
  static let hasExtendedInventory = true
  static let model = VicinityModel(
    // This UID is one of those whose signature has been published.
    "icode-slix2", uid: [0xE0, 0x04, 0x01, 0x08, 0x2A, 0xD2, 0x8E, 0x83], blockCount: 80,
    // NXP's own capability containers exclude the counter.
    reservedBlocks: 1, features: .readMultipleBlocks,
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands, icReference: 0x01, truncatesSecurityStatus: true,
      truncatesReads: true, givesNoReasons: true, manufacturer: 0x04))

  var model: VicinityModel { Self.model }
  var core: VicinityCore
  var security: ICODESecurity
  var protection = ICODEProtection()
  /// The answer to READ SIGNATURE, which is genuine for UIDs with a published signature.
  var signature: [UInt8]

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for one with a genuine signature.
  ///   - formatted: whether it has a capability container and an empty message; if not, it is all zero,
  ///     as on delivery.
  public init(uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(Self.model.core(uid: uid, formatted: formatted))
  }

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for one with a genuine signature.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(uid: [UInt8]? = nil, ndef: some TagMessage) throws(VirtualTagError) {
    self.init(try Self.model.core(uid: uid, ndef: ndef))
  }

  private init(_ core: VicinityCore) {
    self.core = core
    signature = ICODESignature.signature(uid: core.uid)
    security = ICODESecurity(passwords: [.read, .write, .privacy, .destroy, .eas], uid: core.uid)
  }

  var isPersistentlyQuiet: Bool {
    get { protection.isQuiet }
    set { protection.isQuiet = newValue }
  }

  public mutating func powerOn() {
    if protection.isQuiet { core.state = .quiet }
  }

  // MARK: VicinityChip

  func readRefusal(_ block: Int) -> VicinityErrorCode? {
    block != Self.counterBlock && !protection.allowsRead(block, security.open) ? .unknown : nil
  }

  func writeRefusal(_ block: Int) -> VicinityErrorCode? {
    block != Self.counterBlock && !protection.allowsWrite(block, security.open) ? .unknown : nil
  }

  var frozenSettings: IrreversibleState {
    var state = security.frozenSettings
    if protection.isLocked { state.add(.configurationLock, place: 2, bits: 1) }
    if protection.needsBothPasswords { state.add(.configurationLock, place: 2, bits: 2) }
    state.add(
      .counter, place: Self.counterBlock, bytes: core.block(Self.counterBlock)?.prefix(2) ?? [])
    return state
  }

  // MARK: Counter

  /// Writes a block. In the counter block, 01 00 adds one, with the read password if byte 3 requires it.
  /// Any other value sets the counter and its protection, which requires the write password unless that
  /// is still the factory's zero (data sheet, 9.5.3.21). It is not confirmed that a factory password is
  /// not required.
  mutating func program(_ data: [UInt8], block: Int) -> VicinityAnswer {
    guard block == Self.counterBlock, let old = core.block(block) else {
      core.store(data, block: block)
      return .data([])
    }
    let isProtected = old[3] & 1 != 0
    guard data[0] == 1, data[1] == 0 else {
      let isFactoryPassword = security.passwords[.write] == ICODEPassword.write.factoryValue
      guard isFactoryPassword || security.open.contains(.write) else { return .refusal(.unknown) }
      core.store([data[0], data[1], 0, data[3] & 1], block: block)
      return .data([])
    }
    guard !isProtected || security.open.contains(.read) else { return .refusal(.unknown) }
    let count = Int(old[0]) | Int(old[1]) << 8
    guard count < 0xFFFF else { return .refusal(.unknown) }
    let sum = count + 1
    core.store([UInt8(sum & 0xFF), UInt8(sum >> 8), 0, old[3]], block: block)
    return .data([])
  }

  // MARK: Custom commands

  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer {
    switch code {
    case ICODECommand.readSignature where parameters.isEmpty:
      return .data(signature)
    case ICODECommand.getSystemInformation where parameters.isEmpty:
      return .data(protection.systemInformation(core: core, security: security))
    case ICODECommand.getBlockProtectionStatus:
      return protection.status(parameters, core: core)
    case ICODECommand.stayQuietPersistent where parameters.isEmpty:
      protection.isQuiet = true
      core.state = .quiet
      return .silence
    case ICODECommand.protectPage, ICODECommand.lockPageProtection,
      ICODECommand.protectBy64Bits:
      return protection.change(code, parameters, open: security.open)
    default:
      return security.execute(code, parameters, flags)
    }
  }
}

extension VirtualTag {
  /// Returns an ICODE SLIX2, 320 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for one with a genuine signature.
  ///   - formatted: `false` for a memory of zeros, as on delivery.
  public static func icodeSLIX2(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(ICODESLIX2(uid: uid, formatted: formatted))
  }

  /// Returns an ICODE SLIX2 with an NDEF message of up to 308 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func icodeSLIX2(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ICODESLIX2(uid: uid, ndef: ndef))
  }
}
