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

  /// Pages that can be read.
  let pageCount: Int
  private let lastUserPage: Int
  private let lockPage: Int?
  private let counterPage: Int?
  /// MIRROR, AUTH0, ACCESS.
  let configuration: Range<Int>
  /// Password and acknowledge, or keys.
  let secrets: Range<Int>
  /// Whether FAST_READ is there.
  let hasFastRead: Bool
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

  /// A chip with two pages of configuration, a password and its acknowledge at the end (NTAG21x data
  /// sheet, 8.5; MF0ULx1 data sheet, 8.5).
  private static func withPassword(lastUserPage: Int, hasLockPage: Bool) -> UltralightLayout {
    let configuration = lastUserPage + (hasLockPage ? 2 : 1)
    return UltralightLayout(
      pageCount: configuration + 4, lastUserPage: lastUserPage,
      lockPage: hasLockPage ? lastUserPage + 1 : nil, counterPage: nil,
      configuration: configuration..<configuration + 2,
      secrets: configuration + 2..<configuration + 4, hasFastRead: true)
  }

  /// `nil` for a product that is not in the table: its pages are not known.
  init?(_ product: TagProduct) {
    switch (product.name, product.memorySize) {
    case ("MIFARE Ultralight", _):
      // MF0ICU1 data sheet, 7.5.
      self.init(
        pageCount: 16, lastUserPage: 15, lockPage: nil, counterPage: nil, configuration: 16..<16,
        secrets: 16..<16, hasFastRead: false)
    case ("MIFARE Ultralight C", _):
      // MF0ICU2 data sheet, 7.5: the keys in pages 2C to 2F cannot be read.
      self.init(
        pageCount: 44, lastUserPage: 39, lockPage: 40, counterPage: 41, configuration: 42..<44,
        secrets: 44..<48, hasFastRead: false)
    case ("NTAG203", _):
      // NTAG203 data sheet, 8.5.
      self.init(
        pageCount: 42, lastUserPage: 39, lockPage: 40, counterPage: 41, configuration: 42..<42,
        secrets: 42..<42, hasFastRead: false)
    case ("MIFARE Ultralight EV1", 80), ("NTAG210", _):
      self = .withPassword(lastUserPage: 15, hasLockPage: false)
    case ("MIFARE Ultralight EV1", 164), ("NTAG212", _):
      self = .withPassword(lastUserPage: 35, hasLockPage: true)
    case ("NTAG213", _), ("NTAG213F", _): self = .withPassword(lastUserPage: 39, hasLockPage: true)
    case ("NTAG215", _): self = .withPassword(lastUserPage: 129, hasLockPage: true)
    case ("NTAG216", _), ("NTAG216F", _):
      self = .withPassword(lastUserPage: 225, hasLockPage: true)
    default: return nil
    }
  }

  private init(
    pageCount: Int, lastUserPage: Int, lockPage: Int?, counterPage: Int?,
    configuration: Range<Int>, secrets: Range<Int>, hasFastRead: Bool
  ) {
    self.pageCount = pageCount
    self.lastUserPage = lastUserPage
    self.lockPage = lockPage
    self.counterPage = counterPage
    self.configuration = configuration
    self.secrets = secrets
    self.hasFastRead = hasFastRead
  }
}
