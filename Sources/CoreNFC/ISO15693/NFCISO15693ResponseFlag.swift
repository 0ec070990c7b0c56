import NFC

/// The first byte of an answer (ISO/IEC 15693-3, 7.4.1; the names of the edition of 2018).
public struct NFCISO15693ResponseFlag: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The tag refuses the command. Methods fail then, so their results never contain this flag.
  public static let error = NFCISO15693ResponseFlag(rawValue: 0x01)
  /// The response buffer holds a valid answer.
  public static let responseBufferValid = NFCISO15693ResponseFlag(rawValue: 0x02)
  /// This is the last answer to the command.
  public static let finalResponse = NFCISO15693ResponseFlag(rawValue: 0x04)
  /// The format of the answer is extended.
  public static let protocolExtension = NFCISO15693ResponseFlag(rawValue: 0x08)
  /// The lower bit of the security status of a block.
  public static let blockSecurityStatusBit5 = NFCISO15693ResponseFlag(rawValue: 0x10)
  /// The upper bit of the security status of a block.
  public static let blockSecurityStatusBit6 = NFCISO15693ResponseFlag(rawValue: 0x20)
  /// The tag needs more time.
  public static let waitTimeExtension = NFCISO15693ResponseFlag(rawValue: 0x40)
}

extension NFCISO15693ResponseFlag {
  init(_ flags: ISO15693ResponseFlags) { self.init(rawValue: flags.rawValue) }
}
