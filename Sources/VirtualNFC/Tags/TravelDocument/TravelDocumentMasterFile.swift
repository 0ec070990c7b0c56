/// The master file of an electronic travel document, with EF.CardAccess and PACE: ICAO Doc 9303-10,
/// 3.11.3, and 9303-11, 4.4.
///
/// After PACE, SELECT with secure messaging opens the application, and its files are read. A command without
/// secure messaging ends the session; the application stays selected, for Basic Access Control.
struct TravelDocumentMasterFile: VirtualApplet {
  let aid: [UInt8] = []
  /// The identifier of EF.CardAccess, 011C. Its short file identifier is 1C.
  private static let cardAccessIdentifier: UInt16 = 0x011C
  /// The identifiers of EF.CardSecurity, EF.DIR and EF.ATR/INFO (Doc 9303-10, 3.11).
  private static let cardSecurityIdentifier: UInt16 = 0x011D
  private static let directoryIdentifier: UInt16 = 0x2F00
  private static let attributesIdentifier: UInt16 = 0x2F01
  private static let chainingClass: UInt8 = 0x10
  private static let identifier: [UInt8] = [0x3F, 0x00]

  private let chip: TravelDocument.Chip
  /// The files that everyone may read.
  private var files: ElementaryFiles
  /// Those that may be read in a session.
  private var openFiles: ElementaryFiles
  private(set) var isDead = false
  private var application: TravelDocumentApplication
  private var isApplicationSelected = false
  private var password: PasswordAuthentication
  private var random: RandomNumbers
  private var session: DocumentSession?

  /// - Parameters:
  ///   - information: ``TravelDocument/accessInformation``.
  ///   - application: the application, as it is while nothing is selected.
  init(_ information: String, application: TravelDocumentApplication, random: RandomNumbers) {
    let chip = application.chip
    self.chip = chip
    var contents: [UInt16: [UInt8]] = [:]
    if !chip.passwordProtocols.isEmpty {
      // A set of one sequence for each way (Doc 9303-11, 9.2).
      contents[Self.cardAccessIdentifier] = DataObject.encoded(
        0x31, chip.passwordProtocols.flatMap(PasswordAuthentication.information))
    }
    contents[Self.directoryIdentifier] = chip.directory
    contents[Self.attributesIdentifier] = chip.extendedLengths.map(Self.attributes)
    files = ElementaryFiles(contents)
    contents[Self.cardSecurityIdentifier] = chip.cardSecurity
    openFiles = ElementaryFiles(contents)
    self.application = application
    password = PasswordAuthentication(information, chip)
    self.random = random
  }

  /// EF.ATR/INFO: the card capabilities, and the sizes of commands and answers with extended length fields (ISO/IEC
  /// 7816-4, 12.7.1).
  private static func attributes(_ lengths: TravelDocument.ExtendedLengths) -> [UInt8] {
    func integer(_ value: Int) -> [UInt8] {
      // An integer of DER has a leading zero if its first bit were set.
      let bytes = [value >> 16, value >> 8, value].map { UInt8(truncatingIfNeeded: $0) }
      let number = Array(bytes.drop { $0 == 0 })
      return DataObject.encoded(0x02, (number.first ?? 0) & 0x80 != 0 ? [0] + number : number)
    }
    return DataObject.encoded(0x47, [0x94, 0x01, 0xC0])
      + DataObject.encoded(0x7F66, integer(lengths.command) + integer(lengths.response))
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
    openFiles.close()
    password.reset()
    endSession()
    isApplicationSelected = false
  }

  mutating func powerOff() {
    isDead = false
    application.powerOff()
  }

  private mutating func endSession() {
    guard session != nil else { return }
    session = nil
    application.deselect()
  }

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = CommandAPDU(apdu) else { return StatusWord.wrongLength.bytes }
    if command.isExtended, let status = chip.refusal(ofExtended: command) { return status.bytes }
    if command.cla == DocumentSession.secureClass, session != nil {
      return processProtected(command)
    }
    endSession()
    guard !isApplicationSelected else { return application.process(apdu) }
    switch command.cla {
    case 0: return processPlain(command)
    case Self.chainingClass where command.ins == Instruction.generalAuthenticate:
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
    case .refused(let status):
      if status == .authenticationFailed { isDead = chip.isDeadAfterErrors }
      return status.bytes
    case .answer(let answer): return answer
    case .done(let answer, let keys):
      session = DocumentSession(keys)
      return answer
    }
  }

  private mutating func processProtected(_ command: CommandAPDU) -> [UInt8] {
    guard var session else { return StatusWord.secureMessagingNotSupported.bytes }
    do {
      let answer = try session.process(
        command, extendedLimit: chip.longestAnswer, bare: { [chip] in chip.bareRefusal(of: $0) }
      ) { open($0, limit: $1) }
      self.session = application.takeNextKeys().map { DocumentSession($0) } ?? session
      isDead = isDead || application.isDead
      return answer
    } catch {
      endSession()
      isDead = chip.isDeadAfterErrors
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
      return application.select()
    case (Instruction.select, Parameter.selectFile):
      guard command.data.isEmpty || command.data == Self.identifier else {
        return StatusWord.fileNotFound.bytes
      }
      isApplicationSelected = false
      openFiles.close()
      return StatusWord.success.bytes
    case _ where isApplicationSelected:
      return application.open(command, limit: limit)
    case (Instruction.select, _): return openFiles.select(command)
    case (Instruction.readBinary, _): return openFiles.readBinary(command, limit: limit)
    default: return StatusWord.instructionNotSupported.bytes
    }
  }
}
