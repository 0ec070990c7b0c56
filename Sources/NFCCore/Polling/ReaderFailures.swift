/// Consecutive failures of a reader. A frame between host and reader can break; a reader that fails
/// too often is lost.
package struct ReaderFailures: Sendable {
  private static let tolerated = 2
  private var count = 0

  package init() {}

  package mutating func reset() { count = 0 }

  /// Records a failure.
  ///
  /// - Throws: `readerLost` for one too many.
  package mutating func add(_ error: NFCError) throws(NFCError) {
    count += 1
    guard count > Self.tolerated else { return }
    throw NFCError(.readerLost, error.reason, cause: error.cause)
  }
}
