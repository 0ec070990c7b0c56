import SwiftNFCCore
import SwiftNFCSeededRandom

/// NTAG 5 link (NTP5332): 511 blocks of 4 bytes and a counter block, a configuration memory, and either the passwords
/// of an ICODE SLIX2 or four AES keys with privileges.
///
/// As on delivery, it uses passwords. What the configuration says takes effect when the power has been off (8.1.3); a
/// key header that is stricter already protects its key before. Inventory read commands, challenges, the wired side
/// and its memory, and random UIDs in privacy mode are not modeled. In privacy mode, it is not confirmed that the chip
/// is addressed by the UID that it shows. Source: data sheet NTP53x2 rev. 3.3; answers of two chips as recorded by
/// VivoKey's ntag5sensor.
public struct NTAG5Link: VirtualChip, VicinityChip {
  static let model = VicinityModel(
    // This UID is that of a recorded chip.
    "ntag5-link", uid: [0xE0, 0x04, 0x01, 0x58, 0x49, 0x84, 0x10, 0x00], blockCount: 512,
    // The capability container on delivery announces 1024 bytes (table 7).
    reservedBlocks: 255, features: [.readMultipleBlocks, .lockBlock],
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands.union(VicinityProfile.extendedCommands)
        .subtracting([VicinityCommandCode.extendedWriteMultipleBlocks])
        .union([
          VicinityCommandCode.fastReadMultipleBlocks,
          VicinityCommandCode.extendedFastReadMultipleBlocks,
        ]),
      // "Up to 3Fh blocks" (8.2.3.5), taken literally.
      readLimit: 0x3F, icReference: 0x01, truncatesSecurityStatus: true, truncatesReads: true,
      givesNoReasons: true, listsCustomCommands: true, listedSuites: [0x01, 0x00],
      manufacturer: 0x04))

  /// What the chip shows in privacy mode (8.7).
  static let privateUID: [UInt8] = [0xE0, 0x04, 0, 0, 0, 0, 0, 0]

  var model: VicinityModel { Self.model }
  var core: VicinityCore
  /// What is stored; ``loaded`` is what is in force.
  var configuration: NTAG5ConfigurationMemory
  /// The configuration when the power came on.
  private(set) var loaded: NTAG5ConfigurationMemory
  var security: ICODESecurity
  var isProtectionLocked = false
  var needsBothPasswords = false
  /// Whether the chip shows its UID until the power has been off, although privacy mode is on.
  var isPrivacySuspended = false
  var generator: SplitMix64
  /// What the first step of a mutual authentication leaves for the second.
  var mutualChallenge: NTAG5MutualChallenge?
  /// The key that a reader has proved in a mutual authentication. The chip is selected then.
  var authenticatedKey: Int?
  /// Fixed values that replace the next random numbers.
  var nextRandomNumbers: [[UInt8]] = []

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for that of a recorded chip.
  ///   - keys: the active AES keys by their numbers, 0 to 3, 16 bytes each, with their privileges. If there is one,
  ///     the chip uses keys instead of passwords; others are ignored.
  ///   - formatted: whether it has a capability container and an empty message; if not, it is all zero.
  public init(uid: [UInt8]? = nil, keys: [Int: Key] = [:], formatted: Bool = true) {
    self.init(Self.model.core(uid: uid, formatted: formatted), keys)
  }

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for that of a recorded chip.
  ///   - keys: see ``init(uid:keys:formatted:)``.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(
    uid: [UInt8]? = nil, keys: [Int: Key] = [:], ndef: some TagMessage
  ) throws(VirtualTagError) {
    self.init(try Self.model.core(uid: uid, ndef: ndef), keys)
  }

  /// An active AES key.
  public struct Key: Hashable, Sendable {
    /// 16 bytes.
    public var value: [UInt8]
    /// Bit by bit: read, write, privacy, destroy, EAS and AFI, crypto configuration, reading and writing the
    /// restricted area (table 25).
    public var privileges: UInt8

    /// Creates a key.
    public init(_ value: [UInt8], privileges: UInt8 = 0) {
      self.value = value
      self.privileges = privileges
    }
  }

  private init(_ core: VicinityCore, _ keys: [Int: Key]) {
    self.core = core
    configuration = NTAG5ConfigurationMemory(signature: ICODESignature.signature(uid: core.uid))
    let usable = keys.filter {
      (0..<NTAG5ConfigurationMemory.keyCount).contains($0.key) && $0.value.value.count == 16
    }
    for (number, key) in usable { configuration.install(key, as: number) }
    loaded = configuration
    generator = SplitMix64(seed: core.uid)
    security = ICODESecurity(passwords: NTAG5ConfigurationMemory.passwords, uid: core.uid)
  }

  /// Stores the signature of an image; zeros for one that is not known, which READ SIGNATURE does not answer then.
  mutating func adopt(signature: [UInt8]?) {
    let bytes = signature ?? [UInt8](repeating: 0, count: NTAG5ConfigurationMemory.signatureSize)
    configuration.setSignature(bytes)
    loaded = configuration
  }

  // MARK: Power

  public mutating func powerOn() {
    loaded = configuration
    hide()
  }

  mutating func endSession() {
    security.endSession()
    mutualChallenge = nil
    authenticatedKey = nil
    isPrivacySuspended = false
    loaded = configuration
    hide()
  }

  /// Whether the chip hides now.
  var hides: Bool { security.isPrivate && !isPrivacySuspended }

  mutating func hide() { core.hiddenBehind = hides ? Self.privateUID : nil }

  /// Whether no search finds the chip: it was destroyed.
  public var isHidden: Bool { security.isDestroyed }

  // MARK: VicinityChip

  func receives(_ request: VicinityRequest) -> Bool {
    guard !security.ignoresRequests, !security.isDestroyed else { return false }
    guard hides, !request.flags.contains(.inventory) else { return true }
    // 8.7.
    return [
      VicinityCommandCode.select, VicinityCommandCode.stayQuiet, VicinityCommandCode.resetToReady,
      VicinityCommandCode.authenticate, ICODECommand.getRandomNumber, ICODECommand.setPassword,
    ].contains(request.code)
  }

  func answersFast(_ code: UInt8) -> Bool {
    code == VicinityCommandCode.fastReadMultipleBlocks
      || code == VicinityCommandCode.extendedFastReadMultipleBlocks
  }

  func afiRefusal() -> VicinityErrorCode? {
    security.isAFIProtected && isProtecting && !open.contains(.eas) ? .unknown : nil
  }

  var frozenSettings: IrreversibleState {
    var state = IrreversibleState()
    state.add(security.frozenSettings, placeOffset: 0x100)
    state.add(configuration.frozenSettings)
    if configuration.authenticationLimit == 0xFFFF { state.add(.lockout) }
    let locks = (isProtectionLocked ? 1 : 0) | (needsBothPasswords ? 2 : 0)
    state.add(
      .configurationLock, place: NTAG5ConfigurationMemory.Block.protection, bits: UInt64(locks))
    state.add(.counter, place: counterBlock, bytes: core.block(counterBlock)?.prefix(2) ?? [])
    return state
  }

  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer {
    switch code {
    case ICODECommand.readSignature where parameters.isEmpty:
      return .data(Array(configuration.bytes.prefix(32)))
    case ICODECommand.getSystemInformation where parameters.isEmpty:
      return .data(systemInformation)
    case ICODECommand.readConfiguration: return readConfiguration(parameters)
    case ICODECommand.writeConfiguration: return writeConfiguration(parameters)
    case ICODECommand.protectPage, ICODECommand.lockPageProtection: return protect(code, parameters)
    case ICODECommand.protectBy64Bits where parameters.isEmpty:
      guard !loaded.usesKeys, open.isSuperset(of: [.read, .write]) else {
        return .refusal(.unknown)
      }
      needsBothPasswords = true
      return .data([])
    default: return executePassword(code, parameters, flags)
    }
  }

  /// A command of passwords or of article surveillance.
  private mutating func executePassword(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer {
    let ofPasswords: Set<UInt8> = [
      ICODECommand.setPassword, ICODECommand.writePassword, ICODECommand.lockPassword,
      ICODECommand.destroy, ICODECommand.enablePrivacy,
    ]
    if loaded.usesKeys {
      guard !ofPasswords.contains(code) else { return .unknown }
      security.grant(isProtecting ? open : open.union([.eas]))
      return security.execute(code, parameters, flags)
    }
    // Passwords are addressed, as they are in an ICODE SLIX2 (8.2.3.3.2).
    guard code != ICODECommand.setPassword || !flags.isDisjoint(with: [.address, .select]) || hides
    else { return .silence }
    security.passwords = configuration.passwordValues
    let answer = counted(code, parameters) { $0.execute(code, parameters, flags) }
    configuration.passwordValues = security.passwords
    hide()
    return answer
  }

  /// Counts wrong passwords where the limit is on; a right one resets the count (8.1.3.6).
  private mutating func counted(
    _ code: UInt8, _ parameters: [UInt8], _ body: (inout ICODESecurity) -> VicinityAnswer
  ) -> VicinityAnswer {
    let isCounted =
      code == ICODECommand.setPassword && parameters.first != ICODEPassword.privacy.rawValue
      && configuration.authenticationLimit & 0x8000 != 0
    guard !isCounted || configuration.authenticationLimit < 0xFFFF else {
      return .refusal(.unknown)
    }
    let answer = body(&security)
    if isCounted {
      configuration.authenticationLimit =
        answer == .data([]) ? 0x8000 : configuration.authenticationLimit + 1
    }
    return answer
  }

  // MARK: Information

  /// The features of an NTP5332 (tables 220 to 223).
  var features: [UInt8] = [0xFF, 0xF1, 0x07, 0x64]

  /// GET NXP SYSTEM INFORMATION (table 217).
  private var systemInformation: [UInt8] {
    var locks: UInt8 = 0
    if core.isAFILocked { locks |= 0x01 }
    if security.isEASLocked { locks |= 0x02 }
    if core.isDSFIDLocked { locks |= 0x04 }
    if isProtectionLocked { locks |= 0x08 }
    return configuration[NTAG5ConfigurationMemory.Block.protection].prefix(2) + [locks] + features
  }
}

extension VirtualTag {
  /// Returns an NTAG 5 link, 2048 bytes, of which an empty NDEF message may use 1024.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for that of a recorded chip.
  ///   - keys: the active AES keys; see ``NTAG5Link/init(uid:keys:formatted:)``.
  ///   - formatted: `false` for a memory of zeros.
  public static func ntag5Link(
    uid: [UInt8]? = nil, keys: [Int: NTAG5Link.Key] = [:], formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(NTAG5Link(uid: uid, keys: keys, formatted: formatted))
  }

  /// Returns an NTAG 5 link with an NDEF message of up to 1020 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntag5Link(
    uid: [UInt8]? = nil, keys: [Int: NTAG5Link.Key] = [:], ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAG5Link(uid: uid, keys: keys, ndef: ndef))
  }
}
