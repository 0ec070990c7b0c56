import SwiftNFCCore

/// A register of the configuration: its pointer, or its feature and its parameter on an ST25TV512C and 02KC.
struct ST25Register: Hashable, Sendable {
  /// The bytes that name it in READ CONFIGURATION and WRITE CONFIGURATION.
  let address: [UInt8]

  init(_ address: UInt8...) { self.address = address }
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

  subscript(register: ST25Register) -> UInt8 {
    get {
      guard let index = chip.registers.firstIndex(of: register), values.indices.contains(index)
      else { return 0 }
      return values[index]
    }
    set {
      guard let index = chip.registers.firstIndex(of: register), values.indices.contains(index)
      else { return }
      values[index] = newValue
    }
  }

  /// The position of RW_PROTECTION in a security register of ST25DV; the password's number is below
  /// it.
  private static let accessShift: UInt8 = 2
  private static let passwordMask: UInt8 = 0x03
  /// MEM_ORG of A1SS: the memory is one area.
  private static let singleArea: UInt8 = 0x04
  /// The number of blocks per unit in which the end of an area of ST25DV is counted.
  private static let blocksPerUnit = 8
  private static let areaCount = 4

  /// The number of blocks of which the beginning of a new area is a multiple; `nil` if it has one place only.
  var unit: Int? {
    switch chip {
    case .dv: Self.blocksPerUnit
    case .tv: nil
    case .tvc: 1
    }
  }

  /// Whether the memory is one area with a password of 8 bytes, where two have 4 each.
  var isSingle: Bool {
    switch chip {
    case .dv: false
    case .tv: self[.area1] & Self.singleArea != 0
    // END_A1 may be beyond the end (ST's application NFC Tap, which limits it).
    case .tvc: Int(self[.end1]) >= blockCount - 1
    }
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
    case .tvc: isSingle ? [blockCount] : [Int(self[.end1]) + 1, blockCount]
    case .dv:
      (0..<Self.areaCount).map { area in
        guard area < Self.areaCount - 1 else { return blockCount }
        let end = Int(self[.end(area)]) + 1
        return min(blockCount, end * Self.blocksPerUnit)
      }
    }
  }

  /// Returns the register with the access of an area, counted from 0.
  private func securityRegister(_ area: Int) -> ST25Register {
    switch chip {
    case .dv: .security(area)
    case .tv: area == 0 ? .area1 : .area2
    case .tvc: area == 0 ? .protection1 : .protection2
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
    case .tv, .tvc: self[register] = self[register] & ~ST25Access.mask | access.rawValue
    }
  }

  /// Divides an undivided memory at a block.
  mutating func divide(at block: Int) {
    switch chip {
    case .dv: self[.end(0)] = UInt8(clamping: block / Self.blocksPerUnit - 1)
    case .tv: self[.area1] = self[.area1] & ~Self.singleArea
    case .tvc: self[.end1] = UInt8(clamping: block - 1)
    }
  }

  /// Joins the two areas of a memory that can be one.
  mutating func join() {
    guard !isSingle else { return }
    switch chip {
    case .dv: return
    case .tv: self[.area1] = self[.area1] | Self.singleArea
    case .tvc: self[.end1] = UInt8(clamping: blockCount - 1)
    }
  }

  /// Returns the registers in which two configurations differ.
  func changes(
    to other: ST25Configuration
  ) -> [(register: ST25Register, before: UInt8, after: UInt8)] {
    chip.registers.filter { self[$0] != other[$0] }.map { ($0, self[$0], other[$0]) }
  }
}

extension ST25Register {
  /// RFA1SS to RFA4SS of ST25DV, counted from 0.
  static func security(_ area: Int) -> ST25Register { ST25Register(0x04 + UInt8(2 * area)) }
  /// ENDA1 to ENDA3 of ST25DV, counted from 0.
  static func end(_ area: Int) -> ST25Register { ST25Register(0x05 + UInt8(2 * area)) }

  /// A1SS and A2SS of ST25TV512 and 02K.
  static let (area1, area2) = (ST25Register(0x00), ST25Register(0x01))

  /// RW_PROTECTION_A1, END_A1 and RW_PROTECTION_A2 of ST25TV512C and 02KC.
  static let (protection1, end1) = (ST25Register(0x00, 0x00), ST25Register(0x00, 0x01))
  static let protection2 = ST25Register(0x01, 0x00)
}

/// A chip, by its registers and passwords.
enum ST25Chip: Hashable, Sendable {
  /// ST25DV04K, 16K, 64K and their successors KC: four areas, passwords of 8 bytes.
  case dv
  /// ST25TV512 and 02K: one area with a password of 8 bytes, or two of 4 bytes.
  case tv
  /// ST25TV512C and 02KC: the same with a boundary at any block, and other registers (ST's library st25tags,
  /// `st25tvc.c`).
  case tvc

  static let manufacturer: UInt8 = 0x02
  /// The number of the password of area 1, which every protected area of an ST25DV is assigned to.
  static let areaPassword: UInt8 = 1
  /// The number of the password of area 2 of an ST25TV.
  static let secondAreaPassword: UInt8 = 2

  init?(_ product: TagProduct?) {
    switch ISO15693Chip(product)?.areaRegisters {
    case .dv: self = .dv
    case .tv: self = .tv
    case .tvc: self = .tvc
    case nil: return nil
    }
  }

  /// RFA1SS to RFA4SS with the ends between them; A1SS and A2SS; RW_PROTECTION and END of the areas.
  var registers: [ST25Register] {
    switch self {
    case .dv:
      [
        .security(0), .end(0), .security(1), .end(1), .security(2), .end(2), .security(3),
      ]
    case .tv: [.area1, .area2]
    case .tvc: [.protection1, .end1, .protection2]
    }
  }

  /// ST25DV: RF_PWD_0; ST25TV: password 3; ST25TV512C and 02KC: password 0.
  var configurationPassword: UInt8 { self == .tv ? 3 : 0 }

  /// Whether passwords are sent masked with a random number, as on ST25TV.
  var coversPasswords: Bool { self != .dv }

  /// Whether the memory is one area with a password of 8 bytes, or two with 4 each.
  var hasJoinedPassword: Bool { self != .dv }

  enum Code {
    static let readConfiguration: UInt8 = 0xA0
    static let writeConfiguration: UInt8 = 0xA1
    static let writePassword: UInt8 = 0xB1
    static let presentPassword: UInt8 = 0xB3
    static let getRandomNumber: UInt8 = 0xB4
  }
}
