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
  open func stopEmulation(status: EmulationUIStatus) async {}
  open var isEmulationInProgress: Bool { get async { false } }

  /// What happens in the session: nothing.
  open var eventStream: EventStream { EventStream() }
  /// The message for the person; of no effect.
  open var alertMessage = ""
  open func invalidate() {}

  /// An event of a session.
  public enum Event {
    case sessionStarted
    /// The field of a reader was detected.
    case readerDetected
    case received(APDU)
    /// The field has disappeared, or the application was deselected.
    case readerDeselected
    case sessionInvalidated(reason: Error)
  }

  /// How the person is informed that emulation has ended.
  public enum EmulationUIStatus: Hashable, Sendable {
    case success
    case failure
  }

  /// The reason why a session cannot begin, or ends.
  public enum Error: Swift.Error, Hashable, Sendable {
    case invalidated
    case userInvalidated
    case maxSessionDurationReached
    case transmissionError
    case systemNotAvailable
    case accessNotAccepted
    case systemEligibilityFailed
    case emulationStopped
    case radioDisabled
  }
}
