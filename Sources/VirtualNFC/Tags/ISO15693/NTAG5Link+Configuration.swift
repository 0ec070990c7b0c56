import SwiftNFCCore

/// READ CONFIG and WRITE CONFIG with the access conditions of their blocks (data sheet NTP53x2 rev. 3.3, 8.1.3 and
/// 8.2.3.2).
extension NTAG5Link {
  private typealias Block = NTAG5ConfigurationMemory.Block

  mutating func readConfiguration(_ parameters: [UInt8]) -> VicinityAnswer {
    guard parameters.count == 2 else { return .refusal(.unknown) }
    let first = Int(parameters[0])
    let blocks = first..<(first + Int(parameters[1]) + 1)
    guard blocks.upperBound <= NTAG5ConfigurationMemory.blockCount,
      blocks.allSatisfy({ isReadable($0) }), isOneKeyOrNone(blocks)
    else { return .refusal(.unknown) }
    return .data(blocks.flatMap { shown($0) })
  }

  /// A key is read only by itself.
  private func isOneKeyOrNone(_ blocks: Range<Int>) -> Bool {
    guard loaded.usesKeys else { return true }
    let keys = Set(blocks.map { NTAG5ConfigurationMemory.keyNumber($0) })
    return keys.count == 1
  }

  /// Reserved blocks are zeros.
  private func shown(_ block: Int) -> [UInt8] {
    guard NTAG5ConfigurationMemory.section(block, usesKeys: loaded.usesKeys) != nil else {
      return [0, 0, 0, 0]
    }
    switch block {
    case Block.afi: return [core.afi, 0, 0, 0]
    case Block.dsfid: return [core.dsfid, 0, 0, 0]
    case Block.easIdentifier: return security.easIdentifier + [0, 0]
    default: return configuration[block]
    }
  }

  private func isReadable(_ block: Int) -> Bool {
    guard let section = NTAG5ConfigurationMemory.section(block, usesKeys: loaded.usesKeys) else {
      return true
    }
    if configuration.isSectionHidden(section) { return false }
    if Block.protectable.contains(block), configuration[Block.security][1] & 0x01 != 0 {
      return open.contains(.read)
    }
    if !loaded.usesKeys, Block.passwords.contains(block) {
      return configuration.globalHeader != NTAG5ConfigurationMemory.locked
    }
    guard let key = NTAG5ConfigurationMemory.keyNumber(block), loaded.usesKeys else { return true }
    return isOpenForChanges(key)
  }

  /// Whether a key is neither active nor disabled, nor all keys are locked.
  private func isOpenForChanges(_ key: Int) -> Bool {
    configuration.keyHeader(key) == NTAG5ConfigurationMemory.writable
      && configuration.globalHeader != NTAG5ConfigurationMemory.locked
  }

  mutating func writeConfiguration(_ parameters: [UInt8]) -> VicinityAnswer {
    guard parameters.count == 5 else { return .refusal(.unknown) }
    let block = Int(parameters[0])
    let data = Array(parameters.dropFirst())
    guard let section = NTAG5ConfigurationMemory.section(block, usesKeys: loaded.usesKeys),
      !configuration.isSectionLocked(section), isWritable(block), isValid(data, for: block)
    else { return .refusal(.unknown) }
    store(data, in: block)
    return .data([])
  }

  private mutating func store(_ data: [UInt8], in block: Int) {
    switch block {
    case Block.afi: core.afi = data[0]
    case Block.dsfid: core.dsfid = data[0]
    case Block.easIdentifier: security.writeIdentifier(Array(data.prefix(2)))
    case Block.customerID: configuration[block] = [data[0], data[1] | 0xC0, 0, 0]
    default: configuration[block] = data
    }
  }

  private func isWritable(_ block: Int) -> Bool {
    if Block.protectable.contains(block), configuration[Block.security][1] & 0x02 != 0,
      !open.contains(.write)
    {
      return false
    }
    let isAllLocked = configuration.globalHeader == NTAG5ConfigurationMemory.locked
    switch block {
    case Block.signature, Block.header, Block.customerID:
      return configuration[Block.header][0] != NTAG5ConfigurationMemory.locked
    case Block.globalHeader: return !isAllLocked
    case Block.cryptoHeader:
      return configuration[block][1] != NTAG5ConfigurationMemory.locked || mayConfigureCrypto
    case Block.authenticationLimit:
      let isOpen =
        configuration[Block.cryptoHeader][1] != NTAG5ConfigurationMemory.locked && !isAllLocked
      return isOpen || mayConfigureCrypto
    case Block.keyHeaders:
      return isKeyBlockWritable(block)
    case Block.keys where loaded.usesKeys:
      return NTAG5ConfigurationMemory.keyNumber(block).map(isOpenForChanges) ?? false
    case Block.passwords:
      let password = NTAG5ConfigurationMemory.passwords[block - Block.passwords.lowerBound]
      return !isAllLocked && !security.lockedPasswords.contains(password)
    case Block.security: return !configuration.isSecurityLocked
    case Block.afi: return !core.isAFILocked && afiRefusal() == nil
    case Block.dsfid: return !core.isDSFIDLocked
    case Block.easIdentifier: return !security.isEASLocked
    case Block.protection: return mayDivide
    default: return true
    }
  }

  /// A header, or the privileges after it.
  private func isKeyBlockWritable(_ block: Int) -> Bool {
    let key = (block - Block.keyHeaders.lowerBound) / 2
    guard isOpenForChanges(key) else { return false }
    return block == NTAG5ConfigurationMemory.headerBlock(key)
      || !NTAG5ConfigurationMemory.privilegeLocks.contains(configuration.globalHeader)
  }

  /// Whether a block may have a value. Headers only rise; that no bit of them is cleared is the stricter reading.
  private func isValid(_ data: [UInt8], for block: Int) -> Bool {
    func rises(_ new: UInt8, from old: UInt8, among values: [UInt8]) -> Bool {
      values.contains(new) && new & old == old
    }
    let old = configuration[block]
    let values = [NTAG5ConfigurationMemory.writable, NTAG5ConfigurationMemory.locked]
    switch block {
    case Block.header: return rises(data[0], from: old[0], among: values)
    case Block.globalHeader:
      return rises(
        data[1], from: old[1],
        among: loaded.usesKeys ? NTAG5ConfigurationMemory.globalValues : values)
    case Block.cryptoHeader: return values.contains(data[1])
    case Block.keyHeaders where block % 2 == 0:
      return rises(data[1], from: old[1], among: values + [NTAG5ConfigurationMemory.disabled])
    case Block.security:
      return [0xA5, 0xA2, 0x45, 0x42].contains(data[0])
    default: return true
    }
  }

  /// Whether a reader has what changing the limit requires where that is locked (table 20).
  private var mayConfigureCrypto: Bool {
    if loaded.usesKeys { return activePrivileges & Privilege.cryptoConfiguration != 0 }
    return open.isSuperset(of: needsBothPasswords ? [.read, .write] : [.write])
  }
}

/// The protection of the user memory (8.2.3.3.6 and 8.6.2), and the counter in its last block (8.1.2.1).
extension NTAG5Link {
  /// The bits of the key privileges (table 25).
  enum Privilege {
    static let read: UInt8 = 0x01
    static let write: UInt8 = 0x02
    static let privacy: UInt8 = 0x04
    static let destroy: UInt8 = 0x08
    static let eas: UInt8 = 0x10
    static let cryptoConfiguration: UInt8 = 0x20
    static let areaRead: UInt8 = 0x40
    static let areaWrite: UInt8 = 0x80
  }

  /// The privileges of the key that a reader has proved, as long as the chip is selected.
  var activePrivileges: UInt8 {
    guard let authenticatedKey, core.state == .selected else { return 0 }
    return loaded.privileges(authenticatedKey)
  }

  /// What the reader has proved, as the passwords that would allow the same.
  var open: Set<ICODEPassword> {
    guard loaded.usesKeys else { return security.open }
    let pairs: [(UInt8, ICODEPassword)] = [
      (Privilege.read, .read), (Privilege.write, .write), (Privilege.eas, .eas),
      (Privilege.areaRead, .areaRead), (Privilege.areaWrite, .areaWrite),
    ]
    return Set(pairs.filter { activePrivileges & $0.0 != 0 }.map(\.1))
  }

  /// Whether the protection of the memory is in force: always with passwords, and with keys from a value of the
  /// global header on (table 18).
  var isProtecting: Bool {
    !loaded.usesKeys || NTAG5ConfigurationMemory.protectingValues.contains(loaded.globalHeader)
  }

  var counterBlock: Int { core.blockCount - 1 }

  func readRefusal(_ block: Int) -> VicinityErrorCode? {
    allows(block, isWriting: false) ? nil : .unknown
  }

  func writeRefusal(_ block: Int) -> VicinityErrorCode? {
    allows(block, isWriting: true) ? nil : .unknown
  }

  func lockRefusal(_ block: Int) -> VicinityErrorCode? { block == counterBlock ? .unknown : nil }

  private func allows(_ block: Int, isWriting: Bool) -> Bool {
    guard block != counterBlock, isProtecting else { return true }
    if block >= loaded.areaPointer {
      return open.contains(isWriting ? .areaWrite : .areaRead)
    }
    let stored = configuration[NTAG5ConfigurationMemory.Block.protection]
    let bits = (block < Int(stored[0]) ? stored[1] : stored[1] >> 4) & 0x03
    return open.isSuperset(of: needed(bits, isWriting: isWriting))
  }

  /// Returns what an access requires (tables 140 and 141).
  private func needed(_ bits: UInt8, isWriting: Bool) -> Set<ICODEPassword> {
    let (ofRead, ofWrite) = (bits & 1 != 0, bits & 2 != 0)
    guard ofRead || (ofWrite && isWriting) else { return [] }
    if needsBothPasswords { return [.read, .write] }
    var needed: Set<ICODEPassword> = []
    if ofRead { needed.insert(.read) }
    // With keys, both privileges are required even for reading.
    if ofWrite, isWriting || loaded.usesKeys { needed.insert(.write) }
    return needed
  }

  /// Whether the division of the memory may be changed.
  var mayDivide: Bool {
    guard !isProtectionLocked else { return false }
    if loaded.usesKeys, !isProtecting { return true }
    return open.isSuperset(of: [.read, .write])
  }

  mutating func protect(_ code: UInt8, _ parameters: [UInt8]) -> VicinityAnswer {
    let block = NTAG5ConfigurationMemory.Block.protection
    guard mayDivide else { return .refusal(.unknown) }
    if code == ICODECommand.lockPageProtection {
      guard parameters == [configuration[block][0]] else { return .refusal(.unknown) }
      isProtectionLocked = true
      return .data([])
    }
    guard parameters.count == 2, parameters[1] & 0xCC == 0 else { return .refusal(.unknown) }
    configuration[block] = parameters + [0, 0]
    return .data([])
  }

  /// Writes a block. In the counter block, 01 00 adds one; other values set it, with the write password or the
  /// privilege.
  mutating func program(_ data: [UInt8], block: Int) -> VicinityAnswer {
    guard block == counterBlock, let old = core.block(block) else {
      core.store(data, block: block)
      return .data([])
    }
    guard data[0] == 1, data[1] == 0 else {
      guard open.contains(.write) else { return .refusal(.unknown) }
      core.store([data[0], data[1], 0, data[3] & 1], block: block)
      return .data([])
    }
    let count = Int(old[0]) | Int(old[1]) << 8
    guard old[3] & 1 == 0 || open.contains(.read), count < 0xFFFF else {
      return .refusal(.unknown)
    }
    core.store([UInt8((count + 1) & 0xFF), UInt8((count + 1) >> 8), 0, old[3]], block: block)
    return .data([])
  }
}
