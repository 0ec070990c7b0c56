import Synchronization

/// The sessions that run in this process. It keeps them alive, even if the program releases them.
final class SessionRegistry: Sendable {
  static let shared = SessionRegistry()

  private let running = Mutex<[Entry]>([])

  private struct Entry: Sendable {
    let core: SessionCore
    let session: SessionReference
  }

  /// Admits a session to the reader.
  ///
  /// - Returns: the sessions that are ending and must release the reader first; `nil` if another
  ///   session uses it.
  func admit(_ core: SessionCore, _ session: NFCReaderSession, exclusively: Bool) -> [SessionCore]?
  {
    running.withLock { running in
      if exclusively, running.contains(where: { $0.core.isActive }) { return nil }
      defer { running.append(Entry(core: core, session: SessionReference(session))) }
      return running.map(\.core).filter { !$0.isActive }
    }
  }

  /// Whether a session has a reader, or is about to have one.
  var hasActiveSession: Bool { running.withLock { $0.contains { $0.core.isActive } } }

  func remove(_ core: SessionCore) {
    running.withLock { $0.removeAll { $0.core === core } }
  }
}

/// Returns a session to its own queue.
///
/// Unchecked because the session is touched only there, and by the program, which has to see to it
/// itself, as on an iPhone.
final class SessionReference: @unchecked Sendable {
  let session: NFCReaderSession
  init(_ session: NFCReaderSession) { self.session = session }
}
