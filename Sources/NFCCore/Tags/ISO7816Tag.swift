/// A smart card: ISO/IEC 14443-4 with the commands of ISO/IEC 7816-4.
public protocol ISO7816Tag: NDEFTag {
  /// Type A: what the answer to select says of the card. Empty for type B.
  var historicalBytes: [UInt8] { get }
  /// Type B: four bytes of the answer to request; `nil` for type A.
  var applicationData: [UInt8]? { get }
  /// Type B: three bytes of the answer to request; `nil` for type A.
  var protocolInfo: [UInt8]? { get }
  /// Type A: ATQA, most significant byte first; `nil` for type B.
  var atqa: [UInt8]? { get }
  /// Type A: SAK; `nil` for type B.
  var sak: UInt8? { get }
  /// Type A: the answer to select without its length; `nil` for type B.
  var ats: [UInt8]? { get }

  /// The card as a MIFARE Classic, if it has sectors of that kind beside its applications, as SmartMX and JCOP cards
  /// do (SAK 28 and 38); `nil` for any other, and on a PC/SC reader that has gone on to ISO/IEC 14443-4 by itself: it
  /// neither tells the SAK nor takes that back.
  ///
  /// It is the same card activated in another way: ``Tag/connect()`` on either side ends what was selected or opened
  /// on the other, and only the side that was connected last takes commands.
  var miFareClassic: (any MiFareTag)? { get }

  /// Which chip it is, for the NTAG 4xx; `nil` for any other card. Was learned when the card was found.
  ///
  /// - Throws: nothing; it needs no exchange.
  func product() async throws -> TagProduct?

  /// Sends a command: one exchange with the reader, whatever the status word.
  ///
  /// A card that needs time asks for it (S(WTX) of ISO/IEC 14443-4), and the reader's chip grants it without
  /// end; `timeout` bounds the whole.
  ///
  /// - Parameter timeout: for the answer, waiting-time extensions included; `nil` for five seconds. A card
  ///   that makes an RSA key may take a minute.
  /// - Throws: ``NFCError/Code/commandTooLong`` for more than the reader carries;
  ///   ``NFCError/Code/tagConnectionLost``.
  func sendCommand(_ command: APDU, timeout: Duration?) async throws -> ResponseAPDU

  /// Sends a command, and does what it takes for the whole answer.
  ///
  /// What the reader does not carry goes in parts, extended length turned into short ones. What a card
  /// does with the parts that it has got when a chain breaks off is its own affair: begin again with SELECT.
  /// A wait that the card asks for and a block that is lost between reader and card are the chip's; libnfc
  /// reports neither; only a chain that fails in the end has the chip's status as its cause.
  ///
  /// - Parameters:
  ///   - options: `.automatic`, or `.raw` for one exchange and the card's own status word.
  ///   - timeout: for the answer to each part, as in ``sendCommand(_:timeout:)``.
  /// - Returns: all data, and the last status word, whatever it is.
  /// - Throws: ``NFCError/Code/unsupported`` with the status word if the card does not take a long command in
  ///   parts; ``NFCError/Code/commandTooLong``; ``NFCError/Code/tagResponseError``;
  ///   ``NFCError/Code/tagConnectionLost``.
  func sendCommand(
    _ command: APDU, options: APDUOptions, timeout: Duration?
  ) async throws -> ResponseAPDU

  /// Selects applications by their names in the given order; the first that answers is kept.
  ///
  /// - Throws: ``NFCError/Code/wrongTag`` if none is there; the reason names each with its status word.
  func selectApplication(of aids: [ApplicationIdentifier]) async throws -> SelectedApplication

  /// Reads a file without structure in as few READ BINARY as reader and card allow; asks for less at once
  /// where the card refuses, and remembers that while it is connected.
  ///
  /// - Parameters:
  ///   - file: its identifier; `nil` for the one that is selected.
  ///   - offset: 0 to 16 777 215.
  ///   - count: `nil` for all to the end.
  /// - Returns: fewer bytes than `count` if the file ends before.
  /// - Throws: ``NFCError/Code/tagRefused`` or ``NFCError/Code/notAuthenticated`` with the status word.
  func readBinary(file: UInt16?, offset: Int, count: Int?) async throws -> [UInt8]
}

extension ISO7816Tag {
  /// Sends a command within five seconds; see ``sendCommand(_:timeout:)``.
  ///
  /// - Throws: as ``sendCommand(_:timeout:)``: ``NFCError/Code/commandTooLong``,
  ///   ``NFCError/Code/tagConnectionLost``.
  public func sendCommand(_ command: APDU) async throws -> ResponseAPDU {
    try await sendCommand(command, timeout: nil)
  }

  /// Sends a command, each part of it within five seconds; see ``sendCommand(_:options:timeout:)``.
  ///
  /// - Throws: as ``sendCommand(_:options:timeout:)``: ``NFCError/Code/unsupported``,
  ///   ``NFCError/Code/commandTooLong``, ``NFCError/Code/tagResponseError``, ``NFCError/Code/tagConnectionLost``.
  public func sendCommand(_ command: APDU, options: APDUOptions) async throws -> ResponseAPDU {
    try await sendCommand(command, options: options, timeout: nil)
  }
}
