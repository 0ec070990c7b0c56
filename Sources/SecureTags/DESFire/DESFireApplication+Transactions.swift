import SwiftNFCCore

/// A change to a value.
public enum DESFireValueChange: Hashable, Sendable {
  /// Adds this amount, which is not negative.
  case credit(Int)
  /// Subtracts this amount, which is not negative.
  case debit(Int)
  /// Adds at most what the debits of the last transaction subtracted.
  case limitedCredit(Int)

  var amount: Int {
    switch self {
    case .credit(let amount), .debit(let amount), .limitedCredit(let amount): amount
    }
  }

  var code: DESFireCommandCode {
    switch self {
    case .credit: .credit
    case .debit: .debit
    case .limitedCredit: .limitedCredit
    }
  }
}

extension DESFireApplication {
  /// Reads a value: two exchanges, or one if the file's settings are known.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file that holds no value;
  ///   ``NFCError/Code/notAuthenticated`` if the rights to the file require another key;
  ///   ``NFCError/Code/tagRefused`` if there is no such file.
  public func value(file: Int) async throws -> Int {
    let code = try Self.fileNumber(file)
    return try await perform { try $0.value(code) }
  }

  /// Changes a value: two exchanges, or one if the file's settings are known. The change takes
  /// effect with ``commit()``; a card that is removed before has the old value.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` with status BE if the result is beyond the file's
  ///   limits.
  public func changeValue(file: Int, _ change: DESFireValueChange) async throws {
    let code = try Self.fileNumber(file)
    try await perform { try $0.changeValue(code, change) }
  }

  /// Reads records, the oldest first.
  ///
  /// - Parameters:
  ///   - skip: the number of newest records to leave out.
  ///   - count: the number of records; `nil` for all others.
  /// - Returns: the records; none if the file is empty.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file that holds no records, or more than it
  ///   has; ``NFCError/Code/notAuthenticated`` if the rights to the file require another key;
  ///   ``NFCError/Code/tagRefused`` if there is no such file.
  public func readRecords(
    file: Int, skip: Int = 0, count: Int? = nil
  ) async throws -> [[UInt8]] {
    let code = try Self.fileNumber(file)
    return try await perform { try $0.readRecords(code, skip: skip, count: count) }
  }

  /// Writes to the record that the next commit appends; all writes of a transaction go to that
  /// record.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file that holds no records, or data beyond
  ///   the end of one; ``NFCError/Code/notAuthenticated`` if the rights to the file require another
  ///   key; ``NFCError/Code/tagRefused`` if there is no such file.
  public func writeRecord(file: Int, offset: Int = 0, _ data: [UInt8]) async throws {
    let code = try Self.fileNumber(file)
    try await perform { try $0.writeRecord(code, offset: offset, data) }
  }

  /// Changes a part of a record that the file has: two exchanges, or one if the file's settings are known. Takes
  /// effect with ``commit()``; a card that is removed before has the old record.
  ///
  /// UpdateRecord exists since DESFire EV2. No public source says which right it requires, so use a key with the right
  /// to read and write; nor whether a transaction can change several records of a file, so commit each.
  ///
  /// Source: NXP's reader library (`phalMfdfEVx_UpdateRecord`), and Proxmark3, for the command; MF2DL(H)x0 data sheet,
  /// 10.3, for transaction MACs.
  ///
  /// - Parameters:
  ///   - skip: the number of records that are newer; 0 for the newest.
  ///   - offset: the first byte of the record to change.
  /// - Throws: ``NFCError/Code/unsupported`` for a DESFire before EV2;
  ///   ``NFCError/Code/invalidParameter`` for a file that holds no records, or data beyond the end
  ///   of one; ``NFCError/Code/notAuthenticated`` if the rights to the file require another key;
  ///   ``NFCError/Code/tagRefused`` if there is no such file or, with status BE, no such record.
  public func updateRecord(
    file: Int, skip: Int = 0, offset: Int = 0, _ data: [UInt8]
  ) async throws {
    let code = try Self.fileNumber(file)
    try await perform { try $0.updateRecord(code, skip: skip, offset: offset, data) }
  }

  /// Deletes all records. Takes effect with ``commit()``.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no card has;
  ///   ``NFCError/Code/notAuthenticated`` if the rights to the file require another key;
  ///   ``NFCError/Code/tagRefused`` if there is no such file, or it holds no records.
  public func clearRecords(file: Int) async throws {
    let code = try Self.fileNumber(file)
    try await perform { try $0.clearRecords(code) }
  }

  /// Makes all writes to backup, value and record files effective: one exchange, which the card
  /// performs completely or not at all. If its answer is lost, read the files to see which.
  ///
  /// - Throws: ``NFCError/Code/tagRefused`` with status 0C if there is nothing to commit. No public source says whether
  ///   the session continues then; authenticate again.
  public func commit() async throws {
    try await performUninterrupted { try $0.commit() }
  }

  /// Discards everything written since the last commit: one exchange.
  ///
  /// - Throws: ``NFCError/Code/tagConnectionLost``; ``NFCError/Code/tagRefused``.
  public func abort() async throws {
    try await perform { try $0.abort() }
  }

  /// Runs `body` and commits, or aborts if it fails or the task is cancelled. If the card does not answer to the
  /// abort, the session ends, and with it what was written.
  ///
  /// - Throws: what `body` throws, and what ``commit()`` throws.
  public nonisolated(nonsending) func transaction<Result: Sendable>(
    _ body: nonisolated(nonsending) (DESFireApplication) async throws -> Result
  ) async throws -> Result {
    do {
      let result = try await body(self)
      try await commit()
      return result
    } catch {
      await discardTransaction()
      throw error
    }
  }

  /// Discards what is not committed, for a cancelled task, too. If the card cannot be told, the session is over:
  /// nothing that comes later commits it.
  func discardTransaction() async {
    await Task {
      do {
        try await perform { procedure in
          procedure.state.transactionInput = nil
          try procedure.abort()
        }
      } catch let error as NFCError where error.cause == DESFireProcedure.nothingToCommit {
        // The body has committed or discarded it.
      } catch {
        card.forgetSession()
      }
    }.value
  }
}

extension DESFireProcedure {
  private static let valueSize = 4
  /// ``NFCError/recovery`` after a commit.
  static let transactionInDoubt =
    "the transaction may count already: read the files to see whether it does"

  mutating func value(_ number: UInt8) throws -> Int {
    let settings = try knownFileSettings(number)
    guard case .value(let value) = settings.content else {
      throw NFCError(.invalidParameter, "file \(number) is not a value file")
    }
    var readers = settings.holders(of: \.read, \.write, \.readWrite)
    if value.allowsFreeReading { readers.append(.everyone) }
    let answer = try send(
      DESFireCommand(
        code: .getValue, header: [number],
        protection: .data(
          settings.rights.communication(
            settings.communication, for: readers, key: state.session?.keyNumber)),
        answer: .data(count: Self.valueSize)))
    return Int(Int32(truncatingIfNeeded: Int(littleEndian: answer)))
  }

  mutating func changeValue(_ number: UInt8, _ change: DESFireValueChange) throws {
    guard (0...Int(Int32.max)).contains(change.amount) else {
      throw NFCError(.invalidParameter, "a value is changed by a number from 0 to \(Int32.max)")
    }
    let settings = try knownFileSettings(number)
    guard case .value = settings.content else {
      throw NFCError(.invalidParameter, "file \(number) is not a value file")
    }
    let holders =
      switch change {
      case .credit: settings.holders(of: \.readWrite)
      case .debit: settings.holders(of: \.read, \.write, \.readWrite)
      case .limitedCredit: settings.holders(of: \.write, \.readWrite)
      }
    _ = try send(
      DESFireCommand(
        code: change.code, header: [number],
        data: change.amount.littleEndianBytes(count: Self.valueSize),
        protection: .data(
          settings.rights.communication(
            settings.communication, for: holders, key: state.session?.keyNumber))))
  }

  mutating func readRecords(_ number: UInt8, skip: Int, count: Int?) throws -> [[UInt8]] {
    try readRecords(number, fileSettings(number), skip: skip, count: count)
  }

  /// - Parameter settings: the settings with the current number of records.
  mutating func readRecords(
    _ number: UInt8, _ settings: DESFireFileSettings, skip: Int, count: Int?
  ) throws -> [[UInt8]] {
    guard let records = settings.records else {
      throw NFCError(.invalidParameter, "file \(number) is not a record file")
    }
    guard records.recordSize > 0 else {
      state.session = nil
      throw NFCError.wrongLength
    }
    let remaining = (0...records.count).contains(skip) ? records.count - skip : -1
    let wanted = count ?? remaining
    guard (0...max(0, remaining)).contains(wanted), remaining >= 0 else {
      throw NFCError(.invalidParameter, "the file has \(records.count) records")
    }
    guard wanted > 0 else { return [] }
    let data = try send(
      DESFireCommand(
        code: generation?.hasChainedRecords ?? false ? .readRecordsChained : .readRecords,
        header: Self.span(number, skip, wanted),
        protection: .data(
          settings.rights.communication(
            settings.communication, for: settings.holders(of: \.read, \.readWrite),
            key: state.session?.keyNumber)),
        answer: .data(count: wanted * records.recordSize)))
    return stride(from: 0, to: data.count, by: records.recordSize).map {
      Array(data[$0..<min($0 + records.recordSize, data.count)])
    }
  }

  mutating func writeRecord(_ number: UInt8, offset: Int, _ data: [UInt8]) throws {
    let settings = try knownFileSettings(number)
    guard let records = settings.records else {
      throw NFCError(.invalidParameter, "file \(number) is not a record file")
    }
    _ = try Self.end(of: offset, data.count, size: records.recordSize)
    guard !data.isEmpty else { return }
    _ = try send(
      DESFireCommand(
        code: generation?.hasChainedRecords ?? false ? .writeRecordChained : .writeRecord,
        header: Self.span(number, offset, data.count), data: data,
        protection: .data(
          settings.rights.communication(
            settings.communication, for: settings.holders(of: \.write, \.readWrite),
            key: state.session?.keyNumber))))
  }

  mutating func updateRecord(
    _ number: UInt8, skip: Int, offset: Int, _ data: [UInt8]
  ) throws {
    guard generation?.hasRecordUpdates ?? true else {
      throw NFCError(.unsupported, "records can be changed since DESFire EV2, only added before")
    }
    let settings = try knownFileSettings(number)
    guard let records = settings.records else {
      throw NFCError(.invalidParameter, "file \(number) is not a record file")
    }
    guard (0..<max(records.maximumCount, 1)).contains(skip) else {
      throw NFCError(
        .invalidParameter, "the file has at most \(records.maximumCount) records")
    }
    _ = try Self.end(of: offset, data.count, size: records.recordSize)
    guard !data.isEmpty else { return }
    _ = try send(
      DESFireCommand(
        code: generation?.hasChainedRecords ?? false ? .updateRecordChained : .updateRecord,
        header: [number] + skip.littleEndianBytes(count: 3)
          + Self.span(number, offset, data.count).dropFirst(), data: data,
        protection: .data(
          settings.rights.communication(
            settings.communication, for: settings.holders(of: \.write, \.readWrite),
            key: state.session?.keyNumber))))
  }

  mutating func clearRecords(_ number: UInt8) throws {
    _ = try send(DESFireCommand(code: .clearRecordFile, header: [number]))
  }

  mutating func abort() throws {
    _ = try send(DESFireCommand(code: .abortTransaction))
  }

  mutating func commit() throws {
    _ = try NFCError.inDoubt(Self.transactionInDoubt) {
      try send(DESFireCommand(code: .commitTransaction))
    }
  }
}
