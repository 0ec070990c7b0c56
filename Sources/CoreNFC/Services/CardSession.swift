import Foundation

/// Lets the device act as a card for a reader, which on an iPhone requires a secure service of
/// Apple's.
///
/// There is no such service on Linux: ``isSupported`` and ``isEligible`` report this, and
/// ``init()`` fails, so that no program ever has such a session. The members exist so that programs
/// compile.
open class CardSession {
  /// Fails with ``Error/systemNotAvailable``.
  public init() async throws { throw Error.systemNotAvailable }

  /// Whether the device can act as a card: never.
  open class var isSupported: Bool { false }
  /// Whether account and region allow card emulation: always false.
  public static var isEligible: Bool { get async { false } }

  /// Fails with ``Error/systemNotAvailable``.
  open func startEmulation() async throws { throw Error.systemNotAvailable }
  /// Stops emulation; of no effect.
  open func stopEmulation(status: EmulationUIStatus) async {}
  /// Whether emulation is running: never.
  open var isEmulationInProgress: Bool { get async { false } }

  /// What happens in the session: nothing.
  open var eventStream: EventStream { EventStream() }
  /// The message for the person; of no effect.
  open var alertMessage = ""
  /// Ends the session; of no effect.
  open func invalidate() {}

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
    /// The system cannot act as a card, as on Linux.
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
