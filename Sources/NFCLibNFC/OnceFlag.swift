import Synchronization

/// Set once.
package final class OnceFlag: Sendable {
  private let value = Mutex(false)

  package init() {}

  package var isSet: Bool { value.withLock { $0 } }

  /// Returns whether it was not set before.
  package func set() -> Bool {
    value.withLock { value in
      defer { value = true }
      return !value
    }
  }
}
