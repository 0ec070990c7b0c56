import SwiftNFCCore

/// NTAG I²C 1K or 2K (NT3H1101, NT3H1201), seen from its NFC side; nothing is connected to its I²C side.
///
/// The memory consists of sectors of 256 pages, which SECTOR_SELECT selects: user memory, lock bits and
/// configuration in sector 0 (2K: 0 and 1), the session registers in sector 3. READ does not roll over:
/// it returns zeros where there is no memory. After a NAK, the chip is silent until it is selected again.
///
/// Its memory consists of pages 00 to E9 of sector 0, in a 2K of all of sector 0 and pages 00 to E9 of
/// sector 1, with zeros for pages that do not exist. The session registers are not included.
///
/// Source: data sheet NT3H1101/NT3H1201 rev. 3.3, sections 8 and 10.
public struct NTAGI2C: VirtualChip, SectoredType2Chip {
  /// The members of the family, which differ in user memory: 888 or 1904 bytes.
  @nonexhaustive
  public enum Product: String, CaseIterable, Sendable {
    /// NT3H1101, the 1K: 888 bytes of user memory.
    case nt3h1101
    /// NT3H1201, the 2K: 1904 bytes of user memory.
    case nt3h1201
  }

  /// The member of the family.
  public let product: Product

  var activation: TypeAActivation
  var pages: [UInt8]
  var awaitedPage: Int?
  var facts: Type2Facts?
  var sectors = SectorSelection()
  var sessionRegisters = [UInt8](repeating: 0, count: 8)

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because these chips leave the factory with a capability container and an
  ///     empty message.
  public init(_ product: Product, uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(product, uid: uid, content: product.dataArea.emptyContent)
  }

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(_ product: Product, uid: [UInt8]? = nil, ndef: some TagMessage)
    throws(VirtualTagError)
  {
    self.init(
      product, uid: uid, content: try product.dataArea.content(message: ndef.encodedMessage))
  }

  /// Creates a chip from a dump; `nil` unless it has 936 (1K) or 1960 bytes (2K) and begins with a UID of
  /// NXP.
  public init?(dump: [UInt8]) {
    let maker: UInt8 = 0x04
    guard dump.first == maker,
      let product = Product.allCases.first(where: {
        ($0.configurationPage + 2) * Type2Memory.pageSize == dump.count
      })
    else { return nil }
    self.init(product, uid: Array(dump.prefix(7)), content: [])
    load(dump)
  }

  private init(_ product: Product, uid: [UInt8]?, content: [UInt8]) {
    let uid = uid ?? product.defaultUID
    self.product = product
    activation = Self.activation(uid: uid)
    pages = Type2Memory.image(
      uid: uid, pageCount: product.configurationPage + 2,
      content: [
        0: SectoredConfiguration.identity(uid),
        Type2Memory.oneTimePage: content,
        product.configurationPage: SectoredConfiguration.factory,
      ])
  }

  // MARK: VirtualChip

  public var name: String { product == .nt3h1101 ? "ntag-i2c-1k" : "ntag-i2c-2k" }

  public mutating func powerOn() {
    activation.powerOn()
    loadSessionRegisters()
  }

  // MARK: Memory map

  private static let sessionPage = 0xF8

  var selectableSectors: Set<Int> { product.sectors }
  var versionAnswer: [UInt8] { product.version }
  var configurationPage: Int { product.configurationPage }

  /// Returns the four bytes at an address of the current sector; `nil` where there are none.
  func page(_ address: Int) -> [UInt8]? {
    guard sectors.current != SectorSelection.session else {
      return sessionPage(address, from: Self.sessionPage)
    }
    let page = sectors.page(address)
    guard (0..<SectorSelection.pageCount).contains(address), product.hasPage(page) else {
      return nil
    }
    return memoryPage(page)
  }

  // MARK: Type2Chip

  var lockMap: LockMap { product.lockMap }
  var frozenSettings: IrreversibleState { frozenConfiguration }

  /// Returns whether a page can be written. The session registers can be written only from the I²C side.
  func acceptsWrite(to address: Int) -> Bool {
    guard sectors.current != SectorSelection.session else { return false }
    let page = sectors.page(address)
    return page >= Type2Memory.staticLockPage && product.hasPage(page)
      && !isConfigurationClosed(page) && !lockMap.isLocked(page, inForce: pages)
  }

  mutating func program(_ data: [UInt8], page address: Int) -> Type2Answer {
    guard data.count == Type2Memory.pageSize else { return .refusal(.invalidArgument) }
    storeKeepingLocks(data, page: sectors.page(address))
    return .acknowledge
  }

  mutating func endSession() { sectors = SectorSelection() }

  mutating func execute(_ command: [UInt8]) -> Type2Answer {
    if let answer = executeSectored(command) { return answer }
    return command.first == Type2Command.write
      ? executeBasic(command) : .refusal(.invalidArgument)
  }
}

extension NTAGI2C.Product {
  /// The first of two pages with the configuration registers, counted through all sectors.
  var configurationPage: Int { self == .nt3h1101 ? 0xE8 : 0x1E8 }

  /// The page of the dynamic lock bytes, after the user memory.
  private var dynamicLockPage: Int { self == .nt3h1101 ? 0xE2 : 0x1E0 }

  var sectors: Set<Int> { self == .nt3h1101 ? [0, 3] : [0, 1, 3] }

  func hasPage(_ page: Int) -> Bool {
    (0...dynamicLockPage).contains(page)
      || (configurationPage...(configurationPage + 1)).contains(page)
  }

  var lockMap: LockMap { self == .nt3h1101 ? Self.smallMap : Self.largeMap }

  private static let smallMap = lockMap(page: nt3h1101.dynamicLockPage, granularity: 16)
  private static let largeMap = lockMap(page: nt3h1201.dynamicLockPage, granularity: 32)

  private static func lockMap(page: Int, granularity: Int) -> LockMap {
    .static + .dynamic(page: page, granularity: granularity, last: page - 1)
  }

  /// The answer to GET_VERSION.
  var version: [UInt8] {
    [0x00, 0x04, 0x04, 0x05, 0x02, 0x01, self == .nt3h1101 ? 0x13 : 0x15, 0x03]
  }

  /// The data area on delivery.
  var dataArea: Type2DataArea {
    Type2DataArea(capabilityContainer: [0xE1, 0x10, self == .nt3h1101 ? 0x6D : 0xEA, 0x00])
  }

  var defaultUID: [UInt8] {
    [0x04, self == .nt3h1101 ? 0x5A : 0x7C, 0x13, 0xB2, 0xD8, 0x40, 0x81]
  }
}

extension VirtualTag {
  /// Returns an NTAG I²C 1K (NT3H1101), 888 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because the chip leaves the factory formatted.
  public static func ntagI2C1K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAGI2C(.nt3h1101, uid: uid, formatted: formatted))
  }

  /// Returns an NTAG I²C 1K (NT3H1101) with an NDEF message of up to 868 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntagI2C1K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAGI2C(.nt3h1101, uid: uid, ndef: ndef))
  }

  /// Returns an NTAG I²C 2K (NT3H1201), 1904 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: no effect, because the chip leaves the factory formatted.
  public static func ntagI2C2K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAGI2C(.nt3h1201, uid: uid, formatted: formatted))
  }

  /// Returns an NTAG I²C 2K (NT3H1201) with an NDEF message of up to 1868 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntagI2C2K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAGI2C(.nt3h1201, uid: uid, ndef: ndef))
  }
}
