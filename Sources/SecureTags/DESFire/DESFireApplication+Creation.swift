import SwiftNFCCore

extension DESFireApplication {
  /// Creates a file: one exchange. Requires the application's master key unless its settings say
  /// otherwise.
  ///
  /// - Parameters:
  ///   - isoIdentifier: the ISO/IEC 7816-4 identifier of the file, for an application that
  ///     names its files. Value files have none.
  ///   - allowsDynamicMessaging: whether a file of standard data of a DESFire EV3 can have Secure Dynamic Messaging,
  ///     which ``setDynamicMessaging(_:file:)`` then enables. This cannot be changed afterwards.
  /// - Throws: ``NFCError/Code/tagRefused`` if the number is taken; ``NFCError/Code/capacityExceeded``;
  ///   ``NFCError/Code/unsupported`` for Secure Dynamic Messaging of another card;
  ///   ``NFCError/Code/invalidParameter`` for settings that no card accepts, such as the right of a key 14.
  public func createFile(
    _ number: Int, _ settings: DESFireFileSettings, isoIdentifier: UInt16? = nil,
    allowsDynamicMessaging: Bool = false
  ) async throws {
    let code = try Self.fileNumber(number)
    try await performUninterrupted {
      try $0.createFile(
        code, settings, isoIdentifier: isoIdentifier,
        allowsDynamicMessaging: allowsDynamicMessaging)
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

  /// Changes how a file's data is sent and who may access it: one or two exchanges. Secure Dynamic Messaging of the
  /// file stays as it is.
  ///
  /// - Parameters:
  ///   - rights: a right to change that is given to ``DESFireAccess/nobody`` **cannot be restored**.
  ///   - additionalRights: further sets of rights, up to seven, of a DESFire EV2 or later; `nil` leaves those that the
  ///     file has. Their right to change is ``DESFireAccess/nobody``'s.
  /// - Throws: ``NFCError/Code/invalidParameter`` for a file or key number that no card has, and for too many sets;
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
    _ number: UInt8, _ settings: DESFireFileSettings, isoIdentifier: UInt16?,
    allowsDynamicMessaging: Bool = false
  ) throws {
    guard settings.additionalRights.isEmpty, settings.dynamicMessaging == nil else {
      throw NFCError(
        .invalidParameter,
        "additional rights and dynamic messages are given to a file that exists already")
    }
    if allowsDynamicMessaging { try requireDynamicMessaging(of: settings) }
    try settings.check()
    let flag = allowsDynamicMessaging ? DESFireFileSettings.dynamicFlag : 0
    let common =
      [settings.communication.settings | flag] + settings.rights.bits.littleEndianBytes
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
    _ = try NFCError.inDoubt(
      "the card may already have the file: list the files of the application to see whether it has"
    ) {
      try send(DESFireCommand(code: code, header: [number] + name + common + rest))
    }
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
      (value.lowerLimit...value.upperLimit).contains(value.initialValue)
    else { throw NFCError(.invalidParameter, "the value must be between its limits") }
    var flags: UInt8 = 0
    if value.allowsLimitedCredit { flags |= DESFireValueSettings.limitedCreditFlag }
    if value.allowsFreeReading { flags |= DESFireValueSettings.freeReadingFlag }
    return [value.lowerLimit, value.upperLimit, value.initialValue].flatMap {
      Int($0).littleEndianBytes(count: 4)
    } + [flags]
  }

  mutating func deleteFile(_ number: UInt8) throws {
    _ = try NFCError.inDoubt(
      "the card may already have deleted the file: list the files of the application to see whether it has"
    ) {
      try send(DESFireCommand(code: .deleteFile, header: [number]))
    }
  }

  mutating func changeFileSettings(
    _ number: UInt8, communication: DESFireCommunication, rights: DESFireAccessRights,
    additionalRights: [DESFireAccessRights]? = nil
  ) throws {
    let old = try fileSettings(number)
    var new = old
    (new.communication, new.rights) = (communication, rights)
    new.additionalRights = additionalRights ?? old.additionalRights
    try changeFileSettings(number, from: old, to: new)
  }

  /// The command is encrypted if a key gives the right to change the settings, and plain if
  /// everyone has it (MF3ICDx21_41_81 data sheet, 9.5.4).
  mutating func changeFileSettings(
    _ number: UInt8, from old: DESFireFileSettings, to new: DESFireFileSettings
  ) throws {
    try new.check()
    let protection = old.rights.communication(
      .encrypted, for: [old.rights.change], key: state.session?.keyNumber)
    _ = try NFCError.inDoubt(NFCError.fileSettingsInDoubt) {
      try send(
        DESFireCommand(
          code: .changeFileSettings, header: [number], data: new.encoded,
          protection: .data(protection)))
    }
  }
}

extension DESFireFileSettings {
  /// The settings as ChangeFileSettings sends them.
  var encoded: [UInt8] {
    var options = communication.settings
    var more: [UInt8] = []
    if !additionalRights.isEmpty {
      options |= Self.additionalRightsFlag
      more += [UInt8(truncatingIfNeeded: additionalRights.count)]
      more += additionalRights.flatMap { $0.bits.littleEndianBytes }
    }
    if let dynamicMessaging {
      options |= Self.dynamicFlag
      more += dynamicMessaging.encoded
    }
    if let transactionLimit {
      options |= Self.transactionLimitFlag
      more += transactionLimit.littleEndianBytes(count: 4)
    }
    return [options] + rights.bits.littleEndianBytes + more
  }
}
