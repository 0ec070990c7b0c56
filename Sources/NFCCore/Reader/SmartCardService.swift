/// The calls of PC/SC that a driver needs: a connection to one card at a time.
///
/// There is one over the system's PC/SC service, and one in the process for virtual tags. All calls
/// but ``cancel`` are made on one thread. A service that has stopped is reached again by the next
/// call after it has started.
public protocol SmartCardService: AnyObject {
  /// The names of the readers that are there.
  func readers() throws(SmartCardFailure) -> [String]

  /// What is known of a reader and the card in it, without asking the card.
  func status(of reader: String) throws(SmartCardFailure) -> SmartCardStatus

  /// Waits until readers have come or gone, at most so long; ends early after ``cancel``.
  func waitForReaders(atMost timeout: Duration) throws(SmartCardFailure)

  /// Waits until the status is another one, at most so long; ends early after ``cancel``.
  func wait(
    forChangeOf reader: String, from status: SmartCardStatus, atMost timeout: Duration
  ) throws(SmartCardFailure)

  /// Ends the wait that is running, from any thread. An exchange that is running may still come to
  /// its end, but no longer waits for a card that is silent.
  var cancel: @Sendable () -> Void { get }

  /// Connects to the card in a reader, for nobody else until ``disconnect()``.
  func connect(to reader: String) throws(SmartCardFailure)

  /// Sends a command APDU and gives the answer, status word included; empty from some readers for a card
  /// that does not answer.
  ///
  /// - Parameter timeout: how long the answer may take. When it is over the connection is given up and
  ///   ``SmartCardFailure/timeout`` thrown.
  func transmit(
    _ command: [UInt8], atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8]

  /// Takes the power from the card and gives it back: a tag begins again. The connection stays.
  func reset() throws(SmartCardFailure)

  /// Gives the card up as it is. Does nothing without a connection.
  func disconnect()

  /// Gives everything up. Nothing is called after it.
  func close()
}

/// A reader's slot at a moment.
public struct SmartCardStatus: Hashable, Sendable {
  /// Whether a card is in the slot, or before the reader.
  public var isCardPresent: Bool
  /// Another one with every card that comes or goes, and with every new connection to the service.
  public var eventCount: Int
  /// The answer to reset of the card that is there, as the reader makes it up for a tag.
  public var atr: [UInt8]

  /// A slot with these properties.
  public init(isCardPresent: Bool, eventCount: Int, atr: [UInt8]) {
    self.isCardPresent = isCardPresent
    self.eventCount = eventCount
    self.atr = atr
  }
}

/// What a call of PC/SC has failed with: the codes of pcsclite.h.
public struct SmartCardFailure: Error, Hashable, Sendable {
  /// The number of the code.
  public let code: UInt32

  /// The failure of that number.
  public init(code: UInt32) { self.code = code }

  /// `SCARD_F_INTERNAL_ERROR`: the PC/SC service has failed inside.
  public static let internalError = SmartCardFailure(code: 0x8010_0001)
  /// `SCARD_E_CANCELLED`: cancelled.
  public static let cancelled = SmartCardFailure(code: 0x8010_0002)
  /// `SCARD_E_INVALID_HANDLE`: the connection to the PC/SC service is no longer valid.
  public static let invalidHandle = SmartCardFailure(code: 0x8010_0003)
  /// `SCARD_E_INSUFFICIENT_BUFFER`: the answer is longer than the PC/SC service allows.
  public static let insufficientBuffer = SmartCardFailure(code: 0x8010_0008)
  /// `SCARD_E_UNKNOWN_READER`: there is no such reader.
  public static let unknownReader = SmartCardFailure(code: 0x8010_0009)
  /// `SCARD_E_TIMEOUT`: the time is over.
  public static let timeout = SmartCardFailure(code: 0x8010_000A)
  /// `SCARD_E_SHARING_VIOLATION`: another program uses the card.
  public static let sharingViolation = SmartCardFailure(code: 0x8010_000B)
  /// `SCARD_E_NO_SMARTCARD`: there is no card.
  public static let noSmartCard = SmartCardFailure(code: 0x8010_000C)
  /// `SCARD_E_PROTO_MISMATCH`: the card has no protocol that the reader speaks.
  public static let protocolMismatch = SmartCardFailure(code: 0x8010_000F)
  /// `SCARD_F_COMM_ERROR`: the PC/SC service does not answer.
  public static let communication = SmartCardFailure(code: 0x8010_0013)
  /// `SCARD_E_NOT_TRANSACTED`: the exchange with the card has broken off.
  public static let notTransacted = SmartCardFailure(code: 0x8010_0016)
  /// `SCARD_E_READER_UNAVAILABLE`: the reader has gone.
  public static let readerUnavailable = SmartCardFailure(code: 0x8010_0017)
  /// `SCARD_E_NO_SERVICE`: the PC/SC service is not running.
  public static let noService = SmartCardFailure(code: 0x8010_001D)
  /// `SCARD_E_SERVICE_STOPPED`: the PC/SC service has stopped.
  public static let serviceStopped = SmartCardFailure(code: 0x8010_001E)
  /// `SCARD_E_NO_READERS_AVAILABLE`: there is no PC/SC reader.
  public static let noReaders = SmartCardFailure(code: 0x8010_002E)
  /// `SCARD_W_UNSUPPORTED_CARD`: the PC/SC service does not know this kind of card.
  public static let unsupportedCard = SmartCardFailure(code: 0x8010_0065)
  /// `SCARD_W_UNRESPONSIVE_CARD`: the card does not answer.
  public static let unresponsiveCard = SmartCardFailure(code: 0x8010_0066)
  /// `SCARD_W_UNPOWERED_CARD`: the card has no power.
  public static let unpoweredCard = SmartCardFailure(code: 0x8010_0067)
  /// `SCARD_W_RESET_CARD`: the card has been reset.
  public static let resetCard = SmartCardFailure(code: 0x8010_0068)
  /// `SCARD_W_REMOVED_CARD`: the card has been removed.
  public static let removedCard = SmartCardFailure(code: 0x8010_0069)
  /// `SCARD_W_SECURITY_VIOLATION`: the PC/SC service does not let this user in.
  public static let securityViolation = SmartCardFailure(code: 0x8010_006A)
}

extension SmartCardFailure: CustomStringConvertible {
  public var description: String {
    switch self {
    case .internalError: "the PC/SC service has failed inside"
    case .cancelled: "cancelled"
    case .invalidHandle: "the connection to the PC/SC service is no longer valid"
    case .insufficientBuffer: "the answer is longer than the PC/SC service allows"
    case .unknownReader: "there is no such reader"
    case .timeout: "the time is over"
    case .sharingViolation: "another program uses the card"
    case .noSmartCard: "there is no card"
    case .protocolMismatch: "the card has no protocol that the reader speaks"
    case .communication: "the PC/SC service does not answer"
    case .notTransacted: "the exchange with the card has broken off"
    case .readerUnavailable: "the reader has gone"
    case .noService: "the PC/SC service is not running"
    case .serviceStopped: "the PC/SC service has stopped"
    case .noReaders: "there is no PC/SC reader"
    case .unsupportedCard: "the PC/SC service does not know this kind of card"
    case .unresponsiveCard: "the card does not answer"
    case .unpoweredCard: "the card has no power"
    case .resetCard: "the card has been reset"
    case .removedCard: "the card has been removed"
    case .securityViolation: "the PC/SC service does not let this user in"
    default: "PC/SC error \(String(code, radix: 16, uppercase: true))"
    }
  }
}

extension NFCError {
  /// Whether a card is before a PC/SC reader and another program has it, or one that has ended has
  /// left it in the middle of a command. The reader is of use again once the card is free or gone.
  public var isCardInUse: Bool {
    if case .pcsc(SmartCardFailure.sharingViolation.code, _) = cause { true } else { false }
  }
}
