import Synchronization

/// A file for the exchanges of a virtual reader, one per line.
///
/// The reader continues for the programs that use it if the file cannot be written, for instance on a full disk. The
/// file then ends at that point, and this is reported once.
final class TraceFile: Sendable {
  private let path: String
  private let descriptor: Int32
  private let isComplete = Mutex(true)

  /// Creates the file, or empties it.
  ///
  /// - Throws: a ``Failure`` if the file cannot be written.
  init(_ path: String) throws {
    self.path = path
    descriptor = try File.create(path)
  }

  deinit { File.close(descriptor) }

  func write(_ line: String) {
    isComplete.withLock { isComplete in
      guard isComplete, let number = Output.write(line + "\n", to: descriptor) else { return }
      isComplete = false
      Output.printError(Self.continued(File.failure("write", path, number)).line)
    }
  }

  /// Returns the report on a file that ends early.
  static func continued(_ failure: Failure) -> Failure {
    var failure = failure
    failure.reason += ", and the reader continues without it"
    return failure
  }
}
