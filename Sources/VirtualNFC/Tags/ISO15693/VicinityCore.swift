import NFCCore

/// What every vicinity chip has: a UID, blocks with a lock each, AFI and DSFID, and the states of
/// ISO/IEC 15693-3, 8.2.
struct VicinityCore: Sendable {
  enum State: Hashable, Sendable {
    case ready
    /// Only addressed requests are heard.
    case quiet
    case selected
  }

  /// Most significant byte first.
  let uid: [UInt8]
  let blockSize: Int
  var blocks: [UInt8]
  var locked: [Bool]
  var afi: UInt8 = 0
  var dsfid: UInt8 = 0
  var isAFILocked = false
  var isDSFIDLocked = false

  var state = State.ready
  /// How many ends of frame are still to come before the answer to an inventory with 16 slots.
  var slotsToWait: (slots: Int, answer: RadioFrame)?
  /// The answer that waits for a lone end of frame.
  var waitingAnswer: RadioFrame?

  init(uid: [UInt8], blockCount: Int, blockSize: Int, content: [UInt8]) {
    precondition(uid.count == 8, "a vicinity chip's UID has 8 bytes")
    self.uid = uid
    self.blockSize = blockSize
    blocks = Array(content.prefix(blockCount * blockSize))
    blocks += [UInt8](repeating: 0, count: blockCount * blockSize - blocks.count)
    locked = Array(repeating: false, count: blockCount)
  }

  var blockCount: Int { locked.count }

  /// The UID as the number whose least significant bits an inventory's mask is compared with.
  var uidNumber: UInt64 { uid.reduce(0) { $0 << 8 | UInt64($1) } }

  /// Returns a block; `nil` beyond the end.
  func block(_ number: Int) -> [UInt8]? {
    guard locked.indices.contains(number) else { return nil }
    return Array(blocks[(number * blockSize)..<((number + 1) * blockSize)])
  }

  mutating func store(_ data: [UInt8], block number: Int) {
    guard locked.indices.contains(number), data.count == blockSize else { return }
    blocks.replaceSubrange((number * blockSize)..<((number + 1) * blockSize), with: data)
  }

  /// What setting ``VirtualChip/memory`` does.
  mutating func load(_ dump: [UInt8]) {
    let count = min(dump.count, blocks.count)
    blocks.replaceSubrange(0..<count, with: dump.prefix(count))
  }

  mutating func forget() {
    state = .ready
    slotsToWait = nil
    waitingAnswer = nil
  }

  /// Returns whether an inventory with this AFI is for the chip (ISO/IEC 15693-3, 7.2.3): a zero
  /// half stands for every family or subfamily.
  func answers(toAFI asked: UInt8, hasAFI: Bool) -> Bool {
    if asked == 0 { return true }
    guard hasAFI else { return false }
    let matchesFamily = asked & 0xF0 == 0 || asked & 0xF0 == afi & 0xF0
    let matchesSubfamily = asked & 0x0F == 0 || asked & 0x0F == afi & 0x0F
    return matchesFamily && matchesSubfamily
  }
}

/// What sets a chip apart from others.
struct VicinityProfile: Hashable, Sendable {
  /// The command codes that it knows, custom ones apart.
  var commands: Set<UInt8>
  /// The most blocks in one read and in one write.
  var readLimit = 256
  var writeLimit = 1
  /// Writes and locks are refused without the option flag.
  var requiresWriteOption = false
  /// Ordinary commands take two-byte numbers with the protocol extension flag, and nothing else.
  var requiresProtocolExtension = false
  /// The chip has an AFI; without one it hears only inventories for every family.
  var hasAFI = true
  var icReference: UInt8?
  /// The ordinary system information has the memory's size.
  var tellsMemory = true
  /// What is not known is not answered, not even when the chip is addressed.
  var isSilentOnUnknown = false
  /// The security status ends where the memory does, without an error.
  var cutsSecurityStatus = false
  /// The error for a run that goes beyond the end or is too long.
  var rangeError = VicinityErrorCode.blockNotAvailable
  /// The maker's code in custom commands.
  var manufacturer: UInt8

  /// Inventory, stay quiet, select, reset, blocks one by one, AFI, DSFID, system information.
  static let basicCommands: Set<UInt8> = [
    VicinityCommandCode.inventory, VicinityCommandCode.stayQuiet,
    VicinityCommandCode.readSingleBlock, VicinityCommandCode.writeSingleBlock,
    VicinityCommandCode.lockBlock, VicinityCommandCode.select,
    VicinityCommandCode.resetToReady, VicinityCommandCode.writeAFI,
    VicinityCommandCode.lockAFI, VicinityCommandCode.writeDSFID,
    VicinityCommandCode.lockDSFID, VicinityCommandCode.getSystemInformation,
  ]
  /// Those and what most chips have: several blocks in a read, security status.
  static let usualCommands: Set<UInt8> = basicCommands.union([
    VicinityCommandCode.readMultipleBlocks, VicinityCommandCode.getMultipleBlockSecurityStatus,
  ])
  static let extendedCommands: Set<UInt8> = [
    VicinityCommandCode.extendedReadSingleBlock, VicinityCommandCode.extendedWriteSingleBlock,
    VicinityCommandCode.extendedLockBlock, VicinityCommandCode.extendedReadMultipleBlocks,
    VicinityCommandCode.extendedWriteMultipleBlocks,
    VicinityCommandCode.extendedGetMultipleBlockSecurityStatus,
    VicinityCommandCode.extendedGetSystemInformation,
  ]
}

/// What a chip makes of an inventory.
struct VicinityInventory: Hashable, Sendable {
  /// Which families are asked for.
  var afi: UInt8
  /// Which UIDs are asked for.
  var mask: VicinityMask
  /// What is answered, after the flags.
  var payload: [UInt8]
  /// Whether it is for the chip as it is now, AFI and UID apart.
  var isForThis: Bool
  /// The chip's state once it has answered; `nil` to stay as it is.
  var stateAfterwards: VicinityCore.State?
  /// The answer comes at twice the rate.
  var isFast = false
}

/// What a chip makes of a request.
enum VicinityAnswer: Hashable, Sendable {
  case data([UInt8])
  case refusal(VicinityErrorCode)
  case silence
  /// The chip does not know the command.
  case unknown
}
