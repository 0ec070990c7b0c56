/// The commands of MIFARE Classic. Each takes one exchange with the reader, whose chip runs the
/// cipher.
///
/// A block can be accessed after its sector was authenticated; a refused command ends the
/// authentication. Source: NXP MF1S50YYX and MF1S70YYX data sheets, 9 and 10.
public struct MiFareClassicCommands: ChangeableTag {
  let handle: TagHandle

  public var identifier: [UInt8] { handle.target.identifier }
  public var reader: Reader { handle.reader }

  /// The structure of the card's memory.
  public let geometry: MiFareClassicGeometry

  /// `nil` if SAK is none of MIFARE Classic.
  init?(handle: TagHandle, target: ISO14443ATarget) {
    guard let geometry = MiFareClassicGeometry(sak: target.sak) else { return nil }
    self.handle = handle
    self.geometry = geometry
  }

  /// Opens the sector of a block by authenticating with a key.
  ///
  /// ```swift
  /// try await classic.authenticate(block: 4, with: .factory, as: .a)
  /// ```
  ///
  /// - Throws: ``NFCError/Code/authenticationFailed`` if the key is wrong;
  ///   ``NFCError/Code/invalidParameter`` for a block that no card has.
  public func authenticate(
    block: Int, with key: MiFareClassicKey, as keyType: MiFareClassicKeyType
  ) async throws {
    let block = try Self.number(block)
    try await handle.perform {
      try MiFareClassicExchange.authenticate(block, keyType, key.bytes, $0)
    }
  }

  /// Reads a block: 16 bytes. Key A of a trailer reads as zeros.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` if the sector is not open, or the key does not allow
  ///   reading.
  public func readBlock(_ block: Int) async throws -> [UInt8] {
    let block = try Self.number(block)
    return try await handle.perform { try MiFareClassicExchange.read(block, $0) }
  }

  /// Writes a block of 16 bytes. Writing a sector trailer is not interrupted when the task is
  /// cancelled.
  ///
  /// - Throws: ``NFCError/Code/malformedContent`` for a sector trailer with broken access bits,
  ///   before anything is sent: it would close the sector permanently.
  public func writeBlock(_ block: Int, _ data: [UInt8]) async throws {
    guard data.count == MiFareClassicGeometry.blockSize else {
      throw NFCError(
        .invalidParameter, "a block has 16 bytes, not \(data.count)", place: .block(block))
    }
    let number = try Self.number(block)
    guard geometry.isTrailer(block) else { return try await send(.write(number, data)) }
    _ = try MiFareClassicSectorTrailer(data)
    _ = try await handle.performCommand { link in
      try link.uninterrupted(recovery: MiFareClassicSession.trailerInDoubt) { hasChanged in
        // A card that has written and whose acknowledge is lost looks like one that refuses.
        hasChanged = true
        return try MiFareClassicExchange.send(.write(number, data), link)
      }
    }
  }

  /// Adds to a value block, into the card's transfer buffer; ``transfer(to:)`` writes it.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a block that no card has;
  ///   ``NFCError/Code/tagRefused`` if the sector is not open, the key does not allow it, or the
  ///   block is not a value block.
  public func increment(_ block: Int, by value: UInt32) async throws {
    try await send(.increment(Self.number(block), by: value))
  }

  /// Subtracts from a value block, into the card's transfer buffer; ``transfer(to:)`` writes it.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a block that no card has;
  ///   ``NFCError/Code/tagRefused`` if the sector is not open, the key does not allow it, or the
  ///   block is not a value block.
  public func decrement(_ block: Int, by value: UInt32) async throws {
    try await send(.decrement(Self.number(block), by: value))
  }

  /// RESTORE: loads a value block into the card's transfer buffer; ``transfer(to:)`` writes it.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a block that no card has;
  ///   ``NFCError/Code/tagRefused`` if the sector is not open, the key does not allow it, or the
  ///   block is not a value block.
  public func loadValue(from block: Int) async throws {
    try await send(.restore(Self.number(block)))
  }

  /// TRANSFER: writes the transfer buffer to a block of the same sector.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a block that no card has;
  ///   ``NFCError/Code/tagRefused`` if the key does not allow it, or the buffer is empty.
  public func transfer(to block: Int) async throws {
    try await send(.transfer(Self.number(block)))
  }

  /// Returns a block's number in its form over the air.
  static func number(_ block: Int) throws(NFCError) -> UInt8 {
    guard let number = UInt8(exactly: block) else {
      throw NFCError(.invalidParameter, "blocks are 0 to 255", place: .block(block))
    }
    return number
  }

  private func send(_ command: MiFareClassicCommand) async throws {
    _ = try await handle.performCommand { try MiFareClassicExchange.send(command, $0) }
  }
}

/// Commands of MIFARE Classic over the air.
enum MiFareClassicExchange {
  static func authenticate(
    _ block: UInt8, _ keyType: MiFareClassicKeyType, _ key: [UInt8], _ link: TagLink
  ) throws {
    guard key.count == 6 else {
      throw NFCError(
        .invalidParameter, "a key has 6 bytes, not \(key.count)", place: .block(Int(block)))
    }
    do {
      try link.authenticate(block: block, keyType: keyType, key: key)
    } catch let error as NFCError where error.code == .authenticationFailed {
      // A reader reports the same for a card that has left: this distinguishes them.
      try link.selectAgain()
      throw error
    }
  }

  static func read(_ block: UInt8, _ link: TagLink) throws -> [UInt8] {
    try send(.read(block), link)
  }

  /// Sends a command in the form of the data sheet, with the second part of a two-part command
  /// directly after the first. Returns `0A` for a command that is only acknowledged.
  static func send(_ bytes: [UInt8], _ link: TagLink) throws -> [UInt8] {
    guard let command = MiFareClassicCommand(bytes) else {
      throw NFCError(
        .invalidParameter,
        "a MIFARE Classic accepts 60 and 61 (block, key), 30 and B0 (block), A0 (block, 16 bytes), C0 to C2 "
          + "(block, 4 bytes)")
    }
    let answer = try send(command, link)
    return answer.isEmpty ? [UltralightCommand.acknowledge] : answer
  }

  /// A time longer than any command needs: 10 ms for the value commands (MF1S50YYX data sheet,
  /// table 9). A reader's chip always waits this long.
  private static let timeout = Duration.milliseconds(100)

  /// Returns the content of the answer.
  static func send(_ command: MiFareClassicCommand, _ link: TagLink) throws -> [UInt8] {
    if case .authenticate(let block, let keyType, let key) = command {
      try authenticate(block, keyType, key, link)
      return []
    }
    do {
      return try command.answer(
        link.exchange(command.encoded, framing: .tagProtocol, timeout: timeout))
    } catch let error as NFCError where error.isRefusal {
      // For a refusal, a reader's chip reports only that there was no valid answer. A card that is
      // still present has refused; it has to be woken again in either case.
      try link.selectAgain()
      throw NFCError(
        .tagRefused,
        "the card has refused command \(command.encoded.prefix(1).hexadecimal) or has not received it: the sector is "
          + "not open, or its access conditions forbid it",
        cause: error.cause == .noAnswer ? nil : error.cause, place: .block(Int(command.block)))
    }
  }
}

extension NFCError {
  /// Whether this is how a reader's chip reports a refusal of a MIFARE Classic: as silence, or with
  /// its own code.
  fileprivate var isRefusal: Bool {
    switch (code, cause) {
    case (.tagRefused, _), (.tagResponseError, .noAnswer), (.tagResponseError, .chip): true
    default: false
    }
  }
}
