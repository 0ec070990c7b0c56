import SwiftNFCCore

/// Commands about the card, its applications and its keys.
extension DESFirePICC {
  /// Executes a complete command.
  mutating func perform(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    switch command {
    case .readData, .readDataChained: return try readData(command, parameters)
    case .writeData, .writeDataChained: return try writeData(command, parameters)
    case .readRecords, .readRecordsChained: return try readRecords(command, parameters)
    case .writeRecord, .writeRecordChained: return try writeRecord(command, parameters)
    case .updateRecord, .updateRecordChained: return try updateRecord(command, parameters)
    case .changeKeyEV2: return try changeKeyEV2(parameters)
    case .rollKeySet: return try rollKeySet(parameters)
    case .createTransactionMACFile: return try createTransactionMACFile(parameters)
    case .getValue: return try getValue(parameters)
    case .credit: return try changeValue(command, .credit, parameters)
    case .debit: return try changeValue(command, .debit, parameters)
    case .limitedCredit: return try changeValue(command, .limitedCredit, parameters)
    case .changeFileSettings: return try changeFileSettings(parameters)
    case .changeKeySettings: return try changeKeySettings(parameters)
    case .changeKey: return try changeKey(parameters)
    case .getCardUID: return try getCardUID(parameters)
    case .setConfiguration: return try setConfiguration(parameters)
    case .restoreTransfer: return try restoreTransfer(parameters)
    case .getFileCounters: return try getFileCounters(parameters)
    default: break
    }
    var parameters = parameters
    // SELECT ends the session, so nothing of it is protected.
    if var session, command != .selectApplication {
      parameters = try session.accept([command.rawValue] + parameters, session.administrative)
      self.session = session
    }
    var result = try performPlain(command, parameters)
    if var session, let last = result.frames.popLast() {
      let data = result.frames.flatMap { $0 } + last
      let protected = session.protect(data, session.administrative, status: result.status)
      result.frames.append(last + protected.dropFirst(data.count))
      self.session = session
    }
    return result
  }

  /// Executes commands whose parameters and answers are never encrypted.
  private mutating func performPlain(
    _ command: DESFireCommand, _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    switch command {
    case .getVersion:
      try require(parameters, count: 0)
      let shown = configuration.hasRandomUID ? [UInt8](repeating: 0, count: uid.count) : uid
      return Result(
        frames: [model.hardwareVersion, model.softwareVersion, shown + model.production])
    case .readSignature:
      guard parameters == [0x00] else {
        throw parameters.count == 1 ? .parameterError : .lengthError
      }
      return Result(signature ?? [UInt8](repeating: 0, count: 56), status: .signatureOK)
    case .freeMemory:
      try require(parameters, count: 0)
      return Result([0, 8, 16].map { UInt8(truncatingIfNeeded: freeMemory >> $0) })
    case .getKeySettings:
      try require(parameters, count: 0)
      try requireListing()
      return Result(
        [selected.keySettings, UInt8(selected.keys.count) | selected.keyKind.rawValue]
          + (selected.keySets?.settings ?? []))
    case .getKeyVersion:
      if parameters.count == 2, model.supports(.changeKeyEV2) {
        return try keyVersionInSets(parameters)
      }
      try require(parameters, count: 1)
      guard Int(parameters[0]) < selected.keys.count else { throw .noSuchKey }
      return Result([selected.keys[Int(parameters[0])].version])
    case .getApplicationIdentifiers:
      try require(parameters, count: 0)
      try requireCardLevel()
      try requireListing()
      // A frame holds complete identifiers, at most 19.
      return Result(frames: Self.frames(applications.flatMap(\.identifier), size: 57))
    case .getDFNames:
      try require(parameters, count: 0)
      try requireCardLevel()
      try requireListing()
      return Result(
        frames: applications.compactMap { application in
          guard let iso = application.isoIdentifier else { return nil }
          return application.identifier + iso.littleEndianBytes + application.dfName
        })
    case .selectApplication: return try selectApplication(parameters)
    case .createApplication: return try createApplication(parameters)
    case .deleteApplication: return try deleteApplication(parameters)
    case .createDelegatedApplication: return try createDelegatedApplication(parameters)
    case .getDelegatedInfo: return try getDelegatedInfo(parameters)
    case .formatPICC:
      try require(parameters, count: 0)
      try requireCardLevel()
      guard session?.keyNumber == 0 else { throw .authenticationError }
      guard !configuration.forbidsFormat else { throw .permissionDenied }
      applications = []
      unreleasedMemory = 0
      delegation.slots = [:]
      return Result()
    case .initializeKeySet: return try initializeKeySet(parameters)
    case .finalizeKeySet: return try finalizeKeySet(parameters)
    case .commitTransaction: return try commitTransaction(parameters)
    case .commitReaderIdentifier: return try commitReader(parameters)
    case .abortTransaction:
      try require(parameters, count: 0)
      try requireApplication()
      guard selected.abort() else { throw .noChanges }
      return Result()
    default:
      return try performFileCommand(command, parameters)
    }
  }

  private static let mostApplications = 28
  private static let mostKeys: UInt8 = 14

  // MARK: Conditions

  func require(_ parameters: [UInt8], count: Int) throws(DESFireStatus) {
    guard parameters.count == count else { throw .lengthError }
  }

  func requireCardLevel() throws(DESFireStatus) {
    guard selection == nil else { throw .permissionDenied }
  }

  /// Requires the master key of the selected level, unless its settings make lists freely accessible.
  func requireListing() throws(DESFireStatus) {
    try requireMasterKey(unless: DESFireApplication.listsFreely)
  }

  func requireMasterKey(unless setting: UInt8) throws(DESFireStatus) {
    guard selected.keySettings & setting != 0 || session?.keyNumber == 0 else {
      throw .authenticationError
    }
  }

  /// The memory for new applications. Slots for delegated applications have their memory set aside.
  var freeMemory: Int {
    model.freeMemory - unreleasedMemory - delegation.reservedMemory
      - applications.reduce(0) { $0 + (delegation.slot(of: $1) == nil ? $1.memorySize : 0) }
  }

  /// The memory for new files of the selected application.
  var freeMemoryOfSelected: Int {
    guard let slot = delegation.slot(of: selected) else { return freeMemory }
    return slot.memorySize - selected.memorySize
  }

  /// Keeps the memory of something that is deleted, where the chip does not release it.
  mutating func keepMemory(_ size: Int) {
    if !model.releasesMemory { unreleasedMemory += size }
  }

  // MARK: Applications

  private mutating func selectApplication(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    try require(parameters, count: 3)
    if parameters == card.identifier {
      selection = nil
    } else if let index = applications.firstIndex(where: { $0.identifier == parameters }) {
      selection = index
    } else {
      throw .applicationNotFound
    }
    leaveSelection()
    return Result()
  }

  /// The bit of the second key settings byte that announces a third one.
  private static let hasThirdSettings: UInt8 = 0x10

  private mutating func createApplication(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    try requireCardLevel()
    try requireMasterKey(unless: DESFireApplication.createsFreely)
    let application = try application(parameters)
    try requireNew(application)
    guard application.memorySize <= freeMemory else { throw .outOfMemory }
    applications.append(application)
    return Result()
  }

  /// Returns the application that the parameters of CreateApplication describe.
  func application(_ whole: [UInt8]) throws(DESFireStatus) -> DESFireApplication {
    var parameters = whole
    var keySets: DESFireKeySets?
    if whole.count > 5, whole[4] & Self.hasThirdSettings != 0, model.supports(.changeKeyEV2) {
      let hasKeySets = try DESFireKeySets.follow(whole[5])
      let size = hasKeySets ? DESFireKeySets.size : 1
      if hasKeySets { keySets = try DESFireKeySets(whole.dropFirst(5).prefix(size)) }
      parameters.removeSubrange(5..<(5 + size))
    }
    guard parameters.count == 5 || (7...23).contains(parameters.count) else { throw .lengthError }
    let identifier = Array(parameters.prefix(3))
    let keyCount = parameters[4] & 0x0F
    // An application may have no keys (libfreefare, `test_mifare_desfire`; Zebra, `MifareDesfire.AppKeySettings`).
    guard let kind = DESFireKey.Kind(rawValue: parameters[4] & 0xC0), keyCount <= Self.mostKeys
    else { throw .parameterError }
    var application = DESFireApplication(
      identifier: identifier, keySettings: parameters[3],
      keys: [DESFireKey](repeating: configuration.defaultKey(kind), count: Int(keyCount)),
      hasISOIdentifiers: parameters[4] & 0x20 != 0)
    application.keySets = keySets
    if parameters.count >= 7 {
      application.isoIdentifier = UInt16(parameters[5]) | UInt16(parameters[6]) << 8
      application.dfName = Array(parameters.dropFirst(7))
    }
    return application
  }

  /// Requires that identifiers and name are not in use.
  ///
  /// - Parameter replaced: an application that the new one replaces.
  func requireNew(
    _ application: DESFireApplication, replacing replaced: [UInt8]? = nil
  ) throws(DESFireStatus) {
    let others = applications.filter { $0.identifier != replaced }
    guard others.count < Self.mostApplications else { throw .countError }
    guard
      ([card] + others).allSatisfy({ other in
        other.identifier != application.identifier
          && (application.isoIdentifier == nil || other.isoIdentifier != application.isoIdentifier)
          && (application.dfName.isEmpty || other.dfName != application.dfName)
      })
    else { throw .duplicateError }
  }

  private mutating func deleteApplication(_ whole: [UInt8]) throws(DESFireStatus) -> Result {
    let isDelegated =
      selection == nil && session?.keyNumber == DESFireDelegation.authenticationKey
    let parameters = isDelegated ? try permittedDeletion(whole) : whole
    try require(parameters, count: 3)
    guard let index = applications.firstIndex(where: { $0.identifier == parameters }) else {
      throw .applicationNotFound
    }
    if selection == index {
      guard session?.keyNumber == 0 else { throw .authenticationError }
    } else {
      // Deleting always requires a key (data sheet, 9.4.2: bit 2 permits the creation of applications).
      try requireCardLevel()
      guard isDelegated || session?.keyNumber == 0 else { throw .authenticationError }
    }
    keepMemory(applications.remove(at: index).memorySize)
    delegation.empty(parameters)
    if selection == index {
      selection = nil
      leaveSelection()
    }
    return Result()
  }

  // MARK: Keys

  private mutating func getCardUID(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard var session else { throw .authenticationError }
    let rest = try session.accept(
      [DESFireCommand.getCardUID.rawValue] + parameters, session.administrative)
    try require(rest, count: 0)
    let answer = session.protect(uid, .encrypted)
    self.session = session
    return Result(answer)
  }

  private mutating func changeKeySettings(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard var session, session.keyNumber == 0 else { throw .authenticationError }
    let settings = try session.unprotect(
      header: [DESFireCommand.changeKeySettings.rawValue], body: parameters, count: 1, .encrypted)
    guard selected.keySettings & DESFireApplication.settingsChangeable != 0 else {
      throw .permissionDenied
    }
    selected.keySettings = settings[0]
    let answer = session.acknowledge(.encrypted)
    self.session = session
    return Result(answer)
  }

  /// Changes a key. The data is the new key with a check. If the key is not the session's own, it is
  /// combined with the old key and followed by a second check of the new key.
  private mutating func changeKey(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard var session else { throw .authenticationError }
    guard let first = parameters.first else { throw .lengthError }
    // At card level, the two highest bits are the kind of the new key.
    let number = selection == nil ? first & 0x3F : first
    if selection == nil, hasDelegation, DESFireDelegation.keyNumbers.contains(number) {
      return try changeDelegationKey(parameters)
    }
    guard Int(number) < selected.keys.count else { throw .noSuchKey }
    try requireKeyChange(number, session: session)
    let old = selected.keys[Int(number)]
    guard let kind = selection == nil ? DESFireKey.Kind(rawValue: first & 0xC0) : old.kind else {
      throw .parameterError
    }
    let isOwn = number == session.keyNumber
    guard isOwn || kind == old.kind else { throw .parameterError }
    let count = kind.keySize + (kind == .aes ? 1 : 0)
    let (data, checks) = try changedKey(
      &session, first, Array(parameters.dropFirst()), count: count,
      hasCheckOfKey: !isOwn)
    selected.keys[Int(number)] = try newKey(
      kind, data, checks, replacing: isOwn ? nil : old, session.scheme)
    guard !isOwn else {
      self.session = nil
      return Result()
    }
    let answer = session.acknowledge(.encrypted)
    self.session = session
    return Result(answer)
  }

  /// Returns the key in the data of ChangeKey.
  ///
  /// - Parameter old: the key that it is combined with.
  func newKey(
    _ kind: DESFireKey.Kind, _ data: [UInt8], _ checks: [UInt8]?, replacing old: DESFireKey?,
    _ scheme: DESFireSession.Scheme
  ) throws(DESFireStatus) -> DESFireKey {
    var key = Array(data.prefix(kind.keySize))
    if let old { key = zip(key, old.bytes).map { $0 ^ $1 } }
    if let checks {
      let expected =
        scheme == .legacy ? CyclicRedundancyCheck.a(key) : DESFireCipher.checksum(key)
      guard checks == expected else { throw .integrityError }
    }
    return DESFireKey(kind, bytes: key, aesVersion: kind == .aes ? data[kind.keySize] : 0)
  }

  /// Returns the data of ChangeKey after its scheme's verification, and the separate check of the key.
  func changedKey(
    _ session: inout DESFireSession, _ first: UInt8, _ body: [UInt8], count: Int,
    hasCheckOfKey: Bool
  ) throws(DESFireStatus) -> (data: [UInt8], checkOfKey: [UInt8]?) {
    let header = [DESFireCommand.changeKey.rawValue, first]
    let checkSize = session.scheme == .legacy ? 2 : 4
    if session.scheme == .ev2 {
      let whole = try session.unprotect(
        header: header, body: body, count: count + (hasCheckOfKey ? checkSize : 0), .encrypted)
      return (
        Array(whole.prefix(count)), hasCheckOfKey ? Array(whole.dropFirst(count)) : nil
      )
    }
    let whole = count + checkSize * (hasCheckOfKey ? 2 : 1)
    let blockSize = session.cipher.blockSize
    guard body.count == (whole + blockSize - 1) / blockSize * blockSize else {
      throw .lengthError
    }
    let plain = session.decrypt(body)
    let data = Array(plain.prefix(count))
    let check =
      session.scheme == .legacy
      ? CyclicRedundancyCheck.a(data) : DESFireCipher.checksum(header + data)
    let rest = plain.dropFirst(count)
    guard rest.starts(with: check) else { throw .integrityError }
    return (data, hasCheckOfKey ? Array(rest.dropFirst(checkSize).prefix(checkSize)) : nil)
  }

  /// Verifies the key that the high half of the key settings requires: the key that changes keys, E for
  /// each key itself, F for none except the master key. The master key changes itself if its bit allows
  /// it.
  private func requireKeyChange(
    _ number: UInt8, session: DESFireSession
  ) throws(DESFireStatus) {
    if number == 0 {
      guard selected.keySettings & DESFireApplication.masterKeyChangeable != 0 else {
        throw .permissionDenied
      }
      guard session.keyNumber == 0 else { throw .authenticationError }
      return
    }
    switch selected.keySettings >> 4 {
    case 0x0F: throw .permissionDenied
    case 0x0E: guard session.keyNumber == number else { throw .authenticationError }
    case let key: guard session.keyNumber == key else { throw .authenticationError }
    }
  }
}
