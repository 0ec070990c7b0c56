import Synchronization

/// The settings that an iPhone takes from its hardware, its Info.plist and its sheet, and that have
/// to be specified on Linux. This is an addition to Apple's interface.
///
/// The defaults come from the machine and Info.plist; a program may set other values before its
/// sessions begin.
///
/// ```swift
/// NFCEnvironment.current.readers = .named("pn532_uart:/dev/ttyUSB0")
/// NFCEnvironment.current.limits.sessionDuration = nil
/// ```
public struct NFCEnvironment: Sendable {
  /// The readers that sessions use.
  public var readers: NFCReaderSource
  /// The contents of Info.plist, or the program's replacement for them.
  public var information: NFCInformation
  /// The limits of an iPhone, each of which can be lifted.
  public var limits: NFCSessionLimits
  /// Informs the person at the machine about sessions.
  public var presenter: any NFCPresenter

  /// Creates an environment.
  public init(
    readers: NFCReaderSource = .automatic, information: NFCInformation = .main,
    limits: NFCSessionLimits = NFCSessionLimits(), presenter: any NFCPresenter = .terminal
  ) {
    self.readers = readers
    self.information = information
    self.limits = limits
    self.presenter = presenter
  }

  private static let shared = Mutex(NFCEnvironment())

  /// The environment of sessions that begin from now on.
  public static var current: NFCEnvironment {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }
}

/// The limits that an iPhone imposes on sessions. All apply unless you lift them.
public struct NFCSessionLimits: Sendable {
  /// After this time a session ends with `readerSessionInvalidationErrorSessionTimeout`; `nil` for no
  /// limit. 60 seconds on an iPhone.
  public var sessionDuration: Duration? = .seconds(60)
  /// A session that begins while another one runs ends with
  /// `readerSessionInvalidationErrorSystemIsBusy`.
  public var allowsOneSession = true
  /// A session ends with `readerErrorSecurityViolation` if Info.plist has no `NFCReaderUsageDescription`.
  /// An iPhone ends the whole program.
  public var requiresUsageDescription = true
  /// An ISO 7816 card is reported only if a listed application answers, and SELECT of any other
  /// fails with `readerErrorSecurityViolation`. Without the limit, a card with none of them is
  /// reported too, with nothing selected.
  public var requiresListedApplications = true
  /// A FeliCa card is reported only if it has a listed system, and polling for any other fails with
  /// `readerErrorSecurityViolation`. Without the limit, a card with none of them is reported too,
  /// with the system that it was found with.
  public var requiresListedSystems = true
  /// The time for which an ``NFCPresentmentIntentAssertion`` is valid: 15 seconds on an iPhone.
  public var presentmentIntentDuration = Duration.seconds(15)
  /// The time after that in which no other can be acquired: 15 seconds on an iPhone.
  public var presentmentIntentPause = Duration.seconds(15)

  /// Creates the limits of Core NFC on an iPhone.
  public init() {}

  /// No limits.
  public static var none: NFCSessionLimits {
    var limits = NFCSessionLimits()
    limits.sessionDuration = nil
    limits.allowsOneSession = false
    limits.requiresUsageDescription = false
    limits.requiresListedApplications = false
    limits.requiresListedSystems = false
    limits.presentmentIntentPause = .zero
    return limits
  }
}
