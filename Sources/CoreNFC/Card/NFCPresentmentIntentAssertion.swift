import Synchronization

/// Prevents an iPhone's Wallet from appearing in a reader's field, for 15 seconds; after that, none can be acquired for
/// another 15 seconds.
///
/// There is no Wallet on Linux that it could keep away: it succeeds and ends as on an iPhone. The times are in
/// ``NFCEnvironment/limits``.
public final class NFCPresentmentIntentAssertion: Sendable {
  /// The reason why there is no assertion.
  public enum Error: Swift.Error, Hashable, Sendable {
    /// The device or its region does not allow it.
    case systemEligibilityFailed
    /// There is one already, or the last one has ended too recently.
    case systemNotAvailable
  }

  /// When the next one can be acquired.
  private static let next = Mutex<ContinuousClock.Instant?>(nil)

  private let end: ContinuousClock.Instant
  private let pause: Duration

  private init(until end: ContinuousClock.Instant, pause: Duration) {
    self.end = end
    self.pause = pause
  }

  deinit {
    let now = ContinuousClock.now
    // After that, another one may have been acquired.
    guard now < end + pause else { return }
    let free = min(end, now) + pause
    Self.next.withLock { $0 = free }
  }

  /// Acquires an assertion, or throws ``Error/systemNotAvailable`` while there is one and in the pause after it.
  public static func acquire() async throws -> NFCPresentmentIntentAssertion {
    let limits = NFCEnvironment.current.limits
    let now = ContinuousClock.now
    let end = now + limits.presentmentIntentDuration
    let isFree = next.withLock { next in
      if let free = next, now < free { return false }
      next = end + limits.presentmentIntentPause
      return true
    }
    guard isFree else { throw Error.systemNotAvailable }
    return NFCPresentmentIntentAssertion(until: end, pause: limits.presentmentIntentPause)
  }

  /// Whether the assertion is in effect.
  public var isValid: Bool { ContinuousClock.now < end }
}
