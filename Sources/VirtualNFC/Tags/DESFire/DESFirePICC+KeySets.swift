/// The sets of keys of an application, of which one is in use: libnxpsc's notes on EV3 cards, and NXP's reader library.
/// What a set holds after it is initialized, and what becomes of the one that was in use, are not confirmed: zeros, and
/// it is gone.
struct DESFireKeySets: Hashable, Sendable {
  struct Prepared: Hashable, Sendable {
    var keys: [DESFireKey]
    /// Given when it is finalized.
    var version: UInt8?
  }

  let count: Int
  let rollKey: UInt8
  var version: UInt8
  var prepared: [UInt8: Prepared] = [:]

  private static let setsFlag: UInt8 = 0x01
  static let size = 5

  /// KeySett3 and what follows it in CreateApplication.
  init(_ bytes: ArraySlice<UInt8>) throws(DESFireStatus) {
    let bytes = Array(bytes)
    guard bytes.count == Self.size else { throw .lengthError }
    guard bytes[0] == Self.setsFlag, (2...16).contains(bytes[2]), bytes[3] == 16 || bytes[3] == 24,
      bytes[4] <= 0x07
    else { throw .parameterError }
    version = bytes[1]
    count = Int(bytes[2])
    rollKey = bytes[4]
  }
}

extension DESFirePICC {
  private static let aesKind: UInt8 = 0x02
  private static let keySize = 16

  /// Returns the sets, of which the command names one that is not in use.
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

  /// Its answer has no MAC: the session's key is gone.
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

  /// Set and key in plain; the key with the old one and its version, and a check, enciphered.
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
      body: Array(parameters.dropFirst(2)), count: Self.keySize + 5, .enciphered)
    let key = zip(data.prefix(Self.keySize), next.keys[number].bytes).map { $0 ^ $1 }
    guard DESFireCipher.checksum(key) == Array(data.suffix(4)) else { throw .integrityError }
    next.keys[number] = DESFireKey(.aes, bytes: key, aesVersion: data[Self.keySize])
    sets.prepared[parameters[0]] = next
    selected.keySets = sets
    let answer = session.acknowledge(.enciphered)
    self.session = session
    return Result(answer)
  }
}
