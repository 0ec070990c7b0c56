/// How the pages of an Ultralight or NTAG chip are used: what restoring may touch.
struct UltralightLayout: Hashable, Sendable {
  /// What a page is for.
  enum Use: Hashable, Sendable {
    /// UID and lock bits, pages 0 to 2.
    case identifierAndLocks
    /// Page 3: bits that can only be set.
    case oneTime
    case user
    /// The dynamic lock bits: they can only be set.
    case locks
    /// Of one direction: a counter.
    case counter
    case configuration
    /// Password, its acknowledge, keys: read as zeros or not at all.
    case secret
  }

  static let pageSize = 4
  static let staticLockPage = 2
  static let oneTimePage = 3
  private static let firstUserPage = 4

  /// Pages up to the last that can be read, counted through all sectors.
  let pageCount: Int
  private let lastUserPage: Int
  private let lockPage: Int?
  private let counterPage: Int?
  /// MIRROR, AUTH0, ACCESS.
  let configuration: Range<Int>
  /// Password and acknowledge, or keys.
  let secrets: Range<Int>
  /// What of the configuration closes it for good.
  private let configurationLock: ConfigurationLock?
  /// Whether FAST_READ is there.
  let hasFastRead: Bool
  /// NTAG I²C: the pages that there are, no range across the end of a sector; `nil` for a chip of one sector
  /// without gaps.
  let sectorRanges: [Range<Int>]?
  /// Whether ``secrets`` are a password and its acknowledge, a page each.
  var hasPassword: Bool { secrets.count == 2 }

  func use(ofPage page: Int) -> Use {
    switch page {
    case ..<Self.oneTimePage: .identifierAndLocks
    case Self.oneTimePage: .oneTime
    case Self.firstUserPage...lastUserPage: .user
    case lockPage: .locks
    case counterPage: .counter
    case configuration: .configuration
    // What no table names is left alone like a lock.
    default: secrets.contains(page) ? .secret : .locks
    }
  }

  /// Whether the configuration can never be changed again once it is so.
  func locksConfiguration(_ data: [UInt8], page: Int) -> Bool {
    guard let configurationLock else { return false }
    let byte = configurationLock.byte - (page - configuration.lowerBound) * Self.pageSize
    return data.indices.contains(byte) && data[byte] & configurationLock.mask != 0
  }

  /// Bits that can only be set, in a byte counted from the first of the configuration.
  private struct ConfigurationLock: Hashable {
    let byte: Int
    let mask: UInt8

    /// CFGLCK in ACCESS (NTAG21x data sheet, 8.5.7).
    static let access = ConfigurationLock(byte: 4, mask: 0x40)
    /// REG_LOCK (NT3H1101/1201 data sheet, table 13).
    static let registers = ConfigurationLock(byte: 6, mask: 0x03)
  }

  /// NTAG I²C: user memory, a page of dynamic lock bits, a gap, two pages of configuration (NT3H1101/1201 data
  /// sheet, tables 4 and 5).
  private static func withRegisters(lockPage: Int, configurationPage: Int) -> UltralightLayout {
    let configuration = configurationPage..<configurationPage + 2
    let sectorSize = Type2Memory.pagesPerSector
    let sectors = stride(from: 0, to: lockPage + 1, by: sectorSize).map {
      $0..<min($0 + sectorSize, lockPage + 1)
    }
    return UltralightLayout(
      pageCount: configuration.upperBound, lastUserPage: lockPage - 1, lockPage: lockPage,
      counterPage: nil, configuration: configuration,
      secrets: configuration.upperBound..<configuration.upperBound,
      configurationLock: .registers, hasFastRead: true, sectorRanges: sectors + [configuration])
  }

  /// A chip with two pages of configuration, a password and its acknowledge at the end, and a page of dynamic
  /// lock bits if there is more than static ones reach (NTAG21x data sheet, 8.5; MF0ULx1 data sheet, 8.5).
  static func withPassword(
    _ lastUserPage: Int, hasLockPage: Bool = true
  ) -> UltralightLayout {
    let configuration = lastUserPage + (hasLockPage ? 2 : 1)
    return UltralightLayout(
      pageCount: configuration + 4, lastUserPage: lastUserPage,
      lockPage: hasLockPage ? lastUserPage + 1 : nil, counterPage: nil,
      configuration: configuration..<configuration + 2,
      secrets: configuration + 2..<configuration + 4, configurationLock: .access,
      hasFastRead: true)
  }

  /// NTAG210 and the smaller Ultralight EV1.
  static let pages48 = withPassword(0x0F, hasLockPage: false)

  /// MF0ICU1 data sheet, 7.5.
  static let ultralight = UltralightLayout(
    pageCount: 16, lastUserPage: 15, lockPage: nil, counterPage: nil, configuration: 16..<16,
    secrets: 16..<16, hasFastRead: false)

  /// MF0ICU2 data sheet, 7.5: the keys in pages 2C to 2F cannot be read.
  static let ultralightC = UltralightLayout(
    pageCount: 44, lastUserPage: 39, lockPage: 40, counterPage: 41, configuration: 42..<44,
    secrets: 44..<48, hasFastRead: false)

  /// NTAG203 data sheet, 8.5.
  static let ntag203 = UltralightLayout(
    pageCount: 42, lastUserPage: 39, lockPage: 40, counterPage: 41, configuration: 42..<42,
    secrets: 42..<42, hasFastRead: false)

  static let i2c1K = withRegisters(lockPage: 0xE2, configurationPage: 0xE8)
  static let i2c2K = withRegisters(lockPage: 0x1E0, configurationPage: 0x1E8)

  private init(
    pageCount: Int, lastUserPage: Int, lockPage: Int?, counterPage: Int?,
    configuration: Range<Int>, secrets: Range<Int>,
    configurationLock: ConfigurationLock? = nil, hasFastRead: Bool,
    sectorRanges: [Range<Int>]? = nil
  ) {
    self.pageCount = pageCount
    self.lastUserPage = lastUserPage
    self.lockPage = lockPage
    self.counterPage = counterPage
    self.configuration = configuration
    self.secrets = secrets
    self.configurationLock = configurationLock
    self.hasFastRead = hasFastRead
    self.sectorRanges = sectorRanges
  }
}
