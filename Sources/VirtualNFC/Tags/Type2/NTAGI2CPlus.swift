import SwiftNFCCore

/// NTAG I²C plus 1K or 2K (NT3H2111, NT3H2211), seen from its NFC side; nothing is connected to its I²C
/// side.
///
/// Sector 0 is the same in both: user memory, lock bits, the password with its settings, the
/// configuration, and the session registers, which sector 3 contains too. Sector 1 of a 2K consists of
/// user memory only; one bit can hide it from NFC, another can require the password there. Without power
/// on the I²C side, the SRAM is not accessible, so that FAST_WRITE, which writes only to it, is refused.
/// After a NAK, the chip is silent until it is selected again.
///
/// Its memory consists of pages 00 to E9 of sector 0, in a 2K of all of sectors 0 and 1, with zeros for
/// pages that do not exist. The session registers are not included.
///
/// Source: data sheet NT3H2111/NT3H2211 rev. 3.5, sections 8 and 10; the bits of ACCESS and PT_I2C also
/// by NXP's demo app. Two facts are not confirmed: that settings take effect at the next selection, as in
/// NTAG21x, and what READ returns for protected pages after an open one (here zeros).
public struct NTAGI2CPlus: VirtualChip, SectoredType2Chip {
  /// The members of the family, which differ in user memory: 888 or 1912 bytes.
  @nonexhaustive
  public enum Product: String, CaseIterable, Sendable {
    /// NT3H2111, the 1K: 888 bytes of user memory.
    case nt3h2111
    /// NT3H2211, the 2K: 888 bytes of user memory, and 1024 in sector 1.
    case nt3h2211
  }

  /// The member of the family.
  public let product: Product

  /// The answer to READ_SIG, 32 bytes; no genuine signature is public.
  public var signature: [UInt8]

  var activation: TypeAActivation
  var pages: [UInt8]
  var awaitedPage: Int?
  var facts: Type2Facts?
  var sectors = SectorSelection()
  private var isAuthenticated = false
  /// The number of wrong passwords since the last right one. It is kept without power.
  private var failedAttempts = 0
  /// The settings at the last selection.
  private var settings = Settings()
  var sessionRegisters = [UInt8](repeating: 0, count: 8)

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because these chips leave the factory with a capability container and an
  ///     empty message.
  public init(_ product: Product, uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(product, uid: uid, content: Self.dataArea.emptyContent)
  }

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(
    _ product: Product, uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) {
    self.init(product, uid: uid, content: try Self.dataArea.content(message: ndef.encodedMessage))
  }

  /// Creates a chip from a dump; `nil` unless it has 936 (1K) or 2048 bytes (2K) and begins with a UID of
  /// NXP. A dump made by a reader has zeros in place of password and acknowledge; the chip then has zeros
  /// there too.
  public init?(_ product: Product, dump: [UInt8]) {
    let maker: UInt8 = 0x04
    guard dump.first == maker, dump.count == product.pageCount * Type2Memory.pageSize else {
      return nil
    }
    self.init(product, uid: Array(dump.prefix(7)), content: [])
    load(dump)
  }

  private init(_ product: Product, uid: [UInt8]?, content: [UInt8]) {
    let uid = uid ?? product.defaultUID
    self.product = product
    activation = Self.activation(uid: uid)
    signature = OriginalitySignature.signature(uid: uid)
    pages = Type2Memory.image(
      uid: uid, pageCount: product.pageCount,
      content: [
        0: SectoredConfiguration.identity(uid),
        Type2Memory.oneTimePage: content,
        Page.firstProtected: [0x00, 0x00, 0x00, 0xFF],
        Page.password: [0xFF, 0xFF, 0xFF, 0xFF],
        Page.configuration: SectoredConfiguration.factory,
      ])
  }

  // MARK: VirtualChip

  public var name: String { product == .nt3h2111 ? "ntag-i2c-plus-1k" : "ntag-i2c-plus-2k" }

  public mutating func powerOn() {
    activation.powerOn()
    loadSessionRegisters()
    activateSettings()
  }

  // MARK: Memory map (table 6)

  enum Page {
    static let dynamicLocks = 0xE2
    /// The page with AUTH0 in its last byte.
    static let firstProtected = 0xE3
    /// The page with ACCESS in its first byte.
    static let access = 0xE4
    static let password = 0xE5
    static let acknowledge = 0xE6
    /// The page with PT_I2C in its first byte.
    static let otherSide = 0xE7
    static let configuration = 0xE8
    /// The last page that the password can protect.
    static let lastProtected = 0xEB
    static let session = 0xEC
    static let sessionInSector3 = 0xF8
  }

  var selectableSectors: Set<Int> {
    settings.hidesSector1 ? product.sectors.subtracting([1]) : product.sectors
  }
  var versionAnswer: [UInt8] { product.version }
  var configurationPage: Int { Page.configuration }

  /// The data area on delivery.
  static let dataArea = Type2DataArea(capabilityContainer: [0xE1, 0x10, 0x6D, 0x00])

  /// The protection of the memory from NFC.
  private struct Settings: Hashable {
    private enum Access {
      static let reading: UInt8 = 0x80
      static let hidesSector1: UInt8 = 0x20
      static let limit: UInt8 = 0x07
    }
    private static let protectsSector1: UInt8 = 0x08

    /// The first protected page, AUTH0.
    var firstProtectedPage = 0xFF
    var protectsReading = false
    var hidesSector1 = false
    var protectsSector1 = false
    /// The number of permitted wrong passwords: 2 to the power of AUTHLIM (data sheet, 8.7.2); 0 for any
    /// number.
    var attempts = 0

    init() {}

    init(_ pages: [UInt8]) {
      let access = pages[Page.access * Type2Memory.pageSize]
      let otherSide = pages[Page.otherSide * Type2Memory.pageSize]
      firstProtectedPage = Int(pages[Page.firstProtected * Type2Memory.pageSize + 3])
      protectsReading = access & Access.reading != 0
      hidesSector1 = access & Access.hidesSector1 != 0
      protectsSector1 = otherSide & Self.protectsSector1 != 0
      let limit = access & Access.limit
      attempts = limit == 0 ? 0 : 1 << limit
    }
  }

  /// Returns the index of a page of the memory from its address in the current sector; `nil` where there
  /// is none.
  private func place(_ address: Int) -> Int? {
    let page = sectors.page(address)
    guard (0..<SectorSelection.pageCount).contains(address), product.hasPage(page),
      page < SectorSelection.pageCount || !settings.hidesSector1
    else { return nil }
    return page
  }

  /// Returns whether access requires the password. Lock bits and session registers are always accessible.
  private func isProtected(_ page: Int) -> Bool {
    guard !isAuthenticated, page != Page.dynamicLocks else { return false }
    return page < SectorSelection.pageCount
      ? page >= settings.firstProtectedPage && page <= Page.lastProtected
      : settings.protectsSector1
  }

  /// Returns the four bytes at an address of the current sector; `nil` for a page that does not exist or
  /// cannot be read.
  func page(_ address: Int) -> [UInt8]? {
    let isSession = sectors.current == SectorSelection.session
    if isSession || sectors.current == 0,
      let page = sessionPage(address, from: isSession ? Page.sessionInSector3 : Page.session)
    {
      return page
    }
    guard !isSession, let page = place(address), !settings.protectsReading || !isProtected(page)
    else { return nil }
    // Password and acknowledge can never be read.
    if page == Page.password || page == Page.acknowledge {
      return [UInt8](repeating: 0, count: Type2Memory.pageSize)
    }
    return memoryPage(page)
  }

  // MARK: Type2Chip

  var lockMap: LockMap { Self.lockMap }

  private static let lockMap =
    LockMap.static
    + .dynamic(page: Page.dynamicLocks, granularity: 16, last: Page.dynamicLocks - 1)

  var frozenSettings: IrreversibleState {
    var state = frozenConfiguration
    if settings.attempts != 0, failedAttempts >= settings.attempts { state.add(.lockout) }
    return state
  }

  /// Returns whether a page can be written. The session registers can be written only from the I²C side.
  func acceptsWrite(to address: Int) -> Bool {
    guard sectors.current != SectorSelection.session, let page = place(address),
      page >= Type2Memory.staticLockPage, !isProtected(page)
    else { return false }
    return !isConfigurationClosed(page) && !lockMap.isLocked(page, inForce: pages)
  }

  mutating func program(_ data: [UInt8], page address: Int) -> Type2Answer {
    guard data.count == Type2Memory.pageSize, let page = place(address) else {
      return .refusal(.invalidArgument)
    }
    storeKeepingLocks(data, page: page)
    return .acknowledge
  }

  mutating func activateSettings() { settings = Settings(pages) }

  mutating func endSession() {
    sectors = SectorSelection()
    isAuthenticated = false
  }

  mutating func execute(_ command: [UInt8]) -> Type2Answer {
    if let answer = executeSectored(command) { return answer }
    switch (command.first, command.count) {
    case (Type2Command.readSignature, 2) where command[1] == 0: return .data(signature)
    case (Type2Command.passwordAuthenticate, 1 + Type2Memory.pageSize):
      return authenticate(Array(command[1...]))
    case (Type2Command.write, _): return executeBasic(command)
    default: return .refusal(.invalidArgument)
    }
  }

  private mutating func authenticate(_ password: [UInt8]) -> Type2Answer {
    isAuthenticated = false
    guard settings.attempts == 0 || failedAttempts < settings.attempts else {
      return .refusal(.counterOverflow)
    }
    let first = Page.password * Type2Memory.pageSize
    guard pages[first..<first + Type2Memory.pageSize].elementsEqual(password) else {
      if settings.attempts != 0 { failedAttempts += 1 }
      return .refusal(.invalidArgument)
    }
    failedAttempts = 0
    isAuthenticated = true
    let acknowledge = Page.acknowledge * Type2Memory.pageSize
    return .data(Array(pages[acknowledge..<acknowledge + 2]))
  }
}

extension NTAGI2CPlus.Product {
  /// The number of pages of the memory, including gaps.
  var pageCount: Int {
    self == .nt3h2111
      ? NTAGI2CPlus.Page.configuration + 2 : 2 * SectorSelection.pageCount
  }

  fileprivate var sectors: Set<Int> { self == .nt3h2111 ? [0, 3] : [0, 1, 3] }

  fileprivate func hasPage(_ page: Int) -> Bool {
    (0...NTAGI2CPlus.Page.configuration + 1).contains(page)
      || self == .nt3h2211 && (SectorSelection.pageCount..<pageCount).contains(page)
  }

  /// The answer to GET_VERSION.
  var version: [UInt8] {
    [0x00, 0x04, 0x04, 0x05, 0x02, 0x02, self == .nt3h2111 ? 0x13 : 0x15, 0x03]
  }

  fileprivate var defaultUID: [UInt8] {
    [0x04, self == .nt3h2111 ? 0x1D : 0x3E, 0x62, 0x5A, 0x90, 0x5C, 0x80]
  }
}

extension VirtualTag {
  /// Returns an NTAG I²C plus 1K (NT3H2111), 888 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because the chip leaves the factory formatted.
  public static func ntagI2CPlus1K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAGI2CPlus(.nt3h2111, uid: uid, formatted: formatted))
  }

  /// Returns an NTAG I²C plus 1K (NT3H2111) with an NDEF message of up to 868 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntagI2CPlus1K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAGI2CPlus(.nt3h2111, uid: uid, ndef: ndef))
  }

  /// Returns an NTAG I²C plus 2K (NT3H2211), 1912 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because the chip leaves the factory formatted.
  public static func ntagI2CPlus2K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAGI2CPlus(.nt3h2211, uid: uid, formatted: formatted))
  }

  /// Returns an NTAG I²C plus 2K (NT3H2211) with an NDEF message of up to 868 bytes: the message
  /// lies in sector 0 only.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntagI2CPlus2K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAGI2CPlus(.nt3h2211, uid: uid, ndef: ndef))
  }
}
