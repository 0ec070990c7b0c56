/// Keeps Wallet from coming up while a program presents a card of its own.
///
/// There is no Wallet here: it cannot be acquired.
public final class NFCPresentmentIntentAssertion: Sendable {
  private init() {}

  /// - Throws: ``NFCPresentmentIntentAssertion/Error/systemNotAvailable``, always.
  public static func acquire() async throws -> NFCPresentmentIntentAssertion {
    throw Error.systemNotAvailable
  }

  public var isValid: Bool { false }

  public enum Error: Swift.Error {
    case systemEligibilityFailed
    case systemNotAvailable
  }
}
