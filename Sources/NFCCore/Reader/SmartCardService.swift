/// The calls of PC/SC that a driver needs: a connection to one card at a time.
///
/// There is an implementation with the system's PC/SC service, and one for virtual tags in the same
/// process. All calls except ``cancel`` are made on one thread. If the service has stopped, the
/// next call after its restart reaches it again.
public protocol SmartCardService: AnyObject {
  /// Returns the names of the connected readers.
  func readers() throws(SmartCardFailure) -> [String]

  /// Returns the known status of a reader and its card, without asking the card.
  func status(of reader: String) throws(SmartCardFailure) -> SmartCardStatus

  /// Waits until readers have come or gone, at most for a given time; ends early after ``cancel``.
  func waitForReaders(atMost timeout: Duration) throws(SmartCardFailure)

  /// Waits until the status changes, at most for a given time; ends early after ``cancel``.
  func wait(
    forChangeOf reader: String, from status: SmartCardStatus, atMost timeout: Duration
  ) throws(SmartCardFailure)

  /// Ends the running wait, from any thread. A running exchange may still finish, but no longer
  /// waits for a silent card.
  var cancel: @Sendable () -> Void { get }

  /// Connects exclusively to the card in a reader, until ``disconnect()``.
  func connect(to reader: String) throws(SmartCardFailure)

  /// Sends a command APDU and returns the answer, including the status word; some readers return an
  /// empty answer if the card does not answer.
  ///
  /// - Parameter timeout: the time limit for the answer. When it has passed, the connection is
  ///   given up and ``SmartCardFailure/timeout`` thrown.
  func transmit(
    _ command: [UInt8], atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8]

  /// Returns the maximum number of data bytes of a command to the connected card, as the reader's driver says it, without
  /// asking the card: 65 536 for a reader with extended length fields; `nil` if it says nothing. (PC/SC part 10, property
  /// dwMaxAPDUDataSize.)
  func maximumCommandData() throws(SmartCardFailure) -> Int?

  /// Sends a command to the reader itself, with or without a connection to a card, and returns its answer.
  ///
  /// - Throws: ``SmartCardFailure/unsupportedFeature`` or ``SmartCardFailure/notTransacted`` if the reader's driver does
  ///   not pass such commands on.
  func control(
    _ command: [UInt8], of reader: String, atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8]

  /// Switches the card's power off and on: a tag starts again. The connection remains.
  func reset() throws(SmartCardFailure)

  /// Releases the card unchanged. Does nothing without a connection.
  func disconnect()

  /// Releases the card with its power switched off: a tag starts again with the next connection, of whichever program.
  /// Does nothing without a connection.
  func powerOff()

  /// Releases everything. No call follows.
  func close()
}

extension SmartCardService {
  public func maximumCommandData() throws(SmartCardFailure) -> Int? { nil }

  public func control(
    _ command: [UInt8], of reader: String, atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    throw .unsupportedFeature
  }

  /// Switches the power off and on, and releases the card.
  public func powerOff() {
    try? reset()
    disconnect()
  }
}

/// The status of a reader's slot.
public struct SmartCardStatus: Hashable, Sendable {
  /// Whether a card is in the slot, or on the reader.
  public var isCardPresent: Bool
  /// A counter that changes with every card that comes or goes, and with every new connection to
  /// the service.
  public var eventCount: Int
  /// The answer to reset of the card; for a tag, the reader invents it.
  public var atr: [UInt8]

  /// Creates a status.
  public init(isCardPresent: Bool, eventCount: Int, atr: [UInt8]) {
    self.isCardPresent = isCardPresent
    self.eventCount = eventCount
    self.atr = atr
  }
}

/// An error code of a PC/SC call, from pcsclite.h.
public struct SmartCardFailure: Error, Hashable, Sendable {
  /// The number of the code.
  public let code: UInt32

  /// Creates a failure from its code.
  public init(code: UInt32) { self.code = code }

  /// `SCARD_F_INTERNAL_ERROR`: an internal error of the PC/SC service.
  public static let internalError = SmartCardFailure(code: 0x8010_0001)
  /// `SCARD_E_CANCELLED`: cancelled.
  public static let cancelled = SmartCardFailure(code: 0x8010_0002)
  /// `SCARD_E_INVALID_HANDLE`: the connection to the PC/SC service is no longer valid.
  public static let invalidHandle = SmartCardFailure(code: 0x8010_0003)
  /// `SCARD_E_INSUFFICIENT_BUFFER`: the answer is longer than the PC/SC service allows.
  public static let insufficientBuffer = SmartCardFailure(code: 0x8010_0008)
  /// `SCARD_E_UNKNOWN_READER`: there is no such reader.
  public static let unknownReader = SmartCardFailure(code: 0x8010_0009)
  /// `SCARD_E_TIMEOUT`: the time limit has passed.
  public static let timeout = SmartCardFailure(code: 0x8010_000A)
  /// `SCARD_E_SHARING_VIOLATION`: another program uses the card, or this one still waits for its answer.
  public static let sharingViolation = SmartCardFailure(code: 0x8010_000B)
  /// `SCARD_E_NO_SMARTCARD`: there is no card.
  public static let noSmartCard = SmartCardFailure(code: 0x8010_000C)
  /// `SCARD_E_PROTO_MISMATCH`: the card and the reader have no protocol in common.
  public static let protocolMismatch = SmartCardFailure(code: 0x8010_000F)
  /// `SCARD_F_COMM_ERROR`: the PC/SC service does not answer.
  public static let communication = SmartCardFailure(code: 0x8010_0013)
  /// `SCARD_E_NOT_TRANSACTED`: the exchange with the card was interrupted.
  public static let notTransacted = SmartCardFailure(code: 0x8010_0016)
  /// `SCARD_E_READER_UNAVAILABLE`: the reader has gone.
  public static let readerUnavailable = SmartCardFailure(code: 0x8010_0017)
  /// `SCARD_E_NO_SERVICE`: the PC/SC service is not running.
  public static let noService = SmartCardFailure(code: 0x8010_001D)
  /// `SCARD_E_SERVICE_STOPPED`: the PC/SC service has stopped.
  public static let serviceStopped = SmartCardFailure(code: 0x8010_001E)
  /// `SCARD_E_UNSUPPORTED_FEATURE`: the reader's driver does not support it.
  public static let unsupportedFeature = SmartCardFailure(code: 0x8010_001F)
  /// `SCARD_E_NO_READERS_AVAILABLE`: there is no PC/SC reader.
  public static let noReaders = SmartCardFailure(code: 0x8010_002E)
  /// `SCARD_W_UNSUPPORTED_CARD`: the PC/SC service does not support this kind of card.
  public static let unsupportedCard = SmartCardFailure(code: 0x8010_0065)
  /// `SCARD_W_UNRESPONSIVE_CARD`: the card does not answer.
  public static let unresponsiveCard = SmartCardFailure(code: 0x8010_0066)
  /// `SCARD_W_UNPOWERED_CARD`: the card has no power.
  public static let unpoweredCard = SmartCardFailure(code: 0x8010_0067)
  /// `SCARD_W_RESET_CARD`: the card has been reset.
  public static let resetCard = SmartCardFailure(code: 0x8010_0068)
  /// `SCARD_W_REMOVED_CARD`: the card has been removed.
  public static let removedCard = SmartCardFailure(code: 0x8010_0069)
  /// `SCARD_W_SECURITY_VIOLATION`: the PC/SC service denies access to this user.
  public static let securityViolation = SmartCardFailure(code: 0x8010_006A)
}

extension SmartCardFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .internalError: "the PC/SC service reported an internal error"
    case .cancelled: "cancelled"
    case .invalidHandle: "the connection to the PC/SC service is no longer valid"
    case .insufficientBuffer: "the answer is longer than the PC/SC service allows"
    case .unknownReader: "there is no such reader"
    case .timeout: "the operation timed out"
    case .sharingViolation: "another program uses it, or this one still waits for its answer"
    case .noSmartCard: "there is no card"
    case .protocolMismatch: "the card has no protocol that the reader supports"
    case .communication: "the PC/SC service does not answer"
    case .notTransacted: "the exchange with the card was interrupted"
    case .readerUnavailable: "the reader has gone"
    case .noService: "the PC/SC service is not running"
    case .serviceStopped: "the PC/SC service has stopped"
    case .unsupportedFeature: "the reader's driver does not support it"
    case .noReaders: "there is no PC/SC reader"
    case .unsupportedCard: "the PC/SC service does not know this kind of card"
    case .unresponsiveCard: "the card does not answer"
    case .unpoweredCard: "the card has no power"
    case .resetCard: "the card has been reset"
    case .removedCard: "the card has been removed"
    case .securityViolation: "the PC/SC service does not allow this user to connect"
    default: "PC/SC error \(String(code, radix: 16, uppercase: true))"
    }
  }
}
