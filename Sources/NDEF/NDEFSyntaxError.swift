/// The reason why a text that a person entered is not valid for a record, and a correction.
public struct NDEFSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason, as one sentence without a full stop.
  public let reason: String

  /// The corrected form, if there is one.
  public let suggestion: String?

  /// Creates an error with a reason and a correction.
  init(_ reason: String, suggestion: String? = nil) {
    self.reason = reason
    self.suggestion = suggestion
  }

  /// The reason, and the correction if there is one.
  public var description: String {
    suggestion.map { "\(reason); did you mean \($0.escapingControls)?" } ?? reason
  }
}
