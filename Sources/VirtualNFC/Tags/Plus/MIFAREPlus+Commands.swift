extension MIFAREPlus {
  /// The status code of an answer.
  enum Status {
    static let ok: UInt8 = 0x90
    static let accessDenied: UInt8 = 0x06
    static let wrongCode: UInt8 = 0x08
    static let invalidBlock: UInt8 = 0x09
    static let noSuchBlock: UInt8 = 0x0A
    static let unavailable: UInt8 = 0x0B
    static let wrongLength: UInt8 = 0x0C
    static let failure: UInt8 = 0x0F
  }

  enum Command {
    static let switchSectors: UInt8 = 0x7A
    static let authenticateFirst: UInt8 = 0x70
    static let authenticateFollowing: UInt8 = 0x76
    static let authenticateContinued: UInt8 = 0x72
    static let resetAuthentication: UInt8 = 0x78
    static let writePersonalization: UInt8 = 0xA8
    static let commitPersonalization: UInt8 = 0xAA
    /// The codes of READ, eight in all: bit 0 for a MAC on the answer, bit 1 for plain data, bit 2 for no
    /// MAC on the command.
    static let reads: ClosedRange<UInt8> = 0x30...0x37
    /// The codes of WRITE, four in all: bits 0 and 1 as in those of READ.
    static let writes: ClosedRange<UInt8> = 0xA0...0xA3
    static let increment: UInt8 = 0xB0
    static let decrement: UInt8 = 0xB2
    static let transfer: UInt8 = 0xB4
    static let incrementTransfer: UInt8 = 0xB6
    static let decrementTransfer: UInt8 = 0xB8
    static let restore: UInt8 = 0xC2
    static let hasCode: UInt8 = 0x01
    static let isPlain: UInt8 = 0x02
    static let isBare: UInt8 = 0x04
  }

  /// The reason for the refusal of a command.
  struct Refusal: Error { let status: UInt8 }

  private static let mostWrittenBlocks = 3
  static let blockSize = 16

  /// Executes a command, without the bytes of ISO/IEC 14443-4, and returns the answer.
  mutating func process(_ command: [UInt8]) -> [UInt8] {
    let waiting = challenge
    let waitingSwitch = sectorSwitch
    challenge = nil
    sectorSwitch = nil
    if let answer = version(command) { return answer }
    sentVersionFrames = 0
    do {
      if let waitingSwitch, command.first == Command.authenticateContinued {
        return try finish(waitingSwitch, command)
      }
      return try execute(command, after: waiting)
    } catch let refusal as Refusal {
      reset()
      return [refusal.status]
    } catch {
      reset()
      return [Status.failure]
    }
  }

  private mutating func execute(
    _ command: [UInt8], after waiting: MIFAREPlusChallenge?
  ) throws -> [UInt8] {
    guard let code = command.first else { throw Refusal(status: Status.wrongLength) }
    if securityLevel == 0 {
      switch code {
      case Command.writePersonalization: return try writePersonalization(command)
      case Command.commitPersonalization: return try commitPersonalization(command)
      default: throw Refusal(status: Status.unavailable)
      }
    }
    if securityLevel == 1 { try checkLevelOne(command) }
    switch code {
    case Command.switchSectors: return try beginSectorSwitch(command)
    case Command.authenticateFirst:
      guard command.count >= 4, command.count == 4 + Int(command[3]), command[3] <= 6 else {
        throw Refusal(status: Status.wrongLength)
      }
      session = nil
      return try beginAuthentication(
        address(command), isFirst: true,
        isEV1: hasMessagingOfEV1 && command.dropFirst(4).first == 0x01)
    case Command.authenticateFollowing:
      guard command.count == 3 else { throw Refusal(status: Status.wrongLength) }
      // In level 1, this command also begins an authentication: liblogicalaccess uses it to switch
      // levels.
      guard session != nil || securityLevel == 1 else {
        throw Refusal(status: Status.unavailable)
      }
      return try beginAuthentication(address(command), isFirst: false)
    case Command.authenticateContinued:
      guard let waiting else { throw Refusal(status: Status.unavailable) }
      return try finishAuthentication(command, waiting)
    case Command.resetAuthentication:
      guard command.count == 1 else { throw Refusal(status: Status.wrongLength) }
      reset()
      return [Status.ok]
    case Command.reads: return try read(command)
    case Command.writes: return try write(command)
    default: return try calculate(command)
    }
  }

  /// Refuses the keys of sectors in level 1, in which the blocks are accessed by CRYPTO1 and only the
  /// keys of the card can be authenticated.
  private func checkLevelOne(_ command: [UInt8]) throws {
    switch command.first {
    case Command.authenticateFirst where requiresFollowingAuthentication:
      throw Refusal(status: Status.unavailable)
    case Command.authenticateFirst, Command.authenticateFollowing:
      guard
        command.count < 3 || KeyAddress.card.contains(address(command))
          || sector(ofKey: address(command)).flatMap({ sectorLevels[$0] }) != nil
      else { throw Refusal(status: Status.noSuchBlock) }
    case Command.authenticateContinued, Command.resetAuthentication, Command.switchSectors: break
    default:
      // The commands of level 3, in a sector that was opened with its AES key.
      guard let session, sector(ofKey: session.address) != nil else {
        throw Refusal(status: Status.unavailable)
      }
    }
  }

  /// Executes a command without the blocks of ISO/IEC 14443-4: an authentication with the key of level 1
  /// (NXP's reader library, `phalMfp_AuthenticateSL1`; liblogicalaccess). `nil` for a command that is
  /// refused.
  mutating func processBelowBlocks(_ command: [UInt8]) -> [UInt8]? {
    let waiting = challenge
    reset()
    switch command.first {
    case Command.authenticateFollowing:
      guard command.count == 3, address(command) == KeyAddress.levelOneCard else { return nil }
      return try? beginAuthentication(KeyAddress.levelOneCard, isFirst: false)
    case Command.authenticateContinued:
      guard let waiting else { return nil }
      return try? finishAuthentication(command, waiting)
    default: return nil
    }
  }

  /// Returns whether a command is one for ``processBelowBlocks(_:)``.
  static func isBelowBlocks(_ command: [UInt8]) -> Bool {
    [Command.authenticateFollowing, Command.authenticateContinued].contains(command.first)
  }

  func address(_ command: [UInt8], at index: Int = 1) -> UInt16 {
    UInt16(command[index]) | UInt16(command[index + 1]) << 8
  }

  // MARK: Level 0

  private mutating func writePersonalization(_ command: [UInt8]) throws -> [UInt8] {
    guard command.count == 3 + Self.blockSize else { throw Refusal(status: Status.wrongLength) }
    let address = address(command)
    let data = Array(command[3...])
    if keys[address] != nil {
      keys[address] = data
      writtenKeys.insert(address)
    } else {
      // Block 0 belongs to the maker.
      guard address > 0, Int(address) < product.blockCount else {
        throw Refusal(status: Status.invalidBlock)
      }
      put(data, Int(address))
    }
    return [Status.ok]
  }

  private mutating func commitPersonalization(_ command: [UInt8]) throws -> [UInt8] {
    guard command.count == 1 else { throw Refusal(status: Status.wrongLength) }
    guard writtenKeys.isSuperset(of: KeyAddress.needed) else {
      throw Refusal(status: Status.failure)
    }
    nextSecurityLevel = hasLevelOne ? 1 : 3
    return [Status.ok]
  }

  // MARK: Authentication

  func cipher(_ address: UInt16) throws -> DESFireCipher {
    guard let key = keys[address] else { throw Refusal(status: Status.noSuchBlock) }
    return DESFireCipher(kind: .aes, key: key)
  }

  static func rotated(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.dropFirst() + bytes.prefix(1))
  }

  private mutating func beginAuthentication(
    _ address: UInt16, isFirst: Bool, isEV1: Bool = false
  ) throws -> [UInt8] {
    let cipher = try cipher(address)
    let number = random(Self.blockSize)
    challenge = MIFAREPlusChallenge(
      address: address, randomNumber: number, isFirst: isFirst,
      isEV1: isFirst ? isEV1 : session?.isEV1 ?? false)
    let vector = isFirst ? cipher.zeroVector : session?.cardsVector ?? cipher.zeroVector
    return [Status.ok] + cipher.encrypt(number, vector: vector)
  }

  private mutating func finishAuthentication(
    _ command: [UInt8], _ challenge: MIFAREPlusChallenge
  ) throws -> [UInt8] {
    guard command.count == 1 + 2 * Self.blockSize else {
      throw Refusal(status: Status.wrongLength)
    }
    let cipher = try cipher(challenge.address)
    let before = challenge.isFirst ? nil : session
    let plain = cipher.decrypt(
      Array(command[1...]), vector: before?.readersVector ?? cipher.zeroVector)
    let reader = Array(plain.prefix(Self.blockSize))
    guard Array(plain.suffix(Self.blockSize)) == Self.rotated(challenge.randomNumber) else {
      throw Refusal(status: Status.accessDenied)
    }
    let identifier = before?.identifier ?? random(4)
    session = MIFAREPlusSession(
      isEV1: challenge.isEV1, key: cipher, address: challenge.address, reader: reader,
      card: challenge.randomNumber,
      identifier: identifier, reads: before?.reads ?? 0, writes: before?.writes ?? 0)
    // The authentication with this key switches the level (Proxmark3, `hf mfp auth`; liblogicalaccess,
    // `switchLevel3`).
    if securityLevel == 1, challenge.address == KeyAddress.levelThreeSwitch {
      nextSecurityLevel = 3
    }
    guard challenge.isFirst else {
      return [Status.ok]
        + cipher.encrypt(
          Self.rotated(reader), vector: before?.cardsVector ?? cipher.zeroVector)
    }
    // The card's capabilities, and those of the reader: the first of each is the messaging of EV1.
    let half = [UInt8(challenge.isEV1 ? 0x01 : 0x00)] + [UInt8](repeating: 0, count: 5)
    let capabilities = half + half
    return [Status.ok]
      + cipher.encrypt(
        identifier + Self.rotated(reader) + capabilities, vector: cipher.zeroVector)
  }

  // MARK: Rights

  /// Returns the sector and the key of the authentication.
  private func proved() throws -> (session: MIFAREPlusSession, sector: Int?, key: MIFAREClassic.Key)
  {
    guard let session else { throw Refusal(status: Status.accessDenied) }
    let number = Int(session.address) - Int(KeyAddress.firstSector)
    guard (0..<2 * product.sectorCount).contains(number) else { return (session, nil, .a) }
    return (session, number / 2, number % 2 == 0 ? .a : .b)
  }

  private func conditions(_ sector: Int) throws -> AccessConditions {
    let trailer = block(MIFAREClassic.Product.trailer(ofSector: sector))
    guard let conditions = AccessConditions(trailer: trailer) else {
      throw Refusal(status: Status.accessDenied)
    }
    return conditions
  }

  /// Returns whether the data of a block may be sent in plain. Byte 5 of the sector trailer has one bit
  /// for each group of blocks.
  private func allowsPlainData(_ number: Int) -> Bool {
    let sector = MIFAREClassic.Product.sector(ofBlock: number)
    let allowed = block(MIFAREClassic.Product.trailer(ofSector: sector))[5]
    return allowed >> UInt8(MIFAREClassic.Product.accessGroup(ofBlock: number)) & 1 == 1
  }

  private func check(_ number: Int, _ operation: AccessConditions.Operation) throws {
    let (_, sector, key) = try proved()
    guard number < product.blockCount else { throw Refusal(status: Status.noSuchBlock) }
    let group = MIFAREClassic.Product.accessGroup(ofBlock: number)
    guard let sector, MIFAREClassic.Product.sector(ofBlock: number) == sector,
      try group == AccessConditions.trailerGroup
        ? operation == .read
          || conditions(sector).writableTrailerFields(with: key).contains(.accessBits)
        : conditions(sector).allows(operation, group: group, with: key, keyBOpens: true)
    else { throw Refusal(status: Status.accessDenied) }
  }

  // MARK: Reading

  private mutating func read(_ command: [UInt8]) throws -> [UInt8] {
    let code = command[0]
    let isPlain = code & Command.isPlain != 0
    let hasOwnCode = code & Command.isBare == 0
    guard command.count == 4 + (hasOwnCode ? MIFAREPlusSession.codeSize : 0) else {
      throw Refusal(status: Status.wrongLength)
    }
    guard isPlain || product.isX else { throw Refusal(status: Status.unavailable) }
    var session = try proved().session
    let parameters = Array(command[1..<4])
    if hasOwnCode {
      guard
        Array(command[4...]) == session.authenticationCode(code, session.reads, parameters)
      else { throw Refusal(status: Status.wrongCode) }
    }
    let first = Int(address(command))
    let count = Int(command[3])
    guard count > 0, first + count <= product.blockCount else {
      throw Refusal(status: Status.noSuchBlock)
    }
    var data: [UInt8] = []
    for number in first..<first + count {
      // Whether a read of several blocks returns the trailer of a sector is not public.
      let sector = MIFAREClassic.Product.sector(ofBlock: number)
      guard count == 1 || number != MIFAREClassic.Product.trailer(ofSector: sector) else {
        throw Refusal(status: Status.noSuchBlock)
      }
      try check(number, .read)
      guard !isPlain || allowsPlainData(number) else { throw Refusal(status: Status.accessDenied) }
      data += block(number)
    }
    session.reads &+= 1
    if !isPlain { data = session.encrypt(data) }
    self.session = session
    guard code & Command.hasCode != 0 else { return [Status.ok] + data }
    return [Status.ok] + data
      + session.authenticationCode(Status.ok, session.reads, parameters + data)
  }

  // MARK: Writing

  private mutating func write(_ command: [UInt8]) throws -> [UInt8] {
    let code = command[0]
    let isPlain = code & Command.isPlain != 0
    let size = command.count - 3 - MIFAREPlusSession.codeSize
    guard size > 0, size % Self.blockSize == 0, size / Self.blockSize <= Self.mostWrittenBlocks
    else { throw Refusal(status: Status.wrongLength) }
    let session = try checkCode(command)
    let sent = Array(command[3..<3 + size])
    let data = isPlain ? sent : session.decrypt(sent)
    let address = address(command)
    if keys[address] != nil {
      guard !isPlain, size == Self.blockSize else { throw Refusal(status: Status.accessDenied) }
      try checkKeyChange(address)
      keys[address] = data
    } else {
      guard isPlain || product.isX else { throw Refusal(status: Status.unavailable) }
      let first = Int(address)
      let numbers = first..<first + size / Self.blockSize
      for number in numbers {
        guard number > 0, !isPlain || allowsPlainData(number) else {
          throw Refusal(status: Status.accessDenied)
        }
        try check(number, .write)
      }
      for (index, number) in numbers.enumerated() {
        put(Array(data[index * Self.blockSize..<(index + 1) * Self.blockSize]), number)
      }
    }
    return answerToWriting(code)
  }

  private mutating func put(_ data: [UInt8], _ number: Int) {
    blocks.replaceSubrange(number * Self.blockSize..<(number + 1) * Self.blockSize, with: data)
    classic?.memory = blocks
  }

  private func checkCode(_ command: [UInt8]) throws -> MIFAREPlusSession {
    let session = try proved().session
    guard
      Array(command.suffix(MIFAREPlusSession.codeSize))
        == session.authenticationCode(
          command[0], session.writes,
          Array(command[1..<command.count - MIFAREPlusSession.codeSize]))
    else { throw Refusal(status: Status.wrongCode) }
    return session
  }

  /// Verifies that a key may be changed: a sector's keys according to its trailer; the card's keys with
  /// its master key, except the configuration's own.
  private func checkKeyChange(_ address: UInt16) throws {
    let (session, sector, key) = try proved()
    let number = Int(address) - Int(KeyAddress.firstSector)
    guard (0..<2 * product.sectorCount).contains(number) else {
      guard session.address == KeyAddress.cardMaster else {
        throw Refusal(status: Status.accessDenied)
      }
      return
    }
    let field: AccessConditions.TrailerFields = number % 2 == 0 ? .keyA : .keyB
    guard let sector, sector == number / 2,
      try conditions(sector).writableTrailerFields(with: key).contains(field)
    else { throw Refusal(status: Status.accessDenied) }
  }

  private mutating func answerToWriting(_ code: UInt8) -> [UInt8] {
    session?.writes &+= 1
    guard code & Command.hasCode != 0, let session else { return [Status.ok] }
    return [Status.ok] + session.authenticationCode(Status.ok, session.writes, [])
  }

  // MARK: Values

  private mutating func calculate(_ command: [UInt8]) throws -> [UInt8] {
    let code = command[0] & ~Command.hasCode
    let hasOperand: Bool
    let hasTwoBlocks: Bool
    switch code {
    case Command.increment, Command.decrement: (hasOperand, hasTwoBlocks) = (true, false)
    case Command.incrementTransfer, Command.decrementTransfer:
      (hasOperand, hasTwoBlocks) = (true, true)
    case Command.transfer, Command.restore: (hasOperand, hasTwoBlocks) = (false, false)
    default: throw Refusal(status: Status.unavailable)
    }
    guard product.isX else { throw Refusal(status: Status.unavailable) }
    let operandStart = hasTwoBlocks ? 5 : 3
    let size = operandStart + (hasOperand ? Self.blockSize : 0) + MIFAREPlusSession.codeSize
    guard command.count == size else { throw Refusal(status: Status.wrongLength) }
    let session = try checkCode(command)
    let source = Int(address(command))
    if code == Command.transfer {
      try check(source, .decrementTransferRestore)
      try transfer(to: source)
      return answerToWriting(command[0])
    }
    let isIncrement = code == Command.increment || code == Command.incrementTransfer
    try check(source, isIncrement ? .increment : .decrementTransferRestore)
    guard var value = ValueBlock(block: block(source)) else {
      throw Refusal(status: Status.accessDenied)
    }
    if hasOperand {
      let plain = session.decrypt(Array(command[operandStart..<operandStart + Self.blockSize]))
      guard plain[4] == 0x80, plain[5...].allSatisfy({ $0 == 0 }) else {
        throw Refusal(status: Status.wrongCode)
      }
      let operand = ValueBlock.number(Array(plain.prefix(4)))
      value.value = isIncrement ? value.value &+ operand : value.value &- operand
    }
    transferBuffer = value
    if hasTwoBlocks {
      let target = Int(address(command, at: 3))
      try check(target, .decrementTransferRestore)
      try transfer(to: target)
    }
    return answerToWriting(command[0])
  }

  private mutating func transfer(to number: Int) throws {
    guard let value = transferBuffer else { throw Refusal(status: Status.accessDenied) }
    put(value.bytes, number)
    transferBuffer = nil
  }
}
