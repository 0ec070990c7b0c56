/// The master file of an electronic travel document, with EF.CardAccess and PACE: ICAO Doc 9303-10,
/// 3.11.3, and 9303-11, 4.4.
///
/// After PACE, SELECT with secure messaging opens the application, and its files are read. A command without
/// secure messaging ends the session; the application stays selected, for Basic Access Control.
struct TravelDocumentMasterFile: VirtualApplet {
  let aid: [UInt8] = []
  /// The identifier of EF.CardAccess, 011C. Its short file identifier is 1C.
  private static let cardAccessIdentifier: UInt16 = 0x011C
  private static let chainingClass: UInt8 = 0x10
  private static let identifier: [UInt8] = [0x3F, 0x00]

  private var files: ElementaryFiles
  private var application: TravelDocumentApplication
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
  ///   - application: the application, as it is while nothing is selected.
  init(_ information: String, application: TravelDocumentApplication, random: RandomNumbers) {
    files = ElementaryFiles([Self.cardAccessIdentifier: Self.paceSecurityInfos])
    self.application = application
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
    isApplicationSelected = false
  }

  private mutating func endSession() {
    guard session != nil else { return }
    session = nil
    application.deselect()
  }

  mutating func process(_ apdu: [UInt8]) -> [UInt8] {
    guard let command = CommandAPDU(apdu) else { return StatusWord.wrongLength.bytes }
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
      return application.select()
    case (Instruction.select, Parameter.selectFile):
      guard command.data.isEmpty || command.data == Self.identifier else {
        return StatusWord.fileNotFound.bytes
      }
      isApplicationSelected = false
      files.close()
      return StatusWord.success.bytes
    case _ where isApplicationSelected:
      return application.open(command, limit: limit)
    case (Instruction.select, _): return files.select(command)
    case (Instruction.readBinary, _): return files.readBinary(command, limit: limit)
    default: return StatusWord.instructionNotSupported.bytes
    }
  }
}
