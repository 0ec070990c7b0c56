/// A command of the Ultralight and NTAG 2xx families as a value: the bytes to send, and the
/// requirements of an answer.
///
/// Sources: MF0ICU1, MF0ICU2, MF0ULx1, NTAG213/215/216 (10) and NT3H1101/1201 (10) data sheets.
enum UltralightCommand: Hashable, Sendable {
  case getVersion
  /// Reads four pages.
  case read(page: UInt8)
  case fastRead(first: UInt8, last: UInt8)
  case write(page: UInt8, data: [UInt8])
  case readCounter(UInt8)
  case incrementCounter(UInt8, by: UInt32)
  case readSignature
  case passwordAuthenticate([UInt8])
  /// Ultralight C: requests the tag's random number.
  case authenticate
  /// Ultralight C: sends both random numbers, encrypted.
  case authenticateContinued([UInt8])
  /// The first of two frames.
  case sectorSelect
  /// The second frame, which the tag acknowledges with silence.
  case sector(UInt8)
  /// HLTA, which the tag acknowledges with silence.
  case halt

  static let pagesPerRead = 4
  /// r and s on a curve of 128 bits, and of 192 (MIFARE Ultralight AES).
  private static let signatureSizes = [32, 48]
  /// The four bits of a positive acknowledge (MF0ICU1 data sheet, 7.5; NTAG21x data sheet, 9.3).
  static let acknowledge: UInt8 = 0x0A
  /// The four bits that refuse an argument: a page that is locked, protected or not there (NTAG213/215/216 data
  /// sheet, table 23).
  static let notAllowed: UInt8 = 0x00

  /// The four bits of every refusal: NTAG213/215/216 and MF0ULx1 data sheets, 9.3. In addition, 3 is that of an NTAG
  /// I2C whose memory is in use by its I2C side (NT3H1101/NT3H1201 data sheet, 10.3).
  ///
  /// 2 is not among them, although it is that of a MIFARE Ultralight C whose EEPROM could not be written (MF0ICU2 data
  /// sheet): an acknowledge of which one bit is wrong looks the same, as do 8, B and E.
  static let refusals: Set<UInt8> = [0, 1, 3, 4, 5, 6, 7, 9]

  private enum Code {
    static let getVersion: UInt8 = 0x60
    static let read: UInt8 = 0x30
    static let fastRead: UInt8 = 0x3A
    static let write: UInt8 = 0xA2
    static let readCounter: UInt8 = 0x39
    static let incrementCounter: UInt8 = 0xA5
    static let readSignature: UInt8 = 0x3C
    static let passwordAuthenticate: UInt8 = 0x1B
    static let authenticate: UInt8 = 0x1A
    static let authenticateContinued: UInt8 = 0xAF
    static let sectorSelect: UInt8 = 0xC2
    static let halt: UInt8 = 0x50
  }

  /// COMPATIBILITY_WRITE, which programs may send by themselves.
  private static let compatibilityWrite: UInt8 = 0xA0

  /// Returns the page that a command writes; `nil` for a command that writes none.
  static func pageWritten(by command: [UInt8]) -> Int? {
    guard command.count > 1, [Code.write, compatibilityWrite].contains(command[0]) else {
      return nil
    }
    return Int(command[1])
  }

  private static let sectorSelectArgument: UInt8 = 0xFF
  /// What every argument that is reserved has to be.
  private static let reserved: UInt8 = 0x00

  /// The command without its CRC_A.
  var encoded: [UInt8] {
    switch self {
    case .getVersion: [Code.getVersion]
    case .read(let page): [Code.read, page]
    case .fastRead(let first, let last): [Code.fastRead, first, last]
    case .write(let page, let data): [Code.write, page] + data
    case .readCounter(let number): [Code.readCounter, number]
    case .incrementCounter(let number, let value):
      [Code.incrementCounter, number] + (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    case .readSignature: [Code.readSignature, Self.reserved]
    case .passwordAuthenticate(let password): [Code.passwordAuthenticate] + password
    case .authenticate: [Code.authenticate, Self.reserved]
    case .authenticateContinued(let token): [Code.authenticateContinued] + token
    case .sectorSelect: [Code.sectorSelect, Self.sectorSelectArgument]
    case .sector(let number): [number, Self.reserved, Self.reserved, Self.reserved]
    case .halt: [Code.halt, Self.reserved]
    }
  }

  /// How many bytes the answer has, without its CRC_A; 1 for an acknowledge.
  private var answerSize: Int {
    switch self {
    case .getVersion: 8
    case .read: Self.pagesPerRead * Type2Memory.pageSize
    case .fastRead(let first, let last):
      max(0, Int(last) - Int(first) + 1) * Type2Memory.pageSize
    case .readCounter: 3
    case .readSignature: Self.signatureSizes[0]
    case .passwordAuthenticate: UltralightProtection.passwordAcknowledgeSize
    case .authenticate, .authenticateContinued: 1 + TwoKeyTripleDES.blockSize
    case .write, .incrementCounter, .sectorSelect, .sector, .halt: 1
    }
  }

  /// The constant first byte of the answer, if there is one.
  private var answerHead: UInt8? {
    switch self {
    case .authenticate: Code.authenticateContinued
    case .authenticateContinued: Self.reserved
    case .write, .incrementCounter, .sectorSelect, .sector, .halt: Self.acknowledge
    default: nil
    }
  }

  /// Whether the command changes what the tag keeps.
  var changesTag: Bool {
    switch self {
    case .write, .incrementCounter: true
    default: false
    }
  }

  /// The losses after which the command is repeated once, because it changes nothing on the tag. A chip without an
  /// optional command may refuse it with silence.
  var repeatedAfter: FrameLoss {
    switch self {
    case .read: .any
    case .fastRead, .getVersion, .readCounter, .readSignature: .visible
    case .write, .incrementCounter, .passwordAuthenticate, .authenticate, .authenticateContinued,
      .sectorSelect,
      .sector, .halt:
      []
    }
  }

  private var name: String {
    switch self {
    case .getVersion: "GET_VERSION"
    case .read: "READ"
    case .fastRead: "FAST_READ"
    case .write: "WRITE"
    case .readCounter: "READ_CNT"
    case .incrementCounter: "INCR_CNT"
    case .readSignature: "READ_SIG"
    case .passwordAuthenticate: "PWD_AUTH"
    case .authenticate, .authenticateContinued: "AUTHENTICATE"
    case .sectorSelect, .sector: "SECTOR_SELECT"
    case .halt: "HLTA"
    }
  }

  /// Returns the content of the answer, without its constant beginning.
  ///
  /// - Parameter bytes: without CRC_A; an acknowledge is its four bits.
  /// - Throws: `tagResponseError` for anything that is not an answer to this command.
  func answer(_ bytes: [UInt8]) throws -> [UInt8] {
    guard
      bytes.count == answerSize
        || self == .readSignature && Self.signatureSizes.contains(bytes.count)
    else {
      throw NFCError(
        .tagResponseError,
        "\(name) is answered by \(answerSize) bytes, the tag gave \(bytes.count)", place: place)
    }
    guard let answerHead else { return bytes }
    guard bytes.first == answerHead else {
      throw NFCError(.tagResponseError, "the tag's answer to \(name) is broken", place: place)
    }
    return Array(bytes.dropFirst())
  }

  /// The page that it is about.
  var place: NFCError.Place? {
    switch self {
    case .read(let page), .write(let page, _), .fastRead(let page, _): .page(Int(page))
    default: nil
    }
  }
}
