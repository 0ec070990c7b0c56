import NFC

/// Finds out whether a tag has left that its UID does not distinguish from the next one.
package struct TagDeparture: Sendable {
  /// The number of searches in a row that find no such tag once it has left. A search can miss a tag.
  private static let limit = 2

  private var misses = 0

  package init() {}

  /// Takes note of what a search has found.
  ///
  /// - Returns: whether every tag has left without a lasting UID.
  package mutating func isComplete(_ found: [DetectedTag]) -> Bool {
    misses = found.contains { !$0.hasLastingUID } ? 0 : misses + 1
    return misses >= Self.limit
  }
}
