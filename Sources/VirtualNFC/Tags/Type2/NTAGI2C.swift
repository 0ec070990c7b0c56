import NFCCore

/// NTAG I²C 1K or 2K (NT3H1101, NT3H1201), seen from its NFC side; nothing is attached to the
/// other.
///
/// The memory lies in sectors of 256 pages, chosen by SECTOR_SELECT: user memory, lock bits and
/// configuration in sector 0 (2K: 0 and 1), the session registers in sector 3. READ does not roll
/// over: where no memory is, zeros follow. After a NAK it is mute until it is selected again.
///
/// Its memory is pages 00 to E9 of sector 0, in a 2K all of sector 0 and pages 00 to E9 of sector 1, with
/// zeros where there are none; the session registers are not among these.
///
/// Source: data sheet NT3H1101/NT3H1201 rev. 3.3, sections 8 and 10.
public struct NTAGI2C: VirtualChip, Type2Chip {
  /// The members of the family by their memory: 888 or 1904 bytes for the user.
  public enum Product: String, CaseIterable, Sendable {
    /// NT3H1101, the 1K: 888 bytes for the user.
    case nt3h1101
    /// NT3H1201, the 2K: 1904 bytes for the user.
    case nt3h1201
  }

  /// The member of the family.
  public let product: Product

  var activation: TypeAActivation
  var pages: [UInt8]
  var awaitedPage: Int?
  /// The sector that commands address; 0 after each selection.
  private var sector = 0
  /// Whether SECTOR_SELECT waits for its second half.
  private var awaitsSector = false
  /// The volatile copy of the configuration that works; it is made at power-up.
  private var sessionRegisters: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: Makes no difference here: these chips leave the factory with a capability
  ///     container and an empty message.
  public init(_ product: Product, uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(product, uid: uid, content: product.dataArea.emptyContent)
  }

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - ndef: The message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(_ product: Product, uid: [UInt8]? = nil, ndef: some TagMessage)
    throws(VirtualTagError)
  {
    self.init(
      product, uid: uid, content: try product.dataArea.content(message: ndef.encodedMessage))
  }

  /// The chip that a dump was made of: `nil` if it has not 936 (1K) or 1960 bytes (2K), or the UID of no chip
  /// of NXP's.
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
        // No check bytes: the UID at a stretch, then SAK and ATQA.
        0: uid + [0x00, 0x44, 0x00],
        Type2Memory.oneTimePage: content,
        product.configurationPage: Self.factoryConfiguration,
      ])
  }

  // MARK: VirtualChip

  public var name: String { product == .nt3h1101 ? "ntag-i2c-1k" : "ntag-i2c-2k" }

  public mutating func powerOn() {
    activation.powerOn()
    let offset = product.configurationPage * Type2Memory.pageSize
    sessionRegisters = Array(pages[offset..<(offset + 2 * Type2Memory.pageSize)])
    // Instead of REG_LOCK stands NS_REG, with RF_FIELD_PRESENT.
    sessionRegisters[Self.lockRegister] = 0x01
  }

  // MARK: Memory map

  private static let sectorPages = 256
  private static let sessionSector = 3
  private static let sessionPage = 0xF8
  /// REG_LOCK in the configuration, NS_REG among the session registers.
  private static let lockRegister = 6
  private static let lockedFromNFC: UInt8 = 0x01

  /// NC_REG, LAST_NDEF_BLOCK, SRAM_MIRROR_BLOCK, WDT_LS, WDT_MS, I2C_CLOCK_STR, REG_LOCK, reserved:
  /// tables 13 and 14.
  private static let factoryConfiguration: [UInt8] = [
    0x01, 0x00, 0xF8, 0x48, 0x08, 0x01, 0x00, 0x00,
  ]

  /// The four bytes at an address of the present sector; `nil` where there are none.
  private func page(_ address: Int) -> [UInt8]? {
    if sector == Self.sessionSector {
      let index = address - Self.sessionPage
      guard (0...1).contains(index) else { return nil }
      return Array(
        sessionRegisters[(index * Type2Memory.pageSize)..<((index + 1) * Type2Memory.pageSize)])
    }
    let page = sector * Self.sectorPages + address
    guard (0..<Self.sectorPages).contains(address), product.hasPage(page) else { return nil }
    return Array(pages[(page * Type2Memory.pageSize)..<((page + 1) * Type2Memory.pageSize)])
  }

  // MARK: Type2Chip

  var lockMap: LockMap { product.lockMap }
  var readEnd: Int { Self.sectorPages }
  var identityLength: Int { 10 }

  var frozenSettings: IrreversibleState {
    var state = IrreversibleState()
    let lock = pages[product.configurationPage * Type2Memory.pageSize + Self.lockRegister]
    state.add(
      .configurationLock, place: product.configurationPage + 1, bits: UInt64(lock & 0x03))
    return state
  }

  /// The session registers can be written only from the I²C side.
  func acceptsWrite(to address: Int) -> Bool {
    guard sector != Self.sessionSector else { return false }
    let page = sector * Self.sectorPages + address
    let isConfiguration = page >= product.configurationPage
    let lock = pages[product.configurationPage * Type2Memory.pageSize + Self.lockRegister]
    return page >= Type2Memory.staticLockPage && product.hasPage(page)
      && !(isConfiguration && lock & Self.lockedFromNFC != 0)
      && !lockMap.isLocked(page, inForce: pages)
  }

  mutating func program(_ data: [UInt8], page address: Int) -> Type2Answer {
    let page = sector * Self.sectorPages + address
    guard data.count == Type2Memory.pageSize else { return .refusal(.invalidArgument) }
    var data = data
    if page == product.configurationPage + 1 {
      // REG_LOCK can be set and not cleared.
      data[2] |= pages[page * Type2Memory.pageSize + 2]
    }
    store(data, page: page)
    return .acknowledge
  }

  mutating func endSession() {
    sector = 0
    awaitsSector = false
  }

  mutating func execute(_ command: [UInt8]) -> Type2Answer {
    if awaitsSector {
      awaitsSector = false
      return finishSectorSelect(command)
    }
    switch (command.first, command.count) {
    case (Type2Command.getVersion, 1): return .data(product.version)
    case (Type2Command.read, 2):
      let start = Int(command[1])
      guard page(start) != nil else { return .refusal(.invalidArgument) }
      return .data(bytes(start...(start + 3)))
    case (Type2Command.fastRead, 3):
      let (start, end) = (Int(command[1]), Int(command[2]))
      guard start <= end, page(start) != nil, page(end) != nil
      else { return .refusal(.invalidArgument) }
      return .data(bytes(start...end))
    case (Type2Command.sectorSelect, 2) where command[1] == Type2Command.sectorSelectArgument:
      awaitsSector = true
      activation.expectsData = true
      return .acknowledge
    case (Type2Command.write, _): return executeBasic(command)
    default: return .refusal(.invalidArgument)
    }
  }

  private func bytes(_ addresses: ClosedRange<Int>) -> [UInt8] {
    addresses.flatMap { page($0) ?? [UInt8](repeating: 0, count: Type2Memory.pageSize) }
  }

  /// Silence is the consent. A sector without a page is refused, which the data sheet leaves open.
  private mutating func finishSectorSelect(_ command: [UInt8]) -> Type2Answer {
    guard command.count == Type2Memory.pageSize, product.sectors.contains(Int(command[0]))
    else { return .refusal(.invalidArgument) }
    sector = Int(command[0])
    return .silence
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

  /// As the chip leaves the factory.
  var dataArea: Type2DataArea {
    Type2DataArea(capabilityContainer: [0xE1, 0x10, self == .nt3h1101 ? 0x6D : 0xEA, 0x00])
  }

  var defaultUID: [UInt8] {
    [0x04, self == .nt3h1101 ? 0x5A : 0x7C, 0x13, 0xB2, 0xD8, 0x40, 0x81]
  }
}

extension VirtualTag {
  /// An NTAG I²C 1K (NT3H1101), 888 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: Makes no difference: it leaves the factory formatted.
  public static func ntagI2C1K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAGI2C(.nt3h1101, uid: uid, formatted: formatted))
  }

  /// An NTAG I²C 1K (NT3H1101) with an NDEF message of up to 868 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntagI2C1K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAGI2C(.nt3h1101, uid: uid, ndef: ndef))
  }

  /// An NTAG I²C 2K (NT3H1201), 1904 bytes of user memory, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: Makes no difference: it leaves the factory formatted.
  public static func ntagI2C2K(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(NTAGI2C(.nt3h1201, uid: uid, formatted: formatted))
  }

  /// An NTAG I²C 2K (NT3H1201) with an NDEF message of up to 1868 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ntagI2C2K(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try NTAGI2C(.nt3h1201, uid: uid, ndef: ndef))
  }
}
