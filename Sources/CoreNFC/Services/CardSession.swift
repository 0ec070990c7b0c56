import Foundation

/// Emulates a card towards a reader.
///
/// Apple's service behind it exists on Apple's devices alone. Here, as on a device without it,
/// ``isSupported`` and ``isEligible`` are false and no session can be made.
open class CardSession {
  /// - Throws: ``CardSession/Error/systemNotAvailable``, always.
  public init() async throws {
    throw Error.systemNotAvailable
  }

  /// Whether the device can emulate cards.
  open class var isSupported: Bool { false }

  /// Whether the account and the region may.
  public static var isEligible: Bool { get async { false } }

  /// - Throws: ``CardSession/Error/systemNotAvailable``, always.
  open func startEmulation() async throws {
    throw Error.systemNotAvailable
  }

  open func stopEmulation(status: EmulationUIStatus) async {}

  open var isEmulationInProgress: Bool { get async { false } }

  /// Ends at once.
  open var eventStream: EventStream { EventStream() }

  open var alertMessage = ""

  open func invalidate() {}

  /// How the person is told that the emulation has ended.
  public enum EmulationUIStatus: Hashable {
    case success
    case failure
  }

  /// Why a session cannot be made or has ended.
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
