import SwiftNFCCore

/// The ISO/IEC 7816-4 commands, which make the chip an NFC Forum Type 4 tag (NT4H2421Gx data sheet,
/// 10.9).
extension NTAG424Core {
  private static let chipIdentifier: UInt16 = 0x3F00
  private static let applicationIdentifier: UInt16 = 0xE110
  private static let chipName: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x00]
  private static let applicationName: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
  private static let reservedShortIdentifierBits: UInt8 = 0x60

  mutating func process(_ command: CommandAPDU) -> [UInt8] {
    if command.ins != Instruction.readBinary { countedRead = nil }
    guard !isChaining else {
      endSession()
      return StatusWord.conditionsOfUseNotSatisfied.bytes
    }
    // Only short lengths are supported (8.4).
    guard !command.isExtended else { return StatusWord.wrongLength.bytes }
    switch command.ins {
    case Instruction.select: return select(command)
    case Instruction.readBinary: return readBinary(command)
    case Instruction.updateBinary: return updateBinary(command)
    default: return StatusWord.instructionNotSupported.bytes
    }
  }

  // MARK: ISOSelectFile (10.9.1)

  private mutating func select(_ command: CommandAPDU) -> [UInt8] {
    guard command.p2 == Parameter.fileControlInformation || command.p2 == Parameter.noAnswerData,
      command.p1 <= Parameter.selectByName
    else { return StatusWord.incorrectParameters.bytes }
    if command.p1 == Parameter.selectByName {
      switch command.data {
      case Self.chipName: return select(application: false)
      case Self.applicationName: return select(application: true)
      default: return StatusWord.fileNotFound.bytes
      }
    }
    if command.data.isEmpty {
      return command.p1 == Parameter.selectFile || command.p1 == Parameter.selectParent
        ? select(application: false) : StatusWord.lengthInconsistent.bytes
    }
    guard command.data.count == 2, command.p1 != Parameter.selectParent else {
      return StatusWord.lengthInconsistent.bytes
    }
    let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
    if command.p1 != Parameter.selectChild, isApplicationSelected,
      let index = files.firstIndex(where: { $0.isoIdentifier == identifier })
    {
      currentFile = index
      return StatusWord.success.bytes
    }
    guard command.p1 != Parameter.selectElementaryFile else { return StatusWord.fileNotFound.bytes }
    switch identifier {
    case Self.chipIdentifier where command.p1 == Parameter.selectFile:
      return select(application: false)
    case Self.applicationIdentifier: return select(application: true)
    default: return StatusWord.fileNotFound.bytes
    }
  }

  private mutating func select(application: Bool) -> [UInt8] {
    isApplicationSelected = application
    currentFile = nil
    endSession()
    return StatusWord.success.bytes
  }

  // MARK: ISOReadBinary (10.9.2) and ISOUpdateBinary (10.9.3)

  /// Returns the file and the offset, or the reason why there is none.
  private mutating func locate(_ command: CommandAPDU) -> Result<(file: Int, offset: Int), Refusal>
  {
    guard command.p1 & Parameter.shortFileIdentifier != 0 else {
      guard let currentFile else { return .failure(Refusal(.conditionsOfUseNotSatisfied)) }
      return .success((currentFile, command.parameter))
    }
    guard command.p1 & Self.reservedShortIdentifierBits == 0 else {
      return .failure(Refusal(.incorrectParameters))
    }
    let short = UInt16(command.p1 & Parameter.shortFileIdentifierMask)
    // 00 stands for the current file.
    guard short != 0 else {
      guard let currentFile else { return .failure(Refusal(.conditionsOfUseNotSatisfied)) }
      return .success((currentFile, Int(command.p2)))
    }
    guard isApplicationSelected,
      let index = files.firstIndex(where: {
        $0.isoIdentifier & UInt16(Parameter.shortFileIdentifierMask) == short
      })
    else { return .failure(Refusal(.fileNotFound)) }
    currentFile = index
    return .success((index, Int(command.p2)))
  }

  private struct Refusal: Error {
    let status: StatusWord

    init(_ status: StatusWord) { self.status = status }
  }

  private mutating func readBinary(_ command: CommandAPDU) -> [UInt8] {
    guard command.data.isEmpty, command.expectedLength > 0 else {
      return StatusWord.wrongLength.bytes
    }
    switch locate(command) {
    case .failure(let refusal): return refusal.status.bytes
    case .success(let (index, offset)):
      let file = files[index]
      guard session == nil,
        file.readConditions.contains(NTAG424File.Access.free) || file.dynamic?.fileReadKey != nil
      else { return StatusWord.securityStatusNotSatisfied.bytes }
      guard offset < file.content.count else { return StatusWord.incorrectParameters.bytes }
      guard let content = try? content(index, .interindustry) else {
        return StatusWord.securityStatusNotSatisfied.bytes
      }
      return content[offset..<min(content.count, offset + command.expectedLength)]
        + StatusWord.success.bytes
    }
  }

  private mutating func updateBinary(_ command: CommandAPDU) -> [UInt8] {
    guard !command.data.isEmpty else { return StatusWord.wrongLength.bytes }
    switch locate(command) {
    case .failure(let refusal): return refusal.status.bytes
    case .success(let (index, offset)):
      guard session == nil, files[index].writeConditions.contains(NTAG424File.Access.free) else {
        return StatusWord.securityStatusNotSatisfied.bytes
      }
      let size = files[index].content.count
      guard offset < size else { return StatusWord.incorrectParameters.bytes }
      guard command.data.count <= size - offset else { return StatusWord.wrongLength.bytes }
      files[index].content.replaceSubrange(
        offset..<offset + command.data.count, with: command.data)
      return StatusWord.success.bytes
    }
  }
}
