import SwiftNFCCore

/// ChangeFileSettings, and Secure Dynamic Messaging of an EV3.
///
/// Sources: NXP's reader library and liblogicalaccess, which agree on the bytes of SDM in ChangeFileSettings and on
/// their order, after the additional access rights; they are those of an NTAG 424 DNA. AndroidCrypto's programs, which
/// were used with EV3 cards, show that the file must have been created for it, and that the messages are those of an
/// NTAG 424 DNA.
///
/// Not confirmed: the statuses of refusals; that GetFileSettings has the bytes in the order of ChangeFileSettings, and
/// does not show that a file can have SDM; that consecutive reads count once, as in an NTAG 424 DNA; and that an
/// application with other keys than AES cannot have encrypted or signed data.
extension DESFirePICC {
  /// The fields of ChangeFileSettings.
  private struct NewSettings {
    let option: UInt8
    let rights: UInt16
    let additionalRights: [UInt16]
    let dynamic: [UInt8]?

    static let mostSets: UInt8 = 7

    init(_ bytes: [UInt8]) throws(DESFireStatus) {
      option = bytes[0]
      rights = UInt16(bytes[1]) | UInt16(bytes[2]) << 8
      var rest = bytes.dropFirst(3)
      var sets: [UInt16] = []
      if option & DESFireFile.hasAdditionalRights != 0 {
        guard let count = rest.popFirst(), (1...Self.mostSets).contains(count) else {
          throw .parameterError
        }
        for _ in 0..<count {
          guard let low = rest.popFirst(), let high = rest.popFirst() else { throw .lengthError }
          sets.append(UInt16(low) | UInt16(high) << 8)
        }
      }
      additionalRights = sets
      dynamic = option & DESFireFile.isDynamic == 0 ? nil : Array(rest)
      guard dynamic != nil || rest.isEmpty else { throw .lengthError }
    }
  }

  /// The sizes of the settings: three bytes, additional rights, and SDM with all its offsets.
  private var settingsSizes: ClosedRange<Int> {
    guard model.supports(.changeKeyEV2) else { return 3...3 }
    let sets = 1 + 2 * Int(NewSettings.mostSets)
    return 3...(3 + sets + (model.hasDynamicMessaging ? Self.longestDynamicSettings : 0))
  }

  private static let longestDynamicSettings = 27

  mutating func changeFileSettings(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard let number = parameters.first else { throw .lengthError }
    try requireApplication()
    let index = try fileIndex(number)
    let communication = try communication(
      [selected.files[index].changeKey], protected: .encrypted)
    let settings = try NewSettings(
      try newSettings(
        header: [DESFireCommand.changeFileSettings.rawValue, number],
        body: Array(parameters.dropFirst()), communication))
    var file = selected.files[index]
    let flags = DESFireFile.hasAdditionalRights | DESFireFile.isDynamic
    guard settings.option & ~flags <= 0x03, isValid(settings.rights),
      settings.additionalRights.allSatisfy(isValid),
      settings.dynamic == nil || model.hasDynamicMessaging
    else { throw .parameterError }
    let dynamic = try settings.dynamic.map { bytes throws(DESFireStatus) in
      try dynamicSettings(bytes, of: file)
    }
    // Enabling it resets the counter (NT4H2421Gx data sheet, 9.3.1).
    if file.dynamic == nil { file.readCounter = 0 }
    file.dynamic = dynamic
    file.communicationSettings = settings.option & ~flags
    file.accessRights = settings.rights
    file.additionalAccessRights = settings.additionalRights
    selected.files[index] = file
    return Result(session?.acknowledge(communication) ?? [])
  }

  /// Returns the new settings. Their size depends on what they contain, which is itself protected: every size is tried.
  private mutating func newSettings(
    header: [UInt8], body: [UInt8], _ communication: DESFireCommunication
  ) throws(DESFireStatus) -> [UInt8] {
    let before = session
    var firstError = DESFireStatus.lengthError
    for count in settingsSizes {
      session = before
      do throws(DESFireStatus) {
        return try unprotect(header: header, body: body, count: count, communication)
      } catch {
        if firstError == .lengthError { firstError = error }
      }
    }
    throw firstError
  }

  // MARK: Secure Dynamic Messaging

  private func dynamicSettings(
    _ bytes: [UInt8], of file: DESFireFile
  ) throws(DESFireStatus) -> NTAG424DynamicSettings {
    guard file.allowsDynamicMessaging else { throw .permissionDenied }
    do throws(NTAG424Status) {
      let settings = try NTAG424DynamicSettings(
        bytes, fileSize: file.content.count, isLRP: false,
        counter: file.dynamic == nil ? 0 : file.readCounter,
        keyCount: UInt8(truncatingIfNeeded: selected.keys.count))
      let hasKey = settings.metaReadKey != nil || settings.fileReadKey != nil
      guard !hasKey || selected.keyKind == .aes else { throw .parameterError }
      return settings
    } catch { throw DESFireStatus(code: error.rawValue) }
  }

  /// Returns whether a read without authentication is allowed by the key of Secure Dynamic Messaging.
  func isDynamic(_ file: DESFireFile) -> Bool {
    session == nil && file.dynamic?.fileReadKey != nil
  }

  /// Returns the current content of a file: static while authenticated, otherwise with mirrored data and counted.
  mutating func content(
    _ index: Int, _ kind: CountedRead.Kind
  ) throws(DESFireStatus) -> [UInt8] {
    let number = selected.files[index].number
    guard session == nil, let dynamic = selected.files[index].dynamic else {
      countedRead = nil
      return selected.files[index].content
    }
    if countedRead?.kind != kind || countedRead?.file != number {
      try count(index, dynamic)
      countedRead = CountedRead(
        kind: kind, file: number, padding: random(DESFireTransactionMAC.blockSize))
    }
    return NTAG424Content(
      staticContent: selected.files[index].content,
      readCounter: selected.files[index].readCounter, settings: dynamic, uid: uid,
      keys: selected.keys.map(\.bytes), padding: countedRead?.padding ?? []
    ).bytes
  }

  private static let lastCount: UInt32 = 0xFF_FFFF

  private mutating func count(
    _ index: Int, _ dynamic: NTAG424DynamicSettings
  ) throws(DESFireStatus) {
    guard dynamic.counts else { return }
    if let limit = dynamic.counterLimit, selected.files[index].readCounter >= limit {
      throw .permissionDenied
    }
    // The counter has reached its maximum (NT4H2421Gx data sheet, table 80).
    guard selected.files[index].readCounter < Self.lastCount else { throw .integrityError }
    selected.files[index].readCounter += 1
  }

  /// Runs GetFileCounters: SDMReadCtr, and two reserved bytes (NT4H2421Gx data sheet, 10.7.3).
  mutating func getFileCounters(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard let number = parameters.first else { throw .lengthError }
    try requireApplication()
    let file = selected.files[try fileIndex(number)]
    guard let dynamic = file.dynamic else { throw .permissionDenied }
    let communication = try communication([dynamic.counterRetrieval], protected: .encrypted)
    _ = try accept(.getFileCounters, parameters, count: 1, communication)
    let counter = [0, 8, 16].map { UInt8(truncatingIfNeeded: file.readCounter >> $0) }
    return Result(protect(counter + [0x00, 0x00], communication))
  }
}
