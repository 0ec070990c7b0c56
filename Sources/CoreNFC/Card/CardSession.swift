import Foundation

/// Lets a reader of this machine act as a card for another reader.
///
/// On an iPhone, a secure service and entitlements of Apple's are required for this; here, a PN532 is. The order of calls
/// and events is the same. What differs: a field is noticed only when a reader in it selects the card, so
/// ``Event/readerDetected`` comes then, and the first command waits until ``startEmulation()``; without a list of
/// applications in Info.plist (`com.apple.developer.nfc.hce.iso7816.select-identifier-prefixes`), all commands are
/// delivered.
open class CardSession {
  private let core: CardSessionCore

  /// Opens the reader, and posts ``Event/sessionStarted``.
  ///
  /// Throws ``Error/systemNotAvailable`` if there is no reader that can act as a card, or another session has it.
  public init() async throws {
    core = try await CardSessionCore.open(NFCEnvironment.current)
  }

  deinit { core.end(.invalidated) }

  /// Whether there may be a reader that can act as a card. None is opened to find out.
  open class var isSupported: Bool { NFCEnvironment.current.readers.isAvailable }

  /// Whether there is a reader that can act as a card. It may be opened to find out.
  public static var isEligible: Bool {
    get async { await CardSessionCore.isEligible(NFCEnvironment.current) }
  }

  /// Lets readers talk to the card, for up to 60 seconds; after that the session ends with
  /// ``Error/maxSessionDurationReached``. The limit is in ``NFCEnvironment/limits``.
  ///
  /// Throws the reason why the session has ended, if it has.
  open func startEmulation() async throws { try core.start() }

  /// Ends the connection to the reader; the session continues.
  open func stopEmulation(status: EmulationUIStatus) async { await core.stop(status) }

  /// Whether readers can talk to the card.
  open var isEmulationInProgress: Bool { get async { core.isEmulating } }

  /// What happens in the session.
  open var eventStream: EventStream { EventStream(core.events) }

  /// The message for the person, shown when emulation starts.
  open var alertMessage: String {
    get { core.alertMessage }
    set { core.alertMessage = newValue }
  }

  /// Ends the session, with ``Error/invalidated`` as the reason.
  open func invalidate() { core.end(.invalidated) }

  /// An event of a session.
  public enum Event {
    /// The session has started.
    case sessionStarted
    /// The field of a reader was detected.
    case readerDetected
    /// A reader has sent a command.
    case received(APDU)
    /// The field has disappeared, or the application was deselected.
    case readerDeselected
    /// The session has ended.
    case sessionInvalidated(reason: Error)
  }

  /// How the person is informed that emulation has ended.
  public enum EmulationUIStatus: Hashable, Sendable {
    /// With a sign of success.
    case success
    /// With a sign of failure.
    case failure
  }

  /// The reason why a session cannot begin, or ends.
  public enum Error: Swift.Error, Hashable, Sendable {
    /// The program has ended the session.
    case invalidated
    /// The person has ended the session.
    case userInvalidated
    /// The time limit of the session has passed.
    case maxSessionDurationReached
    /// An answer could not be sent.
    case transmissionError
    /// There is no reader that can act as a card, it is in use, or it was lost.
    case systemNotAvailable
    /// The person does not permit it.
    case accessNotAccepted
    /// The device, account or region does not allow it.
    case systemEligibilityFailed
    /// Emulation was stopped.
    case emulationStopped
    /// The radio is switched off.
    case radioDisabled
  }
}
