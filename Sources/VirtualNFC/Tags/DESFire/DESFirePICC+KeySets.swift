/// The key sets of an application, one of which is in use. Sources: libnxpsc's notes on EV3 cards, and
/// NXP's reader library. Two facts are not confirmed: the content of a set after it is initialized (here
/// zeros), and the fate of the set that was in use (here it is lost).
struct DESFireKeySets: Hashable, Sendable {
  struct Prepared: Hashable, Sendable {
    var keys: [DESFireKey]
    /// The version, which is set when the key set is finalized.
    var version: UInt8?
  }

  let count: Int
  /// MaxKeySize.
  let longestKey: UInt8
  let rollKey: UInt8
  var version: UInt8
  var prepared: [UInt8: Prepared] = [:]

  /// Bits of KeySett3: key sets; keys for virtual card selection; capability data (NXP's reader library;
  /// liblogicalaccess).
  private static let (setsFlag, knownFlags): (UInt8, UInt8) = (0x01, 0x07)
  static let size = 5

  /// Returns whether the values of key sets follow KeySett3 in CreateApplication.
  static func follow(_ settings: UInt8) throws(DESFireStatus) -> Bool {
    guard settings & ~knownFlags == 0 else { throw .parameterError }
    return settings & setsFlag != 0
  }

  /// Parses KeySett3 and the bytes after it in CreateApplication.
  init(_ bytes: ArraySlice<UInt8>) throws(DESFireStatus) {
    let bytes = Array(bytes)
    guard bytes.count == Self.size else { throw .lengthError }
    guard (2...16).contains(bytes[2]), bytes[3] == 16 || bytes[3] == 24,
      bytes[4] <= 0x07
    else { throw .parameterError }
    version = bytes[1]
    count = Int(bytes[2])
    longestKey = bytes[3]
    rollKey = bytes[4]
  }

  /// The end of GetKeySettings' answer. NXP's reader library accepts two or six bytes, although its documentation
  /// says two or three; six are the two that every application has, and these values of CreateApplication. No public
  /// source has an answer of a card.
  var settings: [UInt8] { [version, UInt8(count), longestKey, rollKey] }
}

extension DESFirePICC {
  /// Bits of GetKeyVersion: a key set follows the key; the versions of all sets are wanted.
  private static let (hasSet, allSets): (UInt8, UInt8) = (0x40, 0x80)

  /// Runs GetKeyVersion with a key set: the version of a key in a set, or the versions of all sets (NXP's reader
  /// library; liblogicalaccess).
  func keyVersionInSets(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard parameters[0] & Self.hasSet != 0 else { throw .lengthError }
    try requireApplication()
    let key = Int(parameters[0] & ~Self.hasSet)
    guard key < selected.keys.count else { throw .noSuchKey }
    let number = parameters[1]
    if number == Self.allSets {
      guard let sets = selected.keySets else { throw .permissionDenied }
      return Result(
        [sets.version] + (1..<sets.count).map { sets.prepared[UInt8($0)]?.version ?? 0 })
    }
    guard number > 0 else { return Result([selected.keys[key].version]) }
    guard let keys = selected.keySets?.prepared[number]?.keys else { throw .parameterError }
    return Result([keys[key].version])
  }

  private static let aesKind: UInt8 = 0x02
  private static let keySize = 16

  /// Returns the key sets. Requires that the command's set number belongs to one that is not in use.
  private func keySets(_ number: UInt8) throws(DESFireStatus) -> DESFireKeySets {
    try requireApplication()
    guard let sets = selected.keySets else { throw .permissionDenied }
    guard number > 0, Int(number) < sets.count else { throw .parameterError }
    return sets
  }

  mutating func initializeKeySet(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    try require(parameters, count: 2)
    var sets = try keySets(parameters[0])
    guard session?.keyNumber == 0 else { throw .authenticationError }
    guard parameters[1] == Self.aesKind, selected.keyKind == .aes else { throw .parameterError }
    sets.prepared[parameters[0]] = DESFireKeySets.Prepared(
      keys: [DESFireKey](repeating: .zero(.aes), count: selected.keys.count))
    selected.keySets = sets
    return Result()
  }

  mutating func finalizeKeySet(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    try require(parameters, count: 2)
    var sets = try keySets(parameters[0])
    guard session?.keyNumber == 0 else { throw .authenticationError }
    guard sets.prepared[parameters[0]] != nil else { throw .permissionDenied }
    sets.prepared[parameters[0]]?.version = parameters[1]
    selected.keySets = sets
    return Result()
  }

  /// Runs RollKeySet. Its answer has no MAC, because the session's key is lost.
  mutating func rollKeySet(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard var session else { throw .authenticationError }
    let rest = try session.accept(
      [DESFireCommand.rollKeySet.rawValue] + parameters, session.administrative)
    try require(rest, count: 1)
    var sets = try keySets(rest[0])
    guard session.keyNumber == sets.rollKey else { throw .authenticationError }
    guard let next = sets.prepared[rest[0]], let version = next.version else {
      throw .permissionDenied
    }
    sets.prepared[rest[0]] = nil
    sets.version = version
    selected.keys = next.keys
    selected.keySets = sets
    self.session = nil
    return Result()
  }

  /// Runs ChangeKeyEV2. Set and key number are plain. The key combined with the old one, its version and
  /// a check are encrypted.
  mutating func changeKeyEV2(_ parameters: [UInt8]) throws(DESFireStatus) -> Result {
    guard var session, session.scheme == .ev2 else { throw .authenticationError }
    guard parameters.count > 2 else { throw .lengthError }
    var sets = try keySets(parameters[0])
    guard session.keyNumber == 0 else { throw .authenticationError }
    let number = Int(parameters[1])
    guard number < selected.keys.count else { throw .noSuchKey }
    guard var next = sets.prepared[parameters[0]], next.version == nil else {
      throw .permissionDenied
    }
    let data = try session.unprotect(
      header: [DESFireCommand.changeKeyEV2.rawValue] + parameters.prefix(2),
      body: Array(parameters.dropFirst(2)), count: Self.keySize + 5, .encrypted)
    let key = zip(data.prefix(Self.keySize), next.keys[number].bytes).map { $0 ^ $1 }
    guard DESFireCipher.checksum(key) == Array(data.suffix(4)) else { throw .integrityError }
    next.keys[number] = DESFireKey(.aes, bytes: key, aesVersion: data[Self.keySize])
    sets.prepared[parameters[0]] = next
    selected.keySets = sets
    let answer = session.acknowledge(.encrypted)
    self.session = session
    return Result(answer)
  }
}
