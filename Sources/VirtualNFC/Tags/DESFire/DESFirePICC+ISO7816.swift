/// The ISO/IEC 7816-4 commands for a card that is formatted as an NFC Forum Type 4 tag (NXP AN11004).
extension DESFirePICC {
  private static let interindustryClass: UInt8 = 0x00

  /// Executes a command APDU with class 00 and returns the response APDU.
  mutating func process(_ command: CommandAPDU) -> [UInt8] {
    abandonChain()
    guard command.cla == Self.interindustryClass else { return StatusWord.classNotSupported.bytes }
    switch command.ins {
    case Instruction.select: return select(command)
    case Instruction.readBinary: return readBinary(command)
    case Instruction.updateBinary: return updateBinary(command)
    default: return StatusWord.instructionNotSupported.bytes
    }
  }

  // MARK: SELECT

  private mutating func select(_ command: CommandAPDU) -> [UInt8] {
    guard command.p2 == Parameter.fileControlInformation || command.p2 == Parameter.noAnswerData
    else {
      return StatusWord.incorrectParameters.bytes
    }
    if command.p1 == Parameter.selectByName {
      return select { !$0.dfName.isEmpty && $0.dfName == command.data }
    }
    guard command.p1 <= Parameter.selectElementaryFile else {
      return StatusWord.incorrectParameters.bytes
    }
    if command.data.isEmpty, command.p1 == Parameter.selectFile {
      return select { $0.identifier == [0, 0, 0] }
    }
    guard command.data.count == 2 else { return StatusWord.lengthInconsistent.bytes }
    let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
    if command.p1 != Parameter.selectChild,
      let index = selected.files.firstIndex(where: { $0.isoIdentifier == identifier })
    {
      currentFile = index
      return StatusWord.success.bytes
    }
    guard command.p1 != Parameter.selectElementaryFile else { return StatusWord.fileNotFound.bytes }
    return select { $0.isoIdentifier == identifier }
  }

  /// Selects the card or an application. If none matches, the selection does not change.
  private mutating func select(_ isWanted: (DESFireApplication) -> Bool) -> [UInt8] {
    if isWanted(card) {
      selection = nil
    } else if let index = applications.firstIndex(where: isWanted) {
      selection = index
    } else {
      return StatusWord.fileNotFound.bytes
    }
    leaveSelection()
    return StatusWord.success.bytes
  }

  // MARK: READ BINARY and UPDATE BINARY

  /// Returns the file and the offset. With bit 8 of P1, its low five bits are the file's number, and the
  /// file becomes the current one.
  private mutating func locate(_ command: CommandAPDU) -> (file: Int, offset: Int)? {
    if command.p1 & Parameter.shortFileIdentifier != 0 {
      guard let index = selected.fileIndex(command.p1 & Parameter.shortFileIdentifierMask) else {
        return nil
      }
      currentFile = index
      return (index, Int(command.p2))
    }
    return currentFile.map { ($0, command.parameter) }
  }

  private func notLocated(_ command: CommandAPDU) -> [UInt8] {
    (command.p1 & Parameter.shortFileIdentifier != 0
      ? StatusWord.fileNotFound : .conditionsOfUseNotSatisfied).bytes
  }

  /// Returns whether everybody has the right, or the session's key has it and no protection is required.
  private func isAllowed(_ keys: [UInt8], of file: DESFireFile) -> Bool {
    if keys.contains(DESFireFile.everybody) { return true }
    guard let session, DESFireCommunication(settings: file.communicationSettings) == .plain else {
      return false
    }
    return keys.contains(session.keyNumber)
  }

  private mutating func readBinary(_ command: CommandAPDU) -> [UInt8] {
    guard command.data.isEmpty, command.expectedLength > 0 else {
      return StatusWord.wrongLength.bytes
    }
    guard let (index, offset) = locate(command) else { return notLocated(command) }
    let file = selected.files[index]
    let view = TransparentFile(
      identifier: file.isoIdentifier ?? 0, content: file.content,
      isReadable: isAllowed(file.readKeys, of: file))
    switch view.read(offset: offset, count: command.expectedLength) {
    case .data(let data): return data + StatusWord.success.bytes
    case .short(let data):
      return data + (command.expectsMaximum ? StatusWord.success : .endOfFile).bytes
    case .refused(let status): return status.bytes
    }
  }

  private mutating func updateBinary(_ command: CommandAPDU) -> [UInt8] {
    guard !command.data.isEmpty else { return StatusWord.wrongLength.bytes }
    guard let (index, offset) = locate(command) else { return notLocated(command) }
    let file = selected.files[index]
    var view = TransparentFile(
      identifier: file.isoIdentifier ?? 0, content: file.content,
      isWritable: isAllowed(file.writeKeys, of: file))
    let status = view.update(offset: offset, data: command.data)
    // Records and values have their own commands.
    guard file.kind == .standardData else { return StatusWord.conditionsOfUseNotSatisfied.bytes }
    selected.files[index].content = view.content
    return status.bytes
  }
}
