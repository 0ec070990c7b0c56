/// Why a file is no recording, or not one that can be played back.
public struct RecordingError: Error, Hashable, Sendable {
  /// Counted from 1.
  public var line: Int
  /// One clause for people.
  public var reason: String

  package init(line: Int, _ reason: String) {
    self.line = line
    self.reason = reason
  }
}

extension RecordingError: CustomStringConvertible {
  public var description: String { "line \(line): \(reason)" }
}
