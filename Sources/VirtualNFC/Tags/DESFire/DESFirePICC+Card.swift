import NFCCore

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
      return Result([
        selected.keySettings, UInt8(selected.keys.count) | selected.keyKind.rawValue,
      ])
    case .getKeyVersion:
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
    case .formatPICC:
      try require(parameters, count: 0)
      try requireCardLevel()
      guard session?.keyNumber == 0 else { throw .authenticationError }
      guard !configuration.forbidsFormat else { throw .permissionDenied }
      applications = []
      unreleasedMemory = 0
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

  private func requireCardLevel() throws(DESFireStatus) {
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

  var freeMemory: Int {
    model.freeMemory - unreleasedMemory - applications.reduce(0) { $0 + $1.memorySize }
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

  private mutating func createApplication(_ whole: [UInt8]) throws(DESFireStatus) -> Result {
    var parameters = whole
    var keySets: DESFireKeySets?
    if whole.count > 5, whole[4] & Self.hasThirdSettings != 0, model.supports(.changeKeyEV2) {
      keySets = try DESFireKeySets(whole.dropFirst(5).prefix(DESFireKeySets.size))
      parameters.removeSubrange(5..<(5 + DESFireKeySets.size))
    }
    guard parameters.count == 5 || (7...23).contains(parameters.count) else { throw .lengthError }
    try requireCardLevel()
    try requireMasterKey(unless: DESFireApplication.createsFreely)
    guard applications.count < Self.mostApplications else { throw .countError }
    let identifier = Array(parameters.prefix(3))
    let keyCount = parameters[4] & 0x0F
    guard let kind = DESFireKey.Kind(rawValue: parameters[4] & 0xC0), keyCount <= Self.mostKeys,
      keyCount > 0
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
    guard
      ([card] + applications).allSatisfy({ other in
        other.identifier != identifier
          && (application.isoIdentifier == nil || other.isoIdentifier != application.isoIdentifier)
          && (application.dfName.isEmpty || other.dfName != application.dfName)
      })
    else { throw .duplicateError }
    guard application.memorySize <= freeMemory else { throw .outOfMemory }
    applications.append(application)
    return Result()
  }

  private mutating func deleteApplication(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    try require(parameters, count: 3)
    guard let index = applications.firstIndex(where: { $0.identifier == parameters }) else {
      throw .applicationNotFound
    }
    if selection == index {
      guard session?.keyNumber == 0 else { throw .authenticationError }
    } else {
      // Deleting always requires a key (data sheet, 9.4.2: bit 2 permits the creation of applications).
      try requireCardLevel()
      guard session?.keyNumber == 0 else { throw .authenticationError }
    }
    keepMemory(applications.remove(at: index).memorySize)
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
    var key = Array(data.prefix(kind.keySize))
    if !isOwn { key = zip(key, old.bytes).map { $0 ^ $1 } }
    if let checks {
      let expected =
        session.scheme == .legacy
        ? CyclicRedundancyCheck.a(key) : DESFireCipher.checksum(key)
      guard checks == expected else { throw .integrityError }
    }
    selected.keys[Int(number)] = DESFireKey(
      kind, bytes: key, aesVersion: kind == .aes ? data[kind.keySize] : 0)
    guard !isOwn else {
      self.session = nil
      return Result()
    }
    let answer = session.acknowledge(.encrypted)
    self.session = session
    return Result(answer)
  }

  /// Returns the data of ChangeKey after its scheme's verification, and the separate check of the key.
  private func changedKey(
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
