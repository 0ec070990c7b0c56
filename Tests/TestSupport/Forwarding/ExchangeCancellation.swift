import Synchronization
import VirtualNFC

/// Cancels a task while a certain frame is on its way to a tag, and records whether that has happened.
///
/// ```swift
/// let cancellation = ExchangeCancellation()
/// let tag = cancellation.watched(VirtualTag.ntag213().chip)
/// let isCancelled = await cancellation.cancelling(at: 3) { try await change() }
/// ```
public final class ExchangeCancellation: Sendable {
  private struct State {
    /// The number of frames before the one at which the task is cancelled; `nil` if none is.
    var left: Int?
    var cancel: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  public init() {}

  /// Returns a tag whose frames are counted.
  public func watched(_ chip: some VirtualChip) -> VirtualTag {
    VirtualTag(WatchedChip(chip: chip) { [self] in countFrame() })
  }

  /// Runs `body` in a task that is cancelled at a frame, counted from 0.
  ///
  /// - Returns: whether there was this frame before the end of `body`, so that the task was cancelled.
  public func cancelling(
    at frame: Int, _ body: @escaping @Sendable () async throws -> Void
  ) async -> Bool {
    // A frame that the task sends at once waits until the task is known here.
    let task = state.withLock { state in
      let task = Task { try await body() }
      state = State(left: frame) { task.cancel() }
      return task
    }
    _ = await task.result
    return state.withLock { state in
      defer { state = State() }
      return state.left == nil
    }
  }

  private func countFrame() {
    let cancel = state.withLock { state -> (@Sendable () -> Void)? in
      guard let left = state.left else { return nil }
      state.left = left > 0 ? left - 1 : nil
      return left > 0 ? nil : state.cancel
    }
    cancel?()
  }
}

/// A chip that reports each frame that it receives.
private struct WatchedChip<Chip: VirtualChip>: ForwardingChip {
  var chip: Chip
  let onFrame: @Sendable () -> Void

  mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    onFrame()
    return chip.receive(frame)
  }
}
