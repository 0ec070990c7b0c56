/// Prevents an iPhone's Wallet from appearing in a reader's field. There is no Wallet on Linux, so
/// acquiring an assertion always fails.
public final class NFCPresentmentIntentAssertion: Sendable {
  /// The reason why there is no assertion.
  public enum Error: Swift.Error, Hashable, Sendable {
    /// The device or its region does not allow it.
    case systemEligibilityFailed
    /// The system has no such function, as on Linux.
    case systemNotAvailable
  }

  private init() {}

  /// Fails with ``Error/systemNotAvailable``.
  public static func acquire() async throws -> NFCPresentmentIntentAssertion {
    throw Error.systemNotAvailable
  }

  /// Whether the assertion is in effect; never on Linux.
  public var isValid: Bool { false }
}
