/// The address of a key on a MIFARE Plus.
public struct MIFAREPlusKeyAddress: Hashable, Sendable {
  /// The number of the key's block.
  public let number: UInt16

  init(_ number: UInt16) { self.number = number }

  /// Creates the address of one of the two keys of a sector; `nil` for a sector that no card has.
  ///
  /// - Parameter isB: key B instead of key A.
  public init?(sector: Int, isB: Bool = false) {
    guard (0..<Self.mostSectors).contains(sector) else { return nil }
    number = Self.firstSector + UInt16(2 * sector + (isB ? 1 : 0))
  }

  static let firstSector: UInt16 = 0x4000
  static let mostSectors = 40

  /// The key that changes the keys of the card.
  public static let cardMaster = MIFAREPlusKeyAddress(0x9000)
  /// The key that changes the configuration of the card.
  public static let cardConfiguration = MIFAREPlusKeyAddress(0x9001)
  /// The key that switches from security level 1 to 2, on cards that have level 2.
  public static let levelTwoSwitch = MIFAREPlusKeyAddress(0x9002)
  /// The key that switches to security level 3.
  public static let levelThreeSwitch = MIFAREPlusKeyAddress(0x9003)
  /// The key that proves in security level 1 that the card is genuine.
  public static let levelOneCard = MIFAREPlusKeyAddress(0x9004)

  /// The key that moves sectors to security level 3, since EV1.
  public static let levelThreeSectorSwitch = MIFAREPlusKeyAddress(0x9006)
  /// The key that moves sectors to the level in which the keys of MIFARE Classic and AES keys open them, since EV1.
  public static let mixedSectorSwitch = MIFAREPlusKeyAddress(0x9007)

  /// The sector of the key; `nil` for a key of the card.
  public var sector: Int? {
    let index = Int(number) - Int(Self.firstSector)
    return (0..<2 * Self.mostSectors).contains(index) ? index / 2 : nil
  }

  /// Whether it is key B of its sector.
  public var isB: Bool { sector != nil && number % 2 == 1 }
}

extension MIFAREPlusKeyAddress: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cardMaster: "the card's master key"
    case .cardConfiguration: "the card's configuration key"
    case .levelTwoSwitch: "the key for security level 2"
    case .levelThreeSwitch: "the key for security level 3"
    case .levelOneCard: "the card's key for security level 1"
    case .levelThreeSectorSwitch: "the key for sectors of security level 3"
    case .mixedSectorSwitch: "the key for sectors of levels 1 and 3"
    default: sector.map { "key \(isB ? "B" : "A") of sector \($0)" } ?? "key \(number)"
    }
  }
}
