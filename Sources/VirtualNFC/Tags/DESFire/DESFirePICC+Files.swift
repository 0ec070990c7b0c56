import NFCCore

/// Commands about the files of the selected application.
extension DESFirePICC {
  private static let mostFiles: UInt8 = 32

  mutating func performFileCommand(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    switch command {
    case .getFileIdentifiers:
      try require(parameters, count: 0)
      try requireApplication()
      try requireListing()
      return Result(selected.files.map(\.number))
    case .getISOFileIdentifiers:
      try require(parameters, count: 0)
      try requireApplication()
      try requireListing()
      let identifiers = selected.files.compactMap(\.isoIdentifier)
      return Result(
        frames: Self.frames(
          identifiers.flatMap(\.littleEndianBytes), size: 54))
    case .getFileSettings:
      try require(parameters, count: 1)
      try requireApplication()
      try requireListing()
      return Result(selected.files[try fileIndex(parameters[0])].settings)
    case .createStandardDataFile:
      return try createStandardDataFile(parameters)
    case .deleteFile:
      try require(parameters, count: 1)
      try requireApplication()
      let index = try fileIndex(parameters[0])
      try requireMasterKey(unless: DESFireApplication.createsFreely)
      selected.files.remove(at: index)
      currentFile = nil
      return Result()
    default:
      throw .illegalCommand
    }
  }

  private func requireApplication() throws(DESFireStatus) {
    guard selection != nil else { throw .permissionDenied }
  }

  private func fileIndex(_ number: UInt8) throws(DESFireStatus) -> Int {
    guard let index = selected.fileIndex(number) else { throw .fileNotFound }
    return index
  }

  private func number(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  // MARK: Creation and settings

  private mutating func createStandardDataFile(
    _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    let hasISOIdentifier = parameters.count == 9
    guard parameters.count == 7 || hasISOIdentifier else { throw .lengthError }
    try requireApplication()
    try requireMasterKey(unless: DESFireApplication.createsFreely)
    let rest = Array(parameters.dropFirst(hasISOIdentifier ? 3 : 1))
    let file = DESFireFile(
      number: parameters[0],
      isoIdentifier: hasISOIdentifier
        ? UInt16(truncatingIfNeeded: number(parameters[1..<3])) : nil,
      communicationSettings: rest[0],
      accessRights: UInt16(truncatingIfNeeded: number(rest[1..<3])), content: [])
    let size = number(rest[3..<6])
    guard file.number < Self.mostFiles, rest[0] <= 0x03, size > 0, isValid(file.accessRights),
      !hasISOIdentifier || selected.hasISOIdentifiers
    else { throw .parameterError }
    guard
      selected.files.allSatisfy({ other in
        other.number != file.number
          && (file.isoIdentifier == nil || other.isoIdentifier != file.isoIdentifier)
      })
    else { throw .duplicateError }
    guard (size + 31) / 32 * 32 <= freeMemory else { throw .outOfMemory }
    var filled = file
    filled.content = [UInt8](repeating: 0, count: size)
    selected.files.append(filled)
    return Result()
  }

  /// Each half of a byte names a key that is there, everybody or nobody.
  private func isValid(_ accessRights: UInt16) -> Bool {
    [12, 8, 4, 0].allSatisfy {
      let key = UInt8(accessRights >> $0 & 0x0F)
      return key >= DESFireFile.everybody || Int(key) < selected.keys.count
    }
  }

  mutating func changeFileSettings(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard let first = parameters.first else { throw .lengthError }
    try requireApplication()
    let index = try fileIndex(first)
    let file = selected.files[index]
    let header = [DESFireCommand.changeFileSettings.rawValue, first]
    let body = Array(parameters.dropFirst())
    let communication = try communication([file.changeKey], protected: .enciphered)
    let settings = try unprotect(header: header, body: body, count: 3, communication)
    let rights = UInt16(truncatingIfNeeded: number(settings[1..<3]))
    guard settings[0] <= 0x03, isValid(rights) else { throw .parameterError }
    selected.files[index].communicationSettings = settings[0]
    selected.files[index].accessRights = rights
    return Result(session?.protect([], .plain) ?? [])
  }

  // MARK: Access

  /// How data goes over the air: as the file says if it is a key that gives the right, plain if the
  /// right is everybody's.
  private func communication(
    _ keys: [UInt8], protected: DESFireCommunication
  ) throws(DESFireStatus) -> DESFireCommunication {
    if let session, keys.contains(session.keyNumber) { return protected }
    if keys.contains(DESFireFile.everybody) { return .plain }
    throw keys.allSatisfy { $0 == DESFireFile.nobody } ? .permissionDenied : .authenticationError
  }

  private mutating func unprotect(
    header: [UInt8], body: [UInt8], count: Int, _ communication: DESFireCommunication
  ) throws(DESFireStatus) -> [UInt8] {
    guard var session else {
      guard body.count == count else { throw .lengthError }
      return body
    }
    let data = try session.unprotect(
      header: header, body: body, count: count, communication)
    self.session = session
    return data
  }

  mutating func readData(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    try require(parameters, count: 7)
    try requireApplication()
    let file = selected.files[try fileIndex(parameters[0])]
    let communication = try communication(
      file.readKeys, protected: DESFireCommunication(settings: file.communicationSettings))
    let offset = number(parameters[1..<4])
    let length = number(parameters[4..<7])
    let size = file.content.count
    guard offset < size, length <= size - offset else { throw .boundaryError }
    let count = length == 0 ? size - offset : length
    var data = Array(file.content[offset..<(offset + count)])
    if var session {
      session.absorb([command.rawValue] + parameters)
      data = session.protect(data, communication, marksEnd: length == 0)
      self.session = session
    }
    return command == .readData ? Result(frames: Self.frames(data)) : Result(data)
  }

  /// How many bytes WriteData has in all, by its header.
  func expectedWriteCount(_ parameters: [UInt8]) throws(DESFireStatus) -> Int {
    guard parameters.count >= 7 else { throw .lengthError }
    try requireApplication()
    let file = selected.files[try fileIndex(parameters[0])]
    let communication = try communication(
      file.writeKeys, protected: DESFireCommunication(settings: file.communicationSettings))
    let offset = number(parameters[1..<4])
    let length = number(parameters[4..<7])
    guard length > 0 else { throw .parameterError }
    guard offset < file.content.count, length <= file.content.count - offset else {
      throw .boundaryError
    }
    return 7 + (session?.protectedCount(length, communication) ?? length)
  }

  mutating func writeData(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    // The header has been looked at by `expectedWriteCount(_:)`, which gave the number of bytes.
    let index = try fileIndex(parameters[0])
    let file = selected.files[index]
    let communication = try communication(
      file.writeKeys, protected: DESFireCommunication(settings: file.communicationSettings))
    let offset = number(parameters[1..<4])
    let length = number(parameters[4..<7])
    let data = try unprotect(
      header: [command.rawValue] + parameters.prefix(7), body: Array(parameters.dropFirst(7)),
      count: length, communication)
    selected.files[index].content.replaceSubrange(offset..<(offset + length), with: data)
    return Result(session?.protect([], .plain) ?? [])
  }
}
