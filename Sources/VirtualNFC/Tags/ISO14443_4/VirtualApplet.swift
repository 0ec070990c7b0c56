/// An application on an ``ISO7816Card``, which receives command APDUs and returns response APDUs.
///
/// The card itself handles SELECT by AID, GET RESPONSE and command chaining. While an applet is
/// selected, it receives all other commands.
public protocol VirtualApplet: Sendable {
  /// The application identifier, 5 to 16 bytes. It is empty for the applet of the master file.
  var aid: [UInt8] { get }

  /// The nonvolatile memory as one sequence of bytes; see ``VirtualChip/memory``.
  var memory: [UInt8] { get set }

  /// The irreversible state of the applet; see ``VirtualChip/irreversibleState``.
  var irreversibleState: IrreversibleState { get }

  /// Whether the applet accepts chained commands: class byte bit 5, ISO/IEC 7816-4, 5.3.3.
  var acceptsCommandChaining: Bool { get }

  /// Whether the applet receives each part of a chain by itself and unchanged, as GENERAL AUTHENTICATE
  /// requires, each part of which has an answer (ISO/IEC 7816-4, 7.5.5).
  var receivesPartsOfChains: Bool { get }

  /// Whether the applet accepts commands with secure messaging: class byte bits 4 and 3, ISO/IEC
  /// 7816-4, 5.4.1. Travel documents and health cards do. The applet receives these commands
  /// unchanged, including a wrapped SELECT, and unwraps them itself. For other applets, the card
  /// refuses them.
  var acceptsSecureMessaging: Bool { get }

  /// The multipliers WTXM, 1 to 59, with which the card requests more time before it answers the
  /// command that was just processed: ISO/IEC 14443-4, 7.3.
  var waitingTimeExtensions: [UInt8] { get }

  /// Handles the selection of the applet. Returns the answer's data, usually file control
  /// information, and the status word.
  mutating func select() -> [UInt8]

  /// Handles the selection of another applet, or the loss of power.
  mutating func deselect()

  /// Handles the loss of power, after ``deselect()``.
  mutating func powerOff()

  /// Whether the card refuses every command with 6985 until it has lost its power, as some do after an error.
  var isDead: Bool { get }

  /// Processes a command APDU of any form. Returns the answer's data and its status word.
  mutating func process(_ apdu: [UInt8]) -> [UInt8]
}

extension VirtualApplet {
  public var memory: [UInt8] {
    get { [] }
    set {}
  }
  public var irreversibleState: IrreversibleState { IrreversibleState() }
  public var acceptsCommandChaining: Bool { false }
  public var receivesPartsOfChains: Bool { false }
  public var acceptsSecureMessaging: Bool { false }
  public var waitingTimeExtensions: [UInt8] { [] }
  public mutating func select() -> [UInt8] { StatusWord.success.bytes }
  public mutating func deselect() {}
  public mutating func powerOff() {}
  public var isDead: Bool { false }
}
