/// The keys and the slots for delegated applications. Sources: NXP's reader library, Proxmark3,
/// liblogicalaccess and NXP AN12696.
///
/// Not confirmed: the statuses of refusals; that a slot accepts only a higher version, also when it is
/// empty, and only the same quota; that the bytes after the key in EncK are not verified, which liblogicalaccess's
/// other place for the version suggests.
struct DESFireDelegation: Hashable, Sendable {
  struct Slot: Hashable, Sendable {
    var version: UInt8
    /// The size, in blocks.
    let quota: Int
    /// The identifier of the application; `nil` if it was deleted.
    var application: [UInt8]?

    static let blockSize = 32

    var memorySize: Int { quota * Self.blockSize }
  }

  /// The keys that were set. Until then, the card does not use them, and their values are zeros.
  var keys: [UInt8: DESFireKey] = [:]
  var slots: [UInt16: Slot] = [:]

  static let authenticationKey: UInt8 = 0x10
  static let codeKey: UInt8 = 0x11
  static let encryptionKey: UInt8 = 0x12
  static let keyNumbers = authenticationKey...encryptionKey

  /// EncK and DAMMAC.
  static let encryptedKeySize = 32
  static let codeSize = 8
  static let randomSize = 7

  /// The memory that is set aside, in bytes.
  var reservedMemory: Int { slots.values.reduce(0) { $0 + $1.memorySize } }

  func slot(of application: DESFireApplication) -> Slot? {
    slots.values.first { $0.application == application.identifier }
  }

  /// Returns a key that was set. An EV3 on delivery answers with this status (libhcinfc).
  func key(_ number: UInt8) throws(DESFireStatus) -> DESFireKey {
    guard let key = keys[number] else { throw .permissionDenied }
    return key
  }

  /// Records that an application was deleted.
  mutating func empty(_ identifier: [UInt8]) {
    for (number, slot) in slots where slot.application == identifier {
      slots[number]?.application = nil
    }
  }

  /// Verifies the issuer's code over a command. With AES, it is every second byte of a CMAC.
  func verify(_ code: [UInt8], over command: [UInt8]) throws(DESFireStatus) {
    let key = try key(Self.codeKey)
    let whole = key.cipher.authenticationCode(command, vector: key.cipher.zeroVector)
    let expected = whole.count == Self.codeSize ? whole : (0..<8).map { whole[2 * $0 + 1] }
    guard code == expected else { throw .integrityError }
  }

  /// Decrypts EncK: random bytes, the key, its version, and zeros.
  func firstKey(
    _ encrypted: [UInt8], _ kind: DESFireKey.Kind
  ) throws(DESFireStatus) -> DESFireKey {
    let cipher = try key(Self.encryptionKey).cipher
    let plain = cipher.decrypt(encrypted, vector: cipher.zeroVector).dropFirst(Self.randomSize)
    let version = plain.dropFirst(kind.keySize).first ?? 0
    return DESFireKey(kind, bytes: Array(plain.prefix(kind.keySize)), aesVersion: version)
  }
}

extension DESFirePICC {
  var hasDelegation: Bool { model.supports(.createDelegatedApplication) }

  /// Returns the number of bytes in the second frame of CreateDelegatedApplication.
  func delegationSize(_ session: DESFireSession?) -> Int {
    DESFireDelegation.encryptedKeySize + DESFireDelegation.codeSize
      + (session?.scheme == .ev2 ? DESFireTransaction.codeSize : 0)
  }

  /// Runs GetDelegatedInfo.
  func getDelegatedInfo(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    try require(parameters, count: 2)
    try requireCardLevel()
    if session?.keyNumber != DESFireDelegation.authenticationKey { try requireListing() }
    let number = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
    // An EV3 answers this for a slot that it does not have (libhcinfc).
    guard let slot = delegation.slots[number] else { throw .applicationNotFound }
    let application = applications.first { $0.identifier == slot.application }
    let used = (application?.memorySize ?? 0) / DESFireDelegation.Slot.blockSize
    return Result(
      [slot.version] + UInt16(slot.quota).littleEndianBytes
        + UInt16(max(0, slot.quota - used)).littleEndianBytes + (slot.application ?? [0, 0, 0]))
  }

  /// Runs CreateDelegatedApplication. A session is required only by the last frame (libhcinfc).
  mutating func createDelegatedApplication(
    _ parameters: [UInt8]
  ) throws(DESFireStatus) -> Result {
    try requireCardLevel()
    guard session?.keyNumber == DESFireDelegation.authenticationKey else {
      throw .authenticationError
    }
    let description = Array(parameters.dropLast(delegationSize(nil)))
    let encryptedKey = Array(
      parameters.dropFirst(description.count).prefix(DESFireDelegation.encryptedKeySize))
    guard description.count >= 10 else { throw .lengthError }
    try delegation.verify(
      Array(parameters.suffix(DESFireDelegation.codeSize)),
      over: [DESFireCommand.createDelegatedApplication.rawValue] + description + encryptedKey)
    var application = try application(Array(description[..<3] + description[8...]))
    let first = try delegation.firstKey(encryptedKey, application.keyKind)
    application.keys = application.keys.map { _ in first }
    let number = UInt16(description[3]) | UInt16(description[4]) << 8
    let slot = DESFireDelegation.Slot(
      version: description[5], quota: Int(description[6]) | Int(description[7]) << 8,
      application: application.identifier)
    try place(application, in: number, slot)
    return Result()
  }

  /// Places an application in a slot that is new or has a lower version.
  private mutating func place(
    _ application: DESFireApplication, in number: UInt16, _ slot: DESFireDelegation.Slot
  ) throws(DESFireStatus) {
    let before = delegation.slots[number]
    if let before {
      guard slot.quota == before.quota else { throw .parameterError }
      guard slot.version > before.version else {
        throw before.application == nil ? .parameterError : .duplicateError
      }
    } else {
      guard slot.memorySize <= freeMemory else { throw .outOfMemory }
    }
    guard application.memorySize <= slot.memorySize else { throw .outOfMemory }
    try requireNew(application, replacing: before?.application)
    applications.removeAll { $0.identifier == before?.application }
    applications.append(application)
    delegation.slots[number] = slot
  }

  /// Verifies the permission that DeleteApplication contains in a session of the key for delegation.
  /// Returns the identifier of the application.
  func permittedDeletion(_ parameters: [UInt8]) throws(DESFireStatus) -> [UInt8] {
    try require(parameters, count: 3 + DESFireDelegation.codeSize)
    let identifier = Array(parameters.prefix(3))
    try delegation.verify(
      Array(parameters.suffix(DESFireDelegation.codeSize)),
      over: [DESFireCommand.deleteApplication.rawValue] + identifier)
    guard let application = applications.first(where: { $0.identifier == identifier }) else {
      throw .applicationNotFound
    }
    guard delegation.slot(of: application) != nil else { throw .authenticationError }
    return identifier
  }

  /// Changes a key for delegation. Until it is set, it is zeros of the kind of the card's master key.
  mutating func changeDelegationKey(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard var session, session.keyNumber == 0 else { throw .authenticationError }
    let number = parameters[0]
    // The number has no bits for a kind.
    guard DESFireDelegation.keyNumbers.contains(number) else { throw .parameterError }
    let old = delegation.keys[number] ?? .zero(card.keyKind)
    let (data, checks) = try changedKey(
      &session, number, Array(parameters.dropFirst()),
      count: old.kind.keySize + (old.kind == .aes ? 1 : 0), hasCheckOfKey: true)
    delegation.keys[number] = try newKey(
      old.kind, data, checks, replacing: old, session.scheme)
    let answer = session.acknowledge(.encrypted)
    self.session = session
    return Result(answer)
  }
}
