/// A type A tag of the MIFARE or NTAG families.
public protocol MiFareTag: NDEFTag {
  /// Which family of MIFARE the tag belongs to.
  var family: MiFareFamily { get }
  /// Two bytes, most significant first.
  var atqa: [UInt8] { get }
  /// SAK: the last answer of the anticollision.
  var sak: UInt8 { get }
  /// The answer to select without its length; empty below ISO/IEC 14443-4.
  var ats: [UInt8] { get }
  /// What follows the interface bytes of ``ats``.
  var historicalBytes: [UInt8] { get }

  /// Which chip it is; `nil` if that cannot be found out.
  ///
  /// Costs GET_VERSION and, for chips without it, one or two further commands, the first time it is
  /// asked while the tag is connected.
  ///
  /// - Throws: ``NFCError/Code/tagResponseError``; ``NFCError/Code/tagConnectionLost``. A chip that refuses the
  ///   question is no error.
  func product() async throws -> TagProduct?

  /// Sends a command of the chip's own: one exchange.
  ///
  /// Ultralight and NTAG: the command without CRC_A, for instance `30 04`; the answer without CRC_A,
  /// or the single byte `0A` for an acknowledge. DESFire, Plus: the native command, inside the
  /// blocks of ISO/IEC 14443-4; on a PC/SC reader, which carries only APDUs, a DESFire's goes in one, and a
  /// Plus's as it is.
  /// Classic: `60` or `61`, block and key (the UID is added), then `30`, `A0`, `B0`, `C0` to `C2` as
  /// the data sheet has them with the operand in the same command.
  ///
  /// - Parameter timeout: for the answer; `nil` for what the family allows: 100 ms for Ultralight and NTAG,
  ///   0.5 s for an authentication of Classic, else one second. A reader that cannot wait for so short a time
  ///   waits for the shortest that it can.
  /// - Throws: ``NFCError/Code/unsupported`` for a command that this reader does not carry, with what it lacks
  ///   (``ReaderCapabilities/commandPaths``); ``NFCError/Code/tagRefused`` with the NAK;
  ///   ``NFCError/Code/tagResponseError`` for no or a broken answer; ``NFCError/Code/commandTooLong``;
  ///   ``NFCError/Code/authenticationFailed`` for a wrong key.
  func sendMiFareCommand(_ command: [UInt8], timeout: Duration?) async throws -> [UInt8]

  /// Sends a command in the form of ISO/IEC 7816-4, for tags that speak ISO/IEC 14443-4.
  ///
  /// - Parameter timeout: as in ``ISO7816Tag/sendCommand(_:timeout:)``.
  /// - Throws: ``NFCError/Code/unsupported`` on other tags.
  func sendCommand(_ command: APDU, timeout: Duration?) async throws -> ResponseAPDU

  /// The card as one that takes commands of ISO/IEC 7816-4, with all that ``ISO7816Tag`` can do; `nil` for a
  /// tag that does not speak ISO/IEC 14443-4.
  var iso7816: (any ISO7816Tag)? { get }

  /// Sends a command in the form of ISO/IEC 7816-4, and does what it takes for the whole answer, as
  /// ``ISO7816Tag/sendCommand(_:options:)``. Frames that a DESFire announces by 91AF are commands of their own
  /// and are left to the program.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` on tags without ISO/IEC 14443-4.
  func sendCommand(
    _ command: APDU, options: APDUOptions, timeout: Duration?
  ) async throws -> ResponseAPDU

  /// The commands of MIFARE Classic; `nil` on other tags.
  var classic: MiFareClassicCommands? { get }

  /// The commands of MIFARE Ultralight and NTAG 2xx; `nil` on other tags.
  var ultralight: UltralightCommands? { get }
}

extension MiFareTag {
  /// Sends a command within the time that the family allows; see ``sendMiFareCommand(_:timeout:)``.
  ///
  /// - Throws: as ``sendMiFareCommand(_:timeout:)``: ``NFCError/Code/unsupported``, ``NFCError/Code/tagRefused``,
  ///   ``NFCError/Code/tagResponseError``, ``NFCError/Code/commandTooLong``,
  ///   ``NFCError/Code/authenticationFailed``.
  public func sendMiFareCommand(_ command: [UInt8]) async throws -> [UInt8] {
    try await sendMiFareCommand(command, timeout: nil)
  }

  /// Sends an APDU within five seconds; see ``sendCommand(_:timeout:)``.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` on tags without ISO/IEC 14443-4; else as
  ///   ``ISO7816Tag/sendCommand(_:timeout:)``.
  public func sendCommand(_ command: APDU) async throws -> ResponseAPDU {
    try await sendCommand(command, timeout: nil)
  }

  /// Sends an APDU, each part of it within five seconds; see ``sendCommand(_:options:timeout:)``.
  ///
  /// - Throws: ``NFCError/Code/unsupported`` on tags without ISO/IEC 14443-4; else as
  ///   ``ISO7816Tag/sendCommand(_:options:timeout:)``.
  public func sendCommand(_ command: APDU, options: APDUOptions) async throws -> ResponseAPDU {
    try await sendCommand(command, options: options, timeout: nil)
  }
}

/// The families of MIFARE tags.
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
