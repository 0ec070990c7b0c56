import SwiftNFCCore

/// ICODE SLIX-S: 40 blocks of 4 bytes in ten pages, each with its own protection; article surveillance,
/// privacy and destruction, with five passwords.
///
/// SLI-S is this chip, too: it has the same commands. Blocks are read one at a time, and written only without the
/// option flag, to which a real SLI-S answers 01 0F at once (proxmark.org, forum, topic 7683). Inventories that read
/// pages are not modelled, and neither are the EPC and its commands. Sources: data sheets SL2S5302_SL2S5402 rev. 3.2,
/// 8.4.3, and SL2 ICS53/ICS54 rev. 3.0, 8.1.2, 8.1.3 and 8.4, whose commands are the same.
public struct ICODESLIXS: VirtualChip, ICODEChip {
  static let model = VicinityModel(
    // Product 02; bits 36 and 35 are 10.
    "icode-slix-s", uid: [0xE0, 0x04, 0x02, 0x50, 0x5A, 0x0E, 0xC3, 0x71], blockCount: 40,
    profile: VicinityProfile(
      commands: VicinityProfile.basicCommands, refusesWriteOption: true, icReference: 0x02,
      truncatesReads: true, givesNoReasons: true, manufacturer: 0x04))

  let model: VicinityModel
  var core: VicinityCore
  var security: ICODESecurity
  var pages = ICODEPageProtection()

  /// Whether GET MULTIPLE BLOCK PROTECTION STATUS takes the number of blocks, and not one less as the standard's
  /// commands do. The data sheet does not say, and two makers' manuals of readers give the number.
  public var takesNumberOfBlocks = false

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: whether it has a capability container and an empty message; if not, it is all zero,
  ///     as on delivery.
  public init(uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(Self.model, uid: uid, formatted: formatted)
  }

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(uid: [UInt8]? = nil, ndef: some TagMessage) throws(VirtualTagError) {
    try self.init(Self.model, uid: uid, ndef: ndef)
  }

  init(_ model: VicinityModel, uid: [UInt8]?, formatted: Bool = true) {
    self.init(model, model.core(uid: uid, formatted: formatted))
  }

  init(
    _ model: VicinityModel, uid: [UInt8]?, ndef: some TagMessage
  ) throws(VirtualTagError) {
    self.init(model, try model.core(uid: uid, ndef: ndef))
  }

  private init(_ model: VicinityModel, _ core: VicinityCore) {
    self.model = model
    self.core = core
    security = ICODESecurity(passwords: [.read, .write, .privacy, .destroy, .eas], uid: core.uid)
  }

  // MARK: VicinityChip

  func readRefusal(_ block: Int) -> VicinityErrorCode? {
    pages.allowsRead(block, security.open) ? nil : .unknown
  }

  func writeRefusal(_ block: Int) -> VicinityErrorCode? {
    pages.allowsWrite(block, security.open) ? nil : .unknown
  }

  var frozenSettings: IrreversibleState {
    var state = security.frozenSettings
    state.add(.configurationLock, place: 2, bits: pages.lockedBits)
    if pages.needsBothPasswords { state.add(.configurationLock, place: 3) }
    return state
  }

  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer {
    switch code {
    case ICODECommand.protectPage, ICODECommand.lockPageProtection, ICODECommand.protectBy64Bits:
      pages.change(code, parameters, open: security.open)
    case ICODECommand.getBlockProtectionStatus:
      pages.status(parameters, takesNumber: takesNumberOfBlocks, core: core)
    default: security.execute(code, parameters, flags)
    }
  }
}

/// The protection of each page of an ICODE SLIX-S (SL2 ICS53/ICS54 data sheet rev. 3.0, 8.1.3.6 to 8.1.3.8 and
/// table 24).
struct ICODEPageProtection: Hashable, Sendable {
  /// The protection status of each page.
  private var conditions = [Condition](repeating: [], count: pageCount)
  private var isLocked = [Bool](repeating: false, count: pageCount)
  private(set) var needsBothPasswords = false

  private static let pageCount = 10
  private static let blocksPerPage = 4

  /// What a page requires. With both bits, reading requires the read password, and writing the write
  /// password.
  private struct Condition: OptionSet, Hashable {
    let rawValue: UInt8

    static let read = Condition(rawValue: 0x01)
    static let write = Condition(rawValue: 0x10)
    static let all: Condition = [.read, .write]
  }

  /// The pages whose protection can never be changed, one bit each.
  var lockedBits: UInt64 {
    isLocked.enumerated().reduce(0) { $0 | ($1.element ? 1 << UInt64($1.offset) : 0) }
  }

  private func condition(ofBlock block: Int) -> Condition {
    let page = block / Self.blocksPerPage
    return conditions.indices.contains(page) ? conditions[page] : []
  }

  private func isOpen(_ password: ICODEPassword, _ open: Set<ICODEPassword>) -> Bool {
    needsBothPasswords ? open.isSuperset(of: [.read, .write]) : open.contains(password)
  }

  func allowsRead(_ block: Int, _ open: Set<ICODEPassword>) -> Bool {
    !condition(ofBlock: block).contains(.read) || isOpen(.read, open)
  }

  func allowsWrite(_ block: Int, _ open: Set<ICODEPassword>) -> Bool {
    let condition = condition(ofBlock: block)
    if condition.contains(.write) { return isOpen(.write, open) }
    return !condition.contains(.read) || isOpen(.read, open)
  }

  /// Returns whether the passwords were sent that the protection of a page requires. A public page
  /// requires none.
  private func allowsChange(ofPage page: Int, _ open: Set<ICODEPassword>) -> Bool {
    (!conditions[page].contains(.read) || open.contains(.read))
      && (!conditions[page].contains(.write) || open.contains(.write))
  }

  mutating func change(
    _ code: UInt8, _ parameters: [UInt8], open: Set<ICODEPassword>
  ) -> VicinityAnswer {
    if code == ICODECommand.protectBy64Bits {
      guard parameters.isEmpty else { return .refusal(.commandNotRecognized) }
      guard open.isSuperset(of: [.read, .write]) else { return .refusal(.unknown) }
      needsBothPasswords = true
      return .data([])
    }
    guard let first = parameters.first.map(Int.init), conditions.indices.contains(first),
      parameters.count == (code == ICODECommand.protectPage ? 2 : 1)
    else { return .refusal(.commandNotRecognized) }
    guard allowsChange(ofPage: first, open) else { return .refusal(.unknown) }
    guard !isLocked[first] else { return .refusal(.locked) }
    guard code == ICODECommand.protectPage else {
      isLocked[first] = true
      return .data([])
    }
    let condition = Condition(rawValue: parameters[1])
    guard condition.isSubset(of: .all) else { return .refusal(.commandNotRecognized) }
    conditions[first] = condition
    return .data([])
  }

  /// Returns one byte for each block: its lock, the passwords of its page, and the lock of its page. What
  /// lies beyond the last block is left out.
  func status(
    _ parameters: [UInt8], takesNumber: Bool, core: VicinityCore
  ) -> VicinityAnswer {
    guard parameters.count == 2 else { return .refusal(.commandNotRecognized) }
    let first = Int(parameters[0])
    let end = min(first + Int(parameters[1]) + (takesNumber ? 0 : 1), core.blockCount)
    guard first < end else { return .refusal(.blockNotAvailable) }
    return .data(
      (first..<end).map { block in
        let condition = condition(ofBlock: block)
        var bits: UInt8 = core.locked[block] ? 0x01 : 0
        if condition.contains(.read) { bits |= 0x02 }
        if condition.contains(.write) { bits |= 0x04 }
        if isLocked[block / Self.blocksPerPage] { bits |= 0x08 }
        return bits
      })
  }
}

extension VirtualTag {
  /// Returns an ICODE SLIX-S, 160 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for the chip's own.
  ///   - formatted: `false` for a memory of zeros, as on delivery.
  public static func icodeSLIXS(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(ICODESLIXS(uid: uid, formatted: formatted))
  }

  /// Returns an ICODE SLIX-S with an NDEF message of up to 150 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func icodeSLIXS(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ICODESLIXS(uid: uid, ndef: ndef))
  }
}
