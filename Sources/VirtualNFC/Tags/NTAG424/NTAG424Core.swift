import SwiftNFCSeededRandom
import SwiftNFCCore

/// The commands of an NTAG 424 DNA on the chip's side, without the radio (NT4H2421Gx data sheet, 8 to
/// 10).
struct NTAG424Core: Hashable, Sendable {
  struct Key: Hashable, Sendable {
    var bytes = [UInt8](repeating: 0, count: 16)
    var version: UInt8 = 0
    /// The number of failed authentications, TotFailCtr.
    var failures = 0
  }

  /// The answer to a native command: its data and its status.
  struct Answer: Hashable, Sendable {
    var data: [UInt8] = []
    var status = NTAG424Status.operationOK

    /// The first byte of a native command's status word.
    private static let statusClass: UInt8 = 0x91

    var bytes: [UInt8] { data + [Self.statusClass, status.rawValue] }
  }

  private enum Chain: Hashable, Sendable {
    case none
    case authenticating(Authentication)
    case version(part: Int)
  }

  private struct Authentication: Hashable, Sendable {
    let isFirst: Bool
    let number: UInt8
    let challenge: [UInt8]
    let capabilities: [UInt8]
    let isLRP: Bool

    /// The capabilities, padded with zeros (9.1.5).
    var allCapabilities: [UInt8] {
      capabilities
        + [UInt8](repeating: 0, count: NTAG424Core.capabilitySize - capabilities.count)
    }
  }

  /// A read of the NDEF file. Further reads of the same kind are not counted after it (9.3.1).
  struct CountedRead: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case native
      case interindustry
    }

    let kind: Kind
    /// The padding of PICCData, and PICCRand.
    let padding: [UInt8]
    let number: [UInt8]
  }

  static let keyCount = 5
  /// TotFailCtrLimit and TotFailCtrDecr (table 50).
  private static let defaultLimit = 1000
  private static let defaultDecrement = 10

  let uid: [UInt8]
  let signature: [UInt8]
  var files: [NTAG424File]
  var keys = [Key](repeating: Key(), count: keyCount)
  var usesRandomIdentifier = false
  /// Whether the chip is permanently set to LRP.
  var usesLRP: Bool { capabilities[0] & Self.useLRP != 0 }
  /// The limit of failed authentications; `nil` if they are not counted.
  private var failureLimit: Int? = defaultLimit
  private var failureDecrement = defaultDecrement
  private var capabilities = [UInt8](repeating: 0, count: 6)
  /// The number of further authentications that are answered with AUTHENTICATION_DELAY.
  var pendingDelays = 0

  /// Whether the application is selected, as opposed to the chip itself.
  var isApplicationSelected = false
  /// The index of the current file, which ISOSelectFile has set.
  var currentFile: Int?
  private(set) var session: NTAG424Session?
  private var chain = Chain.none
  var countedRead: CountedRead?
  var generator: SplitMix64

  init(uid: [UInt8], signature: [UInt8], ndef: [UInt8]) {
    self.uid = uid
    self.signature = signature
    files = NTAG424File.factory(ndef: ndef)
    generator = SplitMix64(seed: uid.reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Discards everything except the memory.
  mutating func reset() {
    isApplicationSelected = false
    currentFile = nil
    endSession()
  }

  mutating func endSession() {
    session = nil
    chain = .none
    countedRead = nil
  }

  /// Whether a command of several frames is incomplete.
  var isChaining: Bool { chain != .none }

  // MARK: Native commands

  mutating func receive(code: UInt8, parameters: [UInt8]) -> Answer {
    let command = NTAG424Command(rawValue: code)
    if command != .readData { countedRead = nil }
    do throws(NTAG424Status) {
      guard let command else { throw .illegalCommand }
      if command == .additionalFrame { return try continueChain(parameters) }
      guard chain == .none else { throw .commandAborted }
      return try perform(command, parameters)
    } catch {
      // An error ends the authentication (9.1.9).
      endSession()
      return Answer(status: error)
    }
  }

  private mutating func continueChain(_ parameters: [UInt8]) throws(NTAG424Status) -> Answer {
    let current = chain
    chain = .none
    switch current {
    case .none: throw .illegalCommand
    case .authenticating(let authentication):
      return try finish(authentication, token: parameters)
    case .version(let part):
      guard parameters.isEmpty else { throw .lengthError }
      return version(part: part)
    }
  }

  private mutating func perform(
    _ command: NTAG424Command, _ parameters: [UInt8]
  ) throws(NTAG424Status) -> Answer {
    switch command {
    case .authenticateFirst, .authenticateNonFirst:
      return try authenticate(parameters, isFirst: command == .authenticateFirst)
    case .getVersion:
      let data = try unprotect(command, parameters, header: 0, .authenticated)
      guard data.isEmpty else { throw .lengthError }
      return version(part: 0)
    case .readSignature:
      let data = try unprotect(command, parameters, header: 1, .encrypted)
      guard data.count == 1 else { throw .lengthError }
      guard data == [0x00] else { throw .parameterError }
      return protect(signature, .encrypted, status: .signatureOK)
    case .getKeyVersion:
      let data = try unprotect(command, parameters, header: 1, .authenticated)
      guard data.count == 1 else { throw .lengthError }
      return protect([try keyVersion(data[0])], .authenticated)
    case .getCardUID:
      guard session != nil else { throw .authenticationError }
      guard try unprotect(command, parameters, header: 0, .encrypted).isEmpty else {
        throw .lengthError
      }
      return protect(uid, .encrypted)
    case .changeKey: return try changeKey(parameters)
    case .setConfiguration: return try setConfiguration(parameters)
    case .getFileSettings, .changeFileSettings, .getFileCounters, .readData, .writeData:
      return try performFileCommand(command, parameters)
    case .additionalFrame: throw .illegalCommand
    }
  }

  /// Removes the protection of the session, if there is one.
  mutating func unprotect(
    _ command: NTAG424Command, _ parameters: [UInt8], header: Int,
    _ communication: NTAG424File.Communication
  ) throws(NTAG424Status) -> [UInt8] {
    guard var session else { return parameters }
    let data = try session.unprotect(
      command.rawValue, parameters, headerSize: header, communication)
    self.session = session
    return data
  }

  mutating func protect(
    _ data: [UInt8], _ communication: NTAG424File.Communication,
    status: NTAG424Status = .operationOK
  ) -> Answer {
    Answer(data: session?.protect(data, status, communication) ?? data, status: status)
  }

  // MARK: Authentication (10.4)

  private static let blockSize = 16
  /// The size of PCDCap2 and PDCap2.
  fileprivate static let capabilitySize = 6

  private mutating func authenticate(
    _ parameters: [UInt8], isFirst: Bool
  ) throws(NTAG424Status) -> Answer {
    guard let number = parameters.first else { throw .lengthError }
    let hadSession = session != nil
    let capabilities = Array(parameters.dropFirst(2))
    if isFirst {
      guard parameters.count >= 2, Int(parameters[1]) == capabilities.count,
        capabilities.count <= Self.capabilitySize
      else { throw .lengthError }
    } else {
      guard parameters.count == 1 else { throw .lengthError }
    }
    guard number & 0xC0 == 0 else { throw .parameterError }
    guard isApplicationSelected else {
      // The keys of the chip itself exist only for LRP.
      throw (1...4).contains(number) ? .permissionDenied : .noSuchKey
    }
    guard number < Self.keyCount else { throw .noSuchKey }
    // Table 19: a chip that is set to LRP accepts no other authentication; one that is not answers with
    // AES in any case.
    let asksForLRP = capabilities.first.map { $0 & Self.useLRP != 0 } ?? false
    let isLRP = isFirst ? usesLRP : session?.isLRP ?? false
    guard isFirst ? asksForLRP || !usesLRP : hadSession else { throw .permissionDenied }
    if let failureLimit, keys[Int(number)].failures >= failureLimit { throw .permissionDenied }
    guard pendingDelays == 0 else {
      pendingDelays -= 1
      throw .authenticationDelay
    }
    let authentication = Authentication(
      isFirst: isFirst, number: number, challenge: generator.bytes(Self.blockSize),
      capabilities: capabilities, isLRP: isLRP)
    chain = .authenticating(authentication)
    guard !isLRP else {
      return Answer(data: [Self.lrpMode] + authentication.challenge, status: .additionalFrame)
    }
    let cipher = cipher(number)
    return Answer(
      data: cipher.encrypt(authentication.challenge, vector: cipher.zeroVector),
      status: .additionalFrame)
  }

  private func cipher(_ number: UInt8) -> DESFireCipher {
    DESFireCipher(kind: .aes, key: keys[Int(number)].bytes)
  }

  private mutating func finish(
    _ authentication: Authentication, token: [UInt8]
  ) throws(NTAG424Status) -> Answer {
    guard token.count == 2 * Self.blockSize else { throw .lengthError }
    guard !authentication.isLRP else { return try finishLRP(authentication, token: token) }
    let number = authentication.number
    let cipher = cipher(number)
    let plain = cipher.decrypt(token, vector: cipher.zeroVector)
    let reader = Array(plain.prefix(Self.blockSize))
    guard Array(plain.suffix(Self.blockSize)) == Self.rotated(authentication.challenge) else {
      keys[Int(number)].failures += 1
      throw .authenticationError
    }
    keys[Int(number)].failures = max(0, keys[Int(number)].failures - failureDecrement)
    let transaction =
      authentication.isFirst ? generator.bytes(4) : session?.transaction ?? []
    session = NTAG424Session(
      key: keys[Int(number)].bytes, number: number, reader: reader,
      chip: authentication.challenge, transaction: transaction,
      counter: authentication.isFirst ? 0 : session?.counter ?? 0)
    var answer = Self.rotated(reader)
    if authentication.isFirst {
      answer = transaction + answer + capabilities + authentication.allCapabilities
    }
    return Answer(data: cipher.encrypt(answer, vector: cipher.zeroVector))
  }

  /// AuthMode for LRP (tables 38 and 44).
  private static let lrpMode: UInt8 = 0x01

  /// Finishes an authentication with LRP (9.2.5, 9.2.6).
  private mutating func finishLRP(
    _ authentication: Authentication, token: [UInt8]
  ) throws(NTAG424Status) -> Answer {
    let number = Int(authentication.number)
    let reader = Array(token.prefix(Self.blockSize))
    let challenge = authentication.challenge
    var lrp = LeakageResilientKeys(key: keys[number].bytes, reader: reader, chip: challenge)
    guard
      Array(token.suffix(Self.blockSize)) == lrp.authenticationCode(reader + challenge)
    else {
      keys[number].failures += 1
      throw .authenticationError
    }
    keys[number].failures = max(0, keys[number].failures - failureDecrement)
    let isFirst = authentication.isFirst
    let transaction = isFirst ? generator.bytes(4) : session?.transaction ?? []
    let content =
      isFirst ? lrp.encrypt(transaction + capabilities + authentication.allCapabilities) : []
    session = NTAG424Session(
      lrp, number: authentication.number, transaction: transaction,
      counter: isFirst ? 0 : session?.counter ?? 0)
    return Answer(data: content + lrp.authenticationCode(challenge + reader + content))
  }

  /// Returns bytes rotated one byte to the left.
  private static func rotated(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.dropFirst()) + bytes.prefix(1)
  }

  // MARK: Version (10.5.2)

  static let hardwareVersion: [UInt8] = [0x04, 0x04, 0x02, 0x30, 0x00, 0x11, 0x05]
  static let softwareVersion: [UInt8] = [0x04, 0x04, 0x02, 0x01, 0x02, 0x11, 0x05]
  /// A batch number, followed by week and year of production.
  private static let production: [UInt8] = [0xBA, 0x34, 0x64, 0xA0, 0x10, 0x18, 0x12]

  private mutating func version(part: Int) -> Answer {
    let shownUID = usesRandomIdentifier ? [UInt8](repeating: 0, count: uid.count) : uid
    let parts = [Self.hardwareVersion, Self.softwareVersion, shownUID + Self.production]
    guard part + 1 < parts.count else {
      // One MAC covers all three parts (table 22).
      let whole = parts.flatMap { $0 }
      let mac = protect(whole, .authenticated).data.dropFirst(whole.count)
      return Answer(data: parts[part] + mac)
    }
    chain = .version(part: part + 1)
    return Answer(data: parts[part], status: .additionalFrame)
  }

  // MARK: Keys (10.6)

  private func keyVersion(_ number: UInt8) throws(NTAG424Status) -> UInt8 {
    guard number & 0xF0 == 0 else { throw .parameterError }
    guard isApplicationSelected else {
      guard (1...4).contains(number) else { throw .noSuchKey }
      return 0
    }
    guard number < Self.keyCount else { throw .noSuchKey }
    return keys[Int(number)].version
  }

  private mutating func changeKey(_ parameters: [UInt8]) throws(NTAG424Status) -> Answer {
    guard let session, session.keyNumber == 0 else { throw .authenticationError }
    let data = try unprotect(.changeKey, parameters, header: 1, .encrypted)
    guard let number = data.first else { throw .lengthError }
    guard number & 0xC0 == 0 else { throw .parameterError }
    guard number < Self.keyCount else { throw .noSuchKey }
    let keySize = Self.blockSize
    var key = Array(data.dropFirst().prefix(keySize))
    let rest = Array(data.dropFirst(1 + keySize))
    if number == 0 {
      guard rest.count == 1 else { throw .lengthError }
      keys[0] = Key(bytes: key, version: rest[0])
      // The session's key does not exist any more.
      endSession()
      return Answer()
    }
    guard rest.count == 5 else { throw .lengthError }
    key = zip(key, keys[Int(number)].bytes).map { $0 ^ $1 }
    guard Array(rest.dropFirst()) == DESFireCipher.checksum(key) else { throw .integrityError }
    keys[Int(number)] = Key(bytes: key, version: rest[0])
    return protect([], .encrypted)
  }

  // MARK: Configuration (10.5.1)

  private enum ConfigurationOption {
    static let chip: UInt8 = 0x00
    static let messaging: UInt8 = 0x04
    static let capabilities: UInt8 = 0x05
    static let failures: UInt8 = 0x0A
    static let hardware: UInt8 = 0x0B
  }

  private static let useRandomIdentifier: UInt8 = 0x02
  private static let useLRP: UInt8 = 0x02

  private mutating func setConfiguration(_ parameters: [UInt8]) throws(NTAG424Status) -> Answer {
    guard isApplicationSelected else { throw .permissionDenied }
    guard let session, session.keyNumber == 0 else { throw .authenticationError }
    let data = try unprotect(.setConfiguration, parameters, header: 1, .encrypted)
    guard let option = data.first else { throw .lengthError }
    let value = Array(data.dropFirst())
    func require(_ count: Int) throws(NTAG424Status) {
      guard value.count == count else { throw .lengthError }
    }
    switch option {
    case ConfigurationOption.chip:
      try require(1)
      guard value[0] & ~Self.useRandomIdentifier == 0 else { throw .parameterError }
      if value[0] != 0 { usesRandomIdentifier = true }
    case ConfigurationOption.messaging: try require(2)
    case ConfigurationOption.capabilities:
      try require(10)
      capabilities[4] = value[8]
      capabilities[5] = value[9]
      guard value[4] & Self.useLRP != 0, !usesLRP else { break }
      capabilities[0] |= Self.useLRP
      // PICCData is longer with LRP (9.3.4.2).
      for index in files.indices { files[index].endDynamicMessaging() }
      // AN12343, table 18, shows an answer without a MAC.
      endSession()
      return Answer()
    case ConfigurationOption.failures:
      try require(5)
      let limit = Int(value[1]) | Int(value[2]) << 8
      guard value[0] & 0x01 == 0 || limit > 0 else { throw .parameterError }
      failureLimit = value[0] & 0x01 == 0 ? nil : limit
      failureDecrement = Int(value[3]) | Int(value[4]) << 8
    case ConfigurationOption.hardware: try require(1)
    default: throw .parameterError
    }
    return protect([], .encrypted)
  }
}
