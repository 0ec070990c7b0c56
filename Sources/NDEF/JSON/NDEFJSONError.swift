/// Why a text is not an NDEF message in JSON, and on which line.
public struct NDEFJSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, from 1.
  public let line: Int

  /// Which field is wrong, such as `records[0].uri`; empty where the text is no JSON or the whole is
  /// wrong.
  public let place: String

  /// What is wrong, as one sentence without a full stop.
  public let reason: String

  init(line: Int, place: String = "", reason: String) {
    self.line = line
    self.place = place
    self.reason = reason
  }

  /// The line, the field and the sentence.
  public var description: String {
    place.isEmpty ? "line \(line): \(reason)" : "line \(line): \(place): \(reason)"
  }
}
