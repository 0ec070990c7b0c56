import NFCCore

extension DESFireApplication {
  /// Creates a file: one exchange. Requires the application's master key unless its settings say
  /// otherwise.
  ///
  /// - Parameter isoIdentifier: the ISO/IEC 7816-4 identifier of the file, for an application that
  ///   names its files. Value files have none.
  /// - Throws: ``NFCError/Code/tagRefused`` if the number is taken; ``NFCError/Code/capacityExceeded``.
  public func createFile(
    _ number: Int, _ settings: DESFireFileSettings, isoIdentifier: UInt16? = nil
  ) async throws {
    let code = try Self.fileNumber(number)
    try await performUninterrupted {
      try $0.createFile(code, settings, isoIdentifier: isoIdentifier)
    }
  }

  /// Deletes a file with its content: one exchange. **Cannot be undone.** Its memory becomes free
  /// only when the application is deleted or the card is formatted.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no card has;
  ///   ``NFCError/Code/tagRefused`` if there is no such file; ``NFCError/Code/notAuthenticated`` if
  ///   the settings require the master key.
  public func deleteFile(_ number: Int) async throws {
    let code = try Self.fileNumber(number)
    try await performUninterrupted { try $0.deleteFile(code) }
  }

  /// Changes how a file's data is sent and who may access it: one or two exchanges.
  ///
  /// - Parameters:
  ///   - rights: a right to change that is given to ``DESFireAccess/nobody`` **cannot be restored**.
  ///   - additionalRights: further sets of rights, up to seven, of a DESFire EV2 or later; `nil` leaves those that the
  ///     file has. Their right to change is ``DESFireAccess/nobody``'s.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file number that no card has, and for too many sets;
  ///   ``NFCError/Code/tagRefused`` if there is no such file; ``NFCError/Code/notAuthenticated`` if
  ///   its rights require another key.
  public func changeFileSettings(
    _ number: Int, communication: DESFireCommunication, rights: DESFireAccessRights,
    additionalRights: [DESFireAccessRights]? = nil
  ) async throws {
    let code = try Self.fileNumber(number)
    guard (additionalRights?.count ?? 0) <= DESFireFileSettings.mostAdditionalRights else {
      throw NFCError(
        .invalidParameter,
        "a file has at most \(DESFireFileSettings.mostAdditionalRights) sets of additional rights")
    }
    try await performUninterrupted {
      try $0.changeFileSettings(
        code, communication: communication, rights: rights, additionalRights: additionalRights)
    }
  }
}

extension DESFireProcedure {
  private static let largestNumber = 0xFF_FFFF

  mutating func createFile(
    _ number: UInt8, _ settings: DESFireFileSettings, isoIdentifier: UInt16?
  ) throws {
    guard settings.additionalRights.isEmpty else {
      throw NFCError(
        .invalidParameter, "additional rights are given to a file that exists already")
    }
    let common =
      [settings.communication.settings] + settings.rights.bits.littleEndianBytes
    let name = isoIdentifier?.littleEndianBytes ?? []
    let code: DESFireCommandCode
    let rest: [UInt8]
    switch settings.content {
    case .standardData(let size):
      (code, rest) = (.createStandardDataFile, try Self.number(size, "size"))
    case .backupData(let size):
      (code, rest) = (.createBackupDataFile, try Self.number(size, "size"))
    case .linearRecords(let records):
      (code, rest) = (.createLinearRecordFile, try Self.parameters(records, least: 1))
    case .cyclicRecords(let records):
      (code, rest) = (.createCyclicRecordFile, try Self.parameters(records, least: 2))
    case .value(let value):
      guard isoIdentifier == nil else {
        throw NFCError(.invalidParameter, "a value file has no ISO file identifier")
      }
      (code, rest) = (.createValueFile, try Self.parameters(value))
    case .transactionMAC, .other:
      throw NFCError(.invalidParameter, "this command does not create files of this type")
    }
    _ = try send(DESFireCommand(code: code, header: [number] + name + common + rest))
  }

  private static func number(_ value: Int, _ name: String) throws -> [UInt8] {
    guard (1...largestNumber).contains(value) else {
      throw NFCError(.invalidParameter, "the \(name) is a number from 1 to \(largestNumber)")
    }
    return value.littleEndianBytes(count: 3)
  }

  private static func parameters(
    _ records: DESFireRecordSettings, least: Int
  ) throws -> [UInt8] {
    guard records.maximumCount >= least else {
      throw NFCError(.invalidParameter, "the file has room for at least \(least) records")
    }
    return try number(records.recordSize, "record size")
      + number(records.maximumCount, "number of records")
  }

  static func parameters(_ value: DESFireValueSettings) throws -> [UInt8] {
    guard value.lowerLimit <= value.upperLimit,
      (value.lowerLimit...value.upperLimit).contains(value.limitedCredit)
    else { throw NFCError(.invalidParameter, "the value must be between its limits") }
    var flags: UInt8 = 0
    if value.allowsLimitedCredit { flags |= DESFireValueSettings.limitedCreditFlag }
    if value.allowsFreeReading { flags |= DESFireValueSettings.freeReadingFlag }
    return [value.lowerLimit, value.upperLimit, value.limitedCredit].flatMap {
      Int($0).littleEndianBytes(count: 4)
    } + [flags]
  }

  mutating func deleteFile(_ number: UInt8) throws {
    _ = try send(DESFireCommand(code: .deleteFile, header: [number]))
  }

  /// The command is encrypted if a key gives the right to change the settings, and plain if
  /// everyone has it (MF3ICDx21_41_81 data sheet, 9.5.4).
  mutating func changeFileSettings(
    _ number: UInt8, communication: DESFireCommunication, rights: DESFireAccessRights,
    additionalRights: [DESFireAccessRights]? = nil
  ) throws {
    let old = try fileSettings(number)
    let sets = additionalRights ?? old.additionalRights
    let flag = sets.isEmpty ? 0 : DESFireFileSettings.additionalRightsFlag
    let more =
      sets.isEmpty ? [] : [UInt8(sets.count)] + sets.flatMap { $0.bits.littleEndianBytes }
    let protection = old.rights.communication(
      .encrypted, for: [old.rights.change], key: state.session?.keyNumber)
    _ = try send(
      DESFireCommand(
        code: .changeFileSettings, header: [number],
        data: [communication.settings | flag] + rights.bits.littleEndianBytes + more,
        protection: .data(protection)))
  }
}
