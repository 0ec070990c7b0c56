/// The ISO/IEC 7816-4 commands for a card that is formatted as an NFC Forum Type 4 tag (NXP AN11004), and those for
/// authentication and records, which EV1 and later cards have.
extension DESFirePICC {
  private static let interindustryClass: UInt8 = 0x00

  /// Executes a command APDU with class 00 and returns the response APDU.
  mutating func process(_ command: CommandAPDU) -> [UInt8] {
    abandonChain()
    if command.ins != Instruction.readBinary { countedRead = nil }
    let authentication = interindustry
    interindustry = nil
    guard command.cla == Self.interindustryClass else { return StatusWord.classNotSupported.bytes }
    do throws(Refusal) {
      return try perform(command, authentication) + StatusWord.success.bytes
    } catch {
      // As after a native command; NXP's reader library forgets its session, too. 6282 is only a warning.
      if error.status != .endOfFile { session = nil }
      return error.data + error.status.bytes
    }
  }

  /// An answer with another status than success.
  struct Refusal: Error {
    let status: StatusWord
    var data: [UInt8] = []

    init(_ status: StatusWord, data: [UInt8] = []) { (self.status, self.data) = (status, data) }
  }

  private mutating func perform(
    _ command: CommandAPDU, _ authentication: InterindustryAuthentication?
  ) throws(Refusal) -> [UInt8] {
    switch command.ins {
    case Instruction.select: return try select(command)
    case Instruction.readBinary: return try readBinary(command)
    case Instruction.updateBinary: return try updateBinary(command)
    default: break
    }
    guard model.isDESFire else { throw Refusal(.instructionNotSupported) }
    switch command.ins {
    case Instruction.getChallenge: return try getChallenge(command)
    case Instruction.externalAuthenticate:
      return try authenticateExternally(command, authentication)
    case Instruction.internalAuthenticate:
      return try authenticateInternally(command, authentication)
    case Instruction.readRecord: return try readRecords(command)
    case Instruction.appendRecord: return try appendRecord(command)
    default: throw Refusal(.instructionNotSupported)
    }
  }

  // MARK: SELECT

  private mutating func select(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
    guard command.p2 == Parameter.fileControlInformation || command.p2 == Parameter.noAnswerData,
      command.p1 <= Parameter.selectByName
    else { throw Refusal(.incorrectParameters) }
    if command.p1 == Parameter.selectByName {
      try select { !$0.dfName.isEmpty && $0.dfName == command.data }
      return command.p2 == Parameter.fileControlInformation ? fileControlInformation : []
    }
    if command.data.isEmpty,
      command.p1 == Parameter.selectFile || command.p1 == Parameter.selectParent
    {
      try select { $0.identifier == [0, 0, 0] }
      return []
    }
    guard command.data.count == 2, command.p1 != Parameter.selectParent else {
      throw Refusal(.lengthInconsistent)
    }
    let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
    if command.p1 != Parameter.selectChild,
      let index = selected.files.firstIndex(where: { $0.isoIdentifier == identifier })
    {
      currentFile = index
      return []
    }
    guard command.p1 != Parameter.selectElementaryFile else { throw Refusal(.fileNotFound) }
    try select { $0.isoIdentifier == identifier }
    return []
  }

  /// Selects the card or an application. If none matches, the selection does not change.
  private mutating func select(_ isWanted: (DESFireApplication) -> Bool) throws(Refusal) {
    if isWanted(card) {
      selection = nil
    } else if let index = applications.firstIndex(where: isWanted) {
      selection = index
    } else {
      throw Refusal(.fileNotFound)
    }
    leaveSelection()
  }

  private static let fileOfControlInformation: UInt8 = 31

  /// The answer to a selection by name: the content of file 31 (NXP's reader library, on virtual card selection). That
  /// it must be a file of standard data that everybody may read is not confirmed, nor whether a DESFire Light does it.
  private var fileControlInformation: [UInt8] {
    guard model.isDESFire, let index = selected.fileIndex(Self.fileOfControlInformation) else {
      return []
    }
    let file = selected.files[index]
    let isReadable =
      file.kind == .standardData && file.readKeys.contains(DESFireFile.everybody)
    return isReadable ? Array(file.content.prefix(Self.longestAnswer)) : []
  }

  private static let longestAnswer = 256

  // MARK: READ BINARY and UPDATE BINARY

  /// Returns the file and the offset. With bit 8 of P1, its low five bits are the file's number, and the
  /// file becomes the current one.
  private mutating func locate(_ command: CommandAPDU) throws(Refusal) -> (file: Int, offset: Int) {
    guard command.p1 & Parameter.shortFileIdentifier != 0 else {
      guard let currentFile else { throw Refusal(.conditionsOfUseNotSatisfied) }
      return (currentFile, command.parameter)
    }
    return (try locate(short: command.p1), Int(command.p2))
  }

  /// Returns the file of a short identifier, which becomes the current one.
  mutating func locate(short identifier: UInt8) throws(Refusal) -> Int {
    guard let index = selected.fileIndex(identifier & Parameter.shortFileIdentifierMask) else {
      throw Refusal(.fileNotFound)
    }
    currentFile = index
    return index
  }

  /// The protection of data: in a session of EV1's messaging, answers have a MAC, and the commands none (Proxmark3,
  /// SpringCard's library). In a session of EV2's, the commands are refused, as an NTAG 424 DNA does (NT4H2421Gx data
  /// sheet, 10.9.2); for DESFire cards, this is not confirmed.
  ///
  /// - Parameter protections: those that the file may require.
  func requireAccess(
    _ keys: [UInt8], to file: DESFireFile, _ protections: [DESFireCommunication]
  ) throws(Refusal) {
    guard session?.scheme != .ev2 else { throw Refusal(.securityStatusNotSatisfied) }
    if keys.contains(DESFireFile.everybody) { return }
    let setting = DESFireCommunication(settings: file.communicationSettings)
    guard let session, protections.contains(setting), keys.contains(session.keyNumber) else {
      throw Refusal(.securityStatusNotSatisfied)
    }
  }

  var readableProtections: [DESFireCommunication] {
    session?.scheme == .standard ? [.plain, .authenticated] : [.plain]
  }

  /// The size of the MAC after the data of an answer.
  var answerCodeSize: Int { session?.scheme == .standard ? DESFireTransaction.codeSize : 0 }

  /// Returns data with the MAC of a session of EV1's messaging.
  mutating func signed(_ data: [UInt8]) -> [UInt8] {
    guard var session, session.scheme == .standard else { return data }
    defer { self.session = session }
    return session.protect(data, .authenticated)
  }

  private mutating func readBinary(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
    guard command.data.isEmpty, command.expectedLength > answerCodeSize else {
      throw Refusal(.wrongLength)
    }
    let (index, offset) = try locate(command)
    let file = selected.files[index]
    switch file.kind {
    case .standardData, .backupData, .transactionMAC: break
    // Records and values have their own commands.
    default: throw Refusal(.conditionsOfUseNotSatisfied)
    }
    if !isDynamic(file) { try requireAccess(file.readKeys, to: file, readableProtections) }
    guard offset < file.content.count else { throw Refusal(.wrongParameters) }
    let count = command.expectedLength - answerCodeSize
    guard let whole = try? content(index, .interindustry) else {
      throw Refusal(.securityStatusNotSatisfied)
    }
    let data = Array(whole[offset..<min(whole.count, offset + count)])
    guard data.count == count || command.expectsMaximum else {
      throw Refusal(.endOfFile, data: signed(data))
    }
    return signed(data)
  }

  private mutating func updateBinary(_ command: CommandAPDU) throws(Refusal) -> [UInt8] {
    guard !command.data.isEmpty else { throw Refusal(.wrongLength) }
    let (index, offset) = try locate(command)
    let file = selected.files[index]
    try requireAccess(file.writeKeys, to: file, [.plain])
    let before: [UInt8]
    switch file.kind {
    case .standardData: before = file.content
    case .backupData(let pending): before = pending ?? file.content
    default: throw Refusal(.conditionsOfUseNotSatisfied)
    }
    var view = TransparentFile(identifier: 0, content: before, isWritable: true)
    let status = view.update(offset: offset, data: command.data)
    guard status == .success else { throw Refusal(status) }
    if case .backupData = file.kind {
      // A commit is required, as after WriteData.
      selected.files[index].kind = .backupData(pending: view.content)
    } else {
      selected.files[index].content = view.content
    }
    return []
  }
}
