/// A technology that a reader and a tag can use to communicate.
///
/// More may be added: a `switch` needs an `@unknown default`.
@nonexhaustive
public enum TagTechnology: String, Hashable, Sendable, CaseIterable {
  /// ISO/IEC 14443 type A, 106 kbit/s: MIFARE, NTAG, most smart cards.
  case iso14443a
  /// ISO/IEC 14443 type B, 106 kbit/s.
  case iso14443b
  /// FeliCa: JIS X 6319-4, ISO/IEC 18092 passive at 212 or 424 kbit/s.
  case feliCa = "felica"
  /// ISO/IEC 15693: vicinity tags. No PN53x supports it.
  case iso15693
  /// Innovision Jewel and Topaz: NFC Forum type 1.
  case jewel
  /// The type B from before the standard (Innovatron), which older Calypso cards use.
  case iso14443bPrime
  /// ST SRx: type B modulation with its own protocol.
  case iso14443b2sr
  /// ASK CTx: type B modulation with its own protocol.
  case iso14443b2ct
  /// Thinfilm and Kovio NFC Barcode: the tag sends without being asked.
  case barcode
  /// HID iCLASS and PicoPass in type B modulation.
  case iClass = "iclass"
}

/// The technologies to poll.
///
/// ``all`` means everything that the reader can poll. Every other value means exactly the named
/// technologies: a reader that lacks one of them throws `unsupported`. The exception is ``other``
/// as a whole: the reader polls those of its technologies that it supports.
public struct PollingOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Creates an option for one technology.
  public init(_ technology: TagTechnology) {
    self = Self.members.first { $0.technology == technology }?.option ?? []
  }

  /// ISO/IEC 14443 type A.
  public static let iso14443a = PollingOptions(rawValue: 1 << 0)
  /// ISO/IEC 14443 type B.
  public static let iso14443b = PollingOptions(rawValue: 1 << 1)
  /// ISO/IEC 14443 types A and B.
  public static let iso14443: PollingOptions = [.iso14443a, .iso14443b]
  /// ISO/IEC 18092, which is FeliCa.
  public static let iso18092 = PollingOptions(rawValue: 1 << 2)
  /// ISO/IEC 15693.
  public static let iso15693 = PollingOptions(rawValue: 1 << 3)
  /// Jewel and Topaz: NFC Forum type 1.
  public static let jewel = PollingOptions(rawValue: 1 << 4)
  /// The type B from before the standard.
  public static let iso14443bPrime = PollingOptions(rawValue: 1 << 5)
  /// ST SRx.
  public static let iso14443b2sr = PollingOptions(rawValue: 1 << 6)
  /// ASK CTx.
  public static let iso14443b2ct = PollingOptions(rawValue: 1 << 7)
  /// NFC Barcode.
  public static let barcode = PollingOptions(rawValue: 1 << 8)
  /// HID iCLASS.
  public static let iClass = PollingOptions(rawValue: 1 << 9)
  /// The other technologies that a reader may support: Jewel, B', SRx, CTx, NFC Barcode, iCLASS.
  public static let other: PollingOptions = [
    .jewel, .iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .barcode, .iClass,
  ]
  /// Every technology that the reader can poll, without an error for the others.
  public static let all: PollingOptions = [
    .iso14443, .iso18092, .iso15693, .other, PollingOptions(rawValue: 1 << 10),
  ]

  /// The technologies in the order in which they are polled.
  private static let members: [(technology: TagTechnology, option: PollingOptions)] = [
    (.iso14443a, .iso14443a), (.iso14443b, .iso14443b), (.feliCa, .iso18092),
    // In type A's modulation, then in type B's, so that a reader changes between them once.
    (.iso15693, .iso15693), (.jewel, .jewel), (.barcode, .barcode),
    (.iso14443bPrime, .iso14443bPrime), (.iso14443b2sr, .iso14443b2sr),
    (.iso14443b2ct, .iso14443b2ct), (.iClass, .iClass),
  ]

  /// The technologies that these options name, in the order in which they are polled.
  public var technologies: [TagTechnology] {
    Self.members.filter { contains($0.option) }.map(\.technology)
  }

  /// The technologies that a reader must have.
  var neededTechnologies: [TagTechnology] {
    guard !isSuperset(of: .all) else { return [] }
    return (isSuperset(of: .other) ? subtracting(.other) : self).technologies
  }
}
