import Synchronization

/// The ports of readers without references that are being closed, each on its own thread and some
/// time after the last reference was released. Opening such a port waits for it.
package enum ClosingPorts {
  private static let paths = Mutex<[String: Int]>([:])

  package static func contains(_ path: String) -> Bool { paths.withLock { $0[path] != nil } }

  package static func add(_ path: String) { paths.withLock { $0[path, default: 0] += 1 } }

  package static func remove(_ path: String) {
    paths.withLock { paths in
      guard let count = paths[path] else { return }
      paths[path] = count > 1 ? count - 1 : nil
    }
  }
}
