import NFC

/// The first byte of a request (ISO/IEC 15693-3, 7.3.1).
public struct NFCISO15693RequestFlag: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The tag answers on two subcarriers instead of one.
  public static let dualSubCarriers = NFCISO15693RequestFlag(rawValue: 0x01)
  /// The tag answers at the high data rate. Set in every request except those of
  /// ``NFCISO15693Tag/sendRequest(requestFlags:commandCode:data:resultHandler:)``.
  public static let highDataRate = NFCISO15693RequestFlag(rawValue: 0x02)
  /// The format is extended: ordinary commands have block numbers of two bytes (chips of ST).
  public static let protocolExtension = NFCISO15693RequestFlag(rawValue: 0x08)
  /// The request is for the tag in the state Selected, and not addressed.
  public static let select = NFCISO15693RequestFlag(rawValue: 0x10)
  /// The request is for the tag whose UID it contains. Set in every request without ``select``.
  public static let address = NFCISO15693RequestFlag(rawValue: 0x20)
  /// The option of the command: security status with a read, an answer only after another end of
  /// frame with a write.
  public static let option = NFCISO15693RequestFlag(rawValue: 0x40)
  /// Reserved by the standard; some commands use it.
  public static let commandSpecificBit8 = NFCISO15693RequestFlag(rawValue: 0x80)
}

/// The names that the flags had in iOS 13.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension NFCISO15693RequestFlag {
  /// ``dualSubCarriers``
  public static let RequestFlagDualSubCarriers = dualSubCarriers
  /// ``highDataRate``
  public static let RequestFlagHighDataRate = highDataRate
  /// ``protocolExtension``
  public static let RequestFlagProtocolExtension = protocolExtension
  /// ``select``
  public static let RequestFlagSelect = select
  /// ``address``
  public static let RequestFlagAddress = address
  /// ``option``
  public static let RequestFlagOption = option
}

/// The name of the type in iOS 13.
public typealias RequestFlag = NFCISO15693RequestFlag

extension ISO15693RequestFlags {
  /// Flags without the one for addressed requests, which the native tag puts itself.
  init(_ flags: NFCISO15693RequestFlag) {
    self.init(rawValue: flags.subtracting(.address).rawValue)
  }
}
