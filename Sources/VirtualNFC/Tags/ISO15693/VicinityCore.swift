import SwiftNFCCore

/// The common state of vicinity chips: a UID, blocks with one lock each, AFI and DSFID, and the states of
/// ISO/IEC 15693-3, 8.2.
struct VicinityCore: Sendable {
  enum State: Hashable, Sendable {
    case ready
    /// The chip responds only to addressed requests.
    case quiet
    case selected
  }

  /// The chip's UID, most significant byte first.
  let ownUID: [UInt8]
  /// The UID that the chip shows and is addressed by instead of its own.
  var hiddenBehind: [UInt8]?
  let blockSize: Int
  var blocks: [UInt8]
  var locked: [Bool]
  var afi: UInt8 = 0
  var dsfid: UInt8 = 0
  var isAFILocked = false
  var isDSFIDLocked = false
  /// What the image that the chip was made from has; `nil` for a chip that was made otherwise.
  var facts: VicinityFacts?

  var state = State.ready
  /// The number of ends of frame before the answer to an inventory with 16 slots, and that answer.
  var slotsToWait: (slots: Int, answer: RadioFrame)?
  /// The answer that is sent after a single end of frame.
  var waitingAnswer: RadioFrame?

  init(uid: [UInt8], blockCount: Int, blockSize: Int, content: [UInt8]) {
    precondition(uid.count == 8, "a vicinity chip's UID has 8 bytes")
    ownUID = uid
    self.blockSize = blockSize
    blocks = Array(content.prefix(blockCount * blockSize))
    blocks += [UInt8](repeating: 0, count: blockCount * blockSize - blocks.count)
    locked = Array(repeating: false, count: blockCount)
  }

  /// The UID that the chip shows and is addressed by, most significant byte first.
  var uid: [UInt8] { hiddenBehind ?? ownUID }

  var blockCount: Int { locked.count }

  /// The UID as a number, whose least significant bits are compared with an inventory's mask.
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

  /// Sets the memory as ``VirtualChip/memory`` specifies.
  mutating func load(_ dump: [UInt8]) {
    let count = min(dump.count, blocks.count)
    blocks.replaceSubrange(0..<count, with: dump.prefix(count))
  }

  mutating func forget() {
    state = .ready
    slotsToWait = nil
    waitingAnswer = nil
  }

  /// Returns whether the chip answers an inventory with this AFI (ISO/IEC 15693-3, 7.2.3). A zero half
  /// stands for every family or subfamily.
  func answers(toAFI asked: UInt8, hasAFI: Bool) -> Bool {
    if asked == 0 { return true }
    guard hasAFI else { return false }
    let matchesFamily = asked & 0xF0 == 0 || asked & 0xF0 == afi & 0xF0
    let matchesSubfamily = asked & 0x0F == 0 || asked & 0x0F == afi & 0x0F
    return matchesFamily && matchesSubfamily
  }
}

/// Which facts the image of a chip has. A chip does not answer the others.
struct VicinityFacts: Hashable, Sendable {
  var hasDSFID = false
  var hasAFI = false
  /// The IC reference, which is that of the image and not of the model.
  var icReference: UInt8?
  /// Whether the locks of blocks are known.
  var hasLocks = false
  var hasSignature = false
  /// Whether the protection of memory pages is known.
  var hasProtection = false

  /// Returns whether a custom command of NXP asks for a fact that is not known.
  func lacksAnswer(toCustom code: UInt8) -> Bool {
    switch code {
    case ICODECommand.readSignature: !hasSignature
    case ICODECommand.getSystemInformation, ICODECommand.getBlockProtectionStatus: !hasProtection
    default: false
    }
  }
}

/// The differences between chips.
struct VicinityProfile: Hashable, Sendable {
  /// The supported command codes, except custom ones.
  var commands: Set<UInt8>
  /// The maximum number of blocks in one read and in one write.
  var readLimit = 256
  var writeLimit = 1
  /// Whether writes and locks are refused without the option flag.
  var requiresWriteOption = false
  /// Whether writes and locks are refused with the option flag.
  var refusesWriteOption = false
  /// Whether ordinary commands require two-byte numbers with the protocol extension flag.
  var requiresProtocolExtension = false
  /// Whether the chip has an AFI; without one, it answers only inventories for all families.
  var hasAFI = true
  var icReference: UInt8?
  /// Whether the ordinary system information contains the size of the memory.
  var reportsMemorySize = true
  /// Whether unknown commands are not answered, even if they are addressed.
  var isSilentOnUnknown = false
  /// Whether the security status is truncated at the end of the memory, without an error.
  var truncatesSecurityStatus = false
  /// The error for blocks beyond the end or too many blocks.
  var rangeError = VicinityErrorCode.blockNotAvailable
  /// Whether reads that extend beyond the end of the memory are truncated, without an error.
  var truncatesReads = false
  /// Whether every refusal has the same code, "no information given", and requests that are neither addressed nor for
  /// the selected tag are not refused but ignored, as are those with a protocol extension flag that the chip does not
  /// support. So do NXP's chips: data sheets SL2 ICS20 rev. 3.1, 3.5, and SL2 ICS53/ICS54 rev. 3.0, 8.4. An ICODE
  /// SLIX answers an addressed WRITE MULTIPLE BLOCKS with 01 0F (stackoverflow.com, question 40798116), and an ICODE
  /// SLI-S an addressed write that it refuses, but none that is not addressed (question 17641466).
  var givesNoReasons = false
  /// Whether the list of commands indicates custom commands, and the crypto suites after it.
  var listsCustomCommands = false
  var listedSuites: [UInt8] = []
  /// The maker's code in custom commands.
  var manufacturer: UInt8

  /// Inventory, stay quiet, select, reset, single blocks, AFI, DSFID, system information.
  static let basicCommands: Set<UInt8> = [
    VicinityCommandCode.inventory, VicinityCommandCode.stayQuiet,
    VicinityCommandCode.readSingleBlock, VicinityCommandCode.writeSingleBlock,
    VicinityCommandCode.lockBlock, VicinityCommandCode.select,
    VicinityCommandCode.resetToReady, VicinityCommandCode.writeAFI,
    VicinityCommandCode.lockAFI, VicinityCommandCode.writeDSFID,
    VicinityCommandCode.lockDSFID, VicinityCommandCode.getSystemInformation,
  ]
  /// The basic commands, and those that most chips support: reading several blocks, security status.
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

/// A chip's interpretation of an inventory.
struct VicinityInventory: Hashable, Sendable {
  /// The requested families.
  var afi: UInt8
  /// The requested UIDs.
  var mask: VicinityMask
  /// The answer after its flags.
  var payload: [UInt8]
  /// Whether the inventory is for the chip in its current state, apart from AFI and UID.
  var isForThis: Bool
  /// The chip's state after its answer; `nil` for no change.
  var stateAfterwards: VicinityCore.State?
  /// Whether the answer has twice the bit rate.
  var isFast = false
}

/// A chip's reaction to a request.
enum VicinityAnswer: Hashable, Sendable {
  case data([UInt8])
  /// The complete answer of a crypto suite, which the flags say.
  case cryptographic([UInt8], flags: CryptographicFlags = [.bufferIsValid, .isFinal])
  case refusal(VicinityErrorCode)
  case silence
  /// The chip does not support the command.
  case unknown
}
