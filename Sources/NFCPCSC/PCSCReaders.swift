import SwiftNFCCore
import Synchronization

/// The readers of a PC/SC service, for watching them come and go. All calls except ``cancel`` are
/// made on one thread.
package final class PCSCReaders {
  private let makeService: PCSCSource.Service
  private var service: (any SmartCardService)?
  private let canceller = Canceller()

  private final class Canceller: Sendable {
    /// In a structure, because a closure in the mutex itself grows with each access.
    struct State { var cancel: (@Sendable () -> Void)? }
    let state = Mutex(State())
  }

  package init(_ service: @escaping PCSCSource.Service = PCSCSource.system) {
    makeService = service
  }

  private func connected() -> (any SmartCardService)? {
    if let service { return service }
    service = try? makeService()
    let cancel = service?.cancel
    canceller.state.withLock { $0.cancel = cancel }
    return service
  }

  /// Their connection strings; none while the service does not run or does not answer.
  package func list() -> [String] {
    connected().flatMap { try? PCSCDriver.list($0) } ?? []
  }

  /// Waits until a reader may have come or gone, at most for a given time.
  ///
  /// - Returns: `false` at once if there is no service to wait for.
  package func wait(atMost timeout: Duration) -> Bool {
    do {
      guard let service else { return false }
      try service.waitForReaders(atMost: timeout)
      return true
    } catch {
      return false
    }
  }

  /// Ends the wait that is running, from any thread.
  package var cancel: @Sendable () -> Void {
    let canceller = canceller
    return { canceller.state.withLock { $0.cancel }?() }
  }
}
