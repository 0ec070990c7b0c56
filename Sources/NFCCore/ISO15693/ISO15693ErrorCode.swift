/// The reason why a tag refuses a command (ISO/IEC 15693-3, 7.4.2).
public struct ISO15693ErrorCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The command is not supported.
  public static let commandNotSupported = ISO15693ErrorCode(rawValue: 0x01)
  /// The command's format is wrong, for instance its length.
  public static let commandNotRecognized = ISO15693ErrorCode(rawValue: 0x02)
  /// The option flag is not supported with this command.
  public static let optionNotSupported = ISO15693ErrorCode(rawValue: 0x03)
  /// No information, or a code that is not listed.
  public static let unknown = ISO15693ErrorCode(rawValue: 0x0F)
  /// The block does not exist.
  public static let blockNotAvailable = ISO15693ErrorCode(rawValue: 0x10)
  /// The block is already locked, and cannot be locked again.
  public static let alreadyLocked = ISO15693ErrorCode(rawValue: 0x11)
  /// The block is locked: its content cannot be changed.
  public static let locked = ISO15693ErrorCode(rawValue: 0x12)
  /// The block has not been programmed.
  public static let notProgrammed = ISO15693ErrorCode(rawValue: 0x13)
  /// The block has not been locked.
  public static let notLocked = ISO15693ErrorCode(rawValue: 0x14)
  /// Reading the block requires a password (ST, for instance ST25DV data sheet, 7.6.5).
  public static let readProtected = ISO15693ErrorCode(rawValue: 0x15)
  /// A cryptographic command failed (edition of 2018).
  public static let cryptographicError = ISO15693ErrorCode(rawValue: 0x40)

  /// The codes that each maker defines.
  public static let customRange: ClosedRange<UInt8> = 0xA0...0xDF
}

extension ISO15693ErrorCode: CustomStringConvertible {
  /// The refusal, for people.
  public var description: String {
    switch self {
    case .commandNotSupported: "the command is not supported"
    case .commandNotRecognized: "the command is not recognized"
    case .optionNotSupported: "the option is not supported"
    case .unknown: "unknown error"
    case .blockNotAvailable: "there is no such block"
    case .alreadyLocked: "the block is locked already"
    case .locked: "the block is locked"
    case .notProgrammed: "the block has not been programmed"
    case .notLocked: "the block has not been locked"
    case .readProtected: "the block is protected from reading"
    case .cryptographicError: "cryptographic error"
    default:
      Self.customRange.contains(rawValue) ? "a manufacturer-specific error" : "an unlisted error"
    }
  }
}

extension NFCError {
  /// Creates the refusal of a tag: `readOnly` for a locked block, `notAuthenticated` for a
  /// read-protected one, otherwise `tagRefused`, with the cause `iso15693`.
  package init(_ code: ISO15693ErrorCode, place: Place? = nil) {
    let general: Code
    switch code {
    case .locked: general = .readOnly
    case .readProtected: general = .notAuthenticated
    default: general = .tagRefused
    }
    self.init(general, "\(code)", cause: .iso15693(code.rawValue), place: place)
  }

  /// The code of a tag's refusal; `nil` for every other error.
  public var iso15693ErrorCode: ISO15693ErrorCode? {
    if case .iso15693(let code) = cause { return ISO15693ErrorCode(rawValue: code) }
    return nil
  }

  /// Creates the error for a vicinity tag's refusal that a reader reports only with a status word
  /// (PC/SC part 3, 3.2.2.1; ISO/IEC 7816-4, 5.6). A status word about the reader is
  /// `tagResponseError`.
  package init(vicinityStatusWord word: UInt16) {
    let (code, reason): (Code, String) =
      switch Self.meaning(of: word) {
      case .locked: (.readOnly, "the block is locked or protected")
      case .blockNotAvailable: (.tagRefused, "there is no such block")
      case .commandNotSupported: (.tagRefused, "the tag or the reader does not support the command")
      case nil: (.tagResponseError, "the reader did not perform the exchange")
      default: (.tagRefused, "the tag has refused the command")
      }
    self.init(code, reason, cause: .statusWord(word))
  }

  private static func meaning(of word: UInt16) -> ISO15693ErrorCode? {
    switch word {
    case 0x6282, 0x6A82: .blockNotAvailable
    case 0x6981, 0x6982, 0x6986: .locked
    case 0x6800, 0x6A81, 0x6D00, 0x6E00: .commandNotSupported
    case 0x6300: .unknown
    default: nil
    }
  }

  /// The reason of a vicinity tag's refusal, from its own code or from a status word; `nil` for
  /// every other error.
  package var vicinityRefusal: ISO15693ErrorCode? {
    if case .statusWord(let word) = cause { return Self.meaning(of: word) }
    return iso15693ErrorCode
  }

  /// The reader has failed at a command, and may do less of it at once.
  var isReaderFailure: Bool {
    guard case .statusWord = cause else { return false }
    return code == .tagResponseError
  }
}
