import SwiftNFCCore

/// A parsed command APDU (ISO/IEC 7816-4, 5.1).
struct CommandAPDU: Hashable, Sendable {
  var cla: UInt8
  var ins: UInt8
  var p1: UInt8
  var p2: UInt8
  var data: [UInt8]
  /// Ne, the maximum number of data bytes that the reader expects: 0 without an Le field, 256 or 65536
  /// for an Le of zeros.
  var expectedLength: Int
  /// Whether Le consists of zeros, which requests all available data.
  var expectsMaximum: Bool
  /// Whether Lc and Le have the extended form.
  var isExtended: Bool

  /// The two parameters as one number, most significant byte first.
  var parameter: Int { Int(p1) << 8 | Int(p2) }

  /// Parses an APDU; `nil` if its lengths are inconsistent.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 4 else { return nil }
    cla = bytes[0]
    ins = bytes[1]
    p1 = bytes[2]
    p2 = bytes[3]
    data = []
    expectedLength = 0
    expectsMaximum = false
    isExtended = false
    let body = Array(bytes.dropFirst(4))
    guard let first = body.first else { return }
    if body.count == 1 {
      setExpectedLength(Int(first), maximum: 256)
    } else if first != 0 {
      let end = 1 + Int(first)
      guard body.count == end || body.count == end + 1 else { return nil }
      data = Array(body[1..<end])
      if body.count > end { setExpectedLength(Int(body[end]), maximum: 256) }
    } else {
      guard body.count >= 3 else { return nil }
      isExtended = true
      let length = Int(body[1]) << 8 | Int(body[2])
      if body.count == 3 {
        setExpectedLength(length, maximum: 65536)
        return
      }
      let end = 3 + length
      guard length > 0, body.count == end || body.count == end + 2 else { return nil }
      data = Array(body[3..<end])
      if body.count > end {
        setExpectedLength(Int(body[end]) << 8 | Int(body[end + 1]), maximum: 65536)
      }
    }
  }

  private mutating func setExpectedLength(_ length: Int, maximum: Int) {
    expectsMaximum = length == 0
    expectedLength = length == 0 ? maximum : length
  }

  /// The bytes of the APDU, in extended form if a length requires it or if the command was received in
  /// it.
  var bytes: [UInt8] {
    let header = [cla, ins, p1, p2]
    if isExtended || data.count > 255 || expectedLength > 256 {
      let length =
        data.isEmpty
        ? [] : [UInt8(truncatingIfNeeded: data.count >> 8), UInt8(truncatingIfNeeded: data.count)]
      let expected =
        expectedLength == 0
        ? []
        : [
          UInt8(truncatingIfNeeded: expectedLength >> 8), UInt8(truncatingIfNeeded: expectedLength),
        ]
      if data.isEmpty && expected.isEmpty { return header }
      return header + [0] + length + data + expected
    }
    let length = data.isEmpty ? [] : [UInt8(truncatingIfNeeded: data.count)]
    let expected = expectedLength == 0 ? [] : [UInt8(truncatingIfNeeded: expectedLength)]
    return header + length + data + expected
  }
}

/// The end of a response APDU: ISO/IEC 7816-4, 5.1.3.
struct StatusWord: Hashable, Sendable {
  let value: UInt16

  init(_ value: UInt16) { self.value = value }

  var bytes: [UInt8] { value.bigEndianBytes }

  static let success = StatusWord(0x9000)
  /// The end of the file was reached before the expected number of bytes was read.
  static let endOfFile = StatusWord(0x6282)
  static let authenticationFailed = StatusWord(0x6300)
  static let memoryFailure = StatusWord(0x6581)
  static let wrongLength = StatusWord(0x6700)
  static let logicalChannelNotSupported = StatusWord(0x6881)
  static let secureMessagingNotSupported = StatusWord(0x6882)
  static let lastCommandOfChainExpected = StatusWord(0x6883)
  static let commandChainingNotSupported = StatusWord(0x6884)
  static let securityStatusNotSatisfied = StatusWord(0x6982)
  static let conditionsOfUseNotSatisfied = StatusWord(0x6985)
  /// There is no current elementary file.
  static let commandNotAllowed = StatusWord(0x6986)
  static let incorrectData = StatusWord(0x6A80)
  static let functionNotSupported = StatusWord(0x6A81)
  static let fileNotFound = StatusWord(0x6A82)
  static let recordNotFound = StatusWord(0x6A83)
  static let notEnoughMemory = StatusWord(0x6A84)
  static let incorrectParameters = StatusWord(0x6A86)
  /// Nc does not match the parameters.
  static let lengthInconsistent = StatusWord(0x6A87)
  /// The offset is outside the file.
  static let wrongParameters = StatusWord(0x6B00)
  static let instructionNotSupported = StatusWord(0x6D00)
  static let classNotSupported = StatusWord(0x6E00)

  /// 61XX: this number of further bytes is available by GET RESPONSE, 00 for 256 or more.
  static func moreData(_ count: Int) -> StatusWord {
    StatusWord(0x6100 | (count > 255 ? 0 : UInt16(count)))
  }

  /// 6CXX: the correct value of Le, 00 for 256.
  static func wrongExpectedLength(_ exact: Int) -> StatusWord {
    StatusWord(0x6C00 | (exact > 255 ? 0 : UInt16(exact)))
  }
}

/// The parameters of SELECT, READ BINARY and UPDATE BINARY (ISO/IEC 7816-4, 7.1.1 and 7.2.3).
enum Parameter {
  /// P1 of SELECT: any file by its identifier.
  static let selectFile: UInt8 = 0x00
  /// P1 of SELECT: a DF below the current one.
  static let selectChild: UInt8 = 0x01
  /// P1 of SELECT: an EF of the current DF.
  static let selectElementaryFile: UInt8 = 0x02
  /// P1 of SELECT: the DF above the current one.
  static let selectParent: UInt8 = 0x03
  /// P1 of SELECT: a DF by its name.
  static let selectByName: UInt8 = 0x04
  /// P2 of SELECT: the first or only one, with file control information.
  static let fileControlInformation: UInt8 = 0x00
  /// P2 of SELECT: no answer data.
  static let noAnswerData: UInt8 = 0x0C
  /// P1 of READ BINARY and UPDATE BINARY: the low five bits are a short file identifier, and P2 is the
  /// complete offset.
  static let shortFileIdentifier: UInt8 = 0x80
  static let shortFileIdentifierMask: UInt8 = 0x1F
  /// P2 of READ RECORD: the record of this number, or all from it on; P2 of APPEND RECORD (7.3.3 and 7.3.6). The
  /// high five bits are a short file identifier.
  static let (oneRecord, allRecords, appendedRecord): (UInt8, UInt8, UInt8) = (0x04, 0x05, 0x00)
}

/// The instruction bytes of ISO/IEC 7816-4, table 4.
enum Instruction {
  static let manageSecurityEnvironment: UInt8 = 0x22
  static let externalAuthenticate: UInt8 = 0x82
  static let getChallenge: UInt8 = 0x84
  static let generalAuthenticate: UInt8 = 0x86
  static let internalAuthenticate: UInt8 = 0x88
  static let select: UInt8 = 0xA4
  static let readBinary: UInt8 = 0xB0
  /// READ BINARY with the offset in a data object.
  static let readBinaryWithDataObject: UInt8 = 0xB1
  static let readRecord: UInt8 = 0xB2
  static let getResponse: UInt8 = 0xC0
  static let updateBinary: UInt8 = 0xD6
  /// UPDATE BINARY with the offset in a data object.
  static let updateBinaryWithDataObject: UInt8 = 0xD7
  static let appendRecord: UInt8 = 0xE2
}
