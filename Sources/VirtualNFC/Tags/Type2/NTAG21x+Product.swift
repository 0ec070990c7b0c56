extension NTAG21x {
  /// The chips of the family. The raw value is the name that `nfc --virtual` accepts.
  @nonexhaustive
  public enum Product: String, CaseIterable, Sendable {
    /// NTAG210: 20 pages.
    case ntag210
    /// NTAG212: 41 pages.
    case ntag212
    /// NTAG213: 45 pages.
    case ntag213
    /// NTAG215: 135 pages.
    case ntag215
    /// NTAG216: 231 pages.
    case ntag216
  }
}

extension NTAG21x.Product {
  /// The number of all pages, including the configuration.
  var pageCount: Int { configurationPage + 4 }

  /// The page of CFG0; CFG1, PWD and PACK follow it.
  var configurationPage: Int {
    switch self {
    case .ntag210: 0x10
    case .ntag212: 0x25
    case .ntag213: 0x29
    case .ntag215: 0x83
    case .ntag216: 0xE3
    }
  }

  /// The page of the dynamic lock bytes, before the configuration; NTAG210 has none.
  private var dynamicLockPage: Int? { self == .ntag210 ? nil : configurationPage - 1 }

  var lastUserPage: Int { (dynamicLockPage ?? configurationPage) - 1 }

  var lockMap: LockMap { Self.lockMaps[self] ?? .static }

  private static let lockMaps: [Self: LockMap] = allCases.reduce(into: [:]) { maps, product in
    guard let page = product.dynamicLockPage else { return }
    let granularity = product == .ntag215 || product == .ntag216 ? 16 : 2
    maps[product] =
      .static + .dynamic(page: page, granularity: granularity, last: product.lastUserPage)
  }

  /// Whether the chip has the counter and its mirror; the two small ones do not.
  var hasCounter: Bool { self != .ntag210 && self != .ntag212 }

  /// The answer to GET_VERSION: NTAG213/215/216 rev. 3.2, table 28; NTAG210/212 rev. 3.0, table 20.
  var version: [UInt8] {
    let subtype: UInt8 = hasCounter ? 0x02 : 0x01
    let storageSize: UInt8 =
      switch self {
      case .ntag210: 0x0B
      case .ntag212: 0x0E
      case .ntag213: 0x0F
      case .ntag215: 0x11
      case .ntag216: 0x13
      }
    return [0x00, 0x04, 0x04, subtype, 0x01, 0x00, storageSize, 0x03]
  }

  /// The data area on delivery: NTAG213/215/216 rev. 3.2, tables 6 to 8. NTAG212 and NTAG213 have a lock
  /// control TLV, because their dynamic lock bits are not at the default location.
  var dataArea: Type2DataArea {
    switch self {
    case .ntag210: Type2DataArea(capabilityContainer: [0xE1, 0x10, 0x06, 0x00])
    case .ntag212:
      Type2DataArea(
        capabilityContainer: [0xE1, 0x10, 0x10, 0x00], controlTLVs: [0x01, 0x03, 0x90, 0x0A, 0x34])
    case .ntag213:
      Type2DataArea(
        capabilityContainer: [0xE1, 0x10, 0x12, 0x00], controlTLVs: [0x01, 0x03, 0xA0, 0x0C, 0x34])
    case .ntag215: Type2DataArea(capabilityContainer: [0xE1, 0x10, 0x3E, 0x00])
    case .ntag216: Type2DataArea(capabilityContainer: [0xE1, 0x10, 0x6D, 0x00])
    }
  }

  /// Dynamic lock bytes and configuration on delivery, by page: nothing locked, no mirror, AUTH0 FF,
  /// password FFFFFFFF, acknowledge 0000.
  ///
  /// The last byte of the lock page reads BD. The value 05 in CFG1 is reserved; all chips have it.
  var factoryConfiguration: [Int: [UInt8]] {
    // STRG_MOD_EN is set; for NTAG210 and NTAG212 that is not confirmed.
    var content: [Int: [UInt8]] = [
      configurationPage: [0x04, 0x00, 0x00, 0xFF],
      configurationPage + 1: [0x00, 0x05, 0x00, 0x00],
      configurationPage + 2: [0xFF, 0xFF, 0xFF, 0xFF],
    ]
    if let dynamicLockPage { content[dynamicLockPage] = [0x00, 0x00, 0x00, 0xBD] }
    return content
  }

  /// The default UID. Those of NTAG213, NTAG215 and NTAG216 are UIDs of real chips with published
  /// signatures.
  var defaultUID: [UInt8] {
    switch self {
    case .ntag210: [0x04, 0x3F, 0x71, 0xD2, 0x8A, 0x59, 0x80]
    case .ntag212: [0x04, 0x6B, 0x2C, 0x9A, 0xE1, 0x4D, 0x80]
    case .ntag213: [0x04, 0xE1, 0x0C, 0xDA, 0x99, 0x3C, 0x80]
    case .ntag215: [0x04, 0xDB, 0x0B, 0xDA, 0x99, 0x3C, 0x80]
    case .ntag216: [0x04, 0xA7, 0x8B, 0x62, 0xC2, 0x1B, 0x90]
    }
  }
}
