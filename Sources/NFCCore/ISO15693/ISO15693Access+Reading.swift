extension ISO15693Access {
  /// Reads blocks by the largest steps that tag and reader grant: one command if both allow it.
  ///
  /// A read of several blocks that is refused or not answered is halved, down to single blocks; the
  /// number that succeeds is the limit from now on. If its kind does not determine the size of a
  /// tag, the tag is first asked for it, once.
  ///
  /// - Parameter securityStatus: also reads the lock state of each block: with the option flag, or
  ///   with a separate command if the reader does not support the flag.
  /// - Throws: `invalidParameter`, before anything is read, for numbers that the tag does not have;
  ///   the refusal of a tag that does not report its size.
  mutating func readBlocks(
    _ range: Range<Int>, securityStatus: Bool = false
  ) throws -> [ISO15693Block] {
    do {
      return try readInSteps(range, securityStatus)
    } catch let error as NFCError
      where securityStatus && error.code == .unsupported && !knowledge.refusesSecurityStatus
    {
      let statuses = try self.securityStatus(range)
      return zip(try readInSteps(range, false), statuses).map {
        ISO15693Block(data: $0.data, securityStatus: $1)
      }
    }
  }

  /// Reads the first blocks of a range, and of the others those that the same command returns.
  ///
  /// - Parameter needed: how many the result has at least, if the range has as many.
  mutating func readBlocks(
    _ range: Range<Int>, needing needed: Int
  ) throws -> [ISO15693Block] {
    try readInSteps(range, false, needing: needed)
  }

  private mutating func readInSteps(
    _ range: Range<Int>, _ securityStatus: Bool, needing needed: Int? = nil
  ) throws -> [ISO15693Block] {
    try checkExistence(range)
    let end = min(range.upperBound, range.lowerBound + (needed ?? range.count))
    var blocks: [ISO15693Block] = []
    var next = range.lowerBound
    var trial: Int?
    while next < end {
      let step = readStep(
        from: next, to: range.upperBound, limit: trial ?? knowledge.readLimit,
        overhead: securityStatus ? 1 : 0)
      guard step > 1 else {
        blocks.append(try readBlock(next, securityStatus: securityStatus))
        next += 1
        if let granted = trial {
          if granted <= 1 {
            knowledge.readLimit = 1
            trial = nil
          }
        }
        continue
      }
      do {
        let run = try readRun(next..<(next + step), securityStatus)
        try learnSize(of: run, at: next)
        blocks += run
        next += step
        if let granted = trial { knowledge.readLimit = granted }
        trial = nil
      } catch let error as NFCError {
        if error.vicinityRefusal == .readProtected {
          // Which of them the refusal does not say: it is the first that is refused by itself.
          for number in next..<(next + step) { _ = try readBlock(number) }
        }
        trial = try smallerStep(than: step, from: next, after: error)
        if error.isSilence {
          // A single block distinguishes a tag that does not support the command from one that is
          // gone.
          blocks.append(try readBlock(next, securityStatus: securityStatus))
          next += 1
        }
      }
    }
    return blocks
  }

  /// Returns how many blocks the next command is for.
  private func readStep(from number: Int, to end: Int, limit: Int?, overhead: Int) -> Int {
    // The size of the first block determines how many an answer can hold.
    guard let size = knowledge.likelyBlockSize, limit != 1, !link.supportsOnlyBlockAccess else {
      return 1
    }
    var step = formEnd(from: number, to: end) - number
    step = min(step, max(1, (link.maximumResponseLength - 1) / (size + overhead)))
    if let limit { step = min(step, limit) }
    if let sector = knowledge.product?.traits.sectorLength {
      step = min(step, sector - number % sector)
    }
    return step
  }

  private func readRun(_ numbers: Range<Int>, _ securityStatus: Bool) throws -> [ISO15693Block] {
    let (command, flags) = try numbered(
      numbers, narrow: ISO15693Command.readMultipleBlocks,
      extended: ISO15693Command.extendedReadMultipleBlocks)
    let request = request(command, adding: securityStatus ? flags.union(.option) : flags)
    return try repeating(silence: false) {
      let payload = try link.exchange(
        request, answerLength: numbers.count * (knowledge.likelyBlockSize ?? 0),
        place: .block(numbers.lowerBound))
      return try ISO15693Block.decode(
        payload, count: numbers.count, hasSecurityStatus: securityStatus)
    }
  }

  /// Returns the number to try after a read of several blocks has failed. Throws errors that are
  /// not caused by their number.
  private func smallerStep(than step: Int, from number: Int, after error: NFCError) throws -> Int {
    // Limits are powers of two: halving follows them.
    let half = step.nextPowerOfTwoBelow
    if error.isSilence || error.isReaderFailure { return half }
    if error.cause == .unsupportedByReader { return 1 }
    switch error.vicinityRefusal {
    case .commandNotSupported, .commandNotRecognized: return 1
    case .optionNotSupported, .unknown: return half
    case .blockNotAvailable where number + step <= knowledge.blockCount ?? 0: return half
    default: throw error
    }
  }

  /// Reads one block by a command for one block.
  mutating func readBlock(_ number: Int, securityStatus: Bool = false) throws -> ISO15693Block {
    do {
      let block = try readBlock(number, knowledge.wideNumbers, securityStatus)
      if number > Self.largestNarrowNumber, knowledge.wideNumbers == nil {
        knowledge.wideNumbers = .extendedCommands
      }
      try learnSize(of: block, at: number)
      return block
    } catch let error as NFCError where mayNeedProtocolExtension(number, error) {
      guard let block = try? readBlock(number, .protocolExtension, securityStatus) else {
        throw error
      }
      knowledge.wideNumbers = .protocolExtension
      try learnSize(of: block, at: number)
      return block
    }
  }

  /// Blocks of another size than the tag's kind has are an answer that was cut off.
  private mutating func learnSize(of run: [ISO15693Block], at number: Int) throws {
    guard let block = run.first, block.data.count == knowledge.likelyBlockSize else {
      throw otherSize(at: number)
    }
    try learnSize(of: block, at: number)
  }

  /// Accepts a single block whose size differs from that of the kind, but not one whose size
  /// differs from the tag's own report.
  private mutating func learnSize(of block: ISO15693Block, at number: Int) throws {
    guard block.data.count == knowledge.blockSize ?? block.data.count else {
      throw otherSize(at: number)
    }
    knowledge.blockSize = block.data.count
  }

  private func otherSize(at number: Int) -> NFCError {
    NFCError(
      .tagResponseError, "the tag's blocks do not have the expected size",
      place: .block(number))
  }

  /// Returns whether the protocol extension may help: ST's chips without extended commands are
  /// silent for a one-byte number, or refuse an extended command.
  private func mayNeedProtocolExtension(_ number: Int, _ error: NFCError) -> Bool {
    guard knowledge.wideNumbers == nil,
      knowledge.uid == nil || knowledge.maker == ChipMaker.stMicroelectronics
    else { return false }
    if number > Self.largestNarrowNumber {
      return error.isSilence || error.vicinityRefusal != nil
    }
    return knowledge.blockSize == nil
      && (error.isSilence || error.vicinityRefusal == .optionNotSupported)
  }

  private func readBlock(
    _ number: Int, _ wide: ISO15693Knowledge.WideNumbers?, _ securityStatus: Bool
  ) throws -> ISO15693Block {
    let (command, flags) = numbered(
      number, wide, narrow: ISO15693Command.readSingleBlock,
      extended: ISO15693Command.extendedReadSingleBlock)
    let request = request(command, adding: securityStatus ? flags.union(.option) : flags)
    return try repeating(silence: true) {
      let payload = try link.exchange(
        request, answerLength: ISO15693Block.maximumSize, place: .block(number))
      let blocks = try ISO15693Block.decode(payload, count: 1, hasSecurityStatus: securityStatus)
      return blocks[0]
    }
  }

  /// Returns whether blocks are locked: a byte a block, bit 0 set if so.
  ///
  /// By the command for it, or where the tag does not have it by reading with the option flag.
  mutating func securityStatus(_ range: Range<Int>) throws -> [UInt8] {
    try checkExistence(range)
    var statuses: [UInt8] = []
    var next = range.lowerBound
    var hasRepeated = false
    while next < range.upperBound, !knowledge.refusesSecurityStatus {
      let end = min(
        formEnd(from: next, to: range.upperBound), next + max(1, link.maximumResponseLength - 1))
      if next > Self.largestNarrowNumber, knowledge.wideNumbers == nil {
        _ = try readBlock(next)
        continue
      }
      let (command, flags) = try numbered(
        next..<end, narrow: ISO15693Command.getMultipleBlockSecurityStatus,
        extended: ISO15693Command.extendedGetMultipleBlockSecurityStatus)
      do {
        let payload = try repeating(silence: false) {
          try link.exchange(
            request(command, adding: flags), answerLength: end - next, place: .block(next))
        }
        // After its end, SLI returns fewer bytes and no error (SL2ICS20 data sheet, 9.2.9).
        guard payload.count == end - next else {
          throw NFCError(
            .tagResponseError,
            "the tag reported the status of \(payload.count) blocks, not \(end - next)",
            place: .block(next))
        }
        statuses += payload
        next = end
      } catch let error as NFCError where error.isSilence || error.isRefusalOfCommand {
        // Only a tag that answers another command has refused.
        guard let block = try blockWithStatus(next) else {
          guard error.cause != .unsupportedByReader else { throw error }
          _ = try readBlock(next)
          guard error.isSilence, !hasRepeated else { throw error }
          hasRepeated = true
          continue
        }
        statuses.append(block.securityStatus ?? 0)
        next += 1
        knowledge.refusesSecurityStatus = true
      }
    }
    guard next < range.upperBound else { return statuses }
    let rest = try readBlocks(next..<range.upperBound, securityStatus: true)
    return statuses + rest.map { $0.securityStatus ?? 0 }
  }

  /// Returns a block with its lock; `nil` if the reader has no way for the option flag.
  private mutating func blockWithStatus(_ number: Int) throws -> ISO15693Block? {
    do {
      return try readBlock(number, securityStatus: true)
    } catch let error as NFCError where error.code == .unsupported {
      return nil
    }
  }

  /// Returns whether a block is locked, with any command that the reader supports.
  mutating func isLocked(_ number: Int) throws -> Bool {
    if let isLocked = try blockWithStatus(number)?.isLocked { return isLocked }
    return try securityStatus(number..<(number + 1)).first.map { $0 & 1 != 0 } ?? false
  }
}

extension Int {
  /// The largest power of two that is less; 1 at least.
  var nextPowerOfTwoBelow: Int {
    self <= 2 ? 1 : 1 << (Int.bitWidth - 1 - (self - 1).leadingZeroBitCount)
  }
}

extension NFCError {
  /// The tag does not have the command, or not in this form, or the reader does not bring it there.
  var isRefusalOfCommand: Bool {
    if cause == .unsupportedByReader { return true }
    return switch vicinityRefusal {
    case .commandNotSupported, .commandNotRecognized, .optionNotSupported, .unknown: true
    default: false
    }
  }
}
