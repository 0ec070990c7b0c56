/// The password of NTAG21x and Ultralight EV1, which lies in the last four pages with its settings.
///
/// AUTH0 and ACCESS count from the next selection on, the lock of the configuration from the next
/// power-up on. Source: NTAG213/215/216 rev. 3.2, sections 8.5.7 and 8.8.
struct PasswordProtection: Hashable, Sendable {
  // The pages after the first of the configuration.
  private static let accessPage = 1
  private static let passwordPage = 2
  private static let acknowledgePage = 3

  private static let readProtection: UInt8 = 0x80
  private static let configurationLock: UInt8 = 0x40
  private static let limitMask: UInt8 = 0x07

  /// The page that is called CFG0.
  let configurationPage: Int
  /// How many wrong passwords have been counted since the last right one. It outlasts the field.
  var failedAttempts = 0
  private(set) var isAuthenticated = false
  /// AUTH0: the first protected page.
  private var firstProtectedPage = 0xFF
  /// ACCESS as it was at the last selection.
  private(set) var access: UInt8 = 0
  private var isConfigurationLocked = false

  init(configurationPage: Int) {
    self.configurationPage = configurationPage
  }

  // MARK: Settings

  mutating func powerOn(_ memory: [UInt8]) {
    isConfigurationLocked = memory[offset(Self.accessPage)] & Self.configurationLock != 0
    select(memory)
  }

  mutating func select(_ memory: [UInt8]) {
    firstProtectedPage = Int(memory[offset(0) + 3])
    access = memory[offset(Self.accessPage)]
    isAuthenticated = false
  }

  mutating func forget() {
    isAuthenticated = false
  }

  private func offset(_ page: Int) -> Int { (configurationPage + page) * Type2Memory.pageSize }

  // MARK: Rules

  /// Returns the first page that cannot be read at present, `pageCount` if all can.
  func readEnd(pageCount: Int) -> Int {
    guard access & Self.readProtection != 0, !isAuthenticated else { return pageCount }
    return min(pageCount, firstProtectedPage)
  }

  func acceptsWrite(to page: Int) -> Bool {
    if isConfigurationLocked,
      page == configurationPage || page == configurationPage + Self.accessPage
    {
      return false
    }
    return isAuthenticated || page < firstProtectedPage
  }

  /// Password and acknowledge are never given out, not even after the right password.
  func hidingSecrets(in memory: [UInt8]) -> [UInt8] {
    let secrets = offset(Self.passwordPage)..<min(memory.count, offset(Self.acknowledgePage + 1))
    var image = memory
    for index in secrets { image[index] = 0 }
    return image
  }

  /// CFGLCK as it is written, though it counts only from the next power-up on; and a password that was wrong
  /// too often.
  func frozenSettings(_ memory: [UInt8]) -> IrreversibleState {
    var state = IrreversibleState()
    if memory[offset(Self.accessPage)] & Self.configurationLock != 0 {
      state.add(.configurationLock, place: configurationPage + Self.accessPage)
    }
    let limit = Int(access & Self.limitMask)
    if limit != 0, failedAttempts > limit { state.add(.lockout) }
    return state
  }

  // MARK: PWD_AUTH

  /// Returns a limit of n lets n wrong passwords pass; the next wrong one locks for ever, and from
  /// then on the right one is refused as well.
  ///
  /// Which code tells a wrong password is not in the data sheet: 0 here, 4 once it is locked.
  mutating func authenticate(_ command: [UInt8], memory: [UInt8]) -> Type2Answer {
    guard command.count == 1 + Type2Memory.pageSize else { return .refusal(.invalidArgument) }
    isAuthenticated = false
    let limit = Int(access & Self.limitMask)
    guard limit == 0 || failedAttempts <= limit else { return .refusal(.counterOverflow) }
    let password = memory[offset(Self.passwordPage)..<offset(Self.acknowledgePage)]
    guard command.dropFirst().elementsEqual(password) else {
      guard limit != 0 else { return .refusal(.invalidArgument) }
      failedAttempts += 1
      return .refusal(failedAttempts > limit ? .counterOverflow : .invalidArgument)
    }
    failedAttempts = 0
    isAuthenticated = true
    let acknowledge = offset(Self.acknowledgePage)
    return .data(Array(memory[acknowledge..<(acknowledge + 2)]))
  }
}
