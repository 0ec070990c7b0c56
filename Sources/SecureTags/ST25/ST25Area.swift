import NFCCore

/// Who may read and write an area of an ST25DV or ST25TV: RW_PROTECTION (ST25DV data sheet DS10925, 5.6; ST's NFC SDK,
/// ST25DVRegisterRfAiSS and ST25TVRegisterArea1SecurityAttribute).
public enum ST25Access: UInt8, Hashable, Sendable, CaseIterable {
  /// Everyone can read and write.
  case open = 0
  /// Everyone can read; writing requires the password.
  case writePassword = 1
  /// Reading and writing require the password.
  case bothPasswords = 2
  /// Reading requires the password; nobody can write.
  case readPasswordNoWrite = 3

  static let mask: UInt8 = 0x03
}

/// One of the areas that the memory of an ST25DV or ST25TV is divided into.
public struct ST25Area: Hashable, Sendable {
  /// The blocks of the area, counted from the beginning of the memory.
  public var blocks: Range<Int>
  /// The access that the area's register allows.
  public var access: ST25Access
  /// Whether reading is possible whatever the access: true of area 1 of an ST25DV.
  public var canAlwaysBeRead: Bool

  /// Whether reading requires the password of the area.
  public var needsPasswordToRead: Bool {
    !canAlwaysBeRead && (access == .bothPasswords || access == .readPasswordNoWrite)
  }
  /// Whether writing requires the password of the area.
  public var needsPasswordToWrite: Bool { access == .writePassword || access == .bothPasswords }
  /// Whether nobody can write, with or without a password.
  public var isReadOnly: Bool { access == .readPasswordNoWrite }
}

extension ST25Area: CustomStringConvertible {
  /// A text for people.
  public var description: String {
    switch (needsPasswordToRead, needsPasswordToWrite, isReadOnly) {
    case (false, false, false): "read and write"
    case (false, true, _): "read, and write with a password"
    case (true, true, _): "read and write with a password"
    case (true, false, _): "read with a password, never write"
    case (false, false, true): "read only"
    }
  }
}

/// The registers of an ST25DV or ST25TV that divide its memory, and what they mean.
struct ST25Configuration: Hashable, Sendable {
  let chip: ST25Chip
  let blockCount: Int
  /// The values of the registers, in the order of ``ST25Chip/registers``.
  private(set) var values: [UInt8]

  init(chip: ST25Chip, blockCount: Int, values: [UInt8]) {
    self.chip = chip
    self.blockCount = blockCount
    self.values = values
  }

  subscript(register: UInt8) -> UInt8 {
    get {
      let index = Int(register) - Int(chip.registers.lowerBound)
      return values.indices.contains(index) ? values[index] : 0
    }
    set {
      let index = Int(register) - Int(chip.registers.lowerBound)
      if values.indices.contains(index) { values[index] = newValue }
    }
  }

  /// RFA1SS, ENDA1 and ENDA2 of ST25DV; A1SS and A2SS of ST25TV.
  private enum Register {
    static let firstSecurity: UInt8 = 0x04
    static let firstEnd: UInt8 = 0x05
    static let area1: UInt8 = 0x00
    static let area2: UInt8 = 0x01
  }

  /// The position of RW_PROTECTION in a security register of ST25DV; the password's number is below
  /// it.
  private static let accessShift: UInt8 = 2
  private static let passwordMask: UInt8 = 0x03
  /// MEM_ORG of A1SS: the memory is one area.
  private static let singleArea: UInt8 = 0x04
  /// The number of blocks per unit in which the end of an area of ST25DV is counted.
  static let blocksPerUnit = 8
  private static let areaCount = 4

  var isSingle: Bool {
    get { chip == .tv && self[Register.area1] & Self.singleArea != 0 }
    set {
      guard chip == .tv else { return }
      self[Register.area1] =
        newValue ? self[Register.area1] | Self.singleArea : self[Register.area1] & ~Self.singleArea
    }
  }

  /// Returns the register with the access of an area, counted from 0.
  private func securityRegister(_ area: Int) -> UInt8 {
    chip == .dv ? Register.firstSecurity + UInt8(2 * area) : UInt8(area)
  }

  var areas: [ST25Area] {
    var areas: [ST25Area] = []
    var start = 0
    for (index, end) in ends.enumerated() {
      guard end > start else { break }
      areas.append(
        ST25Area(
          blocks: start..<end, access: access(index),
          canAlwaysBeRead: chip == .dv && index == 0))
      start = end
    }
    return areas
  }

  /// The ends of the areas, in blocks.
  private var ends: [Int] {
    switch chip {
    case .tv: isSingle ? [blockCount] : [blockCount / 2, blockCount]
    case .dv:
      (0..<Self.areaCount).map { area in
        guard area < Self.areaCount - 1 else { return blockCount }
        let end = Int(self[Register.firstEnd + UInt8(2 * area)]) + 1
        return min(blockCount, end * Self.blocksPerUnit)
      }
    }
  }

  func access(_ area: Int) -> ST25Access {
    let value = self[securityRegister(area)]
    let bits = chip == .dv ? value >> Self.accessShift : value
    return ST25Access(rawValue: bits & ST25Access.mask) ?? .open
  }

  mutating func setAccess(_ access: ST25Access, _ area: Int) {
    let register = securityRegister(area)
    switch chip {
    case .dv:
      self[register] =
        access == .open
        ? 0 : access.rawValue << Self.accessShift | ST25Chip.areaPassword & Self.passwordMask
    case .tv: self[register] = self[register] & ~ST25Access.mask | access.rawValue
    }
  }

  /// Divides an undivided memory at a block.
  mutating func divide(at block: Int) {
    switch chip {
    case .tv: isSingle = false
    case .dv: self[Register.firstEnd] = UInt8(clamping: block / Self.blocksPerUnit - 1)
    }
  }

  /// Returns the registers in which two configurations differ.
  func changes(to other: ST25Configuration) -> [(register: UInt8, before: UInt8, after: UInt8)] {
    chip.registers.filter { self[$0] != other[$0] }.map { ($0, self[$0], other[$0]) }
  }
}

/// A chip, by its registers and passwords.
enum ST25Chip: Hashable, Sendable {
  /// ST25DV04K, 16K, 64K and their successors KC: four areas, passwords of 8 bytes.
  case dv
  /// ST25TV512 and 02K: one area with a password of 8 bytes, or two of 4 bytes.
  case tv

  static let manufacturer: UInt8 = 0x02
  /// The number of the password of area 1, which every protected area of an ST25DV is assigned to.
  static let areaPassword: UInt8 = 1
  /// The number of the password of area 2 of an ST25TV.
  static let secondAreaPassword: UInt8 = 2

  init?(_ product: TagProduct?) {
    switch product?.id {
    case let id? where id.isST25DV: self = .dv
    // The same registers (ST's NFC SDK, ST25TV64KTag).
    case .st25tv16K, .st25tv64K: self = .dv
    case .st25tv02K, .st25tv512: self = .tv
    default: return nil
    }
  }

  /// RFA1SS to RFA4SS with the ends between them; A1SS and A2SS.
  var registers: ClosedRange<UInt8> { self == .dv ? 0x04...0x0A : 0x00...0x01 }

  /// ST25DV: RF_PWD_0; ST25TV: password 3.
  var configurationPassword: UInt8 { self == .dv ? 0 : 3 }

  /// Whether passwords are sent masked with a random number, as on ST25TV.
  var coversPasswords: Bool { self == .tv }

  enum Code {
    static let readConfiguration: UInt8 = 0xA0
    static let writeConfiguration: UInt8 = 0xA1
    static let writePassword: UInt8 = 0xB1
    static let presentPassword: UInt8 = 0xB3
    static let getRandomNumber: UInt8 = 0xB4
  }
}
