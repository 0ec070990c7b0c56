import TagImages

/// The ISO/IEC 7816-4 names of the NDEF application of an image.
///
/// No image file contains such names. If an image has the application that NXP prescribes for NDEF, with files of that
/// form, then its names are those that NXP prescribes, too (AN11004, MIFARE DESFire as Type 4 Tag; Proxmark3,
/// doc/ndef_type4a.md): without them, the application would have no purpose.
struct DESFireNDEFNames: Hashable, Sendable {
  static let application: [UInt8] = [0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01]
  static let applicationFile: UInt16 = 0xE110

  /// Number 000001, least significant byte first.
  private static let nativeIdentifier: [UInt8] = [0x01, 0x00, 0x00]
  private static let containerFile: UInt16 = 0xE103
  private static let containerNumber: UInt8 = 1
  private static let messageNumber: UInt8 = 2
  private static let standardData: UInt8 = 0

  /// The index of the application in the image.
  let index: Int
  /// The indices of its files, by identifier.
  let files: [UInt16: Int]

  /// Returns `nil` for an image without such an application.
  init?(_ card: TagImage.DESFire) {
    guard
      let index = card.applications.firstIndex(where: {
        $0.identifier == Self.nativeIdentifier
      }), let files = card.applications[index].files,
      let container = files.firstIndex(where: { Self.isData($0, Self.containerNumber) }),
      let message = files.firstIndex(where: { Self.isData($0, Self.messageNumber) }),
      let identifier = Self.messageFile(files[container].data ?? [], files[message])
    else { return nil }
    self.index = index
    self.files = [Self.containerFile: container, identifier: message]
  }

  private static func isData(_ file: TagImage.DESFire.File, _ number: UInt8) -> Bool {
    guard case .data = file.settings else { return false }
    return file.number == number && file.type == standardData
  }

  /// Returns the identifier of the NDEF file in a capability container, if the container describes this file (NFC Forum
  /// Type 4 Tag 2.0, 5.1): its length, mapping version, and the NDEF file with its size.
  private static func messageFile(
    _ container: [UInt8], _ file: TagImage.DESFire.File
  ) -> UInt16? {
    let (head, control, shortest) = (7, [UInt8]([0x04, 0x06]), 15)
    guard container.count >= shortest, case .data(let size) = file.settings,
      Int(container[0]) << 8 | Int(container[1]) >= shortest,
      [0x10, 0x20].contains(container[2] & 0xF0),
      container[head..<head + 2].elementsEqual(control)
    else { return nil }
    let value = container[head + 2..<shortest].map { UInt16($0) }
    guard value[2] << 8 | value[3] <= size else { return nil }
    return value[0] << 8 | value[1]
  }
}

extension DESFireImageCard {
  /// Executes a command APDU with class 00.
  mutating func performInterindustry(_ bytes: [UInt8]) -> [UInt8] {
    let names = tagImage.desfire.flatMap(DESFireNDEFNames.init)
    guard let command = CommandAPDU(bytes) else { return StatusWord.wrongLength.bytes }
    switch command.ins {
    case Instruction.select:
      guard let names else { return StatusWord.fileNotFound.bytes }
      return select(command, names).bytes
    case Instruction.readBinary where names != nil: return readBinary(command)
    case Instruction.updateBinary where names != nil: return updateBinary(command).bytes
    default: return StatusWord.instructionNotSupported.bytes
    }
  }

  private mutating func select(_ command: CommandAPDU, _ names: DESFireNDEFNames) -> StatusWord {
    if command.p1 == Parameter.selectByName {
      guard command.data == DESFireNDEFNames.application else { return .fileNotFound }
      selectApplication(at: names.index)
      return .success
    }
    guard command.data.count == 2 else { return .lengthInconsistent }
    let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
    if command.p1 != Parameter.selectElementaryFile,
      identifier == DESFireNDEFNames.applicationFile
    {
      selectApplication(at: names.index)
      return .success
    }
    guard selection == names.index, let file = names.files[identifier] else { return .fileNotFound }
    currentFile = file
    return .success
  }

  /// Returns the current file, with the rights that do not require a key.
  private var current: TransparentFile? {
    guard let selection, let currentFile, let card = tagImage.desfire,
      let file = card.applications[selection].files?[currentFile]
    else { return nil }
    return TransparentFile(
      identifier: 0, content: file.data ?? [], isReadable: file.data != nil,
      isWritable: file.data != nil && Self.isOpenForWriting(file))
  }

  private func readBinary(_ command: CommandAPDU) -> [UInt8] {
    guard command.p1 & Parameter.shortFileIdentifier == 0 else {
      return StatusWord.fileNotFound.bytes
    }
    guard let current else { return StatusWord.conditionsOfUseNotSatisfied.bytes }
    switch current.read(offset: command.parameter, count: command.expectedLength) {
    case .data(let data): return data + StatusWord.success.bytes
    case .short(let data):
      return data + (command.expectsMaximum ? StatusWord.success : .endOfFile).bytes
    case .refused(let status): return status.bytes
    }
  }

  private mutating func updateBinary(_ command: CommandAPDU) -> StatusWord {
    guard command.p1 & Parameter.shortFileIdentifier == 0 else { return .fileNotFound }
    guard let selection, let currentFile, var file = current else {
      return .conditionsOfUseNotSatisfied
    }
    let status = file.update(offset: command.parameter, data: command.data)
    guard status == .success else { return status }
    tagImage.desfire?.applications[selection].files?[currentFile].data = file.content
    return .success
  }
}
