/// A type A tag of the MIFARE or NTAG families.
public protocol MiFareTag: NDEFTag {
  /// The MIFARE family of the tag.
  var family: MiFareFamily { get }
  /// The ATQA: two bytes, most significant first.
  var atqa: [UInt8] { get }
  /// The SAK, the last answer of the anticollision.
  var sak: UInt8 { get }
  /// The answer to select without its length byte; empty for a tag without ISO/IEC 14443-4.
  var ats: [UInt8] { get }
  /// The bytes after the interface bytes of ``ats``.
  var historicalBytes: [UInt8] { get }

  /// Identifies the chip; `nil` if that is not possible.
  ///
  /// The first call while the tag is connected costs GET_VERSION and, for chips without it, one or
  /// two further commands.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError``; ``NFCError/Code/tagConnectionLost``. A chip that
  ///   refuses the command is not an error.
  func product() async throws -> TagProduct?

  /// Sends a command of the chip: one exchange, except for a long command of a DESFire.
  ///
  /// Ultralight and NTAG: the command without CRC_A, for instance `30 04`; the answer without
  /// CRC_A, or the single byte `0A` for an acknowledge. DESFire: the native command, which is sent
  /// in an APDU of class `90`, and the native answer, status first: a card keeps to the form of the
  /// first command after its activation, and it was recognized by an APDU. One that is longer than a
  /// frame, 55 bytes with its code, is continued with `AF`, as NXP documents it, unless it is one that
  /// leaves this to ISO/IEC 14443-4 (`8D`, `AD`, `8B`, `AB`, `5F`); the frames of an answer are not
  /// joined. An APDU is sent as it is. Plus: the native command. Classic: `60` or `61`, block and key
  /// (the UID is added), then `30`, `A0`, `B0`, `C0` to `C2` as in the data sheet, with the operand in
  /// the same command.
  ///
  /// - Parameter timeout: the time limit for the answer; `nil` for the default of the family: 100
  ///   ms for Ultralight and NTAG, 0.5 s for an authentication of Classic, otherwise one second. A
  ///   reader that cannot wait for such a short time waits for the shortest time that it supports.
  /// - Throws: ``NFCError/Code/unsupported`` for a command that this reader cannot send, with the
  ///   missing capability (``ReaderCapabilities/commandPaths``); ``NFCError/Code/tagRefused`` with
  ///   the NAK; ``NFCError/Code/tagResponseError`` for a missing or broken answer;
  ///   ``NFCError/Code/commandTooLong``; ``NFCError/Code/authenticationFailed`` for a wrong key.
  func sendMiFareCommand(_ command: [UInt8], timeout: Duration?) async throws -> [UInt8]

  /// Sends a command of ISO/IEC 7816-4, to tags that support ISO/IEC 14443-4.
  ///
  /// - Parameter timeout: see ``ISO7816Tag/sendCommand(_:timeout:)``.
  /// - Throws: ``NFCError/Code/unsupported`` on other tags.
  func sendCommand(_ command: APDU, timeout: Duration?) async throws -> ResponseAPDU

  /// The card with all functions of ``ISO7816Tag``; `nil` for a tag that does not support ISO/IEC
  /// 14443-4.
  var iso7816: (any ISO7816Tag)? { get }

  /// Sends a command of ISO/IEC 7816-4, and takes the steps that a complete answer requires; see
  /// ``ISO7816Tag/sendCommand(_:options:)``. Additional frames that a DESFire announces with 91AF
  /// are separate commands, which this does not send.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` on tags without ISO/IEC 14443-4.
  func sendCommand(
    _ command: APDU, options: APDUOptions, timeout: Duration?
  ) async throws -> ResponseAPDU

  /// The commands of MIFARE Classic; `nil` for other tags.
  var classic: MiFareClassicCommands? { get }

  /// The commands of MIFARE Ultralight and NTAG 2xx; `nil` for other tags.
  var ultralight: UltralightCommands? { get }
}

extension MiFareTag {
  /// Sends a command with the time limit of the family; see ``sendMiFareCommand(_:timeout:)``.
  ///
  /// - Throws: the errors of ``sendMiFareCommand(_:timeout:)``: ``NFCError/Code/unsupported``,
  ///   ``NFCError/Code/tagRefused``, ``NFCError/Code/tagResponseError``,
  ///   ``NFCError/Code/commandTooLong``, ``NFCError/Code/authenticationFailed``.
  public func sendMiFareCommand(_ command: [UInt8]) async throws -> [UInt8] {
    try await sendMiFareCommand(command, timeout: nil)
  }

  /// Sends an APDU within five seconds; see ``sendCommand(_:timeout:)``.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` on tags without ISO/IEC 14443-4; otherwise the errors
  ///   of ``ISO7816Tag/sendCommand(_:timeout:)``.
  public func sendCommand(_ command: APDU) async throws -> ResponseAPDU {
    try await sendCommand(command, timeout: nil)
  }

  /// Sends an APDU, each part of it within five seconds; see ``sendCommand(_:options:timeout:)``.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` on tags without ISO/IEC 14443-4; otherwise the errors
  ///   of ``ISO7816Tag/sendCommand(_:options:timeout:)``.
  public func sendCommand(_ command: APDU, options: APDUOptions) async throws -> ResponseAPDU {
    try await sendCommand(command, options: options, timeout: nil)
  }
}

/// The families of MIFARE tags. More may be added: a `switch` needs an `@unknown default`.
@nonexhaustive
public enum MiFareFamily: String, Hashable, Sendable {
  /// MIFARE Classic, and cards that emulate it.
  case classic
  /// Ultralight and NTAG 2xx.
  case ultralight
  /// MIFARE Plus.
  case plus
  /// MIFARE DESFire.
  case desfire
  /// None of these. No reader of this package reports it.
  case unknown
}
