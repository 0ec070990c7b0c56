/// Whether reading a record ends at the first wrong field, or leaves that field out and goes on.
///
/// Records that devices on the market write break their specifications in small ways; a strict
/// reader gives nothing of them, a lenient one all that is right.
public struct NDEFTolerance: Hashable, Sendable {
  /// The first wrong field ends reading.
  public static let strict = NDEFTolerance(isLenient: false)
  /// A wrong field is left out, and the first error kept.
  public static let lenient = NDEFTolerance(isLenient: true)

  /// Whether a wrong field is left out.
  public let isLenient: Bool

  /// The first error that was tolerated.
  public private(set) var firstError: NDEFError?

  private init(isLenient: Bool) { self.isLenient = isLenient }

  /// Throws the error, or keeps it if it is the first and reading goes on.
  public mutating func report(_ error: NDEFError) throws(NDEFError) {
    guard isLenient else { throw error }
    firstError = firstError ?? error
  }
}
