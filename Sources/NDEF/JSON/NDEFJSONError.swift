/// The reason why a text is not an NDEF message in JSON, with the line.
public struct NDEFJSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, counted from 1.
  public let line: Int

  /// The field that is wrong, such as `records[0].uri`; empty if the text is not JSON or the whole
  /// value is wrong.
  public let place: String

  /// The reason, as one sentence without a full stop.
  public let reason: String

  init(line: Int, place: String = "", reason: String) {
    self.line = line
    self.place = place
    self.reason = reason
  }

  /// The line, the field and the reason.
  public var description: String {
    place.isEmpty ? "line \(line): \(reason)" : "line \(line): \(place): \(reason)"
  }
}
