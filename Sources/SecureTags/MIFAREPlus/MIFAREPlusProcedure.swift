import SwiftNFCCore

/// How the data of a MIFARE Plus is sent over the air; both forms have MACs on commands and
/// answers.
public enum MIFAREPlusCommunication: String, Hashable, Sendable, CaseIterable {
  /// Readable. Every card supports it; sectors may refuse it.
  case plain
  /// Encrypted. MIFARE Plus S does not support it.
  case encrypted
}

/// How keys and initial values of a session are made. MACs are the same, and so are the commands.
///
/// A reader chooses it when it authenticates first. MIFARE Plus X, S and SE have only the first one.
@nonexhaustive
public enum MIFAREPlusSecureMessaging: String, Hashable, Sendable, CaseIterable {
  /// The one of MIFARE Plus X and S, which every card supports.
  case ev0
  /// The one of MIFARE Plus EV1 and EV2.
  case ev1
}

/// The result of an authentication.
struct MIFAREPlusSession: Sendable {
  let address: MIFAREPlusKeyAddress
  var messaging: MIFAREPlusMessaging
}

/// Commands on the reader's thread, one after the other. A refusal ends the card's session, and
/// therefore this one.
struct MIFAREPlusProcedure {
  /// Exchanges a native command for its whole answer.
  let send: ([UInt8]) throws -> [UInt8]
  var session: MIFAREPlusSession?
  let random: (Int) -> [UInt8]
  /// Called when the card has confirmed that it has no session any more.
  var sessionHasEnded: () -> Void = {}

  static let blockSize = 16
  static let mostWrittenBlocks = 3
  /// The number of blocks that a reader's frame of 256 bytes can hold together with status and MAC.
  var mostReadBlocks = 15
  private static let capabilitiesSize = 6
  /// The first capability of the reader, which asks for the messaging of EV1, and of a card that continues with it
  /// (NXP, MF1P(H)x1y1, short data sheet, section 8.10; NXP's reader library, `phalMfpEVx_Sw_AuthenticateGeneral`).
  private static let messagingOfEV1: UInt8 = 0x01

  /// Sends a command and returns the answer without its status: one exchange.
  func exchange(_ command: [UInt8]) throws -> [UInt8] {
    let answer = try send(command)
    guard let status = answer.first else {
      throw NFCError(.tagResponseError, "the card's answer is empty")
    }
    guard status == MIFAREPlusStatus.ok else { throw MIFAREPlusStatus.error(status) }
    return Array(answer.dropFirst())
  }

  /// Runs `body` in the session; any error ends the session.
  private mutating func inSession<Result>(
    _ body: (inout MIFAREPlusMessaging) throws -> Result
  ) throws -> Result {
    guard var current = session else {
      throw NFCError(.notAuthenticated, "the card requires a key first")
    }
    session = nil
    let result = try body(&current.messaging)
    session = current
    return result
  }

  // MARK: Authentication

  /// Authenticates with a key, and the card authenticates in turn: two exchanges. In a session, the
  /// transaction continues.
  ///
  /// - Parameters:
  ///   - messaging: the messaging of a new session; one that continues keeps its own.
  ///   - beginsSession: `false` for security level 1 without ISO/IEC 14443-4: the card then returns no
  ///     identifier, and later commands have no MACs (NXP's reader library, `phalMfp_AuthenticateSL1`;
  ///     liblogicalaccess).
  mutating func authenticate(
    _ address: MIFAREPlusKeyAddress, _ key: SecretKey,
    messaging: MIFAREPlusSecureMessaging = .ev0, beginsSession: Bool = true
  ) throws {
    let cipher = try BlockCipher(.aes128, key: key)
    let before = session?.messaging
    session = nil
    let isFirst = before == nil && beginsSession
    let vectors = before?.authenticationVectors
    let challenge = try challenge(address, isFirst: isFirst, messaging)
    let card = try cipher.decrypt(challenge, initialValue: vectors?.answer)
    let reader = random(Self.blockSize)
    let token = try cipher.encrypt(
      reader + DESFireProcedure.rotated(card), initialValue: vectors?.command)
    let answer: [UInt8]
    do {
      answer = try exchange([MIFAREPlusCommandCode.authenticateContinued] + token)
    } catch let error as NFCError
      where error.code == .notAuthenticated || !beginsSession && error.isRefusalOfPlus
    {
      throw NFCError(.authenticationFailed, "\(address) is wrong", cause: error.cause)
    }
    let size =
      isFirst
      ? MIFAREPlusMessaging.identifierSize + Self.blockSize + 2 * Self.capabilitiesSize
      : Self.blockSize
    guard answer.count == size else { throw NFCError.wrongLength }
    let plain = try cipher.decrypt(answer, initialValue: vectors?.answer)
    let first = isFirst ? MIFAREPlusMessaging.identifierSize : 0
    guard
      Array(plain[first..<first + Self.blockSize])
        .equalsInConstantTime(DESFireProcedure.rotated(reader))
    else {
      throw NFCError(
        .authenticationFailed, "the card does not prove that it has the key; it may be a copy")
    }
    guard beginsSession else { return }
    if isFirst { try Self.check(messaging, cardHas: plain[first + Self.blockSize]) }
    session = MIFAREPlusSession(
      address: address,
      messaging: try MIFAREPlusMessaging(
        before?.form ?? messaging, key: cipher, reader: reader, card: card,
        identifier: before?.identifier ?? Array(plain.prefix(first)), reads: before?.reads ?? 0,
        writes: before?.writes ?? 0))
  }

  /// Verifies that the card continues with the messaging that was asked for.
  ///
  /// - Parameter capability: the card's first capability.
  private static func check(
    _ messaging: MIFAREPlusSecureMessaging, cardHas capability: UInt8
  ) throws {
    switch messaging {
    case .ev0:
      guard capability != messagingOfEV1 else {
        throw NFCError(.unsupported, "the card requires the secure messaging of MIFARE Plus EV1")
      }
    case .ev1:
      guard capability == messagingOfEV1 else {
        throw NFCError(
          .unsupported, "the card does not have the secure messaging of MIFARE Plus EV1")
      }
    }
  }

  /// Requests the card's challenge: one exchange. A card that does not have the key refuses.
  func challenge(
    _ address: MIFAREPlusKeyAddress, isFirst: Bool, _ messaging: MIFAREPlusSecureMessaging = .ev0
  ) throws -> [UInt8] {
    let number = [
      UInt8(truncatingIfNeeded: address.number), UInt8(truncatingIfNeeded: address.number >> 8),
    ]
    // A card to which no capabilities are announced uses the first messaging.
    let capabilities: [UInt8] =
      messaging == .ev0
      ? [] : [Self.messagingOfEV1] + [UInt8](repeating: 0, count: Self.capabilitiesSize - 1)
    let challenge = try exchange(
      isFirst
        ? [MIFAREPlusCommandCode.authenticateFirst] + number + [UInt8(capabilities.count)]
          + capabilities
        : [MIFAREPlusCommandCode.authenticateFollowing] + number)
    guard challenge.count == Self.blockSize else { throw NFCError.wrongLength }
    return challenge
  }

  /// Finds out the security level, 0 or 3: at most two exchanges. Ends the session.
  ///
  /// In level 3 the card begins an authentication, in level 0 it does not know the command (liblogicalaccess,
  /// `detectSecurityLevel`; Proxmark3, `hf_mfp_raw.lua`).
  mutating func securityLevel() throws -> Int {
    session = nil
    do {
      _ = try challenge(.cardMaster, isFirst: true)
    } catch let error as NFCError where error.code == .unsupported {
      return 0
    }
    _ = try exchange([MIFAREPlusCommandCode.resetAuthentication])
    sessionHasEnded()
    return 3
  }

  /// Ends the session: one exchange; none without a session.
  mutating func reset() throws {
    guard session != nil else { return }
    session = nil
    _ = try exchange([MIFAREPlusCommandCode.resetAuthentication])
    sessionHasEnded()
  }

  // MARK: Blocks

  static func address(_ block: Int) throws -> [UInt8] {
    guard let number = UInt8(exactly: block) else {
      throw NFCError(.invalidParameter, "blocks are 0 to 255", place: .block(block))
    }
    return [number, 0x00]
  }

  /// Reads blocks: one exchange for each 15 blocks. Sends nothing for a range that exceeds the
  /// card.
  mutating func read(_ blocks: Range<Int>, _ communication: MIFAREPlusCommunication) throws
    -> [UInt8]
  {
    if let first = blocks.first, let last = blocks.last {
      _ = try (Self.address(first), Self.address(last))
    }
    var data: [UInt8] = []
    var next = blocks.lowerBound
    while next < blocks.upperBound {
      let count = min(
        mostReadBlocks, blocks.upperBound - next, Self.blocksForOneCommand(from: next))
      let parameters = try Self.address(next) + [UInt8(count)]
      let isEncrypted = communication == .encrypted
      let send = exchange
      data += try inSession { messaging in
        let code =
          isEncrypted ? MIFAREPlusCommandCode.readEncrypted : MIFAREPlusCommandCode.readPlain
        let answer = try send(messaging.readCommand(code, parameters))
        return try messaging.readAnswer(
          answer, to: parameters, count: count * Self.blockSize, isEncrypted: isEncrypted)
      }
      next += count
    }
    return data
  }

  /// Returns the number of blocks from this one on that are not a sector's trailer; 1 for a trailer. Whether a read of
  /// several blocks returns a trailer, omits it or is refused is not public; Proxmark3 reads each block by itself
  /// (`mfpReadSector`).
  private static func blocksForOneCommand(from block: Int) -> Int {
    // 32 sectors of 4 blocks, and those of 16 after them.
    let size = block < 128 ? 4 : 16
    let trailer = block / size * size + size - 1
    return max(trailer - block, 1)
  }

  /// Writes one block: one exchange, which the card performs completely or not at all.
  private mutating func write(
    _ code: UInt8, _ parameters: [UInt8], plain: [UInt8] = [], encrypted: [UInt8] = []
  ) throws {
    let send = exchange
    try inSession { messaging in
      let answer = try send(
        messaging.writeCommand(code, parameters, plain: plain, encrypted: encrypted))
      try messaging.writeAnswer(answer)
    }
  }

  /// Writes blocks: one exchange for each block.
  mutating func write(
    _ block: Int, _ data: [UInt8], _ communication: MIFAREPlusCommunication
  ) throws {
    guard data.count == Self.blockSize else {
      throw NFCError(
        .invalidParameter, "a block has \(Self.blockSize) bytes, not \(data.count)",
        place: .block(block))
    }
    let address = try Self.address(block)
    try NFCError.inDoubt(NFCError.dataInDoubt) {
      switch communication {
      case .plain: try write(MIFAREPlusCommandCode.writePlain, address, plain: data)
      case .encrypted: try write(MIFAREPlusCommandCode.writeEncrypted, address, encrypted: data)
      }
    }
  }

  /// Replaces a key: one exchange.
  mutating func changeKey(_ address: MIFAREPlusKeyAddress, to key: SecretKey) throws {
    guard key.count == Self.blockSize else {
      throw NFCError(.invalidParameter, "a key has \(Self.blockSize) bytes, not \(key.count)")
    }
    var bytes = key.withUnsafeBytes { Array($0) }
    defer { bytes.wipe() }
    try NFCError.inDoubt(NFCError.newKeyInDoubt) {
      try write(
        MIFAREPlusCommandCode.writeEncrypted,
        [
          UInt8(truncatingIfNeeded: address.number), UInt8(truncatingIfNeeded: address.number >> 8),
        ], encrypted: bytes)
    }
  }

  // MARK: Values

  private static func operand(_ amount: UInt32) -> [UInt8] {
    BlockCipher.marked(
      (0..<4).map { UInt8(truncatingIfNeeded: amount >> (8 * $0)) }, blockSize: blockSize)
  }

  /// Adds to a value or subtracts from it, and stores the result: one exchange.
  mutating func changeValue(
    _ block: Int, by amount: Int32, into target: Int
  ) throws {
    let isIncrement = amount >= 0
    try NFCError.inDoubt("the value may have changed already: read it") {
      try write(
        isIncrement
          ? MIFAREPlusCommandCode.incrementTransfer : MIFAREPlusCommandCode.decrementTransfer,
        Self.address(block) + Self.address(target), encrypted: Self.operand(amount.magnitude))
    }
  }

  /// Copies a value block: two exchanges. Only the second changes anything.
  mutating func copyValue(_ block: Int, to target: Int) throws {
    try write(MIFAREPlusCommandCode.restore, Self.address(block))
    try NFCError.inDoubt("the copy may already be there: copy the value again") {
      try write(MIFAREPlusCommandCode.transfer, Self.address(target))
    }
  }

  // MARK: Security level 0

  /// Writes a key or a block in security level 0: one exchange.
  func writePersonalization(_ number: UInt16, _ data: [UInt8]) throws {
    try NFCError.inDoubt(NFCError.dataInDoubt) {
      let answer = try exchange(
        [
          MIFAREPlusCommandCode.writePersonalization, UInt8(truncatingIfNeeded: number),
          UInt8(truncatingIfNeeded: number >> 8),
        ] + data)
      guard answer.isEmpty else { throw NFCError.wrongLength }
    }
  }

  /// Ends security level 0: one exchange.
  func commitPersonalization() throws {
    try NFCError.inDoubt(
      "the card may have left level 0 already: look at it again to see which level it has"
    ) {
      let answer = try exchange([MIFAREPlusCommandCode.commitPersonalization])
      guard answer.isEmpty else { throw NFCError.wrongLength }
    }
  }
}
