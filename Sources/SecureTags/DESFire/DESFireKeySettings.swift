import SwiftNFCCore

/// The answer to GetKeySettings about an application or the card: MF3ICDx21_41_81 data sheet,
/// 9.4.2.
public struct DESFireKeySettings: Hashable, Sendable {
  /// Who may change the keys of an application other than its master key.
  public enum KeyChange: Hashable, Sendable {
    /// Whoever authenticates with this key; 0 is the master key.
    case key(Int)
    /// Whoever authenticates with the key that is changed.
    case sameKey
    /// Nobody; the master key can still be changed with itself if ``isMasterKeyChangeable`` is set.
    case nobody
  }

  /// Whether the master key can be changed. Once false, this is permanent.
  public var isMasterKeyChangeable: Bool
  /// Whether applications or files can be listed without the master key.
  public var listsFreely: Bool
  /// Whether applications or files can be created, and files deleted, without the master key.
  public var createsFreely: Bool
  /// Whether these settings can be changed. Once false, this is permanent.
  public var isChangeable: Bool
  /// Who may change the keys other than the master key.
  public var keyChange: KeyChange

  private static let masterKeyFlag: UInt8 = 0x01
  private static let listFlag: UInt8 = 0x02
  private static let createFlag: UInt8 = 0x04
  private static let settingsFlag: UInt8 = 0x08
  private static let sameKeyBits: UInt8 = 0x0E
  private static let nobodyBits: UInt8 = 0x0F

  /// Creates settings; the defaults are those on delivery.
  public init(
    isMasterKeyChangeable: Bool = true, listsFreely: Bool = true, createsFreely: Bool = true,
    isChangeable: Bool = true, keyChange: KeyChange = .key(0)
  ) {
    self.isMasterKeyChangeable = isMasterKeyChangeable
    self.listsFreely = listsFreely
    self.createsFreely = createsFreely
    self.isChangeable = isChangeable
    self.keyChange = keyChange
  }

  /// The settings on delivery: everything is free and changeable.
  public static let factory = DESFireKeySettings()

  /// Decodes the first byte of GetKeySettings' answer.
  public init(byte: UInt8) {
    isMasterKeyChangeable = byte & Self.masterKeyFlag != 0
    listsFreely = byte & Self.listFlag != 0
    createsFreely = byte & Self.createFlag != 0
    isChangeable = byte & Self.settingsFlag != 0
    switch byte >> 4 {
    case Self.sameKeyBits: keyChange = .sameKey
    case Self.nobodyBits: keyChange = .nobody
    case let number: keyChange = .key(Int(number))
    }
  }

  /// The byte that ChangeKeySettings sends.
  public var byte: UInt8 {
    let flags: [(Bool, UInt8)] = [
      (isMasterKeyChangeable, Self.masterKeyFlag), (listsFreely, Self.listFlag),
      (createsFreely, Self.createFlag), (isChangeable, Self.settingsFlag),
    ]
    let change: UInt8 =
      switch keyChange {
      case .key(let number): UInt8(truncatingIfNeeded: number) & 0x0F
      case .sameKey: Self.sameKeyBits
      case .nobody: Self.nobodyBits
      }
    return flags.reduce(change << 4) { $1.0 ? $0 | $1.1 : $0 }
  }
}

/// The settings, with the number and kind of the keys.
public struct DESFireKeySummary: Hashable, Sendable {
  /// Who may change keys and files.
  public var settings: DESFireKeySettings
  /// The number of keys, 1 to 14; 0 for an application without keys (flipperzero-firmware, pull request 4439).
  public var keyCount: Int
  /// The kind of the keys; `nil` for one that no public source describes.
  public var kind: DESFireKey.Kind?

  static let countMask: UInt8 = 0x0F

  package init(_ answer: [UInt8]) throws {
    var reader = ByteReader(answer)
    settings = DESFireKeySettings(byte: try reader.byte())
    let keys = try reader.byte()
    keyCount = Int(keys & Self.countMask)
    kind = DESFireKey.Kind(bits: keys)
  }
}
