/// STMicroelectronics SRIX4K: 128 blocks of 4 bytes, with its own protocol on a type B carrier (data
/// sheet SRIX4K, sections 3 to 9).
///
/// All frames end with CRC_B. A frame with a wrong check, or a command that the state does not allow, is
/// not answered. Authenticate (0A) is not answered: its algorithm is not published.
public struct SRIX4K: VirtualChip {
  /// The commands (data sheet, table 4).
  private enum Command {
    static let initiate: [UInt8] = [0x06, 0x00]
    static let pcall16: [UInt8] = [0x06, 0x04]
    /// Slot_marker, which has the slot's number in its upper half byte.
    static let slotMarker: UInt8 = 0x06
    static let readBlock: UInt8 = 0x08
    static let writeBlock: UInt8 = 0x09
    static let getUID: UInt8 = 0x0B
    static let resetToInventory: UInt8 = 0x0C
    static let select: UInt8 = 0x0E
    static let completion: UInt8 = 0x0F
  }

  /// The states of the chip in the data sheet.
  private enum State: Hashable {
    case powerOff, ready, inventory, selected, deselected, deactivated
  }

  private static let blockSize = 4
  private static let blockCount = 128
  /// The sizes of the chips of the family (Flipper Zero, lib/nfc/protocols/st25tb/st25tb.c). Except for its locks, a
  /// smaller one is written here by the rules of an SRIX4K, which is not confirmed for each of them.
  static let blockCounts: Set<Int> = [16, 64, blockCount]
  /// The blocks in which a write can only clear bits, until they are reloaded.
  private static let resettableBlocks = 0...4
  /// The blocks whose value a write can only decrease.
  private static let counterBlocks = 5...6
  private static let reloadCounter = 6
  /// The bits 31 to 21 of counter 6. When one of them changes, blocks 0 to 4 are reloaded.
  private static let reloadBits: UInt32 = 0xFFE0_0000
  private static let systemBlock: UInt8 = 0xFF
  /// The byte of the system block with OTP_Lock_Reg: bit 0 locks blocks 7 and 8, bit 1 block 9, …
  private static let lockByte = 3
  private static let lockableBlocks = 7...15
  /// The product codes of chips whose OTP_Lock_Reg has two bytes, with a bit for each block (SRI512 data sheet, 4.2, for
  /// the counters; the program nfc-st25tb for libnfc): SRI512 and ST25TB512-AC, SRT512 and ST25TB512-AT.
  private static let codesWithWideRegister: Set<UInt8> = [0x06, 0x0C]
  private static let wideLockBytes = 2...3

  public let name = "srix4k"
  /// D0, 02 for STMicroelectronics, then six bits of IC code and the serial number; most significant byte
  /// first, which is the reverse of the order on the air.
  public let identifier: [UInt8]

  private var blocks: [[UInt8]]
  private var system: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]

  private var state = State.powerOff
  private var chipID: UInt8 = 0
  private var isReloading = false
  /// The state of the generator of random Chip_IDs, which has the same sequence after each power-up.
  private var randomState: UInt32 = 0

  /// - Parameter uid: 8 bytes, most significant first (D0, 02, …).
  public init(uid: [UInt8]) { self.init(uid: uid, blockCount: Self.blockCount) }

  /// A chip of the family with fewer blocks.
  init(uid: [UInt8], blockCount: Int) {
    precondition(uid.count == 8, "a UID has 8 bytes")
    identifier = uid
    blocks = [[UInt8]](
      repeating: [UInt8](repeating: 0xFF, count: Self.blockSize), count: blockCount)
    // Counter 5 starts at FFFFFFFE.
    blocks[Self.counterBlocks.lowerBound][0] = 0xFE
  }

  public var modulation: RadioFrame.Modulation { .typeB }

  /// The blocks in the order of reading, followed by the system block.
  public var memory: [UInt8] {
    get { Array(blocks.joined()) + system }
    set {
      for index in 0...blocks.count {
        let part = Array(newValue.dropFirst(index * Self.blockSize).prefix(Self.blockSize))
        guard part.count == Self.blockSize else { return }
        if index < blocks.count { blocks[index] = part } else { system = part }
      }
    }
  }

  public var irreversibleState: IrreversibleState {
    var state = IrreversibleState()
    for byte in lockBytes {
      let places = (byte - Self.lockByte) * 8
      state.add(.blockLock, place: Int(Self.systemBlock) + places, bits: UInt64(~system[byte]))
    }
    for number in Self.counterBlocks {
      state.add(.counter, place: number, bytes: blocks[number].map { ~$0 })
    }
    return state
  }

  public mutating func powerOn() {
    state = .ready
    isReloading = false
    randomState = Self.value(identifier.suffix(4)) | 1
  }

  public mutating func powerOff() {
    state = .powerOff
    isReloading = false
  }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    guard frame.modulation == .typeB, frame.bitRate == 106, let command = frame.checkedPayload
    else { return nil }
    return answer(to: command).map { .typeB($0) }
  }

  // MARK: Commands

  private mutating func answer(to command: [UInt8]) -> [UInt8]? {
    switch state {
    case .powerOff, .deactivated:
      return nil
    case .ready:
      guard command == Command.initiate else { return nil }
      return initiate()
    case .inventory:
      return inventory(command)
    case .selected, .deselected:
      if command.count == 2, command[0] == Command.select { return select(command[1]) }
      return state == .selected ? selected(command) : nil
    }
  }

  private mutating func initiate() -> [UInt8] {
    state = .inventory
    chipID = random()
    return [chipID]
  }

  private mutating func inventory(_ command: [UInt8]) -> [UInt8]? {
    switch command {
    case Command.initiate:
      return initiate()
    case Command.pcall16:
      chipID = chipID & 0xF0 | random() & 0x0F
      return chipID & 0x0F == 0 ? [chipID] : nil
    default:
      if command.count == 2, command[0] == Command.select { return select(command[1]) }
      guard command.count == 1, command[0] & 0x0F == Command.slotMarker else { return nil }
      let slot = command[0] >> 4
      return slot != 0 && chipID & 0x0F == slot ? [chipID] : nil
    }
  }

  /// Selects the chip by its Chip_ID. Another Chip_ID deselects it.
  private mutating func select(_ requested: UInt8) -> [UInt8]? {
    guard requested == chipID else {
      if state == .selected { state = .deselected }
      return nil
    }
    state = .selected
    isReloading = false
    return [chipID]
  }

  private mutating func selected(_ command: [UInt8]) -> [UInt8]? {
    switch (command.first, command.count) {
    case (Command.getUID?, 1):
      return identifier.reversed()
    case (Command.readBlock?, 2):
      if command[1] == Self.systemBlock { return system }
      let index = Int(command[1])
      return blocks.indices.contains(index) ? blocks[index] : nil
    case (Command.writeBlock?, 2 + Self.blockSize):
      write(Array(command[2...]), at: command[1])
      return nil
    case (Command.resetToInventory?, 1):
      state = .inventory
      return nil
    case (Command.completion?, 1):
      state = .deactivated
      return nil
    default:
      return nil
    }
  }

  /// Writes a block. Write_block has no answer, regardless of its result.
  private mutating func write(_ data: [UInt8], at address: UInt8) {
    if address == Self.systemBlock {
      for byte in lockBytes { system[byte] &= data[byte] }
      return
    }
    let index = Int(address)
    guard blocks.indices.contains(index), !isLocked(index) else { return }
    switch index {
    case Self.resettableBlocks:
      blocks[index] = isReloading ? data : zip(blocks[index], data).map { $0 & $1 }
    case Self.counterBlocks:
      let old = Self.value(blocks[index].reversed())
      let new = Self.value(data.reversed())
      guard new < old else { return }
      blocks[index] = data
      if index == Self.reloadCounter, (old ^ new) & Self.reloadBits != 0 { isReloading = true }
    default:
      blocks[index] = data
    }
  }

  // MARK: Locks

  private var hasWideRegister: Bool { Self.codesWithWideRegister.contains(identifier[2] >> 2) }
  private var lockBytes: ClosedRange<Int> {
    hasWideRegister ? Self.wideLockBytes : Self.lockByte...Self.lockByte
  }

  private func isLocked(_ block: Int) -> Bool {
    if hasWideRegister {
      guard block < 16 else { return false }
      return system[Self.wideLockBytes.lowerBound + block / 8] >> UInt8(block % 8) & 1 == 0
    }
    guard Self.lockableBlocks.contains(block) else { return false }
    let bit = max(0, block - Self.lockableBlocks.lowerBound - 1)
    return system[Self.lockByte] >> UInt8(bit) & 1 == 0
  }

  // MARK: Numbers

  private static func value(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns a random byte (Xorshift, 32 bits).
  private mutating func random() -> UInt8 {
    randomState ^= randomState << 13
    randomState ^= randomState >> 17
    randomState ^= randomState << 5
    return UInt8(truncatingIfNeeded: randomState >> 11)
  }
}

extension VirtualTag {
  /// Returns an SRIX4K; its UID begins with D002 and the IC code 000011.
  public static func srix4k(
    uid: [UInt8] = [0xD0, 0x02, 0x0C, 0x1F, 0x5A, 0x88, 0x13, 0x6E]
  ) -> VirtualTag {
    VirtualTag(SRIX4K(uid: uid))
  }
}
