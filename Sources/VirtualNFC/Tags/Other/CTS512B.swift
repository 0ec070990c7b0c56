/// ASK CTS512B or CTS256B: a paper ticket of 32 or 16 words of 2 bytes, with its own protocol on a type B carrier.
///
/// There is no public data sheet. The frames are those that libnfc and other open readers exchange with
/// real tickets: REQT, SELECT by the lower half of the serial number, READ; all end with CRC_B. Writing
/// is not modeled. It is not confirmed that a selected ticket still answers REQT, and that a CTS256B is silent for a
/// word that it does not have.
public struct CTS512B: VirtualChip {
  private enum Command {
    /// REQT, answered with the product code and the fab code.
    static let reqt: UInt8 = 0x10
    /// SELECT, with the lower half of the serial number or FFFF for any; answered with that half.
    static let select: UInt8 = 0x9F
    /// The upper three bits of READ; the others are the word's address.
    static let read: UInt8 = 0xC0
    static let readMask: UInt8 = 0xE0
  }

  private static let anyTicket: [UInt8] = [0xFF, 0xFF]
  static let usualProductCode: UInt8 = 0x60
  /// The product code of a CTS256B (Proxmark3, include/protocols.h).
  private static let smallProductCode: UInt8 = 0x50
  static let usualFabCode: UInt8 = 0x1C
  static let wordSize = 2
  static let wordCount = 32
  /// The number of words of a CTS256B (Proxmark3, client/src/cmdhf14b.c).
  static let smallWordCount = 16
  /// The word with the upper half of the serial number.
  static let serialNumberWord = 4

  public let name = "ask-ctx"
  /// The serial number, most significant byte first, which is the reverse of the order on the air.
  public let identifier: [UInt8]
  let productCode: UInt8
  let fabCode: UInt8
  /// The lower half of the serial number in transmission order.
  private let selector: [UInt8]
  private var words: [[UInt8]]
  private var isSelected = false

  /// - Parameters:
  ///   - serialNumber: 4 bytes, the most significant first.
  ///   - fabCode: the second byte of the answer to REQT.
  public init(serialNumber: [UInt8], fabCode: UInt8 = 0x1C) {
    self.init(
      serialNumber: serialNumber, productCode: Self.usualProductCode, fabCode: fabCode)
  }

  init(serialNumber: [UInt8], productCode: UInt8, fabCode: UInt8) {
    precondition(serialNumber.count == 4, "a serial number has 4 bytes")
    identifier = serialNumber
    self.productCode = productCode
    self.fabCode = fabCode
    selector = serialNumber.suffix(Self.wordSize).reversed()
    words = [[UInt8]](
      repeating: [UInt8](repeating: 0, count: Self.wordSize),
      count: productCode == Self.smallProductCode ? Self.smallWordCount : Self.wordCount)
    words[Self.serialNumberWord] = serialNumber.prefix(Self.wordSize).reversed()
  }

  public var modulation: RadioFrame.Modulation { .typeB }

  /// The words in the order of reading.
  public var memory: [UInt8] {
    get { Array(words.joined()) }
    set {
      for index in words.indices {
        let part = Array(newValue.dropFirst(index * Self.wordSize).prefix(Self.wordSize))
        guard part.count == Self.wordSize else { return }
        words[index] = part
      }
    }
  }

  public mutating func powerOff() { isSelected = false }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    guard frame.modulation == .typeB, frame.bitRate == 106, let command = frame.checkedPayload,
      let code = command.first
    else { return nil }
    let parameters = Array(command.dropFirst())
    switch (code, parameters.count) {
    case (Command.reqt, 0):
      isSelected = false
      return .typeB([productCode, fabCode])
    case (Command.select, 2):
      isSelected = parameters == Self.anyTicket || parameters == selector
      return isSelected ? .typeB(selector) : nil
    case (_, 0) where code & Command.readMask == Command.read && isSelected:
      let number = Int(code & ~Command.readMask)
      return words.indices.contains(number) ? .typeB(words[number]) : nil
    default:
      return nil
    }
  }
}

extension VirtualTag {
  /// Returns an ASK CTS512B ticket.
  public static func askCTx(
    serialNumber: [UInt8] = [0x02, 0x60, 0x08, 0x28]
  ) -> VirtualTag {
    VirtualTag(CTS512B(serialNumber: serialNumber))
  }
}
