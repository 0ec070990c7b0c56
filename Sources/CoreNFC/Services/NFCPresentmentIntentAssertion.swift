/// Keeps an iPhone's own Wallet from coming up in a reader's field. There is no Wallet here: none is ever given.
public final class NFCPresentmentIntentAssertion: Sendable {
  /// Why there is no assertion.
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
