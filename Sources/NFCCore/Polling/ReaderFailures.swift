/// Failures of a reader one after the other. A frame between host and reader can break; a reader that fails
/// too often is gone.
package struct ReaderFailures: Sendable {
  private static let tolerated = 2
  private var count = 0

  package init() {}

  package mutating func reset() { count = 0 }

  /// Takes note of a failure.
  ///
  /// - Throws: `readerLost` for one too many.
  package mutating func add(_ error: NFCError) throws(NFCError) {
    count += 1
    guard count > Self.tolerated else { return }
    throw NFCError(.readerLost, error.reason, cause: error.cause)
  }
}
