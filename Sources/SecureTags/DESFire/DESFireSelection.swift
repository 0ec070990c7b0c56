import SwiftNFCCore

/// An application that is selected while ``DESFireApplication/exclusively(_:)`` runs, and its
/// commands.
///
/// Its methods send the commands of the methods of ``DESFireApplication`` that have the same names,
/// and throw the same errors, without selecting the application again. They run on the reader's
/// thread and do not suspend. What a method has read of a file's settings is known to the next one.
///
/// A selection is not valid after the closure that it was passed to.
public struct DESFireSelection {
  var procedure: DESFireProcedure
}

extension DESFireApplication {
  /// Selects the application once, and runs several commands without interruption: no other command
  /// to this reader, from any task, comes between them.
  ///
  /// ```swift
  /// let settings = try await application.exclusively { selection in
  ///   try selection.files().map { try selection.fileSettings($0) }
  /// }
  /// ```
  ///
  /// Without a session, each call of this type selects the application, because nothing else proves
  /// that no other program has selected another one since. In this scope, one exchange does so for all
  /// of them; there is none if the application has a session, which continues.
  ///
  /// `body` runs on the reader's own thread; see `Tag.exclusively(_:)`. If the task is cancelled,
  /// the next exchange ends it. Changes that must not be left in doubt, such as those of keys, are
  /// methods of ``DESFireApplication`` only.
  ///
  /// - Throws: what `body` throws; ``NFCError/Code/wrongTag`` if there is no such application.
  public func exclusively<Result: Sendable>(
    _ body: @Sendable (inout DESFireSelection) throws -> Result
  ) async throws -> Result {
    try await perform { procedure in
      var selection = DESFireSelection(procedure: procedure)
      defer { procedure = selection.procedure }
      return try body(&selection)
    }
  }
}

extension DESFireSelection {
  /// Reads what the keys are for; see ``DESFireApplication/keySummary()``.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` if the settings require the master key.
  public mutating func keySummary() throws -> DESFireKeySummary { try procedure.keySummary() }

  /// Reads the version of a key; see ``DESFireApplication/keyVersion(_:)``.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` if there is no such key; ``NFCError/Code/invalidParameter``.
  public mutating func keyVersion(_ number: Int) throws -> UInt8 {
    try procedure.keyVersion(DESFireApplication.keyNumber(number))
  }

  /// Reads the numbers of all files; see ``DESFireApplication/files()``.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated`` if the settings require the master key.
  public mutating func files() throws -> [Int] { try procedure.files().map { Int($0) } }

  /// Reads the settings of a file; see ``DESFireApplication/fileSettings(_:)``.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` if there is no such file;
  ///   ``NFCError/Code/notAuthenticated``; ``NFCError/Code/invalidParameter``.
  public mutating func fileSettings(_ number: Int) throws -> DESFireFileSettings {
    try procedure.fileSettings(DESFireApplication.fileNumber(number))
  }

  /// Reads a data file; see ``DESFireApplication/readData(file:offset:count:)``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file of another type;
  ///   ``NFCError/Code/notAuthenticated``; ``NFCError/Code/tagRefused``.
  public mutating func readData(file: Int, offset: Int = 0, count: Int? = nil) throws -> [UInt8] {
    try procedure.readData(DESFireApplication.fileNumber(file), offset: offset, count: count)
  }

  /// Writes to a data file; see ``DESFireApplication/writeData(file:offset:_:)``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file of another type;
  ///   ``NFCError/Code/notAuthenticated``; ``NFCError/Code/tagRefused``.
  public mutating func writeData(file: Int, offset: Int = 0, _ data: [UInt8]) throws {
    try procedure.writeData(DESFireApplication.fileNumber(file), offset: offset, data)
  }

  /// Reads a value; see ``DESFireApplication/value(file:)``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file of another type;
  ///   ``NFCError/Code/notAuthenticated``; ``NFCError/Code/tagRefused``.
  public mutating func value(file: Int) throws -> Int {
    try procedure.value(DESFireApplication.fileNumber(file))
  }

  /// Changes a value; see ``DESFireApplication/changeValue(file:_:)``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file of another type;
  ///   ``NFCError/Code/notAuthenticated``; ``NFCError/Code/tagRefused``.
  public mutating func changeValue(file: Int, _ change: DESFireValueChange) throws {
    try procedure.changeValue(DESFireApplication.fileNumber(file), change)
  }

  /// Reads records, the oldest first; see ``DESFireApplication/readRecords(file:skip:count:)``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file of another type;
  ///   ``NFCError/Code/notAuthenticated``; ``NFCError/Code/tagRefused``.
  public mutating func readRecords(
    file: Int, skip: Int = 0, count: Int? = nil
  ) throws -> [[UInt8]] {
    try procedure.readRecords(DESFireApplication.fileNumber(file), skip: skip, count: count)
  }

  /// Writes to the record that the next commit appends; see
  /// ``DESFireApplication/writeRecord(file:offset:_:)``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file of another type;
  ///   ``NFCError/Code/notAuthenticated``; ``NFCError/Code/tagRefused``.
  public mutating func writeRecord(file: Int, offset: Int = 0, _ data: [UInt8]) throws {
    try procedure.writeRecord(DESFireApplication.fileNumber(file), offset: offset, data)
  }

  /// Changes a part of a record that the file has; see
  /// ``DESFireApplication/updateRecord(file:skip:offset:_:)``.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` before EV2; ``NFCError/Code/invalidParameter`` for a
  ///   file of another type; ``NFCError/Code/notAuthenticated``; ``NFCError/Code/tagRefused``.
  public mutating func updateRecord(
    file: Int, skip: Int = 0, offset: Int = 0, _ data: [UInt8]
  ) throws {
    try procedure.updateRecord(
      DESFireApplication.fileNumber(file), skip: skip, offset: offset, data)
  }

  /// Deletes all records; see ``DESFireApplication/clearRecords(file:)``.
  ///
  /// - Throws: ``NFCError/Code/notAuthenticated``; ``NFCError/Code/tagRefused``.
  public mutating func clearRecords(file: Int) throws {
    try procedure.clearRecords(DESFireApplication.fileNumber(file))
  }

  /// Makes all writes to backup, value and record files effective; see
  /// ``DESFireApplication/commit()``.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` if there is nothing to commit.
  public mutating func commit() throws { try procedure.commit() }

  /// Discards everything written since the last commit; see ``DESFireApplication/abort()``.
  ///
  /// - Throws: ``NFCError/Code/tagRefused``; ``NFCError/Code/tagConnectionLost``.
  public mutating func abort() throws { try procedure.abort() }
}

extension DESFireSelection: CustomReflectable {
  /// Nothing: a session has secrets.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

// MARK: Images

/// What an image of a card needs: answers as the card sent them, which have fields that the typed
/// settings leave out, and files by the numbers that the card reports.
extension DESFireSelection {
  /// Reads the identifiers of the applications, with the card itself selected; see
  /// ``DESFireCard/applications()``.
  package mutating func applications() throws -> [DESFireApplicationIdentifier] {
    try procedure.applications()
  }

  /// Reads the two bytes of GetKeySettings' answer.
  package mutating func keySettingsBytes() throws -> [UInt8] {
    try procedure.keySettingsAnswer().bytes
  }

  /// Reads GetFileSettings' answer, with its meaning.
  package mutating func fileSettingsAnswer(
    _ number: UInt8
  ) throws -> (bytes: [UInt8], settings: DESFireFileSettings) {
    try procedure.fileSettingsAnswer(number)
  }

  /// Reads the complete content of a file whose settings have just been read: data, the four bytes of
  /// a value, or all records, the oldest first. One exchange, or more if the answer does not fit one.
  ///
  /// - Returns: `nil` for a file of another type.
  package mutating func content(
    of number: UInt8, _ settings: DESFireFileSettings
  ) throws -> [UInt8]? {
    switch settings.content {
    case .standardData, .backupData: return try procedure.readData(number, offset: 0, count: nil)
    case .value: return try procedure.value(number).littleEndianBytes(count: 4)
    case .linearRecords, .cyclicRecords:
      return try procedure.readRecords(number, settings, skip: 0, count: nil).flatMap { $0 }
    case .transactionMAC, .other: return nil
    }
  }

  /// Uses settings that were read before, in place of another GetFileSettings.
  package mutating func use(_ settings: DESFireFileSettings, ofFile number: UInt8) {
    procedure.state.files[number] = settings
  }
}

extension DESFireFileSettings {
  /// Whether everyone may read the file.
  package var isOpenForReading: Bool {
    if case .value(let value) = content, value.allowsFreeReading { return true }
    return holders(of: \.read, \.readWrite).contains(.everyone)
  }

  /// Whether everyone may write to the file. Crediting a value and clearing records require
  /// ``isOpenForBoth`` (MF3ICDx21_41_81 data sheet, Credit and ClearRecordFile).
  package var isOpenForWriting: Bool { holders(of: \.write, \.readWrite).contains(.everyone) }

  /// Whether everyone has the right to read and write.
  package var isOpenForBoth: Bool { holders(of: \.readWrite).contains(.everyone) }
}
