import SwiftNFCCore

// APDUs for ISO/IEC 15693 tags. The reader uses the first one that it has found.
extension VirtualPCSCReader {
  static let noSuchBlock: [UInt8] = [0x6A, 0x82]
  private static let wrongAddress: [UInt8] = [0x6B, 0x00]
  private static let endOfMemory: [UInt8] = [0x62, 0x82]
  /// The status word for a wrong length; its second byte is the right one.
  private static let otherLength: UInt8 = 0x6C
  private static let headerLength = 4

  func transmitToVicinity(_ command: [UInt8]) -> [UInt8] {
    do {
      return try carryOut(command)
    } catch {
      return error.bytes
    }
  }

  private func carryOut(_ command: [UInt8]) throws(StatusWord) -> [UInt8] {
    guard command.count >= Self.headerLength, command[0] == Self.pseudoClass else {
      return Self.unknownClass
    }
    let data = Self.data(of: command)
    switch (command[1], command[2], command[3]) {
    case (0xCA, 0x00, 0x00): return uid()
    case (0xB0, let p1, let p2): return try readBinary(p1, p2, expectedLength(of: command))
    case (0xD6, let p1, let p2):
      guard let data else { return Self.wrongLength }
      return try updateBinary(p1, p2, data)
    default: return try ownCommand(command, data) ?? Self.notSupported
    }
  }

  /// Executes the commands of the reader's maker; `nil` for another maker's.
  private func ownCommand(_ command: [UInt8], _ data: [UInt8]?) throws(StatusWord) -> [UInt8]? {
    switch (dialect, command[1], command[2], command[3]) {
    case (.transparentSession, 0xC2, 0x00, let function):
      guard let data else { return Self.wrongLength }
      return transparent(function, data)
    case (.acsPassThrough, 0xFB, 0x00, 0x00), (.identivPassThrough, 0xFC, 0x00, 0x00):
      guard let data, let code = data.first else { return Self.wrongLength }
      return carry(code, Array(data.dropFirst()))
    case (.springCard, 0xFE, let mode, _):
      guard let data else { return Self.wrongLength }
      return encapsulated(data, mode)
    case (.springCard, 0xF6, let code, 0x00), (.springCardPassThrough, 0xF6, let code, 0x00):
      return rfid(code, data ?? [])
    case (.springCard, 0xFB, 0xFD, let mode), (.springCardPassThrough, 0xFB, 0xFD, let mode):
      return setSpringCardMode(mode, data ?? [])
    case (.omnikey, 0x30, 0x00, let action):
      guard let data else { return Self.wrongLength }
      return omnikeyCommand(action, data)
    case (.omnikey, 0x30, let field, 0x00): return try omnikeyQuestion(field)
    default: return nil
    }
  }

  /// Returns Le of a short command without data; 256 if it is 0, `nil` if there is none.
  private func expectedLength(of command: [UInt8]) -> Int? {
    guard command.count == Self.headerLength + 1 else { return nil }
    return command[Self.headerLength] == 0 ? 256 : Int(command[Self.headerLength])
  }

  private func uid() -> [UInt8] {
    guard let tag = foundVicinityTag else { return Self.noAnswer }
    let isReversed = dialect == .transparentSession || dialect == .acsPassThrough
    return (isReversed ? tag.identifier.reversed() : tag.identifier) + Self.done
  }

  // MARK: Commands without flags and UID

  /// Sends a request that is addressed to the tag that the reader has found; `nil` for parameters that
  /// the command does not have.
  func request(
    _ code: UInt8, _ parameters: [UInt8], flags: VicinityFlags = []
  ) -> [UInt8]? {
    guard let uid = foundVicinityTag?.identifier,
      flags.isDisjoint(with: [.inventory, .select])
    else { return nil }
    return Self.request(code, parameters, flags: flags, uid: uid)
  }

  /// Returns a request.
  ///
  /// - Parameter uid: most significant byte first; `nil` for a request that is not addressed.
  static func request(
    _ code: UInt8, _ parameters: [UInt8], flags: VicinityFlags, uid: [UInt8]?
  ) -> [UInt8]? {
    var flags = flags.union(.highDataRate)
    if uid != nil { flags.insert(.address) }
    // The maker's code precedes the UID.
    let head = VicinityCommandCode.custom.contains(code) ? 1 : 0
    let frame =
      [flags.rawValue, code] + parameters.prefix(head) + (uid ?? []).reversed()
      + parameters.dropFirst(head)
    return VicinityRequest(frame).map { _ in frame }
  }

  /// Sends a command to the tag and returns the answer without its flags.
  func carry(
    _ code: UInt8, _ parameters: [UInt8], flags: VicinityFlags = []
  ) -> [UInt8] {
    guard let request = request(code, parameters, flags: flags) else { return Self.wrongLength }
    return answer(to: request)
  }

  /// Sends a frame and returns the answer without its flags; returns a refusal as a status word.
  func answer(to request: [UInt8]) -> [UInt8] {
    switch exchange(request) {
    case .silence: return isSpringCard ? Self.mute : Self.noAnswer
    case .broken: return isSpringCard ? Self.wrongCheck : Self.noAnswer
    case .frame(let answer):
      guard let flags = answer.first else { return Self.noAnswer }
      guard flags & VicinityResponse.errorFlag != 0 else { return answer.dropFirst() + Self.done }
      switch answer.dropFirst().first.flatMap(VicinityErrorCode.init) {
      case .blockNotAvailable: return Self.noSuchBlock
      case .locked, .alreadyLocked: return [0x69, 0x82]
      case .commandNotSupported: return Self.notSupported
      default: return Self.refused
      }
    }
  }

  /// Returns the system information that the tag reports.
  ///
  /// - Throws: the status word if the tag reports none.
  func systemInformation() throws(StatusWord) -> VicinityDescription {
    let answer = carry(VicinityCommandCode.getSystemInformation, [])
    guard answer.suffix(2) == Self.done[...] else { throw StatusWord(bytes: answer) }
    guard let description = VicinityDescription(Array(answer.dropLast(2))) else {
      throw StatusWord(bytes: Self.notSupported)
    }
    return description
  }

  /// The answer to an APDU that cannot be executed.
  struct StatusWord: Error {
    let bytes: [UInt8]
  }

  private var isSpringCard: Bool { [.springCard, .springCardPassThrough].contains(dialect) }

  // MARK: Storage card

  /// Returns the block number in P1 and P2; `nil` if they do not contain one.
  private func block(_ p1: UInt8, _ p2: UInt8) -> UInt16? {
    switch dialect {
    case .storageCardNumberInP1: p2 == 0 ? UInt16(p1) : nil
    case .storageCardNumberInP2: UInt16(p2)
    default: UInt16(p1) << 8 | UInt16(p2)
    }
  }

  private func read(_ block: UInt16) -> [UInt8] {
    guard let number = UInt8(exactly: block) else {
      return carry(VicinityCommandCode.extendedReadSingleBlock, block.littleEndianBytes)
    }
    return carry(VicinityCommandCode.readSingleBlock, [number])
  }

  private func write(_ block: UInt16, _ data: [UInt8]) -> [UInt8] {
    guard let number = UInt8(exactly: block) else {
      return carry(VicinityCommandCode.extendedWriteSingleBlock, block.littleEndianBytes + data)
    }
    return carry(VicinityCommandCode.writeSingleBlock, [number] + data)
  }

  private func readBinary(_ p1: UInt8, _ p2: UInt8, _ length: Int?) throws(StatusWord) -> [UInt8] {
    guard let length else { return Self.wrongLength }
    guard dialect != .storageCardByteOffset else { return try readBytes(p1, p2, length) }
    guard let block = block(p1, p2) else { return Self.wrongAddress }
    let answer = read(block)
    let size = answer.count - Self.done.count
    let acceptsAnyLength = isSpringCard && length == 256
    guard size > 0, length != size, !acceptsAnyLength else { return answer }
    return [Self.otherLength, UInt8(truncatingIfNeeded: size)]
  }

  private func updateBinary(_ p1: UInt8, _ p2: UInt8, _ data: [UInt8]) throws(StatusWord) -> [UInt8]
  {
    guard dialect != .storageCardByteOffset else { return try writeBytes(p1, p2, data) }
    guard let block = block(p1, p2) else { return Self.wrongAddress }
    return write(block, data)
  }

  // MARK: By bytes

  /// Returns the size of a block and the number of blocks as reported by the tag.
  private func layout() throws(StatusWord) -> (blockSize: Int, blockCount: Int) {
    let information = try systemInformation()
    guard let size = information.blockSize, let count = information.blockCount else {
      throw StatusWord(bytes: Self.notSupported)
    }
    return (size, count)
  }

  /// Reads bytes from an offset on. If the memory has fewer, it returns those and the status `62 82`.
  private func readBytes(_ p1: UInt8, _ p2: UInt8, _ length: Int) throws(StatusWord) -> [UInt8] {
    let offset = Int(p1) << 8 | Int(p2)
    let (size, count) = try layout()
    guard offset < size * count else { return Self.noSuchBlock }
    let end = min(offset + length, size * count)
    var bytes: [UInt8] = []
    for block in (offset / size)...((end - 1) / size) {
      let answer = read(UInt16(block))
      guard answer.count == size + Self.done.count else { return answer }
      bytes += answer.dropLast(Self.done.count)
    }
    let start = offset % size
    return Array(bytes[start..<(start + end - offset)])
      + (end == offset + length ? Self.done : Self.endOfMemory)
  }

  /// Writes complete blocks. The manual's rules for partial blocks are not known.
  private func writeBytes(_ p1: UInt8, _ p2: UInt8, _ data: [UInt8]) throws(StatusWord) -> [UInt8] {
    let offset = Int(p1) << 8 | Int(p2)
    let (size, _) = try layout()
    guard offset.isMultiple(of: size), data.count == size else { return Self.wrongLength }
    return write(UInt16(offset / size), data)
  }
}
