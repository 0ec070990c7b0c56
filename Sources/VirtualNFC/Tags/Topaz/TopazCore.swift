import SwiftNFCCore

/// The common part of the Topaz chips: the NFC Forum Type 1 Tag with static memory.
///
/// On the air, each byte of a command is a separate short frame without parity, the first one with 7
/// bits, and the check is CRC_B. Here, a command is one frame of whole bytes with CRC_B at its end, as a
/// virtual reader sends it; parity is not checked. Only REQA and WUPA are real short frames.
///
/// Source: NFC Forum Type 1 Tag Operation 1.1; Innovision Topaz data sheet, M2000-1057.
struct TopazCore: Hashable, Sendable {
  /// HR0 and HR1, the first bytes in the answers to RID and RALL. A high half of 1 in HR0 indicates that
  /// the tag supports NDEF.
  var headerROM: [UInt8]
  /// The UID, seven bytes, the first four of which are part of every command.
  let uid: [UInt8]
  private(set) var memory: [UInt8]
  private var isReady = false

  /// - Parameter memory: all blocks; the UID replaces the first bytes.
  init(headerROM: [UInt8], uid: [UInt8], memory: [UInt8]) {
    precondition(uid.count == Self.uidSize, "a Topaz's UID has 7 bytes")
    self.headerROM = headerROM
    self.uid = uid
    self.memory = memory
    self.memory.replaceSubrange(0..<Self.uidSize, with: uid)
  }

  static let uidSize = 7
  static let blockSize = 8
  /// The number of bytes in the answer to RALL: blocks 0 to E.
  static let staticSize = 120
  /// The offset of the capability container, and the end of blocks 1 to C.
  static let capabilityContainer = 8
  static let staticDataEnd = 104

  /// Sets the memory except the UID.
  mutating func setMemory(_ bytes: [UInt8]) {
    for (index, byte) in bytes.prefix(memory.count).enumerated() where index >= Self.uidSize {
      memory[index] = byte
    }
  }

  mutating func setPower() { isReady = false }

  // MARK: Frames

  /// The command set of Type 1 Tag Operation.
  enum Command {
    static let readIdentification: UInt8 = 0x78
    static let readAll: UInt8 = 0x00
    static let read: UInt8 = 0x01
    static let writeErase: UInt8 = 0x53
    static let writeNoErase: UInt8 = 0x1A
    static let readSegment: UInt8 = 0x10
    static let read8: UInt8 = 0x02
    static let writeErase8: UInt8 = 0x54
    static let writeNoErase8: UInt8 = 0x1B
  }

  private static let requestA: UInt8 = 0x26
  private static let wakeUpA: UInt8 = 0x52
  /// The ATQA 0C00, least significant byte first. It indicates a Type 1 Tag without anticollision.
  private static let atqa: [UInt8] = [0x00, 0x0C]
  /// The size of a command with code, address, data and UID.
  private static let staticCommandSize = 7
  /// The size of a command with code, address, 8 bytes of data and UID.
  private static let dynamicCommandSize = 14

  /// The chip's interpretation of a frame.
  enum Reception: Hashable, Sendable {
    case answer(RadioFrame?)
    /// A command of the 8-byte kind for this tag: code, address and data.
    case dynamicCommand(UInt8, address: UInt8, data: [UInt8])
  }

  /// Receives a frame and answers the commands that all chips support.
  mutating func receive(_ frame: RadioFrame) -> Reception {
    guard frame.modulation == .typeA else { return .answer(nil) }
    if frame.bytes.count == 1, frame.bitsInLastByte == 7 {
      guard [Self.requestA, Self.wakeUpA].contains(frame.bytes[0]) else { return .answer(nil) }
      // There is no HALT. It is not confirmed that a tag in the ready state answers again.
      isReady = true
      return .answer(.typeA(bare: Self.atqa))
    }
    guard isReady, let payload = Self.checkedPayload(of: frame) else { return .answer(nil) }
    if payload.count == Self.staticCommandSize, payload[0] == Command.readIdentification {
      return .answer(Self.frame(headerROM + uid.prefix(4)))
    }
    guard Array(payload.suffix(4)) == Array(uid.prefix(4)) else { return .answer(nil) }
    switch payload.count {
    case Self.staticCommandSize:
      return .answer(
        staticCommand(payload[0], address: Int(payload[1]), data: payload[2]).map(Self.frame))
    case Self.dynamicCommandSize:
      return .dynamicCommand(payload[0], address: payload[1], data: Array(payload[2..<10]))
    default:
      return .answer(nil)
    }
  }

  private static func checkedPayload(of frame: RadioFrame) -> [UInt8]? {
    guard frame.bitsInLastByte == 8, frame.bytes.count > 2 else { return nil }
    let body = Array(frame.bytes.dropLast(2))
    return CyclicRedundancyCheck.b(body) == Array(frame.bytes.suffix(2)) ? body : nil
  }

  /// Returns the frame of an answer: the bytes and their CRC_B.
  static func frame(_ bytes: [UInt8]) -> RadioFrame {
    RadioFrame(bytes + CyclicRedundancyCheck.b(bytes), modulation: .typeA)
  }

  /// Executes a command. The address consists of a 0, the block in four bits and the byte in three. `nil`
  /// stands for silence, which is also the answer for a byte beyond the memory; the latter is not
  /// confirmed.
  private mutating func staticCommand(_ code: UInt8, address: Int, data: UInt8) -> [UInt8]? {
    if code == Command.readAll { return headerROM + memory.prefix(Self.staticSize) }
    guard address < min(memory.count, 0x80) else { return nil }
    switch code {
    case Command.read: break
    case Command.writeErase: write([data], at: address, isErasing: true)
    case Command.writeNoErase: write([data], at: address, isErasing: false)
    default: return nil
    }
    return [UInt8(truncatingIfNeeded: address), memory[address]]
  }

  // MARK: Memory

  /// Block 0 with the UID and the reserved block D cannot be written. Block E contains lock bits and
  /// one-time bits, which WRITE-NE sets and no command clears, and so does block F if it exists.
  private static let reservedBlock = 0x0D
  private static let lockBlock = 0x0E
  private static let dynamicLockBlock = 0x0F
  /// Bit n of LOCK-0 and LOCK-1 locks block n.
  private static let staticLockBytes = 0x70
  private static let staticLockByteCount = 2
  /// Bit n of six bytes locks block 10h + n, according to the lock control TLV 01 03 F2 30 33 that every
  /// maker of Type 1 tags of 512 bytes writes. The two bytes before them are reserved, according to the
  /// memory control TLV 02 03 F0 02 03. This is not confirmed by a data sheet.
  private static let dynamicLockBytes = 0x7A

  /// The lock bit of block E, which is set on delivery, appears to protect the lock bytes: commercial
  /// tags do not permit setting them (nfcpy, tt1_broadcom.py). The data sheet can be read differently.
  private static let bitOfLockBlock = 0x0E

  var irreversibleState: IrreversibleState {
    var state = IrreversibleState()
    let oneTimeBytes = Self.staticLockBytes + Self.staticLockByteCount
    state.add(.lockBits, place: Self.lockBlock, bytes: memory[Self.staticLockBytes..<oneTimeBytes])
    state.add(.oneTimeBits, place: Self.lockBlock, bytes: memory[oneTimeBytes..<Self.staticSize])
    if memory.count > Self.staticSize {
      let end = Self.staticSize + Self.blockSize
      state.add(
        .lockBits, place: Self.dynamicLockBlock, bytes: memory[Self.dynamicLockBytes..<end])
    }
    return state
  }

  /// Writes bytes that are not locked. A write with erase sets the bytes; one without erase can only set
  /// bits to one.
  mutating func write(_ data: [UInt8], at address: Int, isErasing: Bool) {
    for (offset, byte) in data.enumerated() {
      let index = address + offset
      guard memory.indices.contains(index), isWritable(index, isErasing: isErasing) else {
        continue
      }
      memory[index] = isErasing ? byte : memory[index] | byte
    }
  }

  private func isWritable(_ index: Int, isErasing: Bool) -> Bool {
    let block = index / Self.blockSize
    switch block {
    case 0, Self.reservedBlock: return false
    case Self.lockBlock:
      let isLockByte = index < Self.staticLockBytes + Self.staticLockByteCount
      return !isErasing
        && !(isLockByte && isLocked(bit: Self.bitOfLockBlock, from: Self.staticLockBytes))
    case Self.dynamicLockBlock: return !isErasing && index >= Self.dynamicLockBytes
    case ..<Self.lockBlock: return !isLocked(bit: block, from: Self.staticLockBytes)
    default: return !isLocked(bit: block - 0x10, from: Self.dynamicLockBytes)
    }
  }

  private func isLocked(bit: Int, from firstByte: Int) -> Bool {
    let index = firstByte + bit / 8
    return memory.indices.contains(index) && memory[index] >> (bit % 8) & 1 == 1
  }
}
