extension ISO15693Access {
  /// Writes whole blocks from a number on.
  ///
  /// A tag whose size is not known is asked for it first, so that nothing is written if the range
  /// exceeds it. After a silence, the blocks are read back before they are sent again: the tag may
  /// have written them.
  ///
  /// - Throws: `invalidParameter`, before anything is sent, for data that does not fill whole
  ///   blocks or blocks that the tag does not have; `readOnly` with the number of a locked block,
  ///   whose status is read after a refusal without a reason; `tagRefused` for a block that answers
  ///   reads but, repeatedly, no writes.
  mutating func writeBlocks(at first: Int, _ data: [UInt8]) throws {
    guard !data.isEmpty, (0..<Self.largestBlockCount).contains(first) else {
      throw NFCError(
        .invalidParameter,
        data.isEmpty ? "there is nothing to write" : "block numbers go from 0 to 65535")
    }
    try check(first..<(first + 1))
    if let size = knowledge.likelyBlockSize { try check(data, at: first, blockSize: size) }
    if knowledge.blockSize == nil || knowledge.blockCount == nil { try askSize(number: first) }
    guard let size = knowledge.blockSize, size > 0 else {
      throw NFCError(.unsupported, "the tag does not report the size of its blocks")
    }
    try check(data, at: first, blockSize: size)
    try store(first, data, size: size)
  }

  /// Refuses data that are not whole blocks, or go beyond the end.
  private func check(_ data: [UInt8], at first: Int, blockSize size: Int) throws {
    guard data.count.isMultiple(of: size) else {
      throw NFCError(
        .invalidParameter, "the tag's blocks have \(size) bytes; \(data.count) are not whole blocks"
      )
    }
    try check(first..<(first + data.count / size))
  }

  /// Finds out the size of a block, and the number of blocks if the tag reports it.
  mutating func askSize(number: Int = 0) throws {
    try askCount()
    if knowledge.blockSize == nil { _ = try readBlock(number) }
  }

  /// Finds out the number of blocks, if the tag reports it.
  mutating func askCount() throws {
    guard knowledge.blockCount == nil, !knowledge.refusesInformation else { return }
    do {
      _ = try systemInformation()
    } catch let error as NFCError where error.code == .unsupported {
      // In this case, its refusals show it.
    }
  }

  /// Writes blocks that are known to be the tag's.
  mutating func store(_ first: Int, _ data: [UInt8], size: Int) throws {
    var next = first
    let end = first + data.count / size
    func bytes(_ numbers: Range<Int>) -> [UInt8] {
      Array(data[((numbers.lowerBound - first) * size)..<((numbers.upperBound - first) * size)])
    }
    while next < end {
      let step = writeStep(from: next, to: end, size: size)
      let numbers = next..<(next + step)
      if step == 1 {
        try writeBlock(next, bytes(numbers))
      } else if try !writeRun(numbers, bytes(numbers)) {
        continue
      }
      next += step
    }
  }

  /// Flags, command, UID, number and count of a write of several blocks.
  private static let writeOverhead = 14

  private func writeStep(from number: Int, to end: Int, size: Int) -> Int {
    guard knowledge.writeLimit > 1, !link.supportsOnlyBlockAccess else { return 1 }
    let room = max(1, (link.maximumCommandLength - Self.writeOverhead) / size)
    return min(formEnd(from: number, to: end) - number, knowledge.writeLimit, room)
  }

  /// Writes several blocks by one command; `false` if they have to be written by fewer at a time.
  private mutating func writeRun(_ numbers: Range<Int>, _ data: [UInt8]) throws -> Bool {
    let (command, flags) = try numbered(
      numbers, narrow: { .writeMultipleBlocks($0, data: data) },
      extended: { .extendedWriteMultipleBlocks($0, data: data) })
    do {
      let option: ISO15693RequestFlags = knowledge.needsWriteOption == true ? .option : []
      _ = try link.exchange(
        request(command, adding: flags.union(option)), answerLength: Self.shortAnswer,
        place: .block(numbers.lowerBound))
      return true
    } catch let error as NFCError where error.isOutcomeUnknown {
      if try readBlocks(numbers).flatMap(\.data) == data { return true }
    } catch let error as NFCError where error.isRefusalOfCommand {
      // Fewer at a time, and at last one.
    } catch var error as NFCError where error.vicinityRefusal == .locked {
      // Which of them the refusal does not say.
      let locked = try? securityStatus(numbers).firstIndex { $0 & 1 != 0 }
      if let locked { error.place = .block(numbers.lowerBound + locked) }
      throw error
    }
    knowledge.writeLimit = numbers.count.nextPowerOfTwoBelow
    return false
  }

  /// Writes one block.
  mutating func writeBlock(_ number: Int, _ data: [UInt8]) throws {
    try change(
      number, narrow: { .writeSingleBlock($0, data: data) },
      extended: { .extendedWriteSingleBlock($0, data: data) },
      isDone: { access in try access.readBlock(number).data == data })
  }

  /// Locks one block permanently. **Cannot be undone.**
  ///
  /// A tag whose size is not known is asked for it first. A block that is already locked is not an
  /// error. The block's status is read before the command is repeated after a silence, and after a
  /// refusal for which the tag or the reader gives no reason.
  mutating func lockBlock(_ number: Int) throws {
    guard (0..<Self.largestBlockCount).contains(number) else {
      throw NFCError(.invalidParameter, "block numbers go from 0 to 65535")
    }
    try checkExistence(number..<(number + 1))
    do {
      try change(
        number, narrow: ISO15693Command.lockBlock, extended: ISO15693Command.extendedLockBlock,
        isDone: { access in try access.isLocked(number) })
    } catch let error as NFCError
      where error.vicinityRefusal == .alreadyLocked || error.isLockWithoutReason
    {
      return
    } catch let error as NFCError where error.vicinityRefusal == .locked {
      guard try isLocked(number) else { throw error }
    }
  }

  /// Sends a write-alike command for a block, with the option flag if the tag requires it.
  private mutating func change(
    _ number: Int, narrow: (UInt16) -> ISO15693Command, extended: (UInt16) -> ISO15693Command,
    isDone: (inout ISO15693Access) throws -> Bool
  ) throws {
    if number > Self.largestNarrowNumber, knowledge.wideNumbers == nil { _ = try readBlock(number) }
    let (command, flags) = numbered(
      number, knowledge.wideNumbers, narrow: narrow, extended: extended)
    var option = knowledge.needsWriteOption ?? false
    var left = Self.retries
    var hasChangedOption = knowledge.needsWriteOption != nil
    while true {
      do {
        _ = try link.exchange(
          request(command, adding: option ? flags.union(.option) : flags),
          answerLength: Self.shortAnswer, place: .block(number))
        knowledge.needsWriteOption = option
        return
      } catch let error as NFCError where error.isOutcomeUnknown {
        // The tag may have carried it out, and only its answer may be lost: the block is read
        // before it is sent again. The content of a counter proves nothing.
        guard number != knowledge.counterBlock, let done = try? isDone(&self) else {
          throw error
        }
        if done { return }
        guard !error.isSilence || (try? isLocked(number)) != true else {
          throw Self.locked(number, error)
        }
        guard left > 0 else { throw error.isSilence ? Self.refusedInSilence(number) : error }
        left -= 1
      } catch let error as NFCError
        where error.vicinityRefusal == .optionNotSupported && !hasChangedOption
      {
        hasChangedOption = true
        option.toggle()
      } catch let error as NFCError where error.vicinityRefusal == .unknown {
        // NXP's chips give no reason for a refusal (SL2 ICS53/ICS54 data sheet rev. 3.0, 8.4).
        guard (try? isLocked(number)) == true else { throw error }
        throw Self.locked(number, error)
      }
    }
  }

  /// The error for a block that was found to be locked after a refusal without a reason.
  private static func locked(_ number: Int, _ error: NFCError) -> NFCError {
    NFCError(
      .readOnly, "\(ISO15693ErrorCode.locked)", cause: error.cause, place: .block(number))
  }

  /// The error for a block that answers every read, but no write. NXP's chips are silent to a request without a UID that
  /// they refuse (SL2 ICS20 data sheet rev. 3.1, 3.5), and many readers send such requests.
  private static func refusedInSilence(_ number: Int) -> NFCError {
    NFCError(
      .tagRefused,
      "the tag answers reads of the block but no writes: it is locked or protected, or too far away",
      cause: .noAnswer, place: .block(number))
  }
}

extension NFCError {
  /// The tag has refused without a reason, and the block was found to be locked.
  fileprivate var isLockWithoutReason: Bool { code == .readOnly && vicinityRefusal == .unknown }

  /// The tag may have carried the command out, or not.
  fileprivate var isOutcomeUnknown: Bool {
    isSilence || isTransmissionError || isReaderFailure
  }
}
