/// A file, including changes since the last commit.
struct DESFireFile: Hashable, Sendable {
  /// The file number, 0 to 31.
  let number: UInt8
  let isoIdentifier: UInt16?
  var communicationSettings: UInt8
  /// The access rights as four half bytes, from the highest: the keys that may read, write, do both, and
  /// change the settings. E stands for everybody, F for nobody.
  var accessRights: UInt16
  /// Further sets of rights of EV2 and later, each like ``accessRights``.
  var additionalAccessRights: [UInt16] = []
  /// Whether the file was created for Secure Dynamic Messaging, which cannot be enabled otherwise.
  var allowsDynamicMessaging = false
  var dynamic: NTAG424DynamicSettings?
  /// SDMReadCtr.
  var readCounter: UInt32 = 0
  /// The committed content: a value's four bytes, or concatenated records.
  var content: [UInt8]
  var kind = DESFireFileKind.standardData

  var readKeys: [UInt8] { rights(12, 4) }
  var writeKeys: [UInt8] { rights(8, 4) }
  /// The keys that permit reading and writing: credit, and clearing records.
  var fullKeys: [UInt8] { rights(4) }
  /// Returns the keys that permit a writing command. Which right UpdateRecord requires is not public; here it is that
  /// of reading and writing, which suffices in any case.
  func keys(for command: DESFireCommand) -> [UInt8] {
    [.updateRecord, .updateRecordChained].contains(command) ? fullKeys : writeKeys
  }
  /// The keys that permit reading a value or debiting it.
  var allKeys: [UInt8] { rights(12, 8, 4) }
  var changeKey: UInt8 { UInt8(accessRights & 0x0F) }

  private func rights(_ shifts: Int...) -> [UInt8] {
    ([accessRights] + additionalAccessRights).flatMap { set in
      shifts.map { UInt8(set >> $0 & 0x0F) }
    }
  }

  /// The bits of FileOption, the byte of the communication settings, that announce additional access rights and
  /// Secure Dynamic Messaging.
  static let (hasAdditionalRights, isDynamic): (UInt8, UInt8) = (0x80, 0x40)

  static let everybody: UInt8 = 0x0E
  static let nobody: UInt8 = 0x0F

  /// The size of the file in the card's memory: whole blocks of 32 bytes, twice for files with commits.
  var memorySize: Int {
    let size =
      switch kind {
      case .transactionMAC: content.count
      case .standardData: content.count
      case .backupData: 2 * content.count
      case .value: 2 * content.count
      case .linearRecords(let records), .cyclicRecords(let records):
        records.size * records.maximum
      }
    return (size + 31) / 32 * 32
  }

  /// The answer to GetFileSettings: type, communication, rights, and the fields of the type, least
  /// significant byte first; then the additional rights and Secure Dynamic Messaging, in the order of
  /// ChangeFileSettings.
  var settings: [UInt8] {
    let sets = additionalAccessRights
    return settingsWithoutMore
      + (sets.isEmpty ? [] : [UInt8(sets.count)] + sets.flatMap(\.littleEndianBytes))
      + (dynamic?.encoded ?? [])
  }

  private var settingsWithoutMore: [UInt8] {
    let more =
      (additionalAccessRights.isEmpty ? 0 : Self.hasAdditionalRights)
      | (dynamic == nil ? 0 : Self.isDynamic)
    let common = [communicationSettings | more] + accessRights.littleEndianBytes
    switch kind {
    case .standardData: return [0x00] + common + Self.number(content.count)
    case .backupData: return [0x01] + common + Self.number(content.count)
    case .value(let value): return [0x02] + common + value.settings
    case .linearRecords(let records):
      return [0x03] + common + records.settings(contentSize: content.count)
    case .cyclicRecords(let records):
      return [0x04] + common + records.settings(contentSize: content.count)
    case .transactionMAC(let code): return [0x05] + common + [0x02, code.keyVersion]
    }
  }

  var transactionMAC: DESFireTransactionMAC? {
    if case .transactionMAC(let code) = kind { code } else { nil }
  }

  static func number(_ value: Int) -> [UInt8] {
    [0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  // MARK: Transactions

  /// Commits the changes. Returns whether there were any.
  mutating func commit() -> Bool {
    switch kind {
    case .standardData, .transactionMAC: return false
    case .backupData(let pending):
      kind = .backupData(pending: nil)
      guard let pending else { return false }
      content = pending
      return true
    case .value(var value):
      let pending = value.commit()
      kind = .value(value)
      guard let pending else { return false }
      content = value.bytes(pending)
      return true
    case .linearRecords(var records):
      defer { kind = .linearRecords(records) }
      return records.commit(to: &content, isCyclic: false)
    case .cyclicRecords(var records):
      defer { kind = .cyclicRecords(records) }
      return records.commit(to: &content, isCyclic: true)
    }
  }

  /// Discards the changes. Returns whether there were any.
  mutating func abort() -> Bool {
    switch kind {
    case .standardData: return false
    case .transactionMAC(var code):
      defer { kind = .transactionMAC(code) }
      let hadInput = !code.input.isEmpty
      code.forget()
      return hadInput
    case .backupData(let pending):
      kind = .backupData(pending: nil)
      return pending != nil
    case .value(var value):
      defer { kind = .value(value) }
      return value.abort()
    case .linearRecords(var records):
      defer { kind = .linearRecords(records) }
      return records.abort()
    case .cyclicRecords(var records):
      defer { kind = .cyclicRecords(records) }
      return records.abort()
    }
  }
}

/// The type of a file (MF3ICDx21_41_81 data sheet, 8.5).
enum DESFireFileKind: Hashable, Sendable {
  case standardData
  case backupData(pending: [UInt8]?)
  case value(DESFireValue)
  case linearRecords(DESFireRecords)
  case cyclicRecords(DESFireRecords)
  case transactionMAC(DESFireTransactionMAC)
}

/// The limits of a value, and its uncommitted changes.
struct DESFireValue: Hashable, Sendable {
  let lower: Int32
  let upper: Int32
  /// Bit 1: LimitedCredit is allowed; bit 2: everybody may read the value.
  let flags: UInt8
  /// The maximum amount of LimitedCredit.
  private(set) var limit: Int32 = 0
  private var pending: Int32?
  private var debits: Int64 = 0
  private var hasUsedLimit = false

  static let allowsLimitedCredit: UInt8 = 0x01
  static let readsFreely: UInt8 = 0x02

  init(lower: Int32, upper: Int32, flags: UInt8) {
    self.lower = lower
    self.upper = upper
    self.flags = flags
  }

  func bytes(_ number: Int32) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  var settings: [UInt8] { bytes(lower) + bytes(upper) + bytes(limit) + [flags] }

  enum Change: Hashable { case credit, debit, limitedCredit }

  /// Changes the value. Several changes before a commit are added.
  ///
  /// - Parameter current: the committed value.
  mutating func change(
    _ change: Change, by amount: Int32, current: Int32
  ) throws(DESFireStatus) {
    guard amount >= 0 else { throw .parameterError }
    let now = Int64(pending ?? current)
    let next = change == .debit ? now - Int64(amount) : now + Int64(amount)
    if change == .limitedCredit {
      guard flags & Self.allowsLimitedCredit != 0 else { throw .permissionDenied }
      guard !hasUsedLimit, amount <= limit else { throw .boundaryError }
    }
    guard next >= Int64(lower), next <= Int64(upper) else { throw .boundaryError }
    pending = Int32(next)
    if change == .debit { debits += Int64(amount) }
    if change == .limitedCredit { hasUsedLimit = true }
  }

  /// Sets the value, as RestoreTransfer does.
  mutating func set(_ new: Int32) throws(DESFireStatus) {
    guard lower <= new, new <= upper else { throw .boundaryError }
    pending = new
  }

  /// Returns the new value, if there is one. A debit determines the next limited credit; a limited credit
  /// that has been given is used up.
  mutating func commit() -> Int32? {
    defer { _ = abort() }
    guard let pending else { return nil }
    if hasUsedLimit { limit = 0 }
    if debits > 0 { limit = Int32(clamping: debits) }
    return pending
  }

  mutating func abort() -> Bool {
    defer { (pending, debits, hasUsedLimit) = (nil, 0, false) }
    return pending != nil
  }
}

/// The size of records, and the record that is being written.
struct DESFireRecords: Hashable, Sendable {
  let size: Int
  /// The maximum number of records; in a cyclic file, one more than it keeps.
  let maximum: Int
  private var pending: [UInt8]?
  private var update: Update?
  private var isCleared = false

  /// A changed record, and the number of newer ones.
  private struct Update: Hashable, Sendable {
    let skipped: Int
    var record: [UInt8]
  }

  init(size: Int, maximum: Int) {
    self.size = size
    self.maximum = maximum
  }

  func settings(contentSize: Int) -> [UInt8] {
    [size, maximum, contentSize / size].flatMap { DESFireFile.number($0) }
  }

  mutating func write(
    _ data: [UInt8], at offset: Int, contentSize: Int, isCyclic: Bool
  ) throws(DESFireStatus) {
    // After ClearRecordFile, nothing can be written before the commit (data sheet, 9.5.13): cards answer 9D
    // (libfreefare, `test_mifare_desfire`).
    guard !isCleared else { throw .permissionDenied }
    guard update == nil else { throw .boundaryError }
    guard isCyclic || contentSize < size * maximum else { throw .boundaryError }
    var record = pending ?? [UInt8](repeating: 0, count: size)
    record.replaceSubrange(offset..<(offset + data.count), with: data)
    pending = record
  }

  /// Changes a part of a record.
  ///
  /// Whether a transaction can change several records of a file, or change one and append another, is not public;
  /// here it cannot.
  mutating func change(
    _ data: [UInt8], at offset: Int, skipping skipped: Int, in content: [UInt8]
  ) throws(DESFireStatus) {
    guard !isCleared else { throw .permissionDenied }
    let start = content.count - (skipped + 1) * size
    guard start >= 0, pending == nil, update.map({ $0.skipped == skipped }) ?? true
    else { throw .boundaryError }
    var record = update?.record ?? Array(content[start..<(start + size)])
    record.replaceSubrange(offset..<(offset + data.count), with: data)
    update = Update(skipped: skipped, record: record)
  }

  mutating func clear() {
    (pending, update) = (nil, nil)
    isCleared = true
  }

  mutating func commit(to content: inout [UInt8], isCyclic: Bool) -> Bool {
    guard pending != nil || update != nil || isCleared else { return false }
    if isCleared { content = [] }
    if let update {
      let start = content.count - (update.skipped + 1) * size
      content.replaceSubrange(start..<(start + size), with: update.record)
    }
    if let pending {
      content += pending
      if isCyclic, content.count > size * (maximum - 1) { content.removeFirst(size) }
    }
    return abort()
  }

  mutating func abort() -> Bool {
    defer { (pending, update, isCleared) = (nil, nil, false) }
    return pending != nil || update != nil || isCleared
  }
}
