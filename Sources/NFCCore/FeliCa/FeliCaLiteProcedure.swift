/// Blocks of FeliCa Lite and Lite-S over the air.
struct FeliCaLiteExchange {
  let idm: [UInt8]
  /// Sends a packet without LEN.
  let exchange: ([UInt8]) throws -> [UInt8]

  init(idm: [UInt8], exchange: @escaping ([UInt8]) throws -> [UInt8]) {
    self.idm = idm
    self.exchange = exchange
  }

  /// Creates an exchange for an authentication and the commands with a MAC after it, none of which is repeated.
  init(idm: [UInt8], _ link: TagLink) {
    self.init(idm: idm) { try FeliCaExchange.send($0, link) }
  }

  /// Creates an exchange for commands without a MAC, whose reads are repeated after a lost frame.
  init(idm: [UInt8], withoutMAC link: TagLink) {
    self.init(idm: idm) { try FeliCaExchange.ask($0, link) }
  }

  func read(_ blocks: [UInt8]) throws -> [[UInt8]] {
    let command = FeliCaReadWithoutEncryption(
      idm: idm, list: list(blocks, service: FeliCaLiteLayout.readService))
    try command.validate()
    return try command.answer(exchange(command.encoded))
  }

  func write(_ data: [UInt8], to block: UInt8) throws {
    try write([data], to: [block])
  }

  func write(_ data: [[UInt8]], to blocks: [UInt8]) throws {
    let command = FeliCaWriteWithoutEncryption(
      idm: idm, list: list(blocks, service: FeliCaLiteLayout.writeService), data: data)
    try command.validate()
    try command.answer(exchange(command.encoded))
  }

  private func list(_ blocks: [UInt8], service: UInt16) -> FeliCaBlockList {
    FeliCaBlockList(serviceCodes: [service], blocks: blocks.map { FeliCaBlock(UInt16($0)) })
  }
}

/// Authentication and what follows it, for one challenge.
struct FeliCaLiteProcedure: Sendable {
  let idm: [UInt8]
  let generation: FeliCaLiteGeneration
  private let challenge: [UInt8]
  private let sessionKey: [UInt8]

  /// - Parameter challenge: 16 bytes as block RC holds them.
  init(
    idm: [UInt8], generation: FeliCaLiteGeneration, key: FeliCaLiteCardKey, challenge: [UInt8]
  ) throws {
    guard let sessionKey = FeliCaLiteMAC.sessionKey(key, challenge: challenge) else {
      throw NFCError(.unsupported, "the cryptographic library has no triple DES")
    }
    self.idm = idm
    self.generation = generation
    self.challenge = challenge
    self.sessionKey = sessionKey
  }

  /// After a change of the card key that was broken off.
  static let keyRecovery =
    "the card may already have the new key: authenticate with the new key, and then with the old "
    + "one, to see which it has"

  static var liteSOnly: NFCError {
    NFCError(.unsupported, "FeliCa Lite cannot do this, only Lite-S")
  }

  private static func wrongKey(_ cause: NFCError.Cause? = nil) -> NFCError {
    NFCError(.authenticationFailed, "the card has another card key", cause: cause)
  }

  private static let authenticated: UInt8 = 0x01
  private static let counterSize = 3

  static func versionBlock(_ version: UInt16) -> [UInt8] {
    padded(version.littleEndianBytes)
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: FeliCaBlock.size - bytes.count)
  }

  /// Internal authentication: a challenge, and a block that only the right key can put a MAC to.
  func authenticate(_ exchange: FeliCaLiteExchange) throws {
    try exchange.write(challenge, to: FeliCaLiteLayout.randomChallenge)
    _ = try read([FeliCaLiteLayout.id], exchange)
  }

  /// Performs external authentication: STATE accepts 01 only with MAC_A.
  func authenticateExternally(_ exchange: FeliCaLiteExchange) throws {
    try write(Self.padded([Self.authenticated]), to: FeliCaLiteLayout.state, exchange)
    guard
      try read([FeliCaLiteLayout.state], exchange).first?.first == Self.authenticated
    else { throw Self.wrongKey() }
  }

  /// Blocks with a MAC over them, three at a time.
  func read(_ blocks: [UInt8], _ exchange: FeliCaLiteExchange) throws -> [[UInt8]] {
    let room = FeliCaLiteLayout.maximumBlocksRead - 1
    var result: [[UInt8]] = []
    for start in stride(from: 0, to: blocks.count, by: room) {
      result += try readStep(
        Array(blocks[start..<min(start + room, blocks.count)]), exchange)
    }
    return result
  }

  private func readStep(_ blocks: [UInt8], _ exchange: FeliCaLiteExchange) throws -> [[UInt8]] {
    let numbers =
      blocks + [generation == .liteS ? FeliCaLiteLayout.macA : FeliCaLiteLayout.mac]
    var answer = try exchange.read(numbers)
    let mac = answer.removeLast().prefix(FeliCaLiteMAC.size)
    let data = Array(answer.joined())
    let expected =
      generation == .liteS
      ? FeliCaLiteMAC.readCode(
        blocks: numbers, data: data, sessionKey: sessionKey, challenge: challenge)
      : FeliCaLiteMAC.code(over: data, sessionKey: sessionKey, challenge: challenge)
    guard let expected, expected == Array(mac) else { throw Self.wrongKey() }
    return answer
  }

  /// One block with MAC_A, which counts the writes.
  func write(_ data: [UInt8], to block: UInt8, _ exchange: FeliCaLiteExchange) throws {
    guard generation == .liteS else { throw Self.liteSOnly }
    guard data.count == FeliCaBlock.size else {
      throw NFCError(
        .invalidParameter, "a block has \(FeliCaBlock.size) bytes", place: .block(Int(block)))
    }
    let counter = Array(
      try read([FeliCaLiteLayout.writeCounter], exchange).joined().prefix(Self.counterSize))
    guard
      let code = FeliCaLiteMAC.writeCode(
        writeCounter: counter, block: block, data: data, sessionKey: sessionKey,
        challenge: challenge)
    else { throw Self.wrongKey() }
    do {
      try exchange.write(
        [data, Self.padded(code + counter)], to: [block, FeliCaLiteLayout.macA])
    } catch var error as NFCError {
      guard case .statusFlags(_, let second)? = error.cause else { throw error }
      error.place = .block(Int(block))
      if second == FeliCaStatusFlag.wrongMAC { throw Self.wrongKey(error.cause) }
      throw error
    }
  }
}
