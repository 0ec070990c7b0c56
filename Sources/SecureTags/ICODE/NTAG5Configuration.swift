import SwiftNFCCore

/// What an NTAG 5 link or boost requires of its readers: passwords or AES keys, the keys' states and privileges, and
/// what is locked.
///
/// Source: data sheet NTP53x2 rev. 3.3, 8.1.3. Not tried on hardware.
public struct NTAG5Configuration: Hashable, Sendable {
  /// The kind of secret that the chip uses (table 66).
  public enum Security: Hashable, Sendable {
    /// The passwords of an ICODE SLIX2. Until they are hidden, anyone can read them; see
    /// ``ICODETag/hidePasswordsPermanently(current:)``.
    case passwords
    /// Four AES keys.
    case keys
  }

  /// Whether the protection of the memory is in force where the chip uses keys: the global crypto header (table 18).
  /// It only rises.
  public enum Access: UInt8, Hashable, Sendable, CaseIterable {
    /// Everything is open, whatever the division of the memory requires. So it is on delivery.
    case open = 0x81
    /// Everything is open, and no privileges can be changed.
    case openWithPrivilegesLocked = 0x87
    /// What the division of the memory requires is in force.
    case protected = 0xC1
    /// The same, and no privileges can be changed.
    case protectedWithPrivilegesLocked = 0xC7
    /// The same, and no key, privilege or state of a key can be changed.
    case locked = 0xE7

    /// Returns whether the chip can get from this value to another. That nothing is unlocked on the way is the
    /// stricter reading of "from lower state to higher" (8.1.3.4).
    func rises(to other: Access) -> Bool { other.rawValue & rawValue == rawValue }
  }

  /// The state of an AES key (table 23).
  public enum KeyState: UInt8, Hashable, Sendable {
    /// The key cannot be used. Anyone can read and replace it. So it is on delivery.
    case inactive = 0x81
    /// The key can be used, and can neither be read nor changed.
    case active = 0xE7
    /// The key can never be used.
    case disabled = 0xFF
  }

  /// An AES key, without its value.
  public struct Key: Hashable, Sendable {
    /// Whether it can be used.
    public var state: KeyState
    /// What a reader that proves the key may do.
    public var privileges: NTAG5Privileges
  }

  /// The kind of secret that the chip uses, or will use once the field has been off.
  public var security: Security
  /// Whether the kind of secret can never be changed again.
  public var isSecurityLocked: Bool
  /// The four AES keys; empty if the chip uses passwords, or keys only after the field has been off.
  public var keys: [Key]
  /// Whether the protection of the memory is in force; with passwords, only ``Access/open`` and ``Access/locked``,
  /// which hides them.
  public var access: Access
  /// The number of authentications that the chip accepts before it requires a mutual one, successful ones included;
  /// `nil` without limit.
  public var authenticationsLeft: Int?
  /// Whether changing the limit requires a key with ``NTAG5Privileges/cryptoConfiguration``.
  public var isLimitLocked: Bool

  // MARK: Blocks

  /// The blocks in the configuration memory (table 11).
  enum Block {
    static let (globalHeader, cryptoHeader, limit): (UInt8, UInt8, UInt8) = (0x0C, 0x0D, 0x0E)
    static let security: UInt8 = 0x3F
    /// From the global header to the privileges of the last key.
    static let headers = globalHeader...0x17

    static func header(_ key: Int) -> UInt8 { 0x10 + UInt8(2 * key) }
    static func privileges(_ key: Int) -> UInt8 { header(key) + 1 }
    static func key(_ number: Int) -> UInt8 { 0x20 + UInt8(number * blocksOfKey) }
  }

  static let blockSize = 4
  static let blocksOfKey = 4

  /// The bits of DEV_SEC_CONFIG (table 66).
  enum SecurityByte {
    static let mode: UInt8 = 0x07
    static let (keys, passwords): (UInt8, UInt8) = (0x02, 0x05)
    static let lock: UInt8 = 0xE0
    static let locked: UInt8 = 0x40
  }

  /// The bits of NFC_AUTH_LIMIT, and the value from which on a mutual authentication is required (8.1.3.6).
  enum Limit {
    static let isOn = 0x8000
    static let last = 0xFF00
    /// The numbers of authentications that can be set.
    static let counts = 1...(last - isOn)
  }

  private static let locked: UInt8 = 0xE7

  /// Decodes blocks 0C to 17, and block 3F.
  ///
  /// - Throws: `tagResponseError` for another number of bytes, and for values that the data sheet calls invalid.
  init(headers: [UInt8], security block: [UInt8]) throws {
    guard headers.count == Block.headers.count * Self.blockSize, block.count == Self.blockSize
    else { throw NFCError(.tagResponseError, "the tag's configuration is incomplete") }
    func byte(_ number: UInt8, _ index: Int) -> UInt8 {
      headers[Int(number - Block.headers.lowerBound) * Self.blockSize + index]
    }
    switch block[0] & SecurityByte.mode {
    case SecurityByte.keys: security = .keys
    case SecurityByte.passwords: security = .passwords
    default: throw Self.unknown("kind of secret")
    }
    isSecurityLocked = block[0] & SecurityByte.lock == SecurityByte.locked
    guard let access = Access(rawValue: byte(Block.globalHeader, 1)) else {
      throw Self.unknown("global crypto header")
    }
    self.access = access
    isLimitLocked = byte(Block.cryptoHeader, 1) == Self.locked
    let limit = Int(byte(Block.limit, 0)) | Int(byte(Block.limit, 1)) << 8
    authenticationsLeft = limit & Limit.isOn == 0 ? nil : max(0, Limit.last - limit)
    // With passwords, these blocks are reserved, and read as zeros (8.1.3).
    let states = ICODETag.keyNumbers.map { byte(Block.header($0), 1) }
    guard states.contains(where: { $0 != 0 }) else {
      keys = []
      return
    }
    keys = try states.enumerated().map { number, value in
      guard let state = KeyState(rawValue: value) else { throw Self.unknown("header of a key") }
      return Key(
        state: state, privileges: NTAG5Privileges(rawValue: byte(Block.privileges(number), 0)))
    }
  }

  private static func unknown(_ what: String) -> NFCError {
    NFCError(.tagResponseError, "the \(what) in the tag's configuration has an unknown value")
  }
}

/// What a reader may do after it has proved an AES key of an NTAG 5 (data sheet NTP53x2 rev. 3.3, table 25).
public struct NTAG5Privileges: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Reading protected memory.
  public static let read = NTAG5Privileges(rawValue: 0x01)
  /// Writing protected memory.
  public static let write = NTAG5Privileges(rawValue: 0x02)
  /// Turning privacy mode on and off.
  public static let privacy = NTAG5Privileges(rawValue: 0x04)
  /// Destroying the chip.
  public static let destroy = NTAG5Privileges(rawValue: 0x08)
  /// Changing article surveillance and AFI.
  public static let surveillance = NTAG5Privileges(rawValue: 0x10)
  /// Changing the limit of authentications.
  public static let cryptoConfiguration = NTAG5Privileges(rawValue: 0x20)
  /// Reading the restricted area of the memory.
  public static let areaRead = NTAG5Privileges(rawValue: 0x40)
  /// Writing the restricted area of the memory.
  public static let areaWrite = NTAG5Privileges(rawValue: 0x80)
}

extension NTAG5Privileges: CustomStringConvertible {
  /// A text for people: `none`, or what is allowed.
  public var description: String {
    let names: [(NTAG5Privileges, String)] = [
      (.read, "read"), (.write, "write"), (.privacy, "privacy"), (.destroy, "destroy"),
      (.surveillance, "EAS and AFI"), (.cryptoConfiguration, "authentication limit"),
      (.areaRead, "read the restricted area"), (.areaWrite, "write the restricted area"),
    ]
    let words = names.filter { contains($0.0) }.map(\.1)
    return words.isEmpty ? "none" : words.joined(separator: ", ")
  }
}
