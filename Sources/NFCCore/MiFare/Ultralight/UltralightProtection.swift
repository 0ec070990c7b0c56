/// The protection of the pages of an Ultralight EV1 or NTAG21x with a password: NTAG213/215/216
/// data sheet, 8.5.7 and 8.8; MF0ULx1 data sheet, 8.5.7 and 8.6. Descriptions never show the
/// password.
public struct UltralightProtection: Hashable, Sendable {
  /// PWD: four bytes.
  public let password: [UInt8]
  /// PACK: the two bytes with which the tag answers the right password.
  public let passwordAcknowledge: [UInt8]
  /// AUTH0: the first page that requires the password; all later pages do too.
  public let firstPage: Int
  /// PROT: reading requires the password as well as writing.
  public let protectsReading: Bool
  /// AUTHLIM: the number of consecutive wrong passwords that the tag accepts, 1 to 7; `nil` for any
  /// number. After one more, the tag **permanently** accepts no password, not even the right one.
  public let attemptLimit: Int?
  /// NFC_CNT_PWD_PROT of NTAG213, NTAG215 and NTAG216: reading the counter requires the password;
  /// `nil` leaves the setting unchanged.
  public let protectsCounter: Bool?
  /// CFGLCK: nothing of this, except the password, can be changed again. **Cannot be undone.**
  public let locksConfiguration: Bool

  /// The size of a password in bytes.
  public static let passwordSize = 4
  /// The size of a password acknowledge in bytes.
  public static let passwordAcknowledgeSize = 2
  /// The values of AUTHLIM except 0, which means no limit.
  public static let attemptLimits = 1...7

  /// Creates a protection. The acknowledge is zeros unless given, as it is on delivery.
  ///
  /// - Throws: ``NFCError/Code/invalidParameter`` for sizes and numbers that do not fit into the
  ///   tag's settings.
  public init(
    password: [UInt8], passwordAcknowledge: [UInt8] = [0x00, 0x00], firstPage: Int,
    protectsReading: Bool = false,
    attemptLimit: Int? = nil, protectsCounter: Bool? = nil, locksConfiguration: Bool = false
  ) throws(NFCError) {
    guard password.count == Self.passwordSize,
      passwordAcknowledge.count == Self.passwordAcknowledgeSize
    else {
      throw NFCError(
        .invalidParameter,
        "a password has \(Self.passwordSize) bytes and its acknowledge \(Self.passwordAcknowledgeSize)"
      )
    }
    guard attemptLimit.map({ Self.attemptLimits.contains($0) }) ?? true else {
      throw NFCError(.invalidParameter, "the limit of wrong passwords is 1 to 7")
    }
    self.password = password
    self.passwordAcknowledge = passwordAcknowledge
    self.firstPage = firstPage
    self.protectsReading = protectsReading
    self.attemptLimit = attemptLimit
    self.protectsCounter = protectsCounter
    self.locksConfiguration = locksConfiguration
  }
}

extension UltralightProtection: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  public var description: String {
    "a password for \(protectsReading ? "reading and writing" : "writing") from page \(firstPage) on"
  }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// CFG0 and CFG1, the two pages with the password settings. Their other content is kept.
struct UltralightConfiguration: Hashable, Sendable {
  static let size = 2 * Type2Memory.pageSize
  /// An AUTH0 past the last page of any chip.
  static let noPage: UInt8 = 0xFF

  private static let authenticate0 = 3
  private static let access = 4

  private enum Access {
    static let readProtection: UInt8 = 0x80
    static let configurationLock: UInt8 = 0x40
    static let counterProtection: UInt8 = 0x08
    static let limitMask: UInt8 = 0x07
  }

  private(set) var bytes: [UInt8]

  /// Creates a configuration; `nil` unless there are eight bytes.
  init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    guard bytes.count == Self.size else { return nil }
    self.bytes = bytes
  }

  var page0: [UInt8] { Array(bytes.prefix(Type2Memory.pageSize)) }
  var page1: [UInt8] { Array(bytes.suffix(Type2Memory.pageSize)) }

  var firstPage: UInt8 {
    get { bytes[Self.authenticate0] }
    set { bytes[Self.authenticate0] = newValue }
  }
  var protectsReading: Bool {
    get { bit(Access.readProtection) }
    set { setBit(Access.readProtection, newValue) }
  }
  var isLocked: Bool {
    get { bit(Access.configurationLock) }
    set { setBit(Access.configurationLock, newValue) }
  }
  var protectsCounter: Bool {
    get { bit(Access.counterProtection) }
    set { setBit(Access.counterProtection, newValue) }
  }
  /// 0 for none.
  var attemptLimit: UInt8 {
    get { bytes[Self.access] & Access.limitMask }
    set {
      bytes[Self.access] = bytes[Self.access] & ~Access.limitMask | newValue & Access.limitMask
    }
  }

  private func bit(_ mask: UInt8) -> Bool { bytes[Self.access] & mask != 0 }

  private mutating func setBit(_ mask: UInt8, _ value: Bool) {
    if value { bytes[Self.access] |= mask } else { bytes[Self.access] &= ~mask }
  }
}
