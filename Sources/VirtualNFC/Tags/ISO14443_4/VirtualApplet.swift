/// An application on an ``ISO7816Card``: command APDUs in, response APDUs out.
///
/// The card itself deals with SELECT by AID, with GET RESPONSE and with command chaining; an applet
/// gets every other command while it is selected.
public protocol VirtualApplet: Sendable {
  /// The application identifier, 5 to 16 bytes; none for the master file's.
  var aid: [UInt8] { get }

  /// The non-volatile memory as one run of bytes; see ``VirtualChip/memory``.
  var memory: [UInt8] { get set }

  /// What is final in the applet; see ``VirtualChip/irreversibleState``.
  var irreversibleState: IrreversibleState { get }

  /// Whether the applet takes commands that come in parts: class byte bit 5, ISO/IEC 7816-4, 5.3.3.
  var acceptsCommandChaining: Bool { get }

  /// Whether the applet takes commands under secure messaging, class byte bits 4 and 3 (ISO/IEC 7816-4,
  /// 5.4.1): travel documents, health cards. It gets them as they are, a wrapped SELECT too, and unwraps
  /// them itself. The card refuses them for other applets.
  var acceptsSecureMessaging: Bool { get }

  /// The multipliers WTXM, 1 to 59, with which the card asks for more time before it sends the
  /// answer to the command that has just been processed: ISO/IEC 14443-4, 7.3.
  var waitingTimeExtensions: [UInt8] { get }

  /// The applet has been selected: the answer's data, most often file control information, and the
  /// status word.
  mutating func select() -> [UInt8]

  /// Another applet has been selected, or the power has gone.
  mutating func deselect()

  /// Takes a command APDU of any form and gives the answer's data and its status word.
  mutating func process(_ apdu: [UInt8]) -> [UInt8]
}

extension VirtualApplet {
  public var memory: [UInt8] {
    get { [] }
    set {}
  }
  public var irreversibleState: IrreversibleState { IrreversibleState() }
  public var acceptsCommandChaining: Bool { false }
  public var acceptsSecureMessaging: Bool { false }
  public var waitingTimeExtensions: [UInt8] { [] }
  public mutating func select() -> [UInt8] { StatusWord.success.bytes }
  public mutating func deselect() {}
}
