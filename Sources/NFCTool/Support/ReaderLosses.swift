import Synchronization

/// Decides which losses of readers are reported.
///
/// A reader that can be opened and fails as soon as it polls, such as one whose cards the user may not use, is lost
/// and returns again and again. That is reported once, until the reader has worked for a while or the reason is
/// another one.
final class ReaderLosses: Sendable {
  /// The time after which a reader that has returned works.
  static let probation = Duration.seconds(2)

  private struct Loss {
    var reason: String
    var returned: Duration?
  }

  private let losses = Mutex<[String: Loss]>([:])

  /// Takes note of a loss.
  ///
  /// - Returns: whether it is to be reported.
  func isNews(_ reason: String, of reader: String, at time: Duration) -> Bool {
    losses.withLock { losses in
      let last = losses[reader]
      losses[reader] = Loss(reason: reason)
      guard let last, last.reason == reason, let returned = last.returned else { return true }
      return time - returned >= Self.probation
    }
  }

  /// Takes note of a reader that has returned.
  func returns(_ reader: String, at time: Duration) {
    losses.withLock { $0[reader]?.returned = time }
  }
}
