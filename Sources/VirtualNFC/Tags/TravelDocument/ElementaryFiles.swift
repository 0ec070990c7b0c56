/// Elementary files that can be read, one of which is selected.
struct ElementaryFiles: Hashable, Sendable {
  private var files: [TransparentFile]
  private var selected: Int?
  private let hasShortIdentifiers: Bool

  /// The identifier of EF.DIR, whose short identifier is not a part of it (Doc 9303-10, 3.11).
  private static let directory: (identifier: UInt16, short: UInt8) = (0x2F00, 0x1E)
  /// Offsets from here need a data object (ISO/IEC 7816-4, 7.2.3).
  private static let plainOffsetLimit = 0x8000

  init(_ contents: [UInt16: [UInt8]], hasShortIdentifiers: Bool = true) {
    files = contents.sorted { $0.key < $1.key }.map {
      TransparentFile(identifier: $0.key, content: $0.value)
    }
    self.hasShortIdentifiers = hasShortIdentifiers
  }

  /// The contents of all files, in the order of their identifiers. Setting it changes no file's size.
  var content: [UInt8] {
    get { files.content }
    set { files.content = newValue }
  }

  /// Ends the selection.
  mutating func close() { selected = nil }

  func contains(short identifier: UInt8) -> Bool { index(short: identifier) != nil }

  private func index(short identifier: UInt8) -> Int? {
    guard hasShortIdentifiers else { return nil }
    return files.firstIndex {
      $0.identifier == Self.directory.identifier
        ? identifier == Self.directory.short : $0.identifier & 0x1F == UInt16(identifier)
    }
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

  /// Runs READ BINARY with the offset in an object 54; the answer is an object 53 (ISO/IEC 7816-4, 7.2.3). P1 and P2
  /// are zero for the selected file.
  mutating func readBinaryWithDataObject(_ command: CommandAPDU, limit: Int) -> [UInt8] {
    guard let selected, command.parameter == 0 else { return StatusWord.commandNotAllowed.bytes }
    guard let objects = DataObject.all(in: command.data), objects.map(\.tag) == [0x54],
      (1...4).contains(objects[0].value.count)
    else { return StatusWord.incorrectData.bytes }
    let offset = objects[0].value.reduce(0) { $0 << 8 | Int($1) }
    // Le counts the header of the object in the answer.
    let room = min(command.expectedLength, limit)
    guard room > 4 else { return StatusWord.wrongLength.bytes }
    let headerSize = room > 0x102 ? 4 : room > 0x81 ? 3 : 2
    switch files[selected].read(offset: offset, count: room - headerSize) {
    case .data(let data): return DataObject.encoded(0x53, data) + StatusWord.success.bytes
    case .short(let data): return DataObject.encoded(0x53, data) + StatusWord.endOfFile.bytes
    case .refused(let status): return status.bytes
    }
  }
}
