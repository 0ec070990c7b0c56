import SwiftNFCSeededRandom
import SwiftNFCCore

/// The passwords, the electronic article surveillance, the privacy mode and the destruction of the ICODE
/// SLIX family. A chip has the functions for which it has a password.
///
/// After a wrong password, the chip does not respond until the power has been off (SL2S2002 data sheet
/// rev. 3.4, 9.4.3.2).
struct ICODESecurity: Hashable, Sendable {
  /// The answer of the article surveillance (SL2ICS20 data sheet, 9.4.4).
  static let alarm: [UInt8] = [
    0x2F, 0xB3, 0x62, 0x70, 0xD5, 0xA7, 0x90, 0x7F, 0xE8, 0xB1, 0x80, 0x38, 0xD2, 0x81, 0x49, 0x76,
    0x82, 0xDA, 0x9A, 0x86, 0x6F, 0xAF, 0x8B, 0xB0, 0xF1, 0x9C, 0xD1, 0x12, 0xA5, 0x72, 0x37, 0xEF,
  ]

  // The persistent state.
  var passwords: [ICODEPassword: [UInt8]]
  private(set) var lockedPasswords: Set<ICODEPassword> = []
  private(set) var isEASSet = false
  var isEASLocked = false
  private(set) var isEASProtected = false
  private(set) var isAFIProtected = false
  private(set) var easIdentifier: [UInt8] = [0, 0]
  /// Whether the chip hides: it responds only to the commands that end this mode.
  var isPrivate = false
  private(set) var isDestroyed = false

  // The state of a session.
  private(set) var open: Set<ICODEPassword> = []
  private(set) var ignoresRequests = false
  private var random: [UInt8]?
  private var generator: SplitMix64

  init(passwords: [ICODEPassword], uid: [UInt8]) {
    self.passwords = Dictionary(
      uniqueKeysWithValues: passwords.map { ($0, $0.factoryValue) })
    generator = SplitMix64(seed: uid)
  }

  /// The irreversible state: the lock of EAS (bit 0), the permanent password protection of EAS (1) and
  /// AFI (2), and passwords that cannot be changed, by their bit.
  var frozenSettings: IrreversibleState {
    var state = IrreversibleState()
    let bits = (isEASLocked ? 1 : 0) | (isEASProtected ? 2 : 0) | (isAFIProtected ? 4 : 0)
    state.add(.configurationLock, place: 0, bits: UInt64(bits))
    let locked = lockedPasswords.reduce(UInt64(0)) { $0 | UInt64($1.rawValue) }
    state.add(.configurationLock, place: 1, bits: locked)
    if isDestroyed { state.add(.destruction) }
    return state
  }

  mutating func endSession() {
    open = []
    ignoresRequests = false
    random = nil
  }

  /// Allows what these passwords allow, which an NTAG 5 has found out in another way.
  mutating func grant(_ kinds: Set<ICODEPassword>) { open = kinds }

  mutating func destroy() { isDestroyed = true }

  /// Writes the EAS identifier without its command.
  mutating func writeIdentifier(_ bytes: [UInt8]) { easIdentifier = bytes }

  // MARK: Commands

  /// Returns whether the chip responds to a request. In privacy mode, it supports only the commands that
  /// end that mode (SL2S2602 data sheet, 9.5.3.17; SL2S5302 data sheet rev. 3.2, 8.4.3.10).
  func receives(_ request: VicinityRequest) -> Bool {
    guard !ignoresRequests, !isDestroyed else { return false }
    guard isPrivate else { return true }
    return [ICODECommand.getRandomNumber, ICODECommand.setPassword].contains(request.code)
  }

  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer {
    switch code {
    case ICODECommand.getRandomNumber where parameters.isEmpty:
      let number = generator.bytes(2)
      random = number
      return .data(number)
    case ICODECommand.setPassword: return setPassword(parameters)
    case ICODECommand.writePassword, ICODECommand.lockPassword:
      // The command must be addressed or for the selected tag (SL2S2002 data sheet, 9.4.3.3).
      guard !flags.isDisjoint(with: [.address, .select]) else { return .silence }
      return code == ICODECommand.writePassword
        ? writePassword(parameters) : lockPassword(parameters)
    case ICODECommand.enablePrivacy where passwords[.privacy] != nil:
      guard verify(.privacy, parameters) else { return .refusal(.unknown) }
      isPrivate = true
      return .data([])
    case ICODECommand.destroy where passwords[.destroy] != nil:
      // The command must be addressed or for the selected tag (NXP's reader library, phalICode_Destroy).
      guard !flags.isDisjoint(with: [.address, .select]) else { return .silence }
      guard verify(.destroy, parameters) else { return .refusal(.unknown) }
      isDestroyed = true
      return .data([])
    case ICODECommand.alarmEAS: return alarm(parameters, hasIdentifier: flags.contains(.option))
    case ICODECommand.setEAS, ICODECommand.resetEAS, ICODECommand.lockEAS,
      ICODECommand.writeEASIdentifier, ICODECommand.passwordProtect:
      return changeEAS(code, parameters, isForAFI: flags.contains(.option))
    default: return .unknown
    }
  }

  private mutating func setPassword(_ parameters: [UInt8]) -> VicinityAnswer {
    guard let (kind, cover) = named(parameters), verify(kind, cover) else {
      return .refusal(.unknown)
    }
    open.insert(kind)
    if kind == .privacy { isPrivate = false }
    return .data([])
  }

  /// Returns whether a password is right. It is combined twice with the last random number. After a wrong
  /// password, the chip does not respond.
  mutating func verify(_ kind: ICODEPassword, _ cover: [UInt8]) -> Bool {
    guard cover.count == ICODEPassword.length, let password = passwords[kind], let random
    else { return false }
    guard zip(cover, random + random).map({ $0 ^ $1 }) == password else {
      ignoresRequests = true
      return false
    }
    return true
  }

  private mutating func writePassword(_ parameters: [UInt8]) -> VicinityAnswer {
    guard let (kind, value) = named(parameters), open.contains(kind) else {
      return .refusal(.unknown)
    }
    guard !lockedPasswords.contains(kind) else { return .refusal(.locked) }
    passwords[kind] = value
    open.remove(kind)
    return .data([])
  }

  private mutating func lockPassword(_ parameters: [UInt8]) -> VicinityAnswer {
    guard parameters.count == 1, open.contains(ICODEPassword(rawValue: parameters[0])) else {
      return .refusal(.unknown)
    }
    lockedPasswords.insert(ICODEPassword(rawValue: parameters[0]))
    return .data([])
  }

  private func named(_ parameters: [UInt8]) -> (ICODEPassword, [UInt8])? {
    guard parameters.count == 1 + ICODEPassword.length,
      passwords[ICODEPassword(rawValue: parameters[0])] != nil
    else { return nil }
    return (ICODEPassword(rawValue: parameters[0]), Array(parameters.dropFirst()))
  }

  /// Returns the alarm. With the option flag, the request contains the number of bits of the EAS
  /// identifier to compare, 0, 8 or 16, and those bits. It is not confirmed on a chip that 0 requests the
  /// identifier itself.
  private func alarm(_ parameters: [UInt8], hasIdentifier: Bool) -> VicinityAnswer {
    guard isEASSet else { return .silence }
    guard hasIdentifier else {
      return parameters.isEmpty ? .data(Self.alarm) : .refusal(.commandNotRecognized)
    }
    guard let bits = parameters.first, [0, 8, 16].contains(bits),
      parameters.count == 1 + Int(bits) / 8
    else { return .refusal(.commandNotRecognized) }
    if bits == 0 { return .data(easIdentifier) }
    return easIdentifier.starts(with: parameters.dropFirst()) ? .data(Self.alarm) : .silence
  }

  private mutating func changeEAS(
    _ code: UInt8, _ parameters: [UInt8], isForAFI: Bool
  ) -> VicinityAnswer {
    let length = code == ICODECommand.writeEASIdentifier ? 2 : 0
    guard parameters.count == length else { return .refusal(.commandNotRecognized) }
    if code == ICODECommand.passwordProtect {
      guard open.contains(.eas) else { return .refusal(.unknown) }
      if isForAFI { isAFIProtected = true } else { isEASProtected = true }
      return .data([])
    }
    guard !isEASLocked else { return .refusal(.locked) }
    guard !isEASProtected || open.contains(.eas) else { return .refusal(.unknown) }
    switch code {
    case ICODECommand.setEAS: isEASSet = true
    case ICODECommand.resetEAS: isEASSet = false
    case ICODECommand.lockEAS: isEASLocked = true
    default: easIdentifier = parameters
    }
    return .data([])
  }
}
