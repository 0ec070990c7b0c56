/// The ways in which a reader and a tag can talk to each other.
public enum TagTechnology: String, Hashable, Sendable, CaseIterable {
  /// ISO/IEC 14443 type A, 106 kbit/s: MIFARE, NTAG, most smart cards.
  case iso14443a
  /// ISO/IEC 14443 type B, 106 kbit/s.
  case iso14443b
  /// FeliCa: JIS X 6319-4, ISO/IEC 18092 passive at 212 or 424 kbit/s.
  case felica
  /// ISO/IEC 15693: vicinity tags. No PN53x has it.
  case iso15693
  /// Innovision Jewel and Topaz: NFC Forum type 1.
  case jewel
  /// The type B of before the standard (Innovatron), as older Calypso cards speak it.
  case iso14443bPrime
  /// ST SRx: type B modulation with a protocol of its own.
  case iso14443b2sr
  /// ASK CTx: type B modulation with a protocol of its own.
  case iso14443b2ct
  /// Thinfilm and Kovio NFC Barcode: the tag talks first.
  case barcode
  /// HID iCLASS and PicoPass in type B modulation.
  case iclass
}

/// Which technologies to look for.
public struct PollingOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  /// ISO/IEC 14443 types A and B.
  public static let iso14443 = PollingOptions(rawValue: 1)
  /// ISO/IEC 15693.
  public static let iso15693 = PollingOptions(rawValue: 2)
  /// ISO/IEC 18092, which is FeliCa.
  public static let iso18092 = PollingOptions(rawValue: 4)
  /// What else a reader may know: Jewel, B', SRx, CTx, NFC Barcode, iCLASS.
  public static let other = PollingOptions(rawValue: 8)
  /// Every technology that the reader can poll, and no error for those that it cannot.
  public static let all = PollingOptions(rawValue: 0xF)

  /// The technologies that these options name, in the order in which they are polled.
  public var technologies: [TagTechnology] {
    var list: [TagTechnology] = []
    if contains(.iso14443) { list += [.iso14443a, .iso14443b] }
    if contains(.iso18092) { list.append(.felica) }
    if contains(.iso15693) { list.append(.iso15693) }
    if contains(.other) {
      list += [.jewel, .iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .barcode, .iclass]
    }
    return list
  }
}
