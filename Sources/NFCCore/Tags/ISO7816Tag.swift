/// A smart card: ISO/IEC 14443-4 with the commands of ISO/IEC 7816-4.
public protocol ISO7816Tag: NDEFTag {
  /// Type A: the historical bytes of the answer to select. Empty for type B.
  var historicalBytes: [UInt8] { get }
  /// Type B: the application data, four bytes of the answer to request; `nil` for type A.
  var applicationData: [UInt8]? { get }
  /// Type B: the protocol info, three bytes of the answer to request; `nil` for type A.
  var protocolInfo: [UInt8]? { get }
  /// Type A: ATQA, most significant byte first; `nil` for type B.
  var atqa: [UInt8]? { get }
  /// Type A: SAK; `nil` for type B.
  var sak: UInt8? { get }
  /// Type A: the answer to select without its length; `nil` for type B.
  var ats: [UInt8]? { get }

  /// The card as a MIFARE Classic, if it has such sectors in addition to its applications, as
  /// SmartMX and JCOP cards do (SAK 28 and 38). `nil` for any other card, and on a PC/SC reader
  /// that has already activated ISO/IEC 14443-4: such a reader neither reports the SAK nor returns
  /// to the lower layer.
  ///
  /// It is the same card, activated in another way: ``Tag/connect()`` on either side ends what was
  /// selected or opened on the other, and only the side that was connected last accepts commands.
  var miFareClassic: (any MiFareTag)? { get }

  /// Identifies the chip of an NTAG 4xx; `nil` for any other card. The answer is known from the
  /// detection of the card.
  ///
  /// - Throws: nothing; no exchange is needed.
  func product() async throws -> TagProduct?

  /// Sends a command: one exchange with the reader, whatever the status word.
  ///
  /// A card that needs more time requests it (S(WTX) of ISO/IEC 14443-4), and the reader's chip
  /// grants it without a limit; `timeout` limits the total time.
  ///
  /// - Parameter timeout: the time limit for the answer, including waiting-time extensions; `nil`
  ///   for five seconds. A card that generates an RSA key may take a minute.
  /// - Throws: ``NFCError/Code/commandTooLong`` for more than the reader can send;
  ///   ``NFCError/Code/tagConnectionLost``.
  func sendCommand(_ command: APDU, timeout: Duration?) async throws -> ResponseAPDU

  /// Sends a command, and takes the steps that a complete answer requires.
  ///
  /// If the reader cannot send the command as a whole, it is sent in parts, with extended lengths
  /// converted to short ones. If a chain is interrupted, it is undefined what the card does with
  /// the parts that it has received: begin again with SELECT. The chip handles waiting-time
  /// requests and lost blocks; libnfc reports neither, and only a chain that finally fails has the
  /// chip's status as its cause.
  ///
  /// - Parameters:
  ///   - options: `.automatic`, or `.raw` for one exchange and the card's own status word.
  ///   - timeout: the time limit for the answer to each part, as in ``sendCommand(_:timeout:)``.
  /// - Returns: all data, and the last status word, whatever it is.
  /// - Throws: ``NFCError/Code/unsupported`` with the status word if the card does not accept a
  ///   long command in parts; ``NFCError/Code/commandTooLong``; ``NFCError/Code/tagResponseError``;
  ///   ``NFCError/Code/tagConnectionLost``.
  func sendCommand(
    _ command: APDU, options: APDUOptions, timeout: Duration?
  ) async throws -> ResponseAPDU

  /// Selects the first application that the card has, trying the names in the given order.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` if the card has none of them; the reason lists each with
  ///   its status word.
  func selectApplication(of aids: [ApplicationIdentifier]) async throws -> SelectedApplication

  /// Reads a transparent file with as few READ BINARY commands as reader and card allow. If the
  /// card refuses a length, a shorter one is used and remembered while the card is connected.
  ///
  /// - Parameters:
  ///   - file: its identifier; `nil` for the selected file.
  ///   - offset: the first byte, 0 to 16 777 215.
  ///   - count: the number of bytes; `nil` for all bytes to the end.
  /// - Returns: the bytes; fewer than `count` if the file ends earlier.
  /// - Throws: ``NFCError/Code/tagRefused`` or ``NFCError/Code/notAuthenticated`` with the status word.
  func readBinary(file: UInt16?, offset: Int, count: Int?) async throws -> [UInt8]
}

extension ISO7816Tag {
  /// Sends a command within five seconds; see ``sendCommand(_:timeout:)``.
  ///
  /// - Throws: the errors of ``sendCommand(_:timeout:)``: ``NFCError/Code/commandTooLong``,
  ///   ``NFCError/Code/tagConnectionLost``.
  public func sendCommand(_ command: APDU) async throws -> ResponseAPDU {
    try await sendCommand(command, timeout: nil)
  }

  /// Sends a command, each part of it within five seconds; see ``sendCommand(_:options:timeout:)``.
  ///
  /// - Throws: the errors of ``sendCommand(_:options:timeout:)``: ``NFCError/Code/unsupported``,
  ///   ``NFCError/Code/commandTooLong``, ``NFCError/Code/tagResponseError``,
  ///   ``NFCError/Code/tagConnectionLost``.
  public func sendCommand(_ command: APDU, options: APDUOptions) async throws -> ResponseAPDU {
    try await sendCommand(command, options: options, timeout: nil)
  }
}
