import NFCCore

/// What all vicinity chips have in common: frames, states, anticollision, and the standard's
/// commands.
///
/// A request that is broken, or for another tag, is not answered. One that the chip does not know
/// is refused if it is addressed or for the selected tag, else not answered (ISO/IEC 15693-3, 7.4.2
/// leaves it open).
protocol VicinityChip: VirtualChip {
  var core: VicinityCore { get set }
  static var profile: VicinityProfile { get }

  /// Whether the chip listens to a request at all at present.
  func hears(_ request: ISO15693Request) -> Bool
  /// Why a block cannot be read or written now, locks apart; `nil` if it can.
  func readRefusal(_ block: Int) -> ISO15693ErrorCode?
  func writeRefusal(_ block: Int) -> ISO15693ErrorCode?
  /// Writes a block that can be written.
  mutating func program(_ data: [UInt8], block: Int) -> VicinityAnswer
  /// Why the AFI cannot be changed now, its lock apart.
  func afiRefusal() -> ISO15693ErrorCode?
  /// Custom commands, with the right maker's code.
  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: ISO15693RequestFlags
  ) -> VicinityAnswer
  /// The power has gone: what the chip remembers of a session is lost.
  mutating func endSession()
}

extension VicinityChip {
  public var identifier: [UInt8] { core.uid }
  public var modulation: RadioFrame.Modulation { .iso15693 }
  public var memory: [UInt8] {
    get { core.blocks }
    set { core.load(newValue) }
  }
  public mutating func powerOff() { losePower() }
  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? { exchange(frame) }

  func hears(_ request: ISO15693Request) -> Bool { true }
  func readRefusal(_ block: Int) -> ISO15693ErrorCode? { nil }
  func writeRefusal(_ block: Int) -> ISO15693ErrorCode? { nil }
  func afiRefusal() -> ISO15693ErrorCode? { nil }
  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: ISO15693RequestFlags
  ) -> VicinityAnswer { .unknown }
  mutating func endSession() {}

  mutating func program(_ data: [UInt8], block: Int) -> VicinityAnswer {
    core.store(data, block: block)
    return .data([])
  }

  mutating func losePower() {
    core.forget()
    endSession()
  }

  // MARK: Frames

  mutating func exchange(_ frame: RadioFrame) -> RadioFrame? {
    guard frame.modulation == .iso15693 else { return nil }
    guard !frame.bytes.isEmpty else { return takeEndOfFrame() }
    core.slotsToWait = nil
    core.waitingAnswer = nil
    guard let payload = frame.checkedPayload else { return nil }
    guard let request = try? ISO15693Request(decoding: payload) else {
      return refuseBroken(payload)
    }
    guard hears(request) else { return nil }
    if case .inventory(let afi, let mask) = request.command {
      return answerInventory(request.flags, afi ?? 0, mask)
    }
    guard isForThis(request) else { return nil }
    let answer = frameOf(perform(request), request)
    if request.command.isWriteAlike, request.flags.contains(.option), answer != nil {
      core.waitingAnswer = answer
      return nil
    }
    return answer
  }

  /// A lone end of frame: the next slot of an inventory, or what a write with the option flag waits
  /// for.
  private mutating func takeEndOfFrame() -> RadioFrame? {
    if let answer = core.waitingAnswer {
      core.waitingAnswer = nil
      return answer
    }
    guard let wait = core.slotsToWait else { return nil }
    core.slotsToWait = wait > 1 ? wait - 1 : nil
    return wait == 1 ? inventoryAnswer : nil
  }

  /// A request of the wrong length is refused by the tag that it is for.
  private func refuseBroken(_ payload: [UInt8]) -> RadioFrame? {
    guard payload.count >= 2 else { return nil }
    let flags = ISO15693RequestFlags(rawValue: payload[0])
    guard flags.isDisjoint(with: [.inventory]) else { return nil }
    let isSelected = flags.contains(.select) && core.state == .selected
    let isAddressed =
      flags.contains(.address) && payload.dropFirst(2).starts(with: core.uid.reversed())
    let probe = ISO15693Request(
      .other(code: payload[1], parameters: []), flags: flags,
      uid: flags.contains(.address) ? core.uid : nil)
    guard isSelected != isAddressed, hears(probe) else { return nil }
    return frameOf(.refusal(.commandNotRecognised), probe)
  }

  private func frameOf(_ answer: VicinityAnswer, _ request: ISO15693Request) -> RadioFrame? {
    switch answer {
    case .data(let payload): return .iso15693(ISO15693Response(payload: payload).encoded)
    case .refusal(let code): return .iso15693(ISO15693Response(code).encoded)
    case .silence: return nil
    case .unknown:
      guard !Self.profile.isSilentOnUnknown,
        !request.flags.isDisjoint(with: [.address, .select])
      else { return nil }
      return .iso15693(ISO15693Response(.commandNotSupported).encoded)
    }
  }

  // MARK: States

  private mutating func isForThis(_ request: ISO15693Request) -> Bool {
    if request.flags.contains(.inventory) { return core.state != .quiet }
    if let uid = request.uid {
      if uid == core.uid { return true }
      // Selecting another tag releases this one.
      if request.command == .select, core.state == .selected { core.state = .ready }
      return false
    }
    return request.flags.contains(.select) ? core.state == .selected : core.state != .quiet
  }

  // MARK: Inventory

  private var inventoryAnswer: RadioFrame {
    .iso15693(ISO15693Response(payload: [core.dsfid] + core.uid.reversed()).encoded)
  }

  private mutating func answerInventory(
    _ flags: ISO15693RequestFlags, _ afi: UInt8, _ mask: ISO15693InventoryMask
  ) -> RadioFrame? {
    guard core.state != .quiet, core.answers(toAFI: afi, hasAFI: Self.profile.hasAFI),
      mask.matches(core.uidNumber)
    else { return nil }
    guard !flags.contains(.inventoryOneSlot) else { return inventoryAnswer }
    // The four bits after the mask are the slot (ISO/IEC 15693-3, 8.1).
    let slot = mask.length < 64 ? Int(core.uidNumber >> UInt64(mask.length) & 0x0F) : 0
    guard slot > 0 else { return inventoryAnswer }
    core.slotsToWait = slot
    return nil
  }

  // MARK: Commands

  private mutating func perform(_ request: ISO15693Request) -> VicinityAnswer {
    let command = request.command
    switch command {
    case .custom(let code, let manufacturer, let parameters):
      guard manufacturer == Self.profile.manufacturer else { return .silence }
      return execute(code, parameters, request.flags)
    case .stayQuiet:
      if request.uid != nil { core.state = .quiet }
      return .silence
    case .select:
      guard request.uid != nil else { return .silence }
      core.state = .selected
      return .data([])
    case .resetToReady:
      core.state = .ready
      return .data([])
    default: break
    }
    guard Self.profile.commands.contains(command.code) else { return .unknown }
    guard request.flags.contains(.protocolExtension) == Self.profile.requiresProtocolExtension
    else { return .refusal(.optionNotSupported) }
    if command.isWriteAlike, Self.profile.requiresWriteOption, !request.flags.contains(.option) {
      return .refusal(.optionNotSupported)
    }
    return performMemory(command, hasOption: request.flags.contains(.option))
  }

  private mutating func performMemory(
    _ command: ISO15693Command, hasOption: Bool
  ) -> VicinityAnswer {
    switch command {
    case .readSingleBlock(let number), .extendedReadSingleBlock(let number):
      return read(Int(number)..<(Int(number) + 1), hasOption)
    case .readMultipleBlocks(let range), .extendedReadMultipleBlocks(let range):
      guard range.count <= Self.profile.readLimit else { return .refusal(.unknown) }
      return read(range.numbers, hasOption)
    case .writeSingleBlock(let number, let data), .extendedWriteSingleBlock(let number, let data):
      return write(Int(number)..<(Int(number) + 1), data)
    case .writeMultipleBlocks(let range, let data),
      .extendedWriteMultipleBlocks(let range, let data):
      guard range.count <= Self.profile.writeLimit else { return .refusal(.unknown) }
      return write(range.numbers, data)
    case .lockBlock(let number), .extendedLockBlock(let number):
      return lock(Int(number))
    case .getMultipleBlockSecurityStatus(let range),
      .extendedGetMultipleBlockSecurityStatus(let range):
      return securityStatus(range.numbers)
    case .writeAFI, .lockAFI, .writeDSFID, .lockDSFID:
      return changeIdentifier(command)
    case .getSystemInformation:
      let form: ISO15693SystemInformation.Form =
        Self.profile.requiresProtocolExtension ? .protocolExtension : .ordinary
      return .data(information(tellsMemory: Self.profile.tellsMemory).encoded(form: form))
    case .extendedGetSystemInformation(let fields):
      return .data(information(tellsMemory: true).encoded(form: .extended, wanted: fields))
    default:
      return .unknown
    }
  }

  private func information(tellsMemory: Bool) -> ISO15693SystemInformation {
    ISO15693SystemInformation(
      uid: core.uid, dsfid: core.dsfid, afi: Self.profile.hasAFI ? core.afi : nil,
      blockSize: tellsMemory ? core.blockSize : nil,
      blockCount: tellsMemory ? core.blockCount : nil, icReference: Self.profile.icReference,
      needsWideBlockNumbers: core.blockCount > 256,
      commandList: ISO15693CommandList(Self.profile.commands))
  }

  private func read(_ numbers: Range<Int>, _ hasSecurityStatus: Bool) -> VicinityAnswer {
    guard numbers.upperBound <= core.blockCount else { return .refusal(Self.profile.rangeError) }
    var payload: [UInt8] = []
    for number in numbers {
      if let code = readRefusal(number) { return .refusal(code) }
      if hasSecurityStatus { payload.append(core.locked[number] ? 1 : 0) }
      payload += core.block(number) ?? []
    }
    return .data(payload)
  }

  private mutating func write(_ numbers: Range<Int>, _ data: [UInt8]) -> VicinityAnswer {
    guard numbers.upperBound <= core.blockCount else { return .refusal(Self.profile.rangeError) }
    guard data.count == numbers.count * core.blockSize else {
      return .refusal(.commandNotRecognised)
    }
    for number in numbers {
      if core.locked[number] { return .refusal(.locked) }
      if let code = writeRefusal(number) { return .refusal(code) }
    }
    for (index, number) in numbers.enumerated() {
      let block = data[(index * core.blockSize)..<((index + 1) * core.blockSize)]
      let answer = program(Array(block), block: number)
      guard answer == .data([]) else { return answer }
    }
    return .data([])
  }

  private mutating func lock(_ number: Int) -> VicinityAnswer {
    guard number < core.blockCount else { return .refusal(Self.profile.rangeError) }
    guard !core.locked[number] else { return .refusal(.alreadyLocked) }
    if let code = writeRefusal(number) { return .refusal(code) }
    core.locked[number] = true
    return .data([])
  }

  private func securityStatus(_ numbers: Range<Int>) -> VicinityAnswer {
    var numbers = numbers
    if Self.profile.cutsSecurityStatus, numbers.lowerBound < core.blockCount {
      numbers = numbers.lowerBound..<min(numbers.upperBound, core.blockCount)
    }
    guard numbers.upperBound <= core.blockCount else { return .refusal(Self.profile.rangeError) }
    return .data(numbers.map { core.locked[$0] ? 1 : 0 })
  }

  private mutating func changeIdentifier(_ command: ISO15693Command) -> VicinityAnswer {
    switch command {
    case .writeAFI(let value):
      if core.isAFILocked { return .refusal(.locked) }
      if let code = afiRefusal() { return .refusal(code) }
      core.afi = value
    case .lockAFI:
      if core.isAFILocked { return .refusal(.alreadyLocked) }
      if let code = afiRefusal() { return .refusal(code) }
      core.isAFILocked = true
    case .writeDSFID(let value):
      if core.isDSFIDLocked { return .refusal(.locked) }
      core.dsfid = value
    case .lockDSFID:
      if core.isDSFIDLocked { return .refusal(.alreadyLocked) }
      core.isDSFIDLocked = true
    default: return .unknown
    }
    return .data([])
  }
}

extension RadioFrame {
  /// A frame of ISO 15693: the bytes and their check.
  public static func iso15693(_ bytes: [UInt8]) -> RadioFrame {
    RadioFrame(
      bytes + CyclicRedundancyCheck.b(bytes), modulation: .iso15693, bitRate: iso15693BitRate)
  }

  /// A lone end of frame.
  public static let iso15693EndOfFrame = RadioFrame(
    [], modulation: .iso15693, bitRate: iso15693BitRate)

  private static let iso15693BitRate = 26
}
