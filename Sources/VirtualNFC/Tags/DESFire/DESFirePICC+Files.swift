import SwiftNFCCore

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
      return try create(
        parameters, rest: 3, hasName: true, canBeDynamic: model.hasDynamicMessaging
      ) { rest throws(DESFireStatus) in
        let size = Self.number(rest)
        guard size > 0 else { throw .parameterError }
        return (.standardData, [UInt8](repeating: 0, count: size))
      }
    case .createBackupDataFile:
      return try create(parameters, rest: 3, hasName: true) { rest throws(DESFireStatus) in
        let size = Self.number(rest)
        guard size > 0 else { throw .parameterError }
        return (.backupData(pending: nil), [UInt8](repeating: 0, count: size))
      }
    case .createValueFile:
      return try create(parameters, rest: 13, hasName: false, Self.valueKind)
    case .createLinearRecordFile:
      return try create(parameters, rest: 6, hasName: true) { rest throws(DESFireStatus) in
        (.linearRecords(try Self.records(rest, least: 1)), [])
      }
    case .createCyclicRecordFile:
      return try create(parameters, rest: 6, hasName: true) { rest throws(DESFireStatus) in
        (.cyclicRecords(try Self.records(rest, least: 2)), [])
      }
    case .clearRecordFile:
      try require(parameters, count: 1)
      return try clearRecords(parameters[0])
    case .deleteFile:
      try require(parameters, count: 1)
      try requireApplication()
      let index = try fileIndex(parameters[0])
      if selected.files[index].transactionMAC == nil {
        try requireMasterKey(unless: DESFireApplication.createsFreely)
      } else {
        // Whether the settings free this file too is not public; M5Stack's M5Unit-NFC uses the master key.
        guard session?.keyNumber == 0 else { throw .authenticationError }
      }
      // The other files of a chip with fixed files cannot be deleted (AN12343, 6).
      guard model.isDESFire || selected.files[index].transactionMAC != nil else {
        throw .permissionDenied
      }
      keepMemory(selected.files.remove(at: index).memorySize)
      currentFile = nil
      return Result()
    default:
      throw .illegalCommand
    }
  }

  func requireApplication() throws(DESFireStatus) {
    guard selection != nil else { throw .permissionDenied }
  }

  func fileIndex(_ number: UInt8) throws(DESFireStatus) -> Int {
    guard let index = selected.fileIndex(number) else { throw .fileNotFound }
    return index
  }

  static func number(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  // MARK: Creation and settings

  /// - Parameters:
  ///   - rest: the number of parameters that only this kind of file has.
  ///   - hasName: whether files of the kind may have an ISO file identifier.
  ///   - canBeDynamic: whether they may have Secure Dynamic Messaging.
  ///   - kind: a function that returns the kind of the file, with its initial content.
  private mutating func create(
    _ parameters: [UInt8], rest count: Int, hasName: Bool, canBeDynamic: Bool = false,
    _ kind: ([UInt8]) throws(DESFireStatus) -> (DESFireFileKind, [UInt8])
  ) throws(DESFireStatus) -> Result {
    let isNamed = hasName && parameters.count == count + 6
    guard parameters.count == count + 4 || isNamed else { throw .lengthError }
    try requireApplication()
    try requireMasterKey(unless: DESFireApplication.createsFreely)
    let rest = Array(parameters.dropFirst(isNamed ? 3 : 1))
    let (fileKind, content) = try kind(Array(rest.dropFirst(3)))
    let isDynamic = rest[0] & DESFireFile.isDynamic != 0
    let option = rest[0] & ~(canBeDynamic ? DESFireFile.isDynamic : 0)
    let file = DESFireFile(
      number: parameters[0],
      isoIdentifier: isNamed
        ? UInt16(truncatingIfNeeded: Self.number(parameters[1..<3])) : nil,
      communicationSettings: option,
      accessRights: UInt16(truncatingIfNeeded: Self.number(rest[1..<3])),
      allowsDynamicMessaging: isDynamic, content: content, kind: fileKind)
    guard option <= 0x03, !isNamed || selected.hasISOIdentifiers else { throw .parameterError }
    try requireNew(file)
    guard file.memorySize <= freeMemoryOfSelected else { throw .outOfMemory }
    selected.files.append(file)
    return Result()
  }

  /// Requires that number, rights and name are valid and not in use.
  func requireNew(_ file: DESFireFile) throws(DESFireStatus) {
    guard file.number < Self.mostFiles, isValid(file.accessRights) else { throw .parameterError }
    guard
      selected.files.allSatisfy({ other in
        other.number != file.number
          && (file.isoIdentifier == nil || other.isoIdentifier != file.isoIdentifier)
      })
    else { throw .duplicateError }
  }

  private static func valueKind(
    _ rest: [UInt8]
  ) throws(DESFireStatus) -> (DESFireFileKind, [UInt8]) {
    func signed(_ start: Int) -> Int32 {
      Int32(truncatingIfNeeded: number(rest[start..<(start + 4)]))
    }
    let value = DESFireValue(lower: signed(0), upper: signed(4), flags: rest[12])
    let first = signed(8)
    guard value.lower <= first, first <= value.upper, rest[12] <= 0x03 else {
      throw .parameterError
    }
    return (.value(value), value.bytes(first))
  }

  private static func records(
    _ rest: [UInt8], least: Int
  ) throws(DESFireStatus) -> DESFireRecords {
    let (size, maximum) = (number(rest[0..<3]), number(rest[3..<6]))
    guard size > 0, maximum >= least else { throw .parameterError }
    return DESFireRecords(size: size, maximum: maximum)
  }

  /// Returns whether each half byte stands for an existing key, everybody or nobody.
  func isValid(_ accessRights: UInt16) -> Bool {
    [12, 8, 4, 0].allSatisfy {
      let key = UInt8(accessRights >> $0 & 0x0F)
      return key >= DESFireFile.everybody || Int(key) < selected.keys.count
    }
  }

  // MARK: Access

  /// Returns the protection of data on the air: the file's setting if a key gives the right, plain if
  /// everybody has the right.
  func communication(
    _ keys: [UInt8], protected: DESFireCommunication
  ) throws(DESFireStatus) -> DESFireCommunication {
    if let session, keys.contains(session.keyNumber) { return protected }
    if keys.contains(DESFireFile.everybody) { return .plain }
    throw keys.allSatisfy { $0 == DESFireFile.nobody } ? .permissionDenied : .authenticationError
  }

  mutating func unprotect(
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

  /// Returns a file that contains plain data.
  private func dataFile(_ number: UInt8) throws(DESFireStatus) -> DESFireFile {
    let file = selected.files[try fileIndex(number)]
    switch file.kind {
    case .standardData, .backupData, .transactionMAC: return file
    default: throw .parameterError
    }
  }

  /// Returns the parameters of a command without data, without the MAC that the session appends.
  mutating func accept(
    _ command: DESFireCommand, _ parameters: [UInt8], count: Int,
    _ communication: DESFireCommunication
  ) throws(DESFireStatus) -> [UInt8] {
    guard var session else {
      try require(parameters, count: count)
      return parameters
    }
    let rest = try session.accept([command.rawValue] + parameters, communication)
    try require(rest, count: count)
    self.session = session
    return rest
  }

  mutating func readData(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    guard let number = parameters.first else { throw .lengthError }
    try requireApplication()
    let file = try dataFile(number)
    // The key of Secure Dynamic Messaging gives everybody the right to read what it signs.
    let communication =
      isDynamic(file)
      ? .plain
      : try communication(
        file.readKeys, protected: DESFireCommunication(settings: file.communicationSettings))
    let rest = try accept(command, parameters, count: 7, communication)
    let offset = Self.number(rest[1..<4])
    let length = Self.number(rest[4..<7])
    let size = file.content.count
    guard offset < size, length <= size - offset else { throw .boundaryError }
    let count = length == 0 ? size - offset : length
    let whole = try content(try fileIndex(number), .native)
    let content = Array(whole[offset..<(offset + count)])
    if file.transactionMAC == nil {
      note(
        [command.rawValue, number] + DESFireFile.number(offset) + DESFireFile.number(count), content
      )
    }
    let data = protect(content, communication, marksEnd: length == 0)
    return command == .readData
      ? Result(frames: Self.frames(data, size: frameSizeOfData)) : Result(data)
  }

  mutating func protect(
    _ data: [UInt8], _ communication: DESFireCommunication, marksEnd: Bool = false
  ) -> [UInt8] {
    session?.protect(data, communication, marksEnd: marksEnd) ?? data
  }

  /// Returns the total number of bytes of WriteData, WriteRecord or UpdateRecord, from the command's header.
  func expectedWriteCount(
    _ command: DESFireCommand, _ parameters: [UInt8], _ headerSize: Int
  ) throws(DESFireStatus) -> Int {
    guard parameters.count >= headerSize else { throw .lengthError }
    try requireApplication()
    let file = selected.files[try fileIndex(parameters[0])]
    let communication = try communication(
      file.keys(for: command), protected: DESFireCommunication(settings: file.communicationSettings)
    )
    let offset = Self.number(parameters[(headerSize - 6)..<(headerSize - 3)])
    let length = Self.number(parameters[(headerSize - 3)..<headerSize])
    let size =
      switch file.kind {
      case .standardData, .backupData: file.content.count
      case .linearRecords(let records), .cyclicRecords(let records): records.size
      case .value, .transactionMAC: 0
      }
    guard length > 0 else { throw .parameterError }
    guard offset < size, length <= size - offset else { throw .boundaryError }
    return headerSize + (session?.protectedCount(length, communication) ?? length)
  }

  mutating func writeData(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    // `expectedWriteCount`, which returned the number of bytes, has checked the header.
    let index = try fileIndex(parameters[0])
    let file = try dataFile(parameters[0])
    let (data, communication) = try written(command, parameters, to: file)
    let offset = Self.number(parameters[1..<4])
    let range = offset..<(offset + data.count)
    if case .backupData(let pending) = file.kind {
      var content = pending ?? file.content
      content.replaceSubrange(range, with: data)
      selected.files[index].kind = .backupData(pending: content)
    } else {
      selected.files[index].content.replaceSubrange(range, with: data)
    }
    note([command.rawValue] + parameters.prefix(7), data)
    return Result(session?.acknowledge(communication) ?? [])
  }

  /// Returns the data of a writing command, and the protection that it had.
  mutating func written(
    _ command: DESFireCommand, _ parameters: [UInt8], to file: DESFireFile
  ) throws(DESFireStatus) -> ([UInt8], DESFireCommunication) {
    let communication = try communication(
      file.keys(for: command), protected: DESFireCommunication(settings: file.communicationSettings)
    )
    let size = command.writeHeaderSize ?? parameters.count
    let header = Array(parameters.prefix(size))
    let data = try unprotect(
      header: [command.rawValue] + header, body: Array(parameters.dropFirst(size)),
      count: Self.number(header.suffix(3)), communication)
    return (data, communication)
  }
}
