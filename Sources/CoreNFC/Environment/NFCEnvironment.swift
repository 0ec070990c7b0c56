import Synchronization

/// What an iPhone settles by its hardware, its Info.plist and its sheet, and Linux has to be told. Ours,
/// not Apple's.
///
/// At first it is what the machine and Info.plist say; a program may set another one before its
/// sessions begin.
///
/// ```swift
/// NFCEnvironment.current.readers = .named("pn532_uart:/dev/ttyUSB0")
/// NFCEnvironment.current.limits.sessionDuration = nil
/// ```
public struct NFCEnvironment: Sendable {
  /// Which reader sessions use.
  public var readers: NFCReaderSource
  /// What Info.plist says, or what the program says instead.
  public var information: NFCInformation
  /// The limits of an iPhone, each of which can be lifted.
  public var limits: NFCSessionLimits
  /// What shows the person at the machine what is going on.
  public var presenter: any NFCPresenter

  /// An environment of these parts.
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

  /// What sessions go by that begin from now on.
  public static var current: NFCEnvironment {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }
}

/// The limits that an iPhone sets to sessions. All are in force unless lifted.
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
  /// An ISO 7816 card is given out only if a listed application answers, and SELECT of any other fails
  /// with `readerErrorSecurityViolation`. Without the limit a card with none of them is given out too,
  /// with nothing selected.
  public var requiresListedApplications = true
  /// A FeliCa card is given out only if it has a listed system, and polling for any other fails with
  /// `readerErrorSecurityViolation`. Without the limit a card with none of them is given out too, with the
  /// system that it was found by.
  public var requiresListedSystems = true

  /// The limits of Core NFC on an iPhone.
  public init() {}

  /// None of them.
  public static var none: NFCSessionLimits {
    var limits = NFCSessionLimits()
    limits.sessionDuration = nil
    limits.allowsOneSession = false
    limits.requiresUsageDescription = false
    limits.requiresListedApplications = false
    limits.requiresListedSystems = false
    return limits
  }
}
