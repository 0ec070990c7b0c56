/// The commands for values and records (MF3ICDx21_41_81 data sheet, 9.6).
extension DESFirePICC {
  // MARK: Values

  private func valueFile(
    _ number: UInt8
  ) throws(DESFireStatus) -> (index: Int, file: DESFireFile, value: DESFireValue) {
    try requireApplication()
    let index = try fileIndex(number)
    guard case .value(let value) = selected.files[index].kind else { throw .parameterError }
    return (index, selected.files[index], value)
  }

  mutating func getValue(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard let number = parameters.first else { throw .lengthError }
    let (_, file, value) = try valueFile(number)
    let isFree = value.flags & DESFireValue.readsFreely != 0
    let communication = try communication(
      file.allKeys + (isFree ? [DESFireFile.everybody] : []),
      protected: DESFireCommunication(settings: file.communicationSettings))
    _ = try accept(.getValue, parameters, count: 1, communication)
    note([DESFireCommand.getValue.rawValue, number] + file.content)
    return Result(protect(file.content, communication))
  }

  mutating func changeValue(
    _ command: DESFireCommand, _ change: DESFireValue.Change, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    guard let number = parameters.first else { throw .lengthError }
    var (index, file, value) = try valueFile(number)
    let keys =
      switch change {
      case .credit: file.fullKeys
      case .debit: file.allKeys
      case .limitedCredit: file.writeKeys
      }
    let communication = try communication(
      keys, protected: DESFireCommunication(settings: file.communicationSettings))
    let amount = try unprotect(
      header: [command.rawValue, number], body: Array(parameters.dropFirst()), count: 4,
      communication)
    try value.change(
      change, by: Int32(truncatingIfNeeded: Self.number(amount)),
      current: Int32(truncatingIfNeeded: Self.number(file.content)))
    selected.files[index].kind = .value(value)
    note([command.rawValue, number] + amount)
    return Result(session?.acknowledge(communication) ?? [])
  }

  /// Runs RestoreTransfer, which copies the value of one file to another; a commit is required (NXP's reader library,
  /// liblogicalaccess). The target's settings protect the command, which is never encrypted.
  ///
  /// Not confirmed: the rights, which are here the source's to read and the target's to read and write; that the
  /// committed value is copied; and that the target keeps its limits.
  mutating func restoreTransfer(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard let target = parameters.first else { throw .lengthError }
    var (index, file, value) = try valueFile(target)
    let setting = DESFireCommunication(settings: file.communicationSettings)
    let communication = try communication(
      file.fullKeys, protected: setting == .plain ? .plain : .authenticated)
    let numbers = try unprotect(
      header: [DESFireCommand.restoreTransfer.rawValue], body: parameters, count: 2, communication)
    let source = try valueFile(numbers[1]).file
    _ = try self.communication(source.allKeys, protected: .plain)
    guard source.number != target else { throw .parameterError }
    try value.set(Int32(truncatingIfNeeded: Self.number(source.content)))
    selected.files[index].kind = .value(value)
    note([DESFireCommand.restoreTransfer.rawValue] + numbers)
    return Result(session?.acknowledge(communication) ?? [])
  }

  // MARK: Records

  private func records(
    of file: DESFireFile
  ) throws(DESFireStatus) -> (records: DESFireRecords, isCyclic: Bool) {
    switch file.kind {
    case .linearRecords(let records): return (records, false)
    case .cyclicRecords(let records): return (records, true)
    default: throw .parameterError
    }
  }

  private mutating func replace(_ index: Int, _ records: DESFireRecords, isCyclic: Bool) {
    selected.files[index].kind = isCyclic ? .cyclicRecords(records) : .linearRecords(records)
  }

  /// Reads records. Record numbers count from the newest; the answer begins with the oldest.
  mutating func readRecords(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    guard let number = parameters.first else { throw .lengthError }
    try requireApplication()
    let file = selected.files[try fileIndex(number)]
    let (records, _) = try records(of: file)
    let communication = try communication(
      file.readKeys, protected: DESFireCommunication(settings: file.communicationSettings))
    let rest = try accept(command, parameters, count: 7, communication)
    let skipped = Self.number(rest[1..<4])
    let asked = Self.number(rest[4..<7])
    let count = file.content.count / records.size
    guard skipped < count, asked <= count - skipped else { throw .boundaryError }
    let wanted = asked == 0 ? count - skipped : asked
    let end = count - skipped
    let data = Array(file.content[((end - wanted) * records.size)..<(end * records.size)])
    note(
      [command.rawValue, number] + DESFireFile.number(skipped) + DESFireFile.number(wanted), data)
    let protected = protect(data, communication, marksEnd: asked == 0)
    return command == .readRecords
      ? Result(frames: Self.frames(protected, size: frameSizeOfData)) : Result(protected)
  }

  mutating func writeRecord(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    try changeRecords(command, parameters, header: 7) {
      (records, data, content, isCyclic) throws(DESFireStatus) in
      try records.write(
        data, at: Self.number(parameters[1..<4]), contentSize: content.count, isCyclic: isCyclic)
    }
  }

  /// Changes an existing record. Record numbers count from the newest.
  mutating func updateRecord(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    try changeRecords(command, parameters, header: 10) {
      (records, data, content, _) throws(DESFireStatus) in
      try records.change(
        data, at: Self.number(parameters[4..<7]), skipping: Self.number(parameters[1..<4]),
        in: content)
    }
  }

  /// Changes the records that the transaction will commit.
  ///
  /// - Parameters:
  ///   - header: the number of parameter bytes before the data, with the file's number.
  ///   - change: receives the records, the data, the committed content, and whether the file is cyclic.
  private mutating func changeRecords(
    _ command: DESFireCommand, _ parameters: [UInt8], header: Int,
    _ change: (inout DESFireRecords, [UInt8], [UInt8], Bool) throws(DESFireStatus) -> Void
  ) throws(DESFireStatus) -> Result {
    let index = try fileIndex(parameters[0])
    let file = selected.files[index]
    var (records, isCyclic) = try records(of: file)
    let (data, communication) = try written(command, parameters, to: file)
    try change(&records, data, file.content, isCyclic)
    replace(index, records, isCyclic: isCyclic)
    note([command.rawValue] + parameters.prefix(header), data)
    return Result(session?.acknowledge(communication) ?? [])
  }

  mutating func clearRecords(_ number: UInt8) throws(DESFireStatus) -> Result {
    try requireApplication()
    let index = try fileIndex(number)
    var (records, isCyclic) = try records(of: selected.files[index])
    _ = try communication(selected.files[index].fullKeys, protected: .plain)
    records.clear()
    replace(index, records, isCyclic: isCyclic)
    note([DESFireCommand.clearRecordFile.rawValue, number])
    return Result()
  }
}
