/// A choice between ending at the first wrong field of a record, and leaving that field out or repairing it.
///
/// Records that devices on the market write deviate from their specifications in small ways. A
/// strict reader returns nothing of them; a lenient one returns everything that is right.
public struct NDEFTolerance: Hashable, Sendable {
  /// Reading ends at the first wrong field.
  public static let strict = NDEFTolerance(isLenient: false)
  /// A wrong field is left out, or what is not valid in a text is replaced by U+FFFD; the first error is kept.
  public static let lenient = NDEFTolerance(isLenient: true)

  /// Whether a wrong field is left out.
  public let isLenient: Bool

  /// The first error that was tolerated.
  public private(set) var firstError: NDEFError?

  private init(isLenient: Bool) { self.isLenient = isLenient }

  /// Throws the error, or keeps it if it is the first and reading continues.
  public mutating func report(_ error: NDEFError) throws(NDEFError) {
    guard isLenient else { throw error }
    firstError = firstError ?? error
  }
}
