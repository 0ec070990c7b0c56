/// Prevents an iPhone's Wallet from appearing in a reader's field. There is no Wallet on Linux, so
/// acquiring an assertion always fails.
public final class NFCPresentmentIntentAssertion: Sendable {
  /// The reason why there is no assertion.
  public enum Error: Swift.Error, Hashable, Sendable {
    case systemEligibilityFailed
    case systemNotAvailable
  }

  private init() {}

  /// Fails with ``Error/systemNotAvailable``.
  public static func acquire() async throws -> NFCPresentmentIntentAssertion {
    throw Error.systemNotAvailable
  }

  public var isValid: Bool { false }
}
