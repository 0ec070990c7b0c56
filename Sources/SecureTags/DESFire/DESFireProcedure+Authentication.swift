import SwiftNFCCore

/// The command that authenticates with a key. It decides the secure messaging of the session.
@nonexhaustive
public enum DESFireAuthentication: Hashable, Sendable {
  /// Authenticate (0A): DES and triple DES with two keys, the first generation's messaging.
  case legacy
  /// AuthenticateISO (1A): DES, triple DES with two or three keys.
  case iso
  /// AuthenticateAES (AA).
  case aes
  /// AuthenticateEV2First (71): AES; begins a transaction.
  case ev2First
  /// AuthenticateEV2NonFirst (77): AES, in a transaction that ``ev2First`` has begun.
  case ev2NonFirst
  /// AuthenticateLRPFirst (71): AES in a form that protects its key from side-channel measurement;
  /// begins a transaction with a DESFire Light or an NTAG 424 DNA that was switched to LRP.
  case lrpFirst
  /// AuthenticateLRPNonFirst (77): the same in a transaction that ``lrpFirst`` has begun.
  case lrpNonFirst

  var code: DESFireCommandCode {
    switch self {
    case .legacy: .authenticate
    case .iso: .authenticateISO
    case .aes: .authenticateAES
    case .ev2First, .lrpFirst: .authenticateEV2First
    case .ev2NonFirst, .lrpNonFirst: .authenticateEV2NonFirst
    }
  }

  /// Whether the command uses AES keys only.
  fileprivate var isAES: Bool {
    switch self {
    case .legacy, .iso: false
    case .aes, .ev2First, .ev2NonFirst, .lrpFirst, .lrpNonFirst: true
    }
  }

  /// Chooses the strongest command that a card of this generation supports for a kind of key; if
  /// the generation is not known, the one that all generations support.
  init(_ kind: DESFireKey.Kind, _ generation: DESFireGeneration?) {
    switch kind {
    case .aes: self = generation?.hasEV2Messaging ?? false ? .ev2First : .aes
    case .threeKeyTripleDES: self = .iso
    case .des: self = generation == .ev0 ? .legacy : .iso
    }
  }
}

extension DESFireProcedure {
  private static let transactionIdentifierSize = 4
  private static let capabilitiesSize = 6
  /// The number of times that a delayed authentication is requested again; each answer takes up to 0.2 s
  /// (NT4H2421Gx data sheet, 9).
  private static let patience = 50
  /// The reader does not announce capabilities (AN12196, 5.6: LenCap).
  private static let noCapabilities: [UInt8] = [0x00]

  /// Authenticates with a key, and the card authenticates in turn: two exchanges.
  ///
  /// - Throws: `authenticationFailed` if the card does not have this key, or has another one in its
  ///   place.
  mutating func authenticate(
    _ number: UInt8, _ key: DESFireKey, by method: DESFireAuthentication
  ) throws {
    guard (key.kind == .aes) == method.isAES,
      method != .legacy || key.kind == .des
    else {
      throw NFCError(
        .invalidParameter, "a key for \(key.kind.name) cannot be used with this command")
    }
    let before = state.session?.messaging as? any TransactionMessaging
    state.session = nil
    if method == .ev2NonFirst, !(before is EV2Messaging) {
      throw NFCError(
        .invalidParameter,
        "AuthenticateEV2NonFirst requires a session that AuthenticateEV2First began")
    }
    if method == .lrpNonFirst, !(before is LRPMessaging) {
      throw NFCError(
        .invalidParameter,
        "AuthenticateLRPNonFirst requires a session that AuthenticateLRPFirst began")
    }
    let messaging: any DESFireMessaging =
      switch method {
      case .legacy: try proveLegacy(number, key)
      case .iso, .aes: try proveISO(number, key, method.code)
      case .ev2First, .ev2NonFirst: try proveEV2(number, key, method.code, after: before)
      case .lrpFirst, .lrpNonFirst: try proveLRP(number, key, method.code, after: before)
      }
    state.session = DESFireSession(keyNumber: number, messaging: messaging)
  }

  /// Authenticates to a chip that uses EV2's messaging or was permanently switched to LRP: it
  /// refuses the other command before it counts an attempt (NT4H2421Gx data sheet, table 19). The
  /// result is kept: two exchanges, and one more the first time that a chip uses LRP.
  mutating func authenticateAsConfigured(_ number: UInt8, _ key: DESFireKey) throws {
    guard !state.usesLRP else { return try authenticate(number, key, by: .lrpFirst) }
    do {
      try authenticate(number, key, by: .ev2First)
    } catch let error as NFCError
      where error.cause == .desfireStatus(DESFireStatus.permissionDenied.code)
    {
      // A locked key is refused both ways.
      try authenticate(number, key, by: .lrpFirst)
    }
  }

  /// The command that authenticates with another AES key in a transaction without ending it; `nil` if there is none, or
  /// no session with EV2's messaging or LRP. AuthenticateEV2First begins a new transaction.
  var authenticationInTransaction: DESFireAuthentication? {
    guard state.mayHaveTransaction else { return nil }
    return switch state.session?.messaging {
    case is EV2Messaging: .ev2NonFirst
    case is LRPMessaging: .lrpNonFirst
    default: nil
    }
  }

  // MARK: Steps

  /// Returns the card's challenge, encrypted. A card that delays authentications after wrong keys is asked until the
  /// delay is over (NT4H2421Gx data sheet, 9).
  private func challenge(
    _ code: DESFireCommandCode, _ parameters: [UInt8], count: Int? = nil
  ) throws -> [UInt8] {
    var (status, data) = try transport.exchange(code, parameters)
    for _ in 0..<Self.patience where status == .authenticationDelay {
      (status, data) = try transport.exchange(code, parameters)
    }
    guard status == .additionalFrame else {
      // A key of another kind is refused at the first frame.
      guard status != .authenticationError else {
        throw NFCError(
          .authenticationFailed, "the card has no such key, or one of another kind",
          cause: .desfireStatus(status.code))
      }
      throw status.error
    }
    guard count.map({ data.count == $0 }) ?? true else { throw NFCError.wrongLength }
    return data
  }

  /// Sends the reader's proof and returns the card's.
  private func proof(_ token: [UInt8], count: Int) throws -> [UInt8] {
    let (status, data) = try transport.exchange(.additionalFrame, token)
    switch status {
    case .operationOK: break
    case .authenticationError:
      throw NFCError(
        .authenticationFailed, "the key is wrong", cause: .desfireStatus(status.code))
    default: throw status.error
    }
    guard data.count == count else { throw NFCError.wrongLength }
    return data
  }

  /// Returns the bytes rotated by one byte to the left.
  static func rotated(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.dropFirst() + bytes.prefix(1)) }

  private func check(_ answer: [UInt8], provesReader challenge: [UInt8]) throws {
    guard answer.equalsInConstantTime(Self.rotated(challenge)) else {
      throw NFCError(
        .authenticationFailed, "the card does not prove that it has the key; it may be a copy")
    }
  }

  // MARK: Kinds

  /// The reader only decrypts (MF3ICD40; libfreefare).
  private func proveLegacy(_ number: UInt8, _ key: DESFireKey) throws -> any DESFireMessaging {
    let cipher = try key.cipher
    let size = cipher.blockSize
    let card = try cipher.decrypt(challenge(.authenticate, [number], count: size))
    let reader = random(size)
    let token = try LegacyMessaging.decrypt(reader + Self.rotated(card), cipher)
    try check(cipher.decrypt(proof(token, count: size)), provesReader: reader)
    return try LegacyMessaging(sessionKey: Self.sessionKey(key, reader: reader, card: card))
  }

  /// Each side's block depends on the previous block of the other side (MF3ICDx21_41_81 data sheet,
  /// 9.3.2).
  private func proveISO(
    _ number: UInt8, _ key: DESFireKey, _ code: DESFireCommandCode
  ) throws -> any DESFireMessaging {
    let cipher = try key.cipher
    let size = key.kind == .des ? cipher.blockSize : 16
    let sent = try challenge(code, [number], count: size)
    let card = try cipher.decrypt(sent)
    let reader = random(size)
    let token = try cipher.encrypt(
      reader + Self.rotated(card), initialValue: Array(sent.suffix(cipher.blockSize)))
    let answer = try cipher.decrypt(
      proof(token, count: size), initialValue: Array(token.suffix(cipher.blockSize)))
    try check(answer, provesReader: reader)
    return try EV1Messaging(
      key.kind.algorithm, sessionKey: Self.sessionKey(key, reader: reader, card: card))
  }

  /// The initial values are zeros; the first time, the card returns the transaction identifier
  /// (AN12196, 5.6 and 5.13).
  private func proveEV2(
    _ number: UInt8, _ key: DESFireKey, _ code: DESFireCommandCode,
    after before: (any TransactionMessaging)?
  ) throws -> any DESFireMessaging {
    let cipher = try key.cipher
    let size = cipher.blockSize
    let isFirst = code == .authenticateEV2First
    let card = try cipher.decrypt(
      challenge(code, [number] + (isFirst ? Self.noCapabilities : []), count: size))
    let reader = random(size)
    let token = try cipher.encrypt(reader + Self.rotated(card))
    guard isFirst else {
      try check(cipher.decrypt(proof(token, count: size)), provesReader: reader)
      return try EV2Messaging(
        key: cipher, reader: reader, card: card,
        transactionIdentifier: before?.transactionIdentifier ?? [],
        commandCounter: before?.commandCounter ?? 0)
    }
    let count = Self.transactionIdentifierSize + size + 2 * Self.capabilitiesSize
    let answer = try cipher.decrypt(proof(token, count: count))
    let identifier = Array(answer.prefix(Self.transactionIdentifierSize))
    try check(Array(answer[identifier.count..<(identifier.count + size)]), provesReader: reader)
    return try EV2Messaging(
      key: cipher, reader: reader, card: card, transactionIdentifier: identifier)
  }

  /// The reader's capabilities with bit 1 of PCDCap2.1, which the card answers with its own
  /// (NT4H2421Gx data sheet, 9.2.5 and table 38).
  private static let lrpCapabilities: [UInt8] = [0x02, 0x00, 0x00, 0x00, 0x00, 0x00]
  private static let lrpMode: UInt8 = 0x01

  /// Challenges are sent in plain, with MACs over them made with keys of the session (AN12343,
  /// 7.2.5; NT4H2421Gx data sheet, 10.4.3 and 10.4.4).
  private mutating func proveLRP(
    _ number: UInt8, _ key: DESFireKey, _ code: DESFireCommandCode,
    after before: (any TransactionMessaging)?
  ) throws -> any DESFireMessaging {
    guard let lrpKey = key.sunKey else { throw NFCError.wrongLength }
    let size = TransactionChallenges.size
    let isFirst = code == .authenticateEV2First
    let capabilities = Self.lrpCapabilities
    let answer = try challenge(
      code, [number] + (isFirst ? [UInt8(capabilities.count)] + capabilities : []))
    guard answer.count != size else {
      throw NFCError(.unsupported, "the chip uses EV2 messaging, not LRP")
    }
    guard answer.count == 1 + size, answer.first == Self.lrpMode else {
      throw NFCError.wrongLength
    }
    state.usesLRP = true
    let card = Array(answer.dropFirst())
    let reader = random(size)
    var messaging = try LRPMessaging(
      key: lrpKey, reader: reader, card: card,
      transactionIdentifier: before?.transactionIdentifier ?? [],
      commandCounter: isFirst ? 0 : before?.commandCounter ?? 0)
    let token = reader + messaging.authenticationCode(reader + card)
    let proof = try proof(token, count: isFirst ? 2 * size : size)
    let content = Array(proof.dropLast(size))
    guard
      Array(proof.suffix(size)).equalsInConstantTime(
        messaging.authenticationCode(card + reader + content))
    else {
      throw NFCError(
        .authenticationFailed, "the card does not prove that it has the key; it may be a copy")
    }
    guard isFirst else { return messaging }
    let plain = messaging.decrypt(content)
    // The card repeats what the reader has announced.
    guard plain.suffix(capabilities.count).elementsEqual(capabilities) else {
      throw NFCError(
        .tagResponseError, "the card received something other than what the reader sent")
    }
    return messaging.beginning(Array(plain.prefix(Self.transactionIdentifierSize)))
  }

  /// Returns a session key: parts of both challenges in turn (MF3ICDx21_41_81 data sheet, 8.4.1).
  private static func sessionKey(
    _ key: DESFireKey, reader: [UInt8], card: [UInt8]
  ) -> SecretKey {
    func part(_ range: Range<Int>) -> [UInt8] { Array(reader[range]) + Array(card[range]) }
    var bytes =
      switch key.kind {
      case .des where key.isSingleDES: part(0..<4) + part(0..<4)
      case .des: part(0..<4) + part(4..<8)
      case .threeKeyTripleDES: part(0..<4) + part(6..<10) + part(12..<16)
      case .aes: part(0..<4) + part(12..<16)
      }
    return SecretKey(taking: &bytes)
  }
}
