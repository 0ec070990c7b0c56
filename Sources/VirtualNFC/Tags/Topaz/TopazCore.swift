import NFCCore

/// What the Topaz chips have in common: the NFC Forum Type 1 Tag with static memory.
///
/// On the air a command's bytes are short frames of their own, the first of 7 bits, without parity,
/// and its check is CRC_B. Here a command is one frame of whole bytes with CRC_B at its end, as a
/// virtual reader sends it; parity is not looked at. Only REQA and WUPA are the short frames that
/// they are.
///
/// Source: NFC Forum Type 1 Tag Operation 1.1; Innovision Topaz data sheet, M2000-1057.
struct TopazCore: Hashable, Sendable {
  /// HR0, HR1: what RID and RALL begin with. HR0's high half 1 says that the tag can hold NDEF.
  let headerROM: [UInt8]
  /// Seven bytes; the first four stand in every command.
  let uid: [UInt8]
  private(set) var memory: [UInt8]
  private var isReady = false

  /// - Parameter memory: All blocks; the UID is put at its beginning.
  init(headerROM: [UInt8], uid: [UInt8], memory: [UInt8]) {
    precondition(uid.count == Self.uidSize, "a Topaz's UID has 7 bytes")
    self.headerROM = headerROM
    self.uid = uid
    self.memory = memory
    self.memory.replaceSubrange(0..<Self.uidSize, with: uid)
  }

  static let uidSize = 7
  static let blockSize = 8
  /// The bytes that RALL answers: blocks 0 to E.
  static let staticSize = 120
  /// Where the capability container begins, and where blocks 1 to C end.
  static let capabilityContainer = 8
  static let staticDataEnd = 104

  /// Everything but the UID.
  mutating func setMemory(_ bytes: [UInt8]) {
    for (index, byte) in bytes.prefix(memory.count).enumerated() where index >= Self.uidSize {
      memory[index] = byte
    }
  }

  mutating func setPower() { isReady = false }

  // MARK: Frames

  /// Type 1 Tag Operation, the command set.
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
  /// ATQA 0C00, least significant byte first: "no anticollision, a Type 1 Tag".
  private static let atqa: [UInt8] = [0x00, 0x0C]
  /// Code, address, data, UID.
  private static let staticCommandSize = 7
  /// Code, address, 8 bytes of data, UID.
  private static let dynamicCommandSize = 14

  /// What a frame is to the chip.
  enum Reception: Hashable, Sendable {
    case answer(RadioFrame?)
    /// A command of the 8-byte kind for this tag: code, address and data.
    case dynamicCommand(UInt8, address: UInt8, data: [UInt8])
  }

  /// Answers what all chips answer.
  mutating func receive(_ frame: RadioFrame) -> Reception {
    guard frame.modulation == .typeA else { return .answer(nil) }
    if frame.bytes.count == 1, frame.bitsInLastByte == 7 {
      guard [Self.requestA, Self.wakeUpA].contains(frame.bytes[0]) else { return .answer(nil) }
      // There is no HALT. That a tag answers again once it is ready is not confirmed.
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

  /// Returns an answer: the bytes and their CRC_B.
  static func frame(_ bytes: [UInt8]) -> RadioFrame {
    RadioFrame(bytes + CyclicRedundancyCheck.b(bytes), modulation: .typeA)
  }

  /// The address is 0, block and byte: four and three bits. `nil` is silence, also for a byte
  /// beyond the memory, which is not confirmed.
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

  /// Block 0, the UID, and block D, reserved, are never written; block E holds lock bits and
  /// one-time bits, which WRITE-NE sets and nothing clears. So does block F, where there is one.
  private static let reservedBlock = 0x0D
  private static let lockBlock = 0x0E
  private static let dynamicLockBlock = 0x0F
  /// Bit n of LOCK-0 and LOCK-1 locks block n.
  private static let staticLockBytes = 0x70
  private static let staticLockByteCount = 2
  /// Bit n of six bytes locks block 10h + n: what the lock control TLV 01 03 F2 30 33 says, that
  /// every maker of Type 1 tags of 512 bytes writes. The two bytes before them are reserved, which
  /// the memory control TLV 02 03 F0 02 03 says. Not confirmed by a data sheet.
  private static let dynamicLockBytes = 0x7A

  /// Block E's bit, which is set as the chip leaves the factory, seems to keep the lock bytes as they are: tags
  /// that are sold do not let them be set (nfcpy, tt1_broadcom.py). The data sheet can be read otherwise.
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

  /// Writes what is not locked. A write with erase sets the bytes, one without sets ones in them.
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
