import SwiftNFCCore

/// The configuration memory of an NTAG 5 link: blocks of 4 bytes, which READ CONFIG and WRITE CONFIG access.
///
/// Source: data sheet NTP53x2 rev. 3.3, 8.1.3. What configures the wired side is stored without effect.
struct NTAG5ConfigurationMemory: Hashable, Sendable {
  /// The blocks with a meaning of their own (table 11).
  enum Block {
    static let signature = 0x00...0x07
    static let header = 0x08
    static let customerID = 0x09
    static let globalHeader = 0x0C
    static let cryptoHeader = 0x0D
    static let authenticationLimit = 0x0E
    /// A key header, then the privileges, for each key.
    static let keyHeaders = 0x10...0x17
    static let keys = 0x20...0x2F
    static let passwords = 0x20...0x26
    static let security = 0x3F
    static let afi = 0x55
    static let dsfid = 0x56
    static let easIdentifier = 0x57
    static let protection = 0x58
    /// Those that SRAM_CONF_PROT protects (8.1.3.23).
    static let protectable = 0x37...0x54
    static let sectionLocks = 0x92...0x93
  }

  static let blockCount = 0xA0
  static let keyCount = 4
  private static let blocksOfKey = 4

  /// A header that is not locked, and one that is: the values of CH, CCH, GCH and of key headers (tables 14, 17,
  /// 18, 20 and 23).
  static let writable: UInt8 = 0x81
  static let locked: UInt8 = 0xE7
  static let disabled: UInt8 = 0xFF
  /// The values of GCH for AES keys (table 18).
  static let globalValues: [UInt8] = [0x81, 0x87, 0xC1, 0xC7, 0xE7]
  /// Those with which the protection of the memory is in force.
  static let protectingValues: Set<UInt8> = [0xC1, 0xC7, 0xE7]
  /// Those that lock the privileges.
  static let privilegeLocks: Set<UInt8> = [0x87, 0xC7, 0xE7]

  private(set) var bytes: [UInt8]

  static let signatureSize = 32

  mutating func setSignature(_ signature: [UInt8]) {
    for (index, byte) in signature.prefix(Self.signatureSize).enumerated() { bytes[index] = byte }
  }

  /// As on delivery; blocks 37, 3E and 3F as read from chips (VivoKey's ntag5sensor).
  init(signature: [UInt8]) {
    bytes = [UInt8](repeating: 0, count: Self.blockCount * 4)
    setSignature(signature)
    self[Block.header] = [Self.writable, 0, 0, 0]
    self[Block.customerID] = [0x00, 0xC0, 0, 0]
    self[Block.globalHeader] = [0, Self.writable, 0, 0]
    self[Block.cryptoHeader] = [0, Self.writable, 0, 0]
    for number in 0..<Self.keyCount { self[Self.headerBlock(number)] = [0, Self.writable, 0, 0] }
    // Privacy and destroy (8.1.3.9).
    self[0x22] = [0x0F, 0x0F, 0x0F, 0x0F]
    self[0x23] = [0x0F, 0x0F, 0x0F, 0x0F]
    self[0x30] = [Self.writable, 0, 0, 0]
    self[0x37] = [0x08, 0x12, 0xFF, 0x00]
    self[0x3E] = [0x54, 0x00, 0x09, 0x02]
    self[Block.security] = [0xA5, 0x00, 0xFF, 0xFF]
    self[Block.protection] = [0xFF, 0x00, 0, 0]
  }

  subscript(block: Int) -> [UInt8] {
    get { Array(bytes[(block * 4)..<(block * 4 + 4)]) }
    set { bytes.replaceSubrange((block * 4)..<(block * 4 + 4), with: newValue) }
  }

  // MARK: Meaning

  static func headerBlock(_ key: Int) -> Int { Block.keyHeaders.lowerBound + 2 * key }

  /// Whether the chip uses AES keys instead of passwords (table 66).
  var usesKeys: Bool { self[Block.security][0] & 0x07 == 0x02 }
  /// Whether block 3F is locked.
  var isSecurityLocked: Bool { self[Block.security][0] >> 5 == 0x02 }
  var globalHeader: UInt8 { self[Block.globalHeader][1] }
  func keyHeader(_ key: Int) -> UInt8 { self[Self.headerBlock(key)][1] }
  func privileges(_ key: Int) -> UInt8 { self[Self.headerBlock(key) + 1][0] }

  /// Returns a key, most significant byte first: block 20 begins with the least significant one (table 26).
  func key(_ number: Int) -> [UInt8] {
    let first = (Block.keys.lowerBound + number * Self.blocksOfKey) * 4
    return bytes[first..<(first + 16)].reversed()
  }

  /// The passwords by their identifiers, in the order of their blocks (tables 27 and 125).
  static let passwords: [ICODEPassword] = [
    .read, .write, .privacy, .destroy, .eas, .areaRead, .areaWrite,
  ]

  var authenticationLimit: Int {
    get { Int(self[Block.authenticationLimit][0]) | Int(self[Block.authenticationLimit][1]) << 8 }
    set {
      self[Block.authenticationLimit] = [UInt8(newValue & 0xFF), UInt8(newValue >> 8), 0, 0]
    }
  }

  /// The first block of the restricted area.
  var areaPointer: Int { Int(self[Block.security][2]) | Int(self[Block.security][3]) << 8 }

  // MARK: Sections

  /// Returns the section of a block, which can be locked as a whole; `nil` for blocks that are reserved (table 11).
  private static func section(_ block: Int) -> Int? {
    switch block {
    case 0x00...0x09, 0x0C...0x0E, 0x10...0x17, 0x20...0x2F: 0
    case 0x30...0x36: 1
    case 0x37: 2
    case 0x38...0x3F: 3
    case 0x55...0x58: 4
    case 0x6A...0x89: 5
    case 0x8A...0x91: 6
    case 0x45...0x54: 7
    case 0x92...0x95: 8
    default: nil
    }
  }

  /// Returns the section of a block in a mode: without AES keys, their blocks are reserved.
  static func section(_ block: Int, usesKeys: Bool) -> Int? {
    let isOfKeys = Block.keyHeaders.contains(block) || (0x27...0x2F).contains(block)
    return isOfKeys && !usesKeys ? nil : section(block)
  }

  /// Whether a section is locked against writing (table 81; section 8 has the last bit of the other byte).
  func isSectionLocked(_ section: Int) -> Bool {
    section < 8
      ? self[Block.sectionLocks.lowerBound][0] >> section & 1 != 0
      : self[Block.sectionLocks.upperBound][0] & 0x80 != 0
  }

  /// Whether a section cannot be read (table 82).
  func isSectionHidden(_ section: Int) -> Bool {
    section < 7 && self[Block.sectionLocks.upperBound][0] >> section & 1 != 0
  }

  /// Returns the key that a block is a part of.
  static func keyNumber(_ block: Int) -> Int? {
    Block.keys.contains(block) ? (block - Block.keys.lowerBound) / blocksOfKey : nil
  }

  /// The headers that have left their first value, and the locks.
  var frozenSettings: IrreversibleState {
    var state = IrreversibleState()
    let headers: [(Int, UInt8)] =
      [
        (Block.header, self[Block.header][0]), (Block.globalHeader, globalHeader),
      ] + (0..<Self.keyCount).map { (Self.headerBlock($0), keyHeader($0)) }
    for (block, value) in headers where value != Self.writable {
      state.add(.configurationLock, place: block, bits: UInt64(value & ~Self.writable))
    }
    if isSecurityLocked { state.add(.configurationLock, place: Block.security) }
    if authenticationLimit == 0xFFFF {
      state.add(.configurationLock, place: Block.authenticationLimit)
    }
    return state
  }
}

extension NTAG5ConfigurationMemory {
  /// The passwords that are stored in the place of keys 0 and 1.
  var passwordValues: [ICODEPassword: [UInt8]] {
    get {
      Dictionary(
        uniqueKeysWithValues: Self.passwords.enumerated().map {
          ($0.element, self[Block.passwords.lowerBound + $0.offset])
        })
    }
    set {
      for (index, password) in Self.passwords.enumerated() {
        if let value = newValue[password] { self[Block.passwords.lowerBound + index] = value }
      }
    }
  }

  /// Stores an active key, and uses keys instead of passwords.
  mutating func install(_ key: NTAG5Link.Key, as number: Int) {
    let first = Block.keys.lowerBound + number * 4
    let value = Array(key.value.reversed())
    for index in 0..<4 { self[first + index] = Array(value[(4 * index)..<(4 * index + 4)]) }
    self[Self.headerBlock(number)] = [0, Self.locked, 0, 0]
    self[Self.headerBlock(number) + 1] = [key.privileges, 0, 0, 0]
    self[Block.security] = [0xA2] + self[Block.security].dropFirst()
  }
}
