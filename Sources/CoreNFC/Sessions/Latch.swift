import Synchronization

/// A condition that becomes true once, and tasks that wait for it.
final class Latch: Sendable {
  private enum State {
    case closed([CheckedContinuation<Void, Never>])
    case open
  }

  private let state = Mutex(State.closed([]))

  /// Returns at once if it is open.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        guard case .closed(let waiting) = state else { return true }
        state = .closed(waiting + [continuation])
        return false
      }
      if isOpen { continuation.resume() }
    }
  }

  /// Says whether it was closed.
  @discardableResult func open() -> Bool {
    let waiting: [CheckedContinuation<Void, Never>]? = state.withLock { state in
      guard case .closed(let waiting) = state else { return nil }
      state = .open
      return waiting
    }
    for continuation in waiting ?? [] { continuation.resume() }
    return waiting != nil
  }
}
