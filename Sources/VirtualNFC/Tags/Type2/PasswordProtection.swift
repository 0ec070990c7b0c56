/// The password of NTAG21x and Ultralight EV1, which the last four pages contain together with its
/// settings.
///
/// AUTH0 and ACCESS take effect at the next selection, the lock of the configuration at the next
/// power-up. Source: NTAG213/215/216 rev. 3.2, sections 8.5.7 and 8.8.
struct PasswordProtection: Hashable, Sendable {
  // The offsets of pages from the first page of the configuration.
  private static let accessPage = 1
  private static let passwordPage = 2
  private static let acknowledgePage = 3

  private static let readProtection: UInt8 = 0x80
  private static let configurationLock: UInt8 = 0x40
  private static let limitMask: UInt8 = 0x07

  /// The page of CFG0.
  let configurationPage: Int
  /// The number of wrong passwords since the last right one. It is kept without power.
  var failedAttempts = 0
  private(set) var isAuthenticated = false
  /// AUTH0: the first protected page.
  private var firstProtectedPage = 0xFF
  /// ACCESS at the last selection.
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

  /// Returns the first page that cannot currently be read; `pageCount` if all can be read.
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

  /// Returns the memory with zeros for password and acknowledge, which can never be read, not even after
  /// authentication.
  func hidingSecrets(in memory: [UInt8]) -> [UInt8] {
    let secrets = offset(Self.passwordPage)..<min(memory.count, offset(Self.acknowledgePage + 1))
    var image = memory
    for index in secrets { image[index] = 0 }
    return image
  }

  /// Returns the irreversible state: CFGLCK as written, although it takes effect only at the next
  /// power-up, and a lockout after too many wrong passwords.
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

  /// Verifies a password. A limit of n permits n wrong passwords; the next wrong one locks the chip
  /// permanently, and the right password is then refused as well.
  ///
  /// The data sheet does not specify the code for a wrong password: 0 here, and 4 once it is locked.
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
