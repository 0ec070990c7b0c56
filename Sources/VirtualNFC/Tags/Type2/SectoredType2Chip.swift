/// The common part of NTAG I²C and NTAG I²C plus: sectors of 256 pages, selected by SECTOR_SELECT; READ
/// without roll-over; a configuration with a volatile copy, the session registers, in sector 3 (data
/// sheets NT3H1101/NT3H1201 and NT3H2111/NT3H2211, sections 8 and 10).
protocol SectoredType2Chip: Type2Chip {
  var sectors: SectorSelection { get set }
  /// The sectors that can currently be selected.
  var selectableSectors: Set<Int> { get }
  /// The answer to GET_VERSION.
  var versionAnswer: [UInt8] { get }
  /// The first of the two pages of the configuration, counted through all sectors.
  var configurationPage: Int { get }
  /// The volatile copy of the configuration that is in effect; it is created at power-up.
  var sessionRegisters: [UInt8] { get set }
  /// Returns the four bytes at an address of the current sector; `nil` for a page that does not exist or
  /// cannot be read.
  func page(_ address: Int) -> [UInt8]?
}

/// The sector that commands address.
struct SectorSelection: Hashable, Sendable {
  static let pageCount = 256
  /// The sector of the session registers.
  static let session = 3

  /// The current sector, 0 after each selection.
  var current = 0
  /// Whether the second half of SECTOR_SELECT is pending.
  var isAwaited = false

  /// Returns the page at an address of the current sector, counted through all sectors.
  func page(_ address: Int) -> Int { current * Self.pageCount + address }
}

/// The configuration registers of both families (NT3H1101/NT3H1201 data sheet, tables 13 and 14).
enum SectoredConfiguration {
  /// The configuration on delivery: NC_REG, LAST_NDEF_BLOCK, SRAM_MIRROR_BLOCK, WDT_LS, WDT_MS,
  /// I2C_CLOCK_STR, REG_LOCK, reserved.
  static let factory: [UInt8] = [0x01, 0x00, 0xF8, 0x48, 0x08, 0x01, 0x00, 0x00]
  /// The index of REG_LOCK in the configuration, and of NS_REG in the session registers.
  static let lockRegister = 6
  static let lockedFromNFC: UInt8 = 0x01
  static let lockMask: UInt8 = 0x03
  /// RF_LOCKED and RF_FIELD_PRESENT of NS_REG: a command from the NFC side takes the memory, so that this side always
  /// reads both (community.nxp.com, thread 528309: FAST_READ of an NT3H2111 on NXP's board).
  static let statusFromNFC: UInt8 = 0x21

  /// Returns the beginning of a chip's memory: the UID without check bytes, then SAK and ATQA.
  static func identity(_ uid: [UInt8]) -> [UInt8] { uid + [0x00, 0x44, 0x00] }
}

extension SectoredType2Chip {
  var readEnd: Int { SectorSelection.pageCount }
  var identityLength: Int { 10 }

  var lockRegister: UInt8 {
    pages[configurationPage * Type2Memory.pageSize + SectoredConfiguration.lockRegister]
  }

  /// The configuration that REG_LOCK has closed permanently.
  var frozenConfiguration: IrreversibleState {
    var state = IrreversibleState()
    state.add(
      .configurationLock, place: configurationPage + 1,
      bits: UInt64(lockRegister & SectoredConfiguration.lockMask))
    return state
  }

  /// Returns whether a page of the configuration can no longer be written from the NFC side.
  func isConfigurationClosed(_ page: Int) -> Bool {
    (configurationPage...configurationPage + 1).contains(page)
      && lockRegister & SectoredConfiguration.lockedFromNFC != 0
  }

  mutating func loadSessionRegisters() {
    let first = configurationPage * Type2Memory.pageSize
    sessionRegisters = Array(pages[first..<first + 2 * Type2Memory.pageSize])
    // NS_REG has the place of REG_LOCK.
    sessionRegisters[SectoredConfiguration.lockRegister] = SectoredConfiguration.statusFromNFC
  }

  /// Returns one of the two pages of the session registers, from the address of the first one.
  func sessionPage(_ address: Int, from first: Int) -> [UInt8]? {
    guard (first...first + 1).contains(address) else { return nil }
    let offset = (address - first) * Type2Memory.pageSize
    return Array(sessionRegisters[offset..<offset + Type2Memory.pageSize])
  }

  func memoryPage(_ page: Int) -> [UInt8] {
    let first = page * Type2Memory.pageSize
    return Array(pages[first..<first + Type2Memory.pageSize])
  }

  /// Writes a page, counted through all sectors. REG_LOCK can be set, but not cleared.
  mutating func storeKeepingLocks(_ data: [UInt8], page: Int) {
    var data = data
    if page == configurationPage + 1 {
      data[SectoredConfiguration.lockRegister - Type2Memory.pageSize] |= lockRegister
    }
    store(data, page: page)
  }

  /// Returns the answer to a command that both families support; `nil` for any other.
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

  /// Returns the bytes of these pages, with zeros for pages that do not exist.
  private func bytes(_ addresses: ClosedRange<Int>) -> [UInt8] {
    addresses.flatMap { page($0) ?? [UInt8](repeating: 0, count: Type2Memory.pageSize) }
  }

  /// Executes the second half of SECTOR_SELECT. Silence is the acknowledge. A sector without pages is
  /// refused, which the data sheets do not specify.
  private mutating func finishSectorSelect(_ command: [UInt8]) -> Type2Answer {
    guard command.count == Type2Memory.pageSize, selectableSectors.contains(Int(command[0])) else {
      return .refusal(.invalidArgument)
    }
    sectors.current = Int(command[0])
    return .silence
  }
}
