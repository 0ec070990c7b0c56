import SwiftNFCCore

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

  let chip: TravelDocument.Chip
  private let keys: DocumentKeys
  private var files: ElementaryFiles
  private var random: RandomNumbers
  private var challenge: [UInt8]?
  private var session: DocumentSession?
  private var chipKeys: DocumentChipKeys
  private(set) var isDead = false

  /// - Parameters:
  ///   - information: ``TravelDocument/accessInformation``.
  ///   - files: the contents of the files by their identifiers.
  init(
    _ information: String, files: [UInt16: [UInt8]], random: RandomNumbers,
    chip: TravelDocument.Chip = TravelDocument.Chip()
  ) {
    keys = DocumentKeys(basicAccess: information)
    self.files = ElementaryFiles(files, hasShortIdentifiers: chip.hasShortIdentifiers)
    self.random = random
    self.chip = chip
    chipKeys = DocumentChipKeys(chip)
  }

  var acceptsSecureMessaging: Bool { true }

  mutating func select() -> [UInt8] {
    deselect()
    return StatusWord.success.bytes
  }

  mutating func deselect() {
    challenge = nil
    session = nil
    chipKeys.reset()
    files.close()
  }

  mutating func powerOff() { isDead = false }

  /// Ends everything until the carrier has been off, if the chip is such a one.
  mutating func fail() { isDead = chip.isDeadAfterErrors }

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = CommandAPDU(apdu) else { return StatusWord.wrongLength.bytes }
    if command.isExtended, let status = chip.refusal(ofExtended: command) { return status.bytes }
    switch command.cla {
    case DocumentSession.secureClass: return processProtected(command)
    case 0:
      // A command without protection ends the session (Doc 9303-11, 9.8).
      session = nil
      return processPlain(command)
    case 0x10: return StatusWord.commandChainingNotSupported.bytes
    case ..<0x80: return StatusWord.secureMessagingNotSupported.bytes
    default: return StatusWord.classNotSupported.bytes
    }
  }

  private mutating func processProtected(_ command: CommandAPDU) -> [UInt8] {
    guard var session else { return StatusWord.secureMessagingNotSupported.bytes }
    do {
      let answer = try session.process(
        command, extendedLimit: chip.longestAnswer, bare: { [chip] in chip.bareRefusal(of: $0) }
      ) { open($0, limit: $1) }
      self.session = takeNextKeys().map { DocumentSession($0) } ?? session
      return answer
    } catch {
      deselect()
      fail()
      return error.status.bytes
    }
  }

  /// Returns the keys that replace those of the session, once: after the answer that still has the old ones.
  mutating func takeNextKeys() -> DocumentKeys? { chipKeys.takeNextKeys() }

  /// Executes a command that came with secure messaging.
  mutating func open(_ command: CommandAPDU, limit: Int) -> [UInt8] {
    if let status = chip.refusal(ofRead: command) {
      fail()
      return status.bytes
    }
    switch command.ins {
    case Instruction.select: return files.select(command)
    case Instruction.readBinary: return files.readBinary(command, limit: limit)
    case Instruction.readBinaryWithDataObject:
      return files.readBinaryWithDataObject(command, limit: limit)
    case Instruction.manageSecurityEnvironment: return chipKeys.setTemplate(command).bytes
    case Instruction.generalAuthenticate: return chipKeys.authenticate(command)
    case Instruction.internalAuthenticate:
      return chipKeys.sign(command, limit: limit) { random.bytes($0) }
    default: return StatusWord.instructionNotSupported.bytes
    }
  }

  private mutating func processPlain(_ command: CommandAPDU) -> [UInt8] {
    switch command.ins {
    case Instruction.select where chip.isOpen, Instruction.readBinary where chip.isOpen,
      Instruction.readBinaryWithDataObject where chip.isOpen,
      Instruction.internalAuthenticate where chip.isOpen:
      return open(
        command, limit: command.isExtended ? chip.longestAnswer - 2 : 256)
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
    case Instruction.getChallenge where !chip.isOpen: return getChallenge(command)
    case Instruction.externalAuthenticate where !chip.isOpen: return authenticate(command)
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
    // Referenced data not found: documents that only have PACE answer so.
    guard chip.opensByBasicAccess else { return StatusWord(0x6A88).bytes }
    guard command.data.count == Self.tokenSize else { return StatusWord.wrongLength.bytes }
    let cryptogram = Array(command.data.dropLast(Self.codeSize))
    guard
      keys.code(keys.padded(cryptogram)) == Array(command.data.suffix(Self.codeSize)),
      let token = keys.decrypt(cryptogram),
      Array(token[Self.challengeSize..<2 * Self.challengeSize]) == own
    else {
      fail()
      return StatusWord.authenticationFailed.bytes
    }
    let (reader, readerKey) = (
      Array(token.prefix(Self.challengeSize)), token.suffix(DocumentKeys.size)
    )
    let key = random.bytes(DocumentKeys.size)
    let answer = keys.encrypt(own + reader + key)
    let counter = (own.suffix(4) + reader.suffix(4)).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    session = DocumentSession(
      DocumentKeys(.tripleDES, secret: zip(readerKey, key).map { $0 ^ $1 }), counter: counter)
    files.close()
    chipKeys.reset()
    return answer + keys.code(keys.padded(answer)) + StatusWord.success.bytes
  }
}

extension TravelDocument.Chip {
  /// The longest answer to a command with extended length fields, with its status word.
  var longestAnswer: Int { extendedLengths?.response ?? 258 }

  /// Returns why a command with extended length fields is refused; `nil` if it is not. Those of access are always allowed
  /// (Doc 9303-11, 9.3.1.2).
  func refusal(ofExtended command: CommandAPDU) -> StatusWord? {
    switch command.ins {
    case Instruction.generalAuthenticate, Instruction.manageSecurityEnvironment: return nil
    default:
      guard let extendedLengths, command.bytes.count <= extendedLengths.command else {
        return .wrongLength
      }
      return nil
    }
  }

  private func isTooLarge(_ command: CommandAPDU) -> Bool {
    guard let largestRead else { return false }
    return [Instruction.readBinary, Instruction.readBinaryWithDataObject].contains(command.ins)
      && command.expectedLength > largestRead
  }

  private var statusForThisChip: StatusWord {
    statusForLargeReads == 0x6C00
      ? StatusWord(0x6C00 | UInt16((largestRead ?? 0) & 0xFF)) : StatusWord(statusForLargeReads)
  }

  /// Returns the status word for a read that is too large.
  func refusal(ofRead command: CommandAPDU) -> StatusWord? {
    isTooLarge(command) ? statusForThisChip : nil
  }

  /// Returns the status word, if it comes without protection.
  func bareRefusal(of command: CommandAPDU) -> StatusWord? {
    refusesLargeReadsBare && isTooLarge(command) ? statusForThisChip : nil
  }
}

extension VirtualTag {
  /// Returns an electronic passport, on type A as Core NFC's examples expect.
  ///
  /// Unless `chip` says otherwise, it opens by Basic Access Control, and by PACE with the machine readable zone as the
  /// password.
  ///
  /// - Parameters:
  ///   - document: what the passport contains. The key to ``TravelDocument/specimen`` is published.
  ///   - chip: what its chip supports.
  ///   - uid: real documents draw four random bytes that begin with 08 at each power-up; this UID
  ///     is fixed, so that a run can be repeated. Of a type B chip, it is the first PUPI.
  ///   - seed: the seed of the chip's random numbers.
  public static func emrtd(
    _ document: TravelDocument = .specimen, chip: TravelDocument.Chip = TravelDocument.Chip(),
    uid: [UInt8] = [0x08, 0x5F, 0xC3, 0x1A], seed: UInt64 = 0x9303
  ) -> VirtualTag {
    let (information, files) = (document.accessInformation, document.files)
    let random = RandomNumbers(seed: seed)
    let application = TravelDocumentApplication(
      information, files: files, random: random, chip: chip)
    let masterFile = TravelDocumentMasterFile(
      information, application: application, random: random)
    guard chip.isTypeB else {
      return VirtualTag(
        ISO7816Card(name: "emrtd", uid: uid, applets: [application], masterFile: masterFile))
    }
    // AFI E1, machine readable travel documents (Doc 9303-10, 2.3.1); 106 kbit/s, frames of 256 bytes, ISO/IEC 14443-4, and
    // a waiting time of 77 ms.
    let interface = ProximityInterface(
      typeB: uid, applicationData: [0xE1, 0x00, 0x00, 0x00], protocolInfo: [0x00, 0x81, 0x81])
    return VirtualTag(
      ISO7816Card(
        name: "emrtd", interface: interface, applets: [application], masterFile: masterFile,
        quirks: .choosesPUPI))
  }
}
