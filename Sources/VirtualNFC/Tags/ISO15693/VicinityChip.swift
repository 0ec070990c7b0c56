import SwiftNFCCore

/// The common part of all vicinity chips: frames, states, anticollision, and the standard's commands.
///
/// A request that is broken, or for another tag, is not answered. An unknown request is refused if it is
/// addressed or for the selected tag, and otherwise not answered (ISO/IEC 15693-3, 7.4.2 permits either).
protocol VicinityChip: VirtualChip {
  var core: VicinityCore { get set }
  var model: VicinityModel { get }

  /// Returns whether the chip currently responds to a request.
  func receives(_ request: VicinityRequest) -> Bool
  /// Returns the reason why a block cannot currently be read or written, apart from locks; `nil` if it
  /// can.
  func readRefusal(_ block: Int) -> VicinityErrorCode?
  func writeRefusal(_ block: Int) -> VicinityErrorCode?
  /// Returns the reason why a block can never be locked; `nil` if it can.
  func lockRefusal(_ block: Int) -> VicinityErrorCode?
  /// Writes a block, which must be writable.
  mutating func program(_ data: [UInt8], block: Int) -> VicinityAnswer
  /// Returns the reason why the AFI cannot currently be changed, apart from its lock.
  func afiRefusal() -> VicinityErrorCode?
  /// Executes a custom command with the right maker's code.
  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer
  /// Returns whether the answers to a custom command have twice the bit rate.
  func answersFast(_ code: UInt8) -> Bool
  /// Executes a command of the standard that is none of a memory's.
  mutating func executeOther(_ code: UInt8, _ parameters: [UInt8]) -> VicinityAnswer
  /// Executes a custom inventory with the right maker's code; `nil` for silence.
  mutating func executeInventory(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityInventory?
  /// The irreversible state in addition to locked blocks, AFI and DSFID.
  var frozenSettings: IrreversibleState { get }
  /// Called when the power is off; discards the state of the session.
  mutating func endSession()
}

extension VicinityChip {
  public var name: String { model.name }
  public var identifier: [UInt8] { core.ownUID }
  public var modulation: RadioFrame.Modulation { .iso15693 }
  public var memory: [UInt8] {
    get { core.blocks }
    set { core.load(newValue) }
  }
  public var irreversibleState: IrreversibleState {
    var state = frozenSettings
    for (number, isLocked) in core.locked.enumerated() where isLocked {
      state.add(.blockLock, place: number)
    }
    if core.isAFILocked { state.add(.identifierLock, place: 0) }
    if core.isDSFIDLocked { state.add(.identifierLock, place: 1) }
    return state
  }
  public mutating func powerOff() { losePower() }
  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? { exchange(frame) }

  var frozenSettings: IrreversibleState { IrreversibleState() }
  func receives(_ request: VicinityRequest) -> Bool { true }
  func readRefusal(_ block: Int) -> VicinityErrorCode? { nil }
  func writeRefusal(_ block: Int) -> VicinityErrorCode? { nil }
  func lockRefusal(_ block: Int) -> VicinityErrorCode? { nil }
  func afiRefusal() -> VicinityErrorCode? { nil }
  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer { .unknown }
  mutating func executeOther(_ code: UInt8, _ parameters: [UInt8]) -> VicinityAnswer { .unknown }
  mutating func executeInventory(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityInventory? { nil }
  mutating func endSession() {}
  func answersFast(_ code: UInt8) -> Bool { false }

  var profile: VicinityProfile { model.profile }

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
    guard let request = VicinityRequest(payload) else { return refuseBroken(payload) }
    guard receives(request) else { return nil }
    if request.flags.contains(.inventory) { return answerInventory(request) }
    guard isForThis(request) else { return nil }
    let answer = frameOf(perform(request), request)
    if request.command.changesMemory, request.flags.contains(.option), answer != nil,
      !profile.refusesWriteOption
    {
      core.waitingAnswer = answer
      return nil
    }
    return answer
  }

  /// Processes a single end of frame, which begins the next slot of an inventory or releases the answer
  /// to a write with the option flag.
  private mutating func takeEndOfFrame() -> RadioFrame? {
    if let answer = core.waitingAnswer {
      core.waitingAnswer = nil
      return answer
    }
    guard let wait = core.slotsToWait else { return nil }
    core.slotsToWait = wait.slots > 1 ? (wait.slots - 1, wait.answer) : nil
    return wait.slots == 1 ? wait.answer : nil
  }

  /// Returns the answer to a request of the wrong length, which the addressed tag refuses.
  private func refuseBroken(_ payload: [UInt8]) -> RadioFrame? {
    guard payload.count >= 2 else { return nil }
    let flags = VicinityFlags(rawValue: payload[0])
    guard flags.isDisjoint(with: [.inventory]) else { return nil }
    let isSelected = flags.contains(.select) && core.state == .selected
    let isAddressed =
      flags.contains(.address) && payload.dropFirst(2).starts(with: core.uid.reversed())
    let probe = VicinityRequest(
      head: payload[1], flags: flags, uid: flags.contains(.address) ? core.uid : nil)
    guard isSelected != isAddressed, receives(probe) else { return nil }
    return frameOf(.refusal(.commandNotRecognized), probe)
  }

  private func frameOf(_ answer: VicinityAnswer, _ request: VicinityRequest) -> RadioFrame? {
    let isFast = answersFast(request.code)
    switch answer {
    case .data(let payload): return .iso15693(VicinityResponse.success(payload), isFast: isFast)
    case .cryptographic(let payload, let flags): return .iso15693([flags.rawValue] + payload)
    case .refusal(let code):
      if profile.givesNoReasons, request.flags.isDisjoint(with: [.address, .select]) { return nil }
      let code = profile.givesNoReasons ? .unknown : code
      return .iso15693(VicinityResponse.refusal(code), isFast: isFast)
    case .silence: return nil
    case .unknown:
      if profile.givesNoReasons, request.flags.contains(.protocolExtension) { return nil }
      guard !profile.isSilentOnUnknown,
        !request.flags.isDisjoint(with: [.address, .select])
      else { return nil }
      return .iso15693(
        VicinityResponse.refusal(profile.givesNoReasons ? .unknown : .commandNotSupported))
    }
  }

  // MARK: States

  private mutating func isForThis(_ request: VicinityRequest) -> Bool {
    if let uid = request.uid {
      if uid == core.uid { return true }
      // Selecting another tag deselects this one.
      if request.command == .select, core.state == .selected { core.state = .ready }
      return false
    }
    return request.flags.contains(.select) ? core.state == .selected : core.state != .quiet
  }

  // MARK: Inventory

  private mutating func answerInventory(_ request: VicinityRequest) -> RadioFrame? {
    let inventory: VicinityInventory?
    switch request.command {
    case .inventory(let afi, let mask):
      inventory = VicinityInventory(
        afi: afi, mask: mask, payload: [core.dsfid] + core.uid.reversed(),
        isForThis: core.state != .quiet)
    case .other(let parameters) where parameters.first == profile.manufacturer:
      inventory = executeInventory(request.code, Array(parameters.dropFirst()), request.flags)
    default: inventory = nil
    }
    guard let inventory, inventory.isForThis,
      core.answers(toAFI: inventory.afi, hasAFI: profile.hasAFI),
      inventory.mask.matches(core.uidNumber)
    else { return nil }
    if let state = inventory.stateAfterwards { core.state = state }
    let answer = RadioFrame.iso15693(
      VicinityResponse.success(inventory.payload), isFast: inventory.isFast)
    guard !request.flags.contains(.inventoryOneSlot) else { return answer }
    // The four bits after the mask are the slot (ISO/IEC 15693-3, 8.1).
    let length = inventory.mask.length
    let slot = length < 64 ? Int(core.uidNumber >> UInt64(length) & 0x0F) : 0
    guard slot > 0 else { return answer }
    core.slotsToWait = (slot, answer)
    return nil
  }

  // MARK: Commands

  private mutating func perform(_ request: VicinityRequest) -> VicinityAnswer {
    let command = request.command
    switch command {
    case .custom(let manufacturer, let parameters):
      guard manufacturer == profile.manufacturer else { return .silence }
      if core.facts?.lacksAnswer(toCustom: request.code) == true { return .unknown }
      return execute(request.code, parameters, request.flags)
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
    case .other(let parameters): return executeOther(request.code, parameters)
    default: break
    }
    guard profile.commands.contains(request.code) else { return .unknown }
    // Bit 8 is reserved and must be 0 (ISO/IEC 15693-3, table 4).
    guard !request.flags.contains(.reserved) else { return .refusal(.optionNotSupported) }
    guard request.flags.contains(.protocolExtension) == profile.requiresProtocolExtension
    else { return profile.givesNoReasons ? .silence : .refusal(.optionNotSupported) }
    if command.changesMemory, profile.requiresWriteOption, !request.flags.contains(.option) {
      return .refusal(.optionNotSupported)
    }
    if command.changesMemory, profile.refusesWriteOption, request.flags.contains(.option) {
      return .refusal(.optionNotSupported)
    }
    return performMemory(command, hasOption: request.flags.contains(.option))
  }

  mutating func performMemory(
    _ command: VicinityCommand, hasOption: Bool
  ) -> VicinityAnswer {
    switch command {
    case .read(let numbers, let isRun):
      guard !isRun || numbers.count <= profile.readLimit else { return .refusal(.unknown) }
      return read(numbers, hasOption)
    case .write(let numbers, let data, let isRun):
      guard !isRun || numbers.count <= profile.writeLimit else { return .refusal(.unknown) }
      return write(numbers, data)
    case .lock(let number): return lock(number)
    case .securityStatus where core.facts?.hasLocks == false: return .unknown
    case .securityStatus(let numbers): return securityStatus(numbers)
    case .writeAFI, .lockAFI, .writeDSFID, .lockDSFID: return changeIdentifier(command)
    case .systemInformation:
      return .data(information.ordinary(isWide: profile.requiresProtocolExtension))
    case .extendedSystemInformation(let wanted):
      return .data(information.extended(wanted: wanted))
    case .inventory, .stayQuiet, .select, .resetToReady, .custom, .other: return .unknown
    }
  }

  private var information: VicinityInformation {
    let facts = core.facts
    return VicinityInformation(
      uid: core.uid, dsfid: facts?.hasDSFID ?? true ? core.dsfid : nil,
      afi: profile.hasAFI && facts?.hasAFI ?? true ? core.afi : nil,
      blockSize: core.blockSize, blockCount: core.blockCount,
      icReference: facts.map(\.icReference) ?? profile.icReference,
      reportsMemorySize: profile.reportsMemorySize, commands: profile.commands,
      hasCustomCommands: profile.listsCustomCommands, suites: profile.listedSuites)
  }

  /// Returns the error for blocks that extend beyond the end.
  private func rangeError(_ numbers: Range<Int>) -> VicinityErrorCode {
    numbers.count == 1 ? .blockNotAvailable : profile.rangeError
  }

  private func read(_ numbers: Range<Int>, _ hasSecurityStatus: Bool) -> VicinityAnswer {
    var numbers = numbers
    if profile.truncatesReads, numbers.lowerBound < core.blockCount {
      numbers = numbers.lowerBound..<min(numbers.upperBound, core.blockCount)
    }
    guard numbers.upperBound <= core.blockCount else { return .refusal(rangeError(numbers)) }
    var payload: [UInt8] = []
    for number in numbers {
      if let code = readRefusal(number) { return .refusal(code) }
      if hasSecurityStatus { payload.append(core.locked[number] ? 1 : 0) }
      payload += core.block(number) ?? []
    }
    return .data(payload)
  }

  private mutating func write(_ numbers: Range<Int>, _ data: [UInt8]) -> VicinityAnswer {
    guard numbers.upperBound <= core.blockCount else { return .refusal(rangeError(numbers)) }
    guard data.count == numbers.count * core.blockSize else {
      return .refusal(.commandNotRecognized)
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
    guard number < core.blockCount else { return .refusal(.blockNotAvailable) }
    if let code = lockRefusal(number) { return .refusal(code) }
    guard !core.locked[number] else { return .refusal(.alreadyLocked) }
    if let code = writeRefusal(number) { return .refusal(code) }
    core.locked[number] = true
    return .data([])
  }

  private func securityStatus(_ numbers: Range<Int>) -> VicinityAnswer {
    var numbers = numbers
    if profile.truncatesSecurityStatus, numbers.lowerBound < core.blockCount {
      numbers = numbers.lowerBound..<min(numbers.upperBound, core.blockCount)
    }
    guard numbers.upperBound <= core.blockCount else { return .refusal(profile.rangeError) }
    return .data(numbers.map { core.locked[$0] ? 1 : 0 })
  }

  private mutating func changeIdentifier(_ command: VicinityCommand) -> VicinityAnswer {
    switch command {
    case .writeAFI(let value):
      if core.isAFILocked { return .refusal(.locked) }
      if let code = afiRefusal() { return .refusal(code) }
      core.afi = value
      core.facts?.hasAFI = true
    case .lockAFI:
      if core.isAFILocked { return .refusal(.alreadyLocked) }
      if let code = afiRefusal() { return .refusal(code) }
      core.isAFILocked = true
    case .writeDSFID(let value):
      if core.isDSFIDLocked { return .refusal(.locked) }
      core.dsfid = value
      core.facts?.hasDSFID = true
    case .lockDSFID:
      if core.isDSFIDLocked { return .refusal(.alreadyLocked) }
      core.isDSFIDLocked = true
    default: return .unknown
    }
    return .data([])
  }
}

extension RadioFrame {
  /// Returns a frame of ISO 15693: the bytes and their check bytes.
  ///
  /// - Parameter isFast: whether the frame has twice the bit rate, as the answers to some custom commands
  ///   have.
  public static func iso15693(_ bytes: [UInt8], isFast: Bool = false) -> RadioFrame {
    RadioFrame(
      bytes + CyclicRedundancyCheck.b(bytes), modulation: .iso15693,
      bitRate: isFast ? iso15693FastBitRate : iso15693BitRate)
  }

  /// A single end of frame.
  public static let iso15693EndOfFrame = RadioFrame(
    [], modulation: .iso15693, bitRate: iso15693BitRate)

  // 26.48 and 52.97 kbit/s (ISO/IEC 15693-2, 8.3; SL2S2602 data sheet, 9.5.3.11).
  private static let iso15693BitRate = 26
  private static let iso15693FastBitRate = 53
}
