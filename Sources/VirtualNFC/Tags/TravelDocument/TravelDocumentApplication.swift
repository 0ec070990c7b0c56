import SeededRandom

/// The LDS1 application of an electronic travel document with Basic Access Control (ICAO Doc 9303-10, 4,
/// and 9303-11, 4.3).
///
/// Without access its files are closed: selecting or reading one returns 6982. After EXTERNAL
/// AUTHENTICATE, they are read with secure messaging, which a command without it, or with a wrong MAC, ends.
struct TravelDocumentApplication: VirtualApplet {
  /// A0000002471001, Doc 9303-10, 4.3.
  static let identifier: [UInt8] = [0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01]

  var aid: [UInt8] { Self.identifier }
  private static let challengeSize = 8
  private static let codeSize = 8
  /// The two challenges and 16 bytes for the session's keys, encrypted, and their MAC.
  private static let tokenSize = 2 * challengeSize + DocumentKeys.size + codeSize

  private let keys: DocumentKeys
  private var files: ElementaryFiles
  private var random: RandomNumbers
  private var challenge: [UInt8]?
  private var session: DocumentSession?

  /// - Parameters:
  ///   - information: ``TravelDocument/accessInformation``.
  ///   - files: the contents of the files by their identifiers.
  init(_ information: String, files: [UInt16: [UInt8]], random: RandomNumbers) {
    keys = DocumentKeys(basicAccess: information)
    self.files = ElementaryFiles(files)
    self.random = random
  }

  var acceptsSecureMessaging: Bool { true }

  mutating func select() -> [UInt8] {
    deselect()
    return StatusWord.success.bytes
  }

  mutating func deselect() {
    challenge = nil
    session = nil
    files.close()
  }

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = CommandAPDU(apdu) else { return StatusWord.wrongLength.bytes }
    guard command.cla == DocumentSession.secureClass else {
      guard command.cla == 0 else {
        return
          (command.cla & 0x80 == 0
          ? StatusWord.secureMessagingNotSupported : .classNotSupported).bytes
      }
      // A command without protection ends the session (Doc 9303-11, 9.8).
      session = nil
      return processPlain(command)
    }
    guard var session else { return StatusWord.secureMessagingNotSupported.bytes }
    do {
      let answer = try session.process(command) { processProtected($0, limit: $1) }
      self.session = session
      return answer
    } catch {
      deselect()
      return error.status.bytes
    }
  }

  private mutating func processProtected(_ command: CommandAPDU, limit: Int) -> [UInt8] {
    switch command.ins {
    case Instruction.select: files.select(command)
    case Instruction.readBinary: files.readBinary(command, limit: limit)
    default: StatusWord.instructionNotSupported.bytes
    }
  }

  private mutating func processPlain(_ command: CommandAPDU) -> [UInt8] {
    switch command.ins {
    case Instruction.select:
      let answer = files.select(command)
      files.close()
      return answer == StatusWord.success.bytes
        ? StatusWord.securityStatusNotSatisfied.bytes : answer
    case Instruction.readBinary:
      let isThere =
        command.p1 & Parameter.shortFileIdentifier == 0
        || files.contains(short: command.p1 & Parameter.shortFileIdentifierMask)
      return (isThere ? StatusWord.securityStatusNotSatisfied : .fileNotFound).bytes
    case Instruction.getChallenge: return getChallenge(command)
    case Instruction.externalAuthenticate: return authenticate(command)
    default: return StatusWord.instructionNotSupported.bytes
    }
  }

  // MARK: Access

  private mutating func getChallenge(_ command: CommandAPDU) -> [UInt8] {
    guard command.parameter == 0 else { return StatusWord.incorrectParameters.bytes }
    guard command.data.isEmpty, command.expectedLength == Self.challengeSize else {
      return StatusWord.wrongLength.bytes
    }
    let drawn = random.bytes(Self.challengeSize)
    challenge = drawn
    return drawn + StatusWord.success.bytes
  }

  /// Checks the reader's token and returns the chip's (Doc 9303-11, 4.3.4.1). A challenge is used once.
  private mutating func authenticate(_ command: CommandAPDU) -> [UInt8] {
    guard let own = challenge else { return StatusWord.conditionsOfUseNotSatisfied.bytes }
    challenge = nil
    guard command.data.count == Self.tokenSize else { return StatusWord.wrongLength.bytes }
    let cryptogram = Array(command.data.dropLast(Self.codeSize))
    guard
      keys.code(keys.padded(cryptogram)) == Array(command.data.suffix(Self.codeSize)),
      let token = keys.decrypt(cryptogram),
      Array(token[Self.challengeSize..<2 * Self.challengeSize]) == own
    else { return StatusWord.authenticationFailed.bytes }
    let (reader, readerKey) = (
      Array(token.prefix(Self.challengeSize)), token.suffix(DocumentKeys.size)
    )
    let key = random.bytes(DocumentKeys.size)
    let answer = keys.encrypt(own + reader + key)
    let counter = (own.suffix(4) + reader.suffix(4)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    session = DocumentSession(
      DocumentKeys(.tripleDES, secret: zip(readerKey, key).map { $0 ^ $1 }), counter: counter)
    files.close()
    return answer + keys.code(keys.padded(answer)) + StatusWord.success.bytes
  }
}

/// The master file of an electronic travel document, with EF.CardAccess and PACE: ICAO Doc 9303-10,
/// 3.11.3, and 9303-11, 4.4.
///
/// After PACE, SELECT with secure messaging opens the application, and its files are read. A command without
/// secure messaging ends that, as after Basic Access Control.
struct TravelDocumentMasterFile: VirtualApplet {
  let aid: [UInt8] = []
  /// The identifier of EF.CardAccess, 011C. Its short file identifier is 1C.
  private static let cardAccessIdentifier: UInt16 = 0x011C
  private static let chainingClass: UInt8 = 0x10
  private static let identifier: [UInt8] = [0x3F, 0x00]

  private var files: ElementaryFiles
  private var application: ElementaryFiles
  private var isApplicationSelected = false
  private var password: PasswordAuthentication
  private var random: RandomNumbers
  private var session: DocumentSession?

  /// SecurityInfos with PACE by ECDH, generic mapping, AES-128 in CBC mode and CMAC, over the curve
  /// brainpoolP256r1: Doc 9303-11, 9.2.1, and its worked example in appendix G.1.
  ///
  /// A set of one sequence: OID 0.4.0.127.0.7.2.2.4.2.2, version 2, domain parameters 13.
  private static let paceSecurityInfos: [UInt8] = [
    0x31, 0x14, 0x30, 0x12, 0x06, 0x0A, 0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x04, 0x02, 0x02,
    0x02, 0x01, 0x02, 0x02, 0x01, 0x0D,
  ]

  /// - Parameters:
  ///   - information: ``TravelDocument/accessInformation``.
  ///   - application: the contents of the application's files by their identifiers.
  init(_ information: String, application: [UInt16: [UInt8]], random: RandomNumbers) {
    files = ElementaryFiles([Self.cardAccessIdentifier: Self.paceSecurityInfos])
    self.application = ElementaryFiles(application)
    password = PasswordAuthentication(information)
    self.random = random
  }

  var memory: [UInt8] {
    get { files.content }
    set { files.content = newValue }
  }

  var acceptsSecureMessaging: Bool { true }
  var receivesPartsOfChains: Bool { true }

  mutating func select() -> [UInt8] {
    deselect()
    return StatusWord.success.bytes
  }

  mutating func deselect() {
    files.close()
    password.reset()
    endSession()
  }

  private mutating func endSession() {
    session = nil
    application.close()
    isApplicationSelected = false
  }

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = CommandAPDU(apdu) else { return StatusWord.wrongLength.bytes }
    switch command.cla {
    case DocumentSession.secureClass: return processProtected(command)
    case 0:
      endSession()
      return processPlain(command)
    case Self.chainingClass where command.ins == Instruction.generalAuthenticate:
      endSession()
      return authenticate(command, isLast: false)
    case Self.chainingClass: return StatusWord.commandChainingNotSupported.bytes
    case ..<0x80: return StatusWord.secureMessagingNotSupported.bytes
    default: return StatusWord.classNotSupported.bytes
    }
  }

  private mutating func processPlain(_ command: CommandAPDU) -> [UInt8] {
    switch command.ins {
    case Instruction.select: files.select(command)
    case Instruction.readBinary: files.readBinary(command, limit: Int(UInt16.max))
    case Instruction.manageSecurityEnvironment: password.setTemplate(command).bytes
    case Instruction.generalAuthenticate: authenticate(command, isLast: true)
    default: StatusWord.instructionNotSupported.bytes
    }
  }

  private mutating func authenticate(_ command: CommandAPDU, isLast: Bool) -> [UInt8] {
    switch password.authenticate(command, isLast: isLast, random: { random.bytes($0) }) {
    case .refused(let status): return status.bytes
    case .answer(let answer): return answer
    case .done(let answer, let keys):
      session = DocumentSession(keys)
      return answer
    }
  }

  private mutating func processProtected(_ command: CommandAPDU) -> [UInt8] {
    guard var session else { return StatusWord.secureMessagingNotSupported.bytes }
    do {
      let answer = try session.process(command) { open($0, limit: $1) }
      self.session = session
      return answer
    } catch {
      endSession()
      return error.status.bytes
    }
  }

  /// Executes a command that came with secure messaging.
  private mutating func open(_ command: CommandAPDU, limit: Int) -> [UInt8] {
    switch (command.ins, command.p1) {
    case (Instruction.select, Parameter.selectByName):
      guard command.data == TravelDocumentApplication.identifier else {
        return StatusWord.fileNotFound.bytes
      }
      isApplicationSelected = true
      application.close()
      return StatusWord.success.bytes
    case (Instruction.select, Parameter.selectFile):
      guard command.data.isEmpty || command.data == Self.identifier else {
        return StatusWord.fileNotFound.bytes
      }
      isApplicationSelected = false
      files.close()
      return StatusWord.success.bytes
    case (Instruction.select, _):
      return isApplicationSelected ? application.select(command) : files.select(command)
    case (Instruction.readBinary, _):
      return isApplicationSelected
        ? application.readBinary(command, limit: limit) : files.readBinary(command, limit: limit)
    default: return StatusWord.instructionNotSupported.bytes
    }
  }
}

/// Random numbers that are the same in each run.
struct RandomNumbers: Sendable {
  private var generator: SplitMix64
  /// Numbers that come first: the published examples need theirs.
  private var given: [[UInt8]]

  init(seed: UInt64 = 0x9303, given: [[UInt8]] = []) {
    generator = SplitMix64(seed: seed)
    self.given = given
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    given.isEmpty ? generator.bytes(count) : given.removeFirst()
  }
}

/// Elementary files that can be read, one of which is selected.
private struct ElementaryFiles: Hashable, Sendable {
  private var files: [TransparentFile]
  private var selected: Int?

  init(_ contents: [UInt16: [UInt8]]) {
    files = contents.sorted { $0.key < $1.key }.map {
      TransparentFile(identifier: $0.key, content: $0.value)
    }
  }

  /// The contents of all files, in the order of their identifiers. Setting it changes no file's size.
  var content: [UInt8] {
    get { files.flatMap(\.content) }
    set {
      var rest = newValue[...]
      for index in files.indices {
        let part = rest.prefix(files[index].content.count)
        files[index].content.replaceSubrange(0..<part.count, with: part)
        rest = rest.dropFirst(part.count)
      }
    }
  }

  /// Ends the selection.
  mutating func close() { selected = nil }

  func contains(short identifier: UInt8) -> Bool { index(short: identifier) != nil }

  private func index(short identifier: UInt8) -> Int? {
    files.firstIndex { $0.identifier & 0x1F == UInt16(identifier) }
  }

  /// Runs SELECT in the only form that documents are required to support (Doc 9303-10, 3.6).
  mutating func select(_ command: CommandAPDU) -> [UInt8] {
    guard command.p1 == Parameter.selectElementaryFile, command.p2 == Parameter.noAnswerData
    else {
      return StatusWord.incorrectParameters.bytes
    }
    guard command.data.count == 2 else { return StatusWord.lengthInconsistent.bytes }
    let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
    guard let index = files.firstIndex(where: { $0.identifier == identifier }) else {
      return StatusWord.fileNotFound.bytes
    }
    selected = index
    return StatusWord.success.bytes
  }

  /// Runs READ BINARY. With bit 8 of P1, its bits 5 to 1 are a short file identifier, P2 is the offset,
  /// and the command selects the file.
  ///
  /// - Parameter limit: the most bytes that an answer can have.
  mutating func readBinary(_ command: CommandAPDU, limit: Int) -> [UInt8] {
    var offset = command.parameter
    if command.p1 & Parameter.shortFileIdentifier != 0 {
      guard command.p1 & 0x60 == 0 else { return StatusWord.incorrectParameters.bytes }
      guard let index = index(short: command.p1 & Parameter.shortFileIdentifierMask) else {
        return StatusWord.fileNotFound.bytes
      }
      selected = index
      offset = Int(command.p2)
    }
    guard let selected else { return StatusWord.commandNotAllowed.bytes }
    guard command.data.isEmpty, command.expectedLength > 0 else {
      return StatusWord.wrongLength.bytes
    }
    let count = min(command.expectedLength, limit)
    switch files[selected].read(offset: offset, count: count) {
    case .data(let data): return data + StatusWord.success.bytes
    case .short(let data):
      return data + (command.expectsMaximum ? StatusWord.success : .endOfFile).bytes
    case .refused(let status): return status.bytes
    }
  }
}

extension VirtualTag {
  /// Returns an electronic passport, on type A as Core NFC's examples expect.
  ///
  /// It opens by Basic Access Control, and by PACE with the machine readable zone as the password.
  ///
  /// - Parameters:
  ///   - document: what the passport contains. The key to ``TravelDocument/specimen`` is published.
  ///   - uid: real documents draw four random bytes that begin with 08 at each power-up; this UID
  ///     is fixed, so that a run can be repeated.
  ///   - seed: the seed of the chip's random numbers.
  public static func emrtd(
    _ document: TravelDocument = .specimen, uid: [UInt8] = [0x08, 0x5F, 0xC3, 0x1A],
    seed: UInt64 = 0x9303
  ) -> VirtualTag {
    let (information, files) = (document.accessInformation, document.files)
    let random = RandomNumbers(seed: seed)
    return VirtualTag(
      ISO7816Card(
        name: "emrtd", uid: uid,
        applets: [TravelDocumentApplication(information, files: files, random: random)],
        masterFile: TravelDocumentMasterFile(information, application: files, random: random)))
  }
}
