/// What NTAG I²C and NTAG I²C plus have in common: sectors of 256 pages, chosen by SECTOR_SELECT; READ that does not
/// roll over; a configuration with a volatile copy, the session registers, in sector 3 (data sheets NT3H1101/NT3H1201
/// and NT3H2111/NT3H2211, sections 8 and 10).
protocol SectoredType2Chip: Type2Chip {
  var sectors: SectorSelection { get set }
  /// Those that can be chosen now.
  var selectableSectors: Set<Int> { get }
  /// The answer to GET_VERSION.
  var versionAnswer: [UInt8] { get }
  /// The first of the two pages of the configuration, counted through all sectors.
  var configurationPage: Int { get }
  /// The volatile copy of the configuration that works; it is made at power-up.
  var sessionRegisters: [UInt8] { get set }
  /// The four bytes at an address of the present sector; `nil` where there are none, or none to be read.
  func page(_ address: Int) -> [UInt8]?
}

/// Which sector commands address.
struct SectorSelection: Hashable, Sendable {
  static let pageCount = 256
  /// The sector of the session registers.
  static let session = 3

  /// 0 after each selection.
  var current = 0
  /// Whether SECTOR_SELECT waits for its second half.
  var isAwaited = false

  /// An address of the present sector, counted through all sectors.
  func page(_ address: Int) -> Int { current * Self.pageCount + address }
}

/// The configuration registers of both families (NT3H1101/NT3H1201 data sheet, tables 13 and 14).
enum SectoredConfiguration {
  /// NC_REG, LAST_NDEF_BLOCK, SRAM_MIRROR_BLOCK, WDT_LS, WDT_MS, I2C_CLOCK_STR, REG_LOCK, reserved.
  static let factory: [UInt8] = [0x01, 0x00, 0xF8, 0x48, 0x08, 0x01, 0x00, 0x00]
  /// REG_LOCK in the configuration, NS_REG among the session registers.
  static let lockRegister = 6
  static let lockedFromNFC: UInt8 = 0x01
  static let lockMask: UInt8 = 0x03
  /// RF_FIELD_PRESENT of NS_REG.
  static let fieldIsPresent: UInt8 = 0x01

  /// The first pages of a chip: no check bytes, the UID at a stretch, then SAK and ATQA.
  static func identity(_ uid: [UInt8]) -> [UInt8] { uid + [0x00, 0x44, 0x00] }
}

extension SectoredType2Chip {
  var readEnd: Int { SectorSelection.pageCount }
  var identityLength: Int { 10 }

  var lockRegister: UInt8 {
    pages[configurationPage * Type2Memory.pageSize + SectoredConfiguration.lockRegister]
  }

  /// What REG_LOCK has closed for good.
  var frozenConfiguration: IrreversibleState {
    var state = IrreversibleState()
    state.add(
      .configurationLock, place: configurationPage + 1,
      bits: UInt64(lockRegister & SectoredConfiguration.lockMask))
    return state
  }

  /// Whether a page of the configuration can no longer be written from the NFC side.
  func isConfigurationClosed(_ page: Int) -> Bool {
    (configurationPage...configurationPage + 1).contains(page)
      && lockRegister & SectoredConfiguration.lockedFromNFC != 0
  }

  mutating func loadSessionRegisters() {
    let first = configurationPage * Type2Memory.pageSize
    sessionRegisters = Array(pages[first..<first + 2 * Type2Memory.pageSize])
    // Instead of REG_LOCK stands NS_REG.
    sessionRegisters[SectoredConfiguration.lockRegister] = SectoredConfiguration.fieldIsPresent
  }

  /// One of the two pages of the session registers, from the address where they begin.
  func sessionPage(_ address: Int, from first: Int) -> [UInt8]? {
    guard (first...first + 1).contains(address) else { return nil }
    let offset = (address - first) * Type2Memory.pageSize
    return Array(sessionRegisters[offset..<offset + Type2Memory.pageSize])
  }

  func memoryPage(_ page: Int) -> [UInt8] {
    let first = page * Type2Memory.pageSize
    return Array(pages[first..<first + Type2Memory.pageSize])
  }

  /// Writes a page, counted through all sectors. REG_LOCK can be set and not cleared.
  mutating func storeKeepingLocks(_ data: [UInt8], page: Int) {
    var data = data
    if page == configurationPage + 1 {
      data[SectoredConfiguration.lockRegister - Type2Memory.pageSize] |= lockRegister
    }
    store(data, page: page)
  }

  /// The answer to a command that both families know; `nil` to any other.
  mutating func executeSectored(_ command: [UInt8]) -> Type2Answer? {
    if sectors.isAwaited {
      sectors.isAwaited = false
      return finishSectorSelect(command)
    }
    switch (command.first, command.count) {
    case (Type2Command.getVersion, 1): return .data(versionAnswer)
    case (Type2Command.read, 2):
      let start = Int(command[1])
      guard page(start) != nil else { return .refusal(.invalidArgument) }
      return .data(bytes(start...start + 3))
    case (Type2Command.fastRead, 3):
      let (start, end) = (Int(command[1]), Int(command[2]))
      guard start <= end, page(start) != nil, page(end) != nil else {
        return .refusal(.invalidArgument)
      }
      return .data(bytes(start...end))
    case (Type2Command.sectorSelect, 2) where command[1] == Type2Command.sectorSelectArgument:
      sectors.isAwaited = true
      activation.expectsData = true
      return .acknowledge
    default: return nil
    }
  }

  /// Zeros where there is nothing.
  private func bytes(_ addresses: ClosedRange<Int>) -> [UInt8] {
    addresses.flatMap { page($0) ?? [UInt8](repeating: 0, count: Type2Memory.pageSize) }
  }

  /// Silence is the consent. A sector without a page is refused, which the data sheets leave open.
  private mutating func finishSectorSelect(_ command: [UInt8]) -> Type2Answer {
    guard command.count == Type2Memory.pageSize, selectableSectors.contains(Int(command[0])) else {
      return .refusal(.invalidArgument)
    }
    sectors.current = Int(command[0])
    return .silence
  }
}
