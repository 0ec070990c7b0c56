import SwiftNFCSeededRandom

/// The card's side of the DESFire commands, without the radio.
///
/// A command consists of one or more frames, which are combined before it is executed. An answer consists
/// of as many frames as its kind and length require.
struct DESFirePICC: Hashable, Sendable {
  /// A native answer: its data and its status.
  struct Answer: Hashable, Sendable {
    var data: [UInt8] = []
    var status = DESFireStatus.operationOK
  }

  /// The result of an executed command: the data of one or more frames.
  struct Result: Hashable, Sendable {
    var frames: [[UInt8]]
    var status = DESFireStatus.operationOK

    init(_ data: [UInt8] = [], status: DESFireStatus = .operationOK) {
      frames = [data]
      self.status = status
    }

    init(frames: [[UInt8]]) { self.frames = frames.isEmpty ? [[]] : frames }
  }

  /// The progress of an authentication by commands of ISO/IEC 7816-4, which follow one another.
  enum InterindustryAuthentication: Hashable, Sendable {
    /// GET CHALLENGE has returned the card's first random bytes.
    case challenged([UInt8])
    /// EXTERNAL AUTHENTICATE has verified the reader.
    case verified(key: UInt8, reader: [UInt8], vector: [UInt8])
  }

  /// A read with Secure Dynamic Messaging. Further reads of the same kind are not counted after it.
  struct CountedRead: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
      case native
      case interindustry
    }

    let kind: Kind
    let file: UInt8
    /// The padding of PICCData.
    let padding: [UInt8]
  }

  private enum Chain: Hashable, Sendable {
    case none
    case answering([[UInt8]], DESFireStatus)
    case collecting(DESFireCommand, [UInt8], expected: Int)
    case authenticating(DESFireAuthentication)
  }

  let model: DESFireModel
  let uid: [UInt8]
  let signature: [UInt8]?
  var card = DESFireApplication.factoryPICC
  var applications: [DESFireApplication]
  /// The memory of deleted files and applications that the chip has not released, in bytes.
  var unreleasedMemory = 0
  var delegation = DESFireDelegation()

  /// The index of the selected application; `nil` at the level of the card.
  var selection: Int?
  /// The index of the current file, which SELECT (ISO/IEC 7816-4) has set.
  var currentFile: Int?
  var session: DESFireSession?
  private var chain = Chain.none
  var interindustry: InterindustryAuthentication?
  /// The last read that Secure Dynamic Messaging has counted.
  var countedRead: CountedRead?
  private var generator: SplitMix64
  var configuration = DESFireConfiguration()
  /// Fixed challenges, which are used before the generator's numbers.
  private var challenges: ArraySlice<[UInt8]>

  init(
    model: DESFireModel, uid: [UInt8], signature: [UInt8]?, applications: [DESFireApplication],
    challenges: [[UInt8]] = []
  ) {
    self.challenges = challenges[...]
    self.model = model
    self.uid = uid
    self.signature = signature
    self.applications = applications
    generator = SplitMix64(seed: uid.reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// The irreversible state. The card has place 0; the place of an application is its identifier.
  var irreversibleState: IrreversibleState {
    var state = IrreversibleState()
    for application in [card] + applications {
      let place = application.identifier.reversed().reduce(0) { $0 << 8 | Int($1) }
      state.add(.accessRights, place: place, bits: application.irreversibleBits)
    }
    state.add(.configurationLock, place: 0, bits: configuration.usesLRP ? 1 : 0)
    return state
  }

  /// Discards everything except the memory.
  mutating func reset() {
    selection = nil
    leaveSelection()
  }

  /// Ends the session, unfinished commands and transactions.
  mutating func leaveSelection() {
    session = nil
    currentFile = nil
    chain = .none
    interindustry = nil
    countedRead = nil
    for index in applications.indices { _ = applications[index].abort() }
  }

  /// Returns random bytes of the card.
  mutating func random(_ count: Int) -> [UInt8] { generator.bytes(count) }

  /// Returns the random bytes of an authentication.
  mutating func challenge(_ count: Int) -> [UInt8] {
    challenges.popFirst() ?? generator.bytes(count)
  }

  /// Aborts a command whose frames are incomplete.
  mutating func abandonChain() { chain = .none }

  /// The selected application, or the card level.
  var selected: DESFireApplication {
    get { selection.map { applications[$0] } ?? card }
    set {
      if let selection { applications[selection] = newValue } else { card = newValue }
    }
  }

  // MARK: Frames

  /// The maximum number of data bytes in a frame of an answer that additional frames continue.
  static let longestFrame = 59

  /// Receives a frame: a command code, and the bytes after it.
  mutating func receive(code: UInt8, parameters: [UInt8]) -> Answer {
    let command = DESFireCommand(rawValue: code)
    interindustry = nil
    if ![.readData, .readDataChained, .additionalFrame].contains(command) { countedRead = nil }
    do throws(DESFireStatus) {
      guard let command, model.supports(command) else {
        throw DESFireStatus.illegalCommand
      }
      if command == .additionalFrame { return try continueChain(parameters) }
      guard case .none = chain else { throw DESFireStatus.commandAborted }
      return try begin(command, parameters)
    } catch {
      chain = .none
      // An error also ends the session, except one of the first generation, which only loses its transaction: after the
      // same refused write, libfreefare's tests of EV1 cards authenticate again, and that of the first generation does
      // not. No public source says whether status 0C, nothing to commit or to discard, is an exception; NXP's reader
      // library (`phalMfdfEVx_Sw_Int_ResetAuthStatus`) makes none.
      if session?.scheme == .legacy {
        _ = selected.abort()
      } else {
        session = nil
      }
      return Answer(status: error)
    }
  }

  private mutating func begin(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Answer {
    if let scheme = command.authenticationScheme {
      return try authenticate(command, scheme: scheme, parameters)
    }
    if let headerSize = command.writeHeaderSize {
      let expected = try expectedWriteCount(command, parameters, headerSize)
      guard parameters.count <= expected else { throw .lengthError }
      if parameters.count < expected {
        // With chaining by ISO/IEC 14443-4, the command is complete.
        guard
          ![.writeDataChained, .writeRecordChained, .updateRecordChained].contains(command)
        else { throw .lengthError }
        chain = .collecting(command, parameters, expected: expected)
        return Answer(status: .additionalFrame)
      }
    }
    if command == .createDelegatedApplication {
      chain = .collecting(
        command, parameters, expected: parameters.count + delegationSize(session))
      return Answer(status: .additionalFrame)
    }
    return send(try perform(command, parameters))
  }

  private mutating func continueChain(_ parameters: [UInt8]) throws(DESFireStatus) -> Answer {
    switch chain {
    case .none:
      throw .illegalCommand
    case .answering(let frames, let status):
      guard parameters.isEmpty else { throw .lengthError }
      return send(frames, status: status)
    case .collecting(let command, let collected, let expected):
      let whole = collected + parameters
      guard whole.count <= expected else { throw .lengthError }
      if whole.count < expected {
        guard command != .createDelegatedApplication else { throw .lengthError }
        chain = .collecting(command, whole, expected: expected)
        return Answer(status: .additionalFrame)
      }
      chain = .none
      return send(try perform(command, whole))
    case .authenticating(let authentication):
      chain = .none
      guard let (answer, session) = authentication.finish(parameters) else {
        throw .authenticationError
      }
      self.session = session
      return Answer(data: answer)
    }
  }

  private mutating func send(_ result: Result) -> Answer {
    send(result.frames, status: result.status)
  }

  private mutating func send(_ frames: [[UInt8]], status: DESFireStatus) -> Answer {
    let rest = Array(frames.dropFirst())
    chain = rest.isEmpty ? .none : .answering(rest, status)
    return Answer(data: frames.first ?? [], status: rest.isEmpty ? status : .additionalFrame)
  }

  /// The size of a frame of data that is read. A DESFire EV3 sends whole blocks of the cipher in a session by
  /// AuthenticateAES, also in plain and with a MAC (desox-rs, `file_io.replay`, recorded on an EV3); no recording shows
  /// the other schemes.
  var frameSizeOfData: Int {
    guard model.hasDynamicMessaging, let session, session.scheme == .standard,
      session.cipher.kind == .aes
    else { return Self.longestFrame }
    return Self.longestFrame / session.cipher.zeroVector.count * session.cipher.zeroVector.count
  }

  /// Splits a long answer into frames.
  static func frames(_ data: [UInt8], size: Int = longestFrame) -> [[UInt8]] {
    stride(from: 0, to: max(data.count, 1), by: size).map {
      Array(data[$0..<min($0 + size, data.count)])
    }
  }

  // MARK: Authentication

  private mutating func authenticate(
    _ command: DESFireCommand, scheme: DESFireSession.Scheme, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Answer {
    let before = session?.transaction
    session = nil
    guard let number = parameters.first else { throw .lengthError }
    let key = try authenticationKey(number)
    let capabilities = try readerCapabilities(command, parameters)
    guard command.authenticates(with: key.kind) else { throw .authenticationError }
    var transaction = DESFireAuthentication.Transaction.none
    var isLRP = false
    let challenge = challenge(key.challengeSize)
    switch command {
    case .authenticateEV2First:
      isLRP = configuration.usesLRP
      // A chip that is set to LRP accepts no other authentication (NT4H2421Gx data sheet, table 19).
      guard !isLRP || capabilities.first.map({ $0 & Self.lrpCapability != 0 }) ?? false else {
        throw .permissionDenied
      }
      // It begins a transaction: that of before is lost. NXP's documents say only that it begins one; a chip that
      // keeps the changes would permit more.
      _ = selected.abort()
      transaction = .begins(
        identifier: generator.bytes(Self.transactionIdentifierSize),
        readerCapabilities: capabilities)
    case .authenticateEV2NonFirst:
      guard let before else { throw .permissionDenied }
      isLRP = before.isLRP
      transaction = .goesOn(
        identifier: before.identifier, commandCounter: before.commandCounter)
    default: break
    }
    let authentication = DESFireAuthentication(
      scheme: scheme, keyNumber: number, key: key, challenge: challenge, transaction: transaction,
      isLRP: isLRP)
    chain = .authenticating(authentication)
    return Answer(data: authentication.firstAnswer, status: .additionalFrame)
  }

  private func authenticationKey(_ number: UInt8) throws(DESFireStatus) -> DESFireKey {
    if selection == nil, hasDelegation, number == DESFireDelegation.authenticationKey {
      return try delegation.key(number)
    }
    guard Int(number) < selected.keys.count else { throw .noSuchKey }
    return selected.keys[Int(number)]
  }

  private static let transactionIdentifierSize = 4
  private static let mostCapabilities = 6
  /// Bit 1 of PCDCap2.1.
  private static let lrpCapability: UInt8 = 0x02

  /// Returns the reader's capabilities. AuthenticateEV2First has their number and up to six bytes after
  /// the key's number (NT4H2421Gx data sheet, 10.4.1); the other commands have no bytes there.
  private func readerCapabilities(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> [UInt8] {
    guard command == .authenticateEV2First else {
      guard parameters.count == 1 else { throw .lengthError }
      return []
    }
    guard parameters.count >= 2, Int(parameters[1]) == parameters.count - 2,
      parameters.count - 2 <= Self.mostCapabilities
    else { throw .lengthError }
    return Array(parameters.dropFirst(2))
  }
}

extension DESFireCommand {
  /// The size of the parameters before the data of a writing command, the last six of which are an offset and a number
  /// of bytes; `nil` for another command.
  var writeHeaderSize: Int? {
    switch self {
    case .writeData, .writeDataChained, .writeRecord, .writeRecordChained: 7
    case .updateRecord, .updateRecordChained: 10
    default: nil
    }
  }

  fileprivate var authenticationScheme: DESFireSession.Scheme? {
    switch self {
    case .authenticate: .legacy
    case .authenticateISO, .authenticateAES: .standard
    case .authenticateEV2First, .authenticateEV2NonFirst: .ev2
    default: nil
    }
  }

  fileprivate func authenticates(with kind: DESFireKey.Kind) -> Bool {
    switch self {
    case .authenticate: kind == .des
    case .authenticateISO: kind != .aes
    default: kind == .aes
    }
  }
}
