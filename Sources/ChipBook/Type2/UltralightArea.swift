/// Pages with the same use.
public struct UltralightArea: Hashable, Sendable {
  /// The use of pages.
  @nonexhaustive
  public enum Use: String, Hashable, Sendable {
    /// The UID and the static lock bits, pages 0 to 2.
    case identifierAndLocks
    /// The capability container, page 3, whose bits can only be set.
    case oneTime
    /// Memory for data.
    case user
    /// Dynamic lock bits, which can only be set.
    case locks
    /// The 16-bit counter of the Ultralight C, which only counts up.
    case counter
    /// Settings: mirror, password, registers.
    case configuration
    /// Password and password acknowledge, which read as zeros.
    case secret
    /// Keys, which cannot be read.
    case key
    /// Pages without a use of their own, or not described: never written.
    case reserved
  }

  /// The pages, counted through all sectors.
  public let pages: ClosedRange<Int>
  /// The use of the pages.
  public let use: Use

  package init(pages: ClosedRange<Int>, use: Use) {
    self.pages = pages
    self.use = use
  }
}
