/// The reason why a file is not a recording, or cannot be played back.
public struct RecordingError: Error, Hashable, Sendable {
  /// The line, counted from 1.
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
