import CoreNFC
import Synchronization

/// Keeps the notices of sessions.
final class Notices: NFCPresenter {
  private let stored = Mutex<[String]>([])
  var texts: [String] { stored.withLock { $0 } }

  func present(_ moment: NFCPresentation) {
    if case .notice(let text) = moment { stored.withLock { $0.append(text) } }
  }
}
