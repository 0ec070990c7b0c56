/// Elementary files that can be read, one of which is selected.
struct ElementaryFiles: Hashable, Sendable {
  private var files: [TransparentFile]
  private var selected: Int?

  init(_ contents: [UInt16: [UInt8]]) {
    files = contents.sorted { $0.key < $1.key }.map {
      TransparentFile(identifier: $0.key, content: $0.value)
    }
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
