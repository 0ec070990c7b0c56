/// The status word, the two bytes at the end of every answer: ISO/IEC 7816-4, 5.6, tables 5 to 7.
public struct StatusWord: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  var sw1: UInt8 { UInt8(rawValue >> 8) }
  var sw2: UInt8 { UInt8(rawValue & 0xFF) }

  /// The kind of outcome.
  @nonexhaustive
  public enum Group: Hashable, Sendable {
    /// 9000: success.
    case success
    /// 61xx: successful, and more data waits for GET RESPONSE.
    case moreData
    /// 62xx, 63xx: successful, with a warning.
    case warning
    /// 64xx to 66xx: failed because of the card.
    case executionError
    /// 67xx to 6Fxx: failed because of the command.
    case checkingError
    /// 9xxx except 9000, and other values that the standard leaves open.
    case proprietary
  }

  /// The kind of outcome, from the first byte.
  public var group: Group {
    switch sw1 {
    case 0x90 where sw2 == 0: .success
    case 0x61: .moreData
    case 0x62, 0x63: .warning
    case 0x64...0x66: .executionError
    case 0x67...0x6F: .checkingError
    default: .proprietary
    }
  }

  /// Whether a command with this outcome has left the nonvolatile memory as it was (ISO/IEC 7816-4, 5.6, table 5).
  var leavesMemoryUnchanged: Bool { sw1 == 0x64 || group == .checkingError }

  /// 9000: success.
  public static let success = StatusWord(rawValue: 0x9000)
  /// 6282: the end of the file came before the expected number of bytes.
  public static let endOfFile = StatusWord(rawValue: 0x6282)
  /// 6283: selected file deactivated.
  public static let selectedFileDeactivated = StatusWord(rawValue: 0x6283)
  /// 6300: a warning without further information.
  public static let noInformation = StatusWord(rawValue: 0x6300)
  /// 6400: execution error.
  public static let executionError = StatusWord(rawValue: 0x6400)
  /// 6581: memory failure.
  public static let memoryFailure = StatusWord(rawValue: 0x6581)
  /// 6700: wrong length.
  public static let wrongLength = StatusWord(rawValue: 0x6700)
  /// 6881: logical channel not supported.
  public static let logicalChannelNotSupported = StatusWord(rawValue: 0x6881)
  /// 6882: secure messaging not supported.
  public static let secureMessagingNotSupported = StatusWord(rawValue: 0x6882)
  /// 6883: last command of the chain expected.
  public static let lastCommandOfChainExpected = StatusWord(rawValue: 0x6883)
  /// 6884: command chaining not supported.
  public static let commandChainingNotSupported = StatusWord(rawValue: 0x6884)
  /// 6900: command not allowed.
  public static let commandNotAllowed = StatusWord(rawValue: 0x6900)
  /// 6981: command incompatible with file structure.
  public static let incompatibleFileStructure = StatusWord(rawValue: 0x6981)
  /// 6982: security status not satisfied.
  public static let securityStatusNotSatisfied = StatusWord(rawValue: 0x6982)
  /// 6983: authentication method blocked.
  public static let authenticationMethodBlocked = StatusWord(rawValue: 0x6983)
  /// 6984: reference data not usable.
  public static let referenceDataNotUsable = StatusWord(rawValue: 0x6984)
  /// 6985: conditions of use not satisfied.
  public static let conditionsOfUseNotSatisfied = StatusWord(rawValue: 0x6985)
  /// 6986: no current file.
  public static let noCurrentFile = StatusWord(rawValue: 0x6986)
  /// 6987: secure messaging objects missing.
  public static let secureMessagingObjectsMissing = StatusWord(rawValue: 0x6987)
  /// 6988: secure messaging objects incorrect.
  public static let secureMessagingObjectsIncorrect = StatusWord(rawValue: 0x6988)
  /// 6A80: incorrect data.
  public static let incorrectData = StatusWord(rawValue: 0x6A80)
  /// 6A81: function not supported.
  public static let functionNotSupported = StatusWord(rawValue: 0x6A81)
  /// 6A82: file or application not found.
  public static let fileNotFound = StatusWord(rawValue: 0x6A82)
  /// 6A83: record not found.
  public static let recordNotFound = StatusWord(rawValue: 0x6A83)
  /// 6A84: not enough memory in the file.
  public static let notEnoughMemory = StatusWord(rawValue: 0x6A84)
  /// 6A86: incorrect P1 or P2.
  public static let incorrectParameters = StatusWord(rawValue: 0x6A86)
  /// 6A87: length inconsistent with P1 and P2.
  public static let lengthInconsistentWithParameters = StatusWord(rawValue: 0x6A87)
  /// 6A88: referenced data not found.
  public static let referencedDataNotFound = StatusWord(rawValue: 0x6A88)
  /// 6A89: file already exists.
  public static let fileAlreadyExists = StatusWord(rawValue: 0x6A89)
  /// 6B00: wrong P1 or P2, often an offset outside the file.
  public static let wrongParameters = StatusWord(rawValue: 0x6B00)
  /// 6D00: instruction not supported.
  public static let instructionNotSupported = StatusWord(rawValue: 0x6D00)
  /// 6E00: class not supported.
  public static let classNotSupported = StatusWord(rawValue: 0x6E00)
  /// 6F00: no precise diagnosis.
  public static let noPreciseDiagnosis = StatusWord(rawValue: 0x6F00)

  private static let names: [StatusWord: String] = [
    success: "success",
    endOfFile: "end of file before the expected length",
    selectedFileDeactivated: "selected file deactivated",
    noInformation: "warning",
    executionError: "execution error",
    memoryFailure: "memory failure",
    wrongLength: "wrong length",
    logicalChannelNotSupported: "logical channel not supported",
    secureMessagingNotSupported: "secure messaging not supported",
    lastCommandOfChainExpected: "last command of the chain expected",
    commandChainingNotSupported: "command chaining not supported",
    commandNotAllowed: "command not allowed",
    incompatibleFileStructure: "command incompatible with file structure",
    securityStatusNotSatisfied: "security status not satisfied",
    authenticationMethodBlocked: "authentication method blocked",
    referenceDataNotUsable: "reference data not usable",
    conditionsOfUseNotSatisfied: "conditions of use not satisfied",
    noCurrentFile: "no current file",
    secureMessagingObjectsMissing: "secure messaging objects missing",
    secureMessagingObjectsIncorrect: "secure messaging objects incorrect",
    incorrectData: "incorrect data",
    functionNotSupported: "function not supported",
    fileNotFound: "file or application not found",
    recordNotFound: "record not found",
    notEnoughMemory: "not enough memory in the file",
    incorrectParameters: "incorrect P1 or P2",
    lengthInconsistentWithParameters: "length inconsistent with P1 and P2",
    referencedDataNotFound: "referenced data not found",
    fileAlreadyExists: "file already exists",
    wrongParameters: "wrong P1 or P2",
    instructionNotSupported: "instruction not supported",
    classNotSupported: "class not supported",
    noPreciseDiagnosis: "no precise diagnosis",
  ]

  /// The meaning, for people; `nil` for a value that the standard does not name.
  public var name: String? {
    if let name = Self.names[self] { return name }
    switch sw1 {
    case 0x61: return "\(sw2 == 0 ? 256 : Int(sw2)) more bytes"
    case 0x63 where sw2 >> 4 == 0xC: return "counter at \(sw2 & 0x0F)"
    case 0x6C: return "wrong expected length, \(sw2 == 0 ? 256 : Int(sw2)) is right"
    default: return nil
    }
  }
}

extension StatusWord: CustomStringConvertible {
  /// Four digits and the name, if there is one.
  public var description: String {
    let digits = [sw1, sw2].hexadecimal
    return name.map { "\(digits) (\($0))" } ?? digits
  }
}

extension ResponseAPDU {
  /// The status word by name.
  public var status: StatusWord { StatusWord(rawValue: statusWord) }
}
