/// A Calypso card with Innovatron's radio protocol, ISO/IEC 14443 type B': activation only.
///
/// The protocol is not published; the frames are those that libnfc exchanges with such cards. APGEN is
/// answered by REPGEN with the serial number (DIV), ATTRIB by an acknowledge; both end with CRC_B. Two
/// facts are not confirmed on a card: the two bytes of the answer to ATTRIB, and that a card still
/// answers APGEN after ATTRIB. Commands after ATTRIB are not modeled and not answered.
public struct CalypsoBPrime: VirtualChip {
  private enum Frame {
    static let address: UInt8 = 0x01
    /// APGEN, without the two bytes that select the cards.
    static let apgen: UInt8 = 0x0B
    static let anyCard: [UInt8] = [0x3F, 0x80]
    static let repgen: UInt8 = 0x07
    static let attrib: UInt8 = 0x0F
  }

  /// Byte 5 of REPGEN: 80 announces a configuration byte, and the rest is software version 1.
  var version: UInt8 = 0x82
  /// Byte 6 of REPGEN: an ATR follows.
  var configuration: UInt8 = 0x40
  /// The ATR before the serial number: T0, TB1, TC1 and Calypso's historical bytes (platform, application
  /// type and subtype, issuer, ROM and EEPROM version).
  private static let atrHead: [UInt8] = [
    0x3B, 0x6F, 0x00, 0x00, 0x80, 0x5A, 0x0A, 0x06, 0x0A, 0x03, 0x14, 0x10,
  ]
  /// The end of the ATR: a compact TLV object with the status 9000.
  private static let atrTail: [UInt8] = [0x82, 0x90, 0x00]

  public let name = "bprime"
  /// DIV: the last four bytes of the card's serial number.
  public let identifier: [UInt8]
  private var isPowered = false

  /// - Parameter div: 4 bytes.
  public init(div: [UInt8]) {
    precondition(div.count == 4, "a DIV has 4 bytes")
    identifier = div
    atr = Self.atrHead + div + Self.atrTail
  }

  public var modulation: RadioFrame.Modulation { .typeB }

  /// Empty: activation cannot access the memory.
  public var memory: [UInt8] {
    get { [] }
    set {}
  }

  /// The answer to reset that the card reports in REPGEN.
  public internal(set) var atr: [UInt8]

  /// The maximum size of an ATR (ISO/IEC 7816-3, 8.2.1).
  static let longestATR = 33

  public mutating func powerOn() { isPowered = true }
  public mutating func powerOff() { isPowered = false }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    guard isPowered, frame.modulation == .typeB, frame.bitRate == 106,
      let command = frame.checkedPayload
    else { return nil }
    switch command {
    case [Frame.address, Frame.apgen] + Frame.anyCard:
      return .typeB(
        [Frame.address, Frame.repgen] + identifier + [version, configuration] + atr)
    case [Frame.address, Frame.attrib] + identifier:
      return .typeB([Frame.address, Frame.attrib])
    default:
      return nil
    }
  }
}

extension VirtualTag {
  /// Returns a Calypso card on type B'.
  public static func calypsoBPrime(
    div: [UInt8] = [0x1C, 0x8A, 0x52, 0xF7]
  ) -> VirtualTag {
    VirtualTag(CalypsoBPrime(div: div))
  }
}
