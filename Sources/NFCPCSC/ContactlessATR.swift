/// The answer to reset that a contactless reader invents for a card without one: PC/SC part 3,
/// 3.1.3.2.3.
enum ContactlessATR: Hashable {
  case storageCard(StorageCard)
  /// A card of ISO/IEC 14443-4: the historical bytes of its ATS (type A), or application data,
  /// protocol info and MBLI of type B.
  case smartCard(historicalBytes: [UInt8])
  /// A FeliCa card in a form of SCM's and Identiv's own (SCL3711, reference manual 1.3, 5.3.3.4).
  case feliCa

  /// 3B, and TD1 and TD2 as they are for every card.
  private static let initialByte: UInt8 = 0x3B
  private static let protocols: [UInt8] = [0x80, 0x01]
  private static let headerLength = 4
  /// Card type FeliCa and its largest frame, after the card mode and before IDm and time-out.
  private static let ownFeliCa: [UInt8] = [0x43, 0xFD]
  private static let ownFeliCaLength = 12
  private static let checkLength = 1

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headerLength + Self.checkLength, bytes[0] == Self.initialByte,
      bytes[1] & 0xF0 == 0x80, Array(bytes[2..<Self.headerLength]) == Self.protocols,
      bytes.count == Self.headerLength + Int(bytes[1] & 0x0F) + Self.checkLength
    else { return nil }
    let historical = Array(bytes[Self.headerLength...].dropLast(Self.checkLength))
    guard historical.count != Self.ownFeliCaLength || Array(historical[1...2]) != Self.ownFeliCa
    else {
      self = .feliCa
      return
    }
    self =
      StorageCard(historicalBytes: historical).map { .storageCard($0) }
      ?? .smartCard(historicalBytes: historical)
  }

  /// The description of a card without ISO/IEC 14443-4: its standard, and its name.
  struct StorageCard: Hashable {
    /// Category 80, application identifier of 12 bytes, RID of the PC/SC workgroup.
    private static let prefix: [UInt8] = [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06]
    private static let typeA: ClosedRange<UInt8> = 0x01...0x03
    private static let typeB: ClosedRange<UInt8> = 0x05...0x07
    private static let vicinity: ClosedRange<UInt8> = 0x09...0x0C
    private static let feliCa: ClosedRange<UInt8> = 0x10...0x11
    /// FeliCa at 212 and 424 kbit/s as ACS's readers name it, among type A (ACR122U, application
    /// programming interface 2.04, 3.1).
    private static let feliCaAmongTypeA: Set<UInt16> = [0xF011, 0xF012]
    /// Topaz and Jewel as ACS's readers name them, and by PC/SC part 3, supplemental document.
    private static let topaz: Set<UInt16> = [0xF004, 0x002F, 0x0030]
    /// iCLASS and PicoPass, which speak another protocol in the same modulation.
    private static let picoPass: ClosedRange<UInt16> = 0x0017...0x0020
    /// SAK by card name: MIFARE Classic 1K and 4K, Ultralight, Classic Mini, Plus 2K and 4K as a
    /// Classic (security level 1), Ultralight C, Ultralight EV1 (PC/SC part 3, supplemental document).
    private static let saks: [UInt16: UInt8] = [
      0x0001: 0x08, 0x0002: 0x18, 0x0003: 0x00, 0x0026: 0x09, 0x0036: 0x08, 0x0037: 0x18,
      0x003A: 0x00, 0x003D: 0x00,
    ]
    /// The first byte of a name that ACS's readers derive from the SAK of other cards (ACR122U,
    /// application programming interface 2.04, 3.1).
    private static let namedBySAK: UInt8 = 0xFF

    private let standard: UInt8
    private let name: UInt16

    init?(historicalBytes: [UInt8]) {
      let length = Self.prefix.count + 3
      guard historicalBytes.count >= length, historicalBytes.starts(with: Self.prefix) else {
        return nil
      }
      let body = historicalBytes[Self.prefix.count..<length]
      standard = body[body.startIndex]
      name = body.dropFirst().reduce(0) { $0 << 8 | UInt16($1) }
    }

    var isVicinity: Bool { Self.vicinity.contains(standard) && !Self.picoPass.contains(name) }
    var isFeliCa: Bool {
      Self.feliCa.contains(standard) || Self.feliCaAmongTypeA.contains(name)
    }
    var isTopaz: Bool { Self.typeA.contains(standard) && Self.topaz.contains(name) }
    var isTypeA: Bool { Self.typeA.contains(standard) && !isFeliCa && !isTopaz }
    var isTypeB: Bool { Self.typeB.contains(standard) }

    /// The SAK of a type A card with this name; `nil` if the name does not indicate it.
    var sak: UInt8? {
      if UInt8(name >> 8) == Self.namedBySAK { return UInt8(name & 0xFF) }
      return Self.saks[name]
    }
  }
}
