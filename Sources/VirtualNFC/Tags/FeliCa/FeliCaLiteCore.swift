import SwiftNFCCore

/// The common part of FeliCa Lite and Lite-S: the memory, its rules, and the three commands that they
/// support (FeliCa Lite User's Manual; FeliCa Lite-S User's Manual).
///
/// A change of MC can be read back immediately and takes effect at the next power-up (Lite-S, 7.3.8).
/// Three facts are not confirmed on a card: the status of a REG write that would increase A or B, that a
/// write of RC ends the external authentication, and that a MAC_A before the last place of a block list
/// is zeros.
struct FeliCaLiteCore: Hashable, Sendable {
  enum Generation: Hashable, Sendable {
    case lite, liteS
  }

  static let systemCode: UInt16 = 0x88B4
  static let ndefSystemCode: UInt16 = 0x12FC
  private static let readWriteService: UInt16 = 0x0009
  private static let readOnlyService: UInt16 = 0x000B
  private static let maximumServices = 1
  private static let maximumBlocksRead = 4
  private static let externallyAuthenticated: UInt8 = 0x01
  /// WCNT of a card before issuance.
  private static let factoryWriteCount = 0x00FE00 | 0xFF0000
  /// The last values of WCNT, after which every write with MAC_A is refused, before and after issuance.
  private static let lastWriteCountBeforeIssuance = 0xFFFFFF
  private static let lastWriteCount = 0xFFFE00
  /// The values of WCNT at which an issued card reports a warning, according to Flipper's firmware
  /// (felica_listener).
  private static let wornWriteCounts = 10_001..<0xFFFDFF
  private static let zeros = [UInt8](repeating: 0, count: FeliCaBlockAccess.blockSize)

  let generation: Generation
  let idm: [UInt8]
  let pmm: [UInt8]

  /// Whether an issued Lite-S answers its writes with a warning after many of them.
  var warnsAboutWear = true
  /// Whether MAC_A is zeros if no block precedes it.
  var macAAloneIsZero = false

  /// User blocks that the image of the card does not have: they cannot be read until they are written.
  var unknownBlocks: Set<UInt8> = []

  private var stored: [UInt8: [UInt8]] = [:]
  private var writeCount = Self.factoryWriteCount

  // The volatile state.
  private var configuration: FeliCaLiteConfiguration
  private var challenge: [UInt8]?
  private var sessionKey: [UInt8]?
  private var state = Self.zeros

  /// The maximum size of an NDEF message in bytes: S_PAD1 to S_PAD13.
  private static let capacity =
    (FeliCaLiteBlock.scratchPads.count - 1) * FeliCaBlockAccess.blockSize

  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  init(
    generation: Generation, idm: [UInt8], pmm: [UInt8], ndef: some TagMessage
  ) throws(VirtualTagError) {
    let content = ndef.encodedMessage
    guard content.count <= Self.capacity else { throw .messageTooLarge(capacity: Self.capacity) }
    self.init(generation: generation, idm: idm, pmm: pmm, content: content)
  }

  init(generation: Generation, idm: [UInt8], pmm: [UInt8], formatted: Bool) {
    self.init(generation: generation, idm: idm, pmm: pmm, content: formatted ? [] : nil)
  }

  /// - Parameter content: a message that fits; `nil` for a card as on delivery.
  private init(generation: Generation, idm: [UInt8], pmm: [UInt8], content: [UInt8]?) {
    precondition(idm.count == 8 && pmm.count == 8, "IDm and PMm have 8 bytes each")
    self.generation = generation
    self.idm = idm
    self.pmm = pmm
    configuration = .blank(isNDEF: content != nil)
    for number in FeliCaLiteBlock.stored { stored[number] = Self.zeros }
    stored[FeliCaLiteBlock.register] = [UInt8](
      repeating: 0xFF, count: FeliCaBlockAccess.blockSize)
    stored[FeliCaLiteBlock.id] = idm + Self.zeros.suffix(8)
    stored[FeliCaLiteBlock.deviceID] = idm + pmm
    stored[FeliCaLiteBlock.systemCode] =
      Self.systemCode.bigEndianBytes + Self.zeros.suffix(14)
    stored[FeliCaLiteBlock.memoryConfiguration] = configuration.bytes
    guard let content else { return }
    let attributes = Type3AttributeBlock(
      nbr: 4, nbw: 1, nmaxb: UInt16(FeliCaLiteBlock.scratchPads.count - 1), ln: 0)
    for (number, block) in zip(FeliCaLiteBlock.scratchPads, attributes.blocks(with: content)) {
      stored[number] = block
    }
  }

  // MARK: Memory

  /// S_PAD0 to REG, ID to MC, and for Lite-S WCNT, 16 bytes each.
  var memory: [UInt8] {
    get {
      let blocks = FeliCaLiteBlock.stored.flatMap { stored[$0] ?? Self.zeros }
      return generation == .liteS ? blocks + writeCountBlock : blocks
    }
    set {
      let size = FeliCaBlockAccess.blockSize
      for (index, number) in FeliCaLiteBlock.stored.enumerated() {
        let part = newValue.dropFirst(index * size).prefix(size)
        guard part.count == size else { return }
        stored[number] = Array(part)
      }
      configuration = FeliCaLiteConfiguration(stored[FeliCaLiteBlock.memoryConfiguration] ?? [])
      let counter = Array(newValue.dropFirst(FeliCaLiteBlock.stored.count * size).prefix(3))
      if generation == .liteS, counter.count == 3 {
        writeCount = Int(counter[0]) | Int(counter[1]) << 8 | Int(counter[2]) << 16
      }
    }
  }

  /// The irreversible state: MC, and the decrease of REG's two registers. WCNT is not included, because
  /// it counts automatically.
  var irreversibleState: IrreversibleState {
    let configuration = FeliCaLiteConfiguration(
      stored[FeliCaLiteBlock.memoryConfiguration] ?? Self.zeros)
    var state = configuration.irreversibleState(
      place: Int(FeliCaLiteBlock.memoryConfiguration))
    let register = stored[FeliCaLiteBlock.register] ?? Self.zeros
    state.add(
      .counter, place: Int(FeliCaLiteBlock.register), bytes: register.prefix(8).map { ~$0 })
    return state
  }

  private var writeCountBlock: [UInt8] {
    [0, 8, 16].map { UInt8(truncatingIfNeeded: writeCount >> $0) } + Self.zeros.dropFirst(3)
  }

  mutating func powerOff() {
    configuration = FeliCaLiteConfiguration(stored[FeliCaLiteBlock.memoryConfiguration] ?? [])
    challenge = nil
    sessionKey = nil
    state = Self.zeros
  }

  // MARK: Commands

  mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    var codes = [Self.systemCode]
    if configuration.isNDEF { codes.append(Self.ndefSystemCode) }
    let systems = codes.map { FeliCaIdentity(systemCode: $0, idm: idm) }
    return FeliCaPacket.answer(to: frame, pmm: pmm, systems: systems) {
      code, parameters, _ throws(FeliCaRefusal) in try perform(code, parameters)
    }
  }

  private mutating func perform(
    _ code: UInt8, _ parameters: [UInt8]
  ) throws(FeliCaRefusal) -> [UInt8] {
    switch code {
    case FeliCaCommand.readWithoutEncryption:
      let access = try FeliCaBlockAccess(
        parameters, maximumServices: Self.maximumServices,
        maximumBlocks: Self.maximumBlocksRead, isWrite: false)
      let blocks = try read(access)
      return FeliCaStatus.success.bytes + [UInt8(access.elements.count)] + blocks
    case FeliCaCommand.writeWithoutEncryption:
      let access = try FeliCaBlockAccess(
        parameters, maximumServices: Self.maximumServices,
        maximumBlocks: generation == .liteS ? 2 : 1, isWrite: true)
      let isWorn = warnsAboutWear && isWorn
      try write(access)
      return (isWorn ? FeliCaStatus.memoryWarning : .success).bytes
    default:
      throw .silence
    }
  }

  /// Returns the number of a block, which must exist on the card.
  private func blockNumber(
    _ access: FeliCaBlockAccess, at index: Int
  ) throws(FeliCaRefusal) -> UInt8 {
    _ = try access.serviceCode(at: index)
    let element = access.elements[index]
    guard element.accessMode == 0 else {
      throw .status(FeliCaStatus(.illegalAccessMode, at: index))
    }
    guard let number = UInt8(exactly: element.blockNumber), exists(number) else {
      throw .status(FeliCaStatus(.illegalBlockNumber, at: index))
    }
    return number
  }

  private func exists(_ number: UInt8) -> Bool {
    switch number {
    case FeliCaLiteBlock.userBlocks,
      FeliCaLiteBlock.randomChallenge...FeliCaLiteBlock.memoryConfiguration:
      return true
    case FeliCaLiteBlock.writeCounter...FeliCaLiteBlock.state, FeliCaLiteBlock.crcCheck:
      return generation == .liteS
    default:
      return false
    }
  }

  /// Returns whether the block can be written, regardless of authentication.
  private func isWritable(_ number: UInt8) -> Bool {
    switch number {
    case FeliCaLiteBlock.userBlocks:
      return configuration.isWritable(number)
    case FeliCaLiteBlock.id, FeliCaLiteBlock.serviceCode:
      return configuration.systemBlocksAreWritable
    case FeliCaLiteBlock.cardKey, FeliCaLiteBlock.cardKeyVersion:
      return configuration.systemBlocksAreWritable || configuration.keyWriteNeedsMAC
    case FeliCaLiteBlock.memoryConfiguration:
      return configuration.systemBlocksAreWritable || configuration.restrictionsAreWritable
    case FeliCaLiteBlock.randomChallenge, FeliCaLiteBlock.state, FeliCaLiteBlock.macA:
      return true
    default:
      return false
    }
  }

  // MARK: Reading

  private func read(_ access: FeliCaBlockAccess) throws(FeliCaRefusal) -> [UInt8] {
    let service = access.serviceCodes[0]
    guard service == Self.readOnlyService || service == Self.readWriteService else {
      throw .status(FeliCaStatus(.illegalServiceCode, at: 0))
    }
    var numbers: [UInt8] = []
    for index in access.elements.indices {
      let number = try blockNumber(access, at: index)
      guard service == Self.readOnlyService || isWritable(number) else {
        throw .status(FeliCaStatus(.illegalBlockNumber, at: index))
      }
      guard !unknownBlocks.contains(number) else {
        throw .status(FeliCaStatus(.illegalBlockNumber, at: index))
      }
      if number == FeliCaLiteBlock.macA, challenge == nil {
        throw .status(FeliCaStatus(.wrongMAC, at: index))
      }
      if FeliCaLiteBlock.userBlocks.contains(number),
        configuration.readNeedsAuthentication(number), !isExternallyAuthenticated
      {
        throw .status(FeliCaStatus(.notAuthenticated, at: index))
      }
      numbers.append(number)
    }
    if let index = numbers.firstIndex(of: FeliCaLiteBlock.macA),
      numbers.contains(FeliCaLiteBlock.mac)
    {
      throw .status(FeliCaStatus(.twoKindsOfMAC, at: index))
    }
    var data: [UInt8] = []
    for (index, number) in numbers.enumerated() {
      switch number {
      case FeliCaLiteBlock.mac:
        data += mac(over: data)
      case FeliCaLiteBlock.macA:
        data += index == numbers.count - 1 ? macA(over: data, of: numbers) : Self.zeros
      default:
        data += block(number)
      }
    }
    return data
  }

  private func block(_ number: UInt8) -> [UInt8] {
    switch number {
    case FeliCaLiteBlock.randomChallenge, FeliCaLiteBlock.cardKey: return Self.zeros
    case FeliCaLiteBlock.writeCounter: return writeCountBlock
    case FeliCaLiteBlock.state: return state
    default: return stored[number] ?? Self.zeros
    }
  }

  private func macBlock(_ code: [UInt8]?) -> [UInt8] {
    guard let code else { return Self.zeros }
    return code + Self.zeros.suffix(FeliCaBlockAccess.blockSize - FeliCaLiteMAC.size)
  }

  /// Returns MAC, which covers the blocks that precede it. Without any, or without RC, it is zeros.
  private func mac(over data: [UInt8]) -> [UInt8] {
    guard let sessionKey, let challenge, !data.isEmpty else { return Self.zeros }
    return macBlock(FeliCaLiteMAC.code(over: data, sessionKey: sessionKey, challenge: challenge))
  }

  /// Returns MAC_A, which covers the blocks between the previous MAC_A and itself.
  private func macA(over data: [UInt8], of numbers: [UInt8]) -> [UInt8] {
    guard let sessionKey, let challenge, !(data.isEmpty && macAAloneIsZero) else {
      return Self.zeros
    }
    let start = numbers.dropLast().lastIndex(of: FeliCaLiteBlock.macA).map { $0 + 1 } ?? 0
    return macBlock(
      FeliCaLiteMAC.readCode(
        blockNumbers: Array(numbers[start...]),
        data: Array(data.dropFirst(start * FeliCaBlockAccess.blockSize)),
        sessionKey: sessionKey, challenge: challenge))
  }

  private var isExternallyAuthenticated: Bool { state[0] == Self.externallyAuthenticated }

  // MARK: Writing

  private mutating func write(_ access: FeliCaBlockAccess) throws(FeliCaRefusal) {
    guard access.serviceCodes[0] == Self.readWriteService else {
      throw .status(FeliCaStatus(.illegalServiceCode, at: 0))
    }
    let number = try blockNumber(access, at: 0)
    guard number != FeliCaLiteBlock.macA, isWritable(number) else {
      throw .status(FeliCaStatus(.illegalBlockNumber, at: 0))
    }
    let isAuthentic = access.elements.count == 2
    if isAuthentic {
      guard try blockNumber(access, at: 1) == FeliCaLiteBlock.macA else {
        throw .status(FeliCaStatus(.illegalBlockNumber, at: 1))
      }
      guard hasRightMAC(access.blocks[1], number: number, data: access.blocks[0]) else {
        throw .status(FeliCaStatus(.wrongMAC, at: 1))
      }
    }
    guard isAuthentic || !writeNeedsMAC(number) else {
      throw .status(FeliCaStatus(.illegalBlockNumber, at: 0))
    }
    if FeliCaLiteBlock.userBlocks.contains(number), configuration.writeNeedsAuthentication(number),
      !isExternallyAuthenticated
    {
      throw .status(FeliCaStatus(.notAuthenticated, at: 0))
    }
    let wasIssued = isIssued
    try store(access.blocks[0], in: number, isAuthentic: isAuthentic)
    if isIssued != wasIssued {
      writeCount = 0
    } else if number != FeliCaLiteBlock.randomChallenge {
      countWrite()
    }
  }

  /// Whether MC_ALL closes the system blocks, at the latest from the next power-up on.
  private var isIssued: Bool {
    let block = stored[FeliCaLiteBlock.memoryConfiguration] ?? Self.zeros
    return !FeliCaLiteConfiguration(block).systemBlocksAreWritable
  }

  private var isWorn: Bool {
    generation == .liteS && isIssued && Self.wornWriteCounts.contains(writeCount)
  }

  private func writeNeedsMAC(_ number: UInt8) -> Bool {
    switch number {
    case FeliCaLiteBlock.userBlocks: return configuration.writeNeedsMAC(number)
    case FeliCaLiteBlock.cardKey, FeliCaLiteBlock.cardKeyVersion:
      return configuration.keyWriteNeedsMAC
    case FeliCaLiteBlock.state: return configuration.stateWriteNeedsMAC
    default: return false
    }
  }

  /// Returns whether a written MAC_A is right: it consists of the code and of WCNT as known to the
  /// writer.
  private func hasRightMAC(_ macA: [UInt8], number: UInt8, data: [UInt8]) -> Bool {
    guard let sessionKey, let challenge, writeCount < lastWriteCount else { return false }
    let counter = Array(writeCountBlock.prefix(3))
    let code = FeliCaLiteMAC.writeCode(
      writeCounter: counter, blockNumber: number, data: data, sessionKey: sessionKey,
      challenge: challenge)
    return code == Array(macA.prefix(FeliCaLiteMAC.size))
      && counter == Array(macA.dropFirst(FeliCaLiteMAC.size).prefix(3))
  }

  private var lastWriteCount: Int {
    configuration.systemBlocksAreWritable
      ? Self.lastWriteCountBeforeIssuance : Self.lastWriteCount
  }

  private mutating func countWrite() {
    guard generation == .liteS, writeCount < lastWriteCount else { return }
    writeCount += 1
  }

  private mutating func store(
    _ data: [UInt8], in number: UInt8, isAuthentic: Bool
  ) throws(FeliCaRefusal) {
    switch number {
    case FeliCaLiteBlock.randomChallenge:
      challenge = data
      sessionKey = FeliCaLiteMAC.sessionKey(
        cardKey: stored[FeliCaLiteBlock.cardKey] ?? Self.zeros, challenge: data)
      state = Self.zeros
    case FeliCaLiteBlock.state:
      // Only knowledge of the card key authenticates; without it, the byte can be reset.
      state = data
      if !isAuthentic { state[0] = 0 }
    case FeliCaLiteBlock.register:
      try subtract(data)
    case FeliCaLiteBlock.id:
      stored[number] = idm + data.suffix(8)
    case FeliCaLiteBlock.memoryConfiguration:
      let old = FeliCaLiteConfiguration(stored[number] ?? Self.zeros)
      stored[number] = old.updated(with: data, isLiteS: generation == .liteS).bytes
    default:
      stored[number] = data
      unknownBlocks.remove(number)
    }
  }

  /// Writes REG_A and REG_B, 4 bytes each, least significant first, which can only decrease; REG_C can be
  /// written freely.
  private mutating func subtract(_ data: [UInt8]) throws(FeliCaRefusal) {
    let old = stored[FeliCaLiteBlock.register] ?? Self.zeros
    func value(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
      bytes.dropFirst(offset).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    guard value(data, 0) <= value(old, 0), value(data, 4) <= value(old, 4) else {
      throw .status(FeliCaStatus(.writeFailure, at: 0))
    }
    stored[FeliCaLiteBlock.register] = data
  }
}
