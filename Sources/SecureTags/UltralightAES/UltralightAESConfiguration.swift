import SwiftNFCCore

/// The settings of a MIFARE Ultralight AES: pages 29h and 2Ah, and the locks of its keys in page 2Dh.
///
/// Sources: libpretixnfc (`MifareUltralightAesConfigChange`), Proxmark3 (`ulaes_print_configuration`), Unleashed
/// Firmware, which cites data sheet MF0AES(H)20, tables 7 to 15.
public struct UltralightAESConfiguration: Hashable, Sendable {
  static let firstPage: UInt8 = 0x29
  static let accessPage: UInt8 = 0x2A
  static let keyLockPage: UInt8 = 0x2D
  static let pageSize = 4
  static let pageCount = 60
  /// The value of AUTH0 for no page: one after the last page.
  private static let noPage = UInt8(pageCount)

  private enum Security {
    static let randomIdentifier: UInt8 = 0x01
    static let secureMessaging: UInt8 = 0x02
  }

  private enum Access {
    static let protectsReading: UInt8 = 0x80
    static let isLocked: UInt8 = 0x40
    static let counterIncrements: UInt8 = 0x08
    static let counterReads: UInt8 = 0x04
    static let highLimit: UInt8 = 0x03
  }

  private enum KeyLock {
    static let first: UInt8 = 0x40
    static let second: UInt8 = 0x80
    static let frozen: UInt8 = 0x20
  }

  /// Pages 29h to 2Dh.
  private(set) var bytes: [UInt8]

  /// Decodes the answer to READ of page 29h, and the pages after it as far as they are known; `nil` for
  /// fewer than two pages.
  init?(_ bytes: [UInt8]) {
    let all = (Int(Self.keyLockPage - Self.firstPage) + 1) * Self.pageSize
    guard bytes.count >= 2 * Self.pageSize else { return nil }
    self.bytes = Array(bytes.prefix(all)) + [UInt8](repeating: 0, count: max(0, all - bytes.count))
  }

  func page(_ number: UInt8) -> [UInt8] {
    let first = Int(number - Self.firstPage) * Self.pageSize
    return Array(bytes[first..<first + Self.pageSize])
  }

  private func bit(_ mask: UInt8, _ index: Int) -> Bool { bytes[index] & mask != 0 }

  private mutating func setBit(_ mask: UInt8, _ index: Int, _ value: Bool) {
    if value { bytes[index] |= mask } else { bytes[index] &= ~mask }
  }

  private static let accessIndex = pageSize
  private static let keyLockIndex = Int(keyLockPage - firstPage) * pageSize

  /// RID_ACT: the tag shows a random UID, and returns its own only after an authentication with the
  /// second key.
  public internal(set) var hidesIdentifier: Bool {
    get { bit(Security.randomIdentifier, 0) }
    set { setBit(Security.randomIdentifier, 0, newValue) }
  }

  /// SEC_MSG_ACT: after an authentication, every command and answer has a MAC.
  public internal(set) var securesMessages: Bool {
    get { bit(Security.secureMessaging, 0) }
    set { setBit(Security.secureMessaging, 0, newValue) }
  }

  /// AUTH0: the first page that requires the first key; `nil` if none does.
  public internal(set) var firstProtectedPage: Int? {
    get { bytes[3] < Self.noPage ? Int(bytes[3]) : nil }
    set { bytes[3] = newValue.map { UInt8(clamping: $0) } ?? Self.noPage }
  }

  /// PROT: reading requires the key as well as writing.
  public internal(set) var protectsReading: Bool {
    get { bit(Access.protectsReading, Self.accessIndex) }
    set { setBit(Access.protectsReading, Self.accessIndex, newValue) }
  }

  /// CFGLCK: pages 29h and 2Ah can never be changed again.
  public internal(set) var isLocked: Bool {
    get { bit(Access.isLocked, Self.accessIndex) }
    set { setBit(Access.isLocked, Self.accessIndex, newValue) }
  }

  /// CNT_INC_EN: counter 2 can be increased without a key.
  public var incrementsCounterFreely: Bool { bit(Access.counterIncrements, Self.accessIndex) }

  /// CNT_RD_EN: counter 2 can be read without a key.
  public var readsCounterFreely: Bool { bit(Access.counterReads, Self.accessIndex) }

  /// AUTH_LIM: the number of wrong keys that the tag accepts; `nil` for any number.
  public internal(set) var attemptLimit: Int? {
    get {
      let limit =
        Int(bytes[Self.accessIndex + 2])
        | Int(bytes[Self.accessIndex + 3] & Access.highLimit) << 8
      return limit == 0 ? nil : limit
    }
    set {
      let limit = newValue ?? 0
      bytes[Self.accessIndex + 2] = UInt8(truncatingIfNeeded: limit)
      bytes[Self.accessIndex + 3] =
        bytes[Self.accessIndex + 3] & ~Access.highLimit
        | UInt8(truncatingIfNeeded: limit >> 8) & Access.highLimit
    }
  }

  /// The keys that can never be changed again.
  public var lockedKeys: Set<UltralightAESTag.KeyNumber> {
    var keys: Set<UltralightAESTag.KeyNumber> = []
    if bit(KeyLock.first, Self.keyLockIndex) { keys.insert(.dataProtection) }
    if bit(KeyLock.second, Self.keyLockIndex) { keys.insert(.identifierRetrieval) }
    return keys
  }

  /// Whether ``lockedKeys`` can never change again.
  public var areKeyLocksFrozen: Bool { bit(KeyLock.frozen, Self.keyLockIndex) }
}
