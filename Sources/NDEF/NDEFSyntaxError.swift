/// Why a text that a person gave cannot be what a record asks for, and what they may have meant.
public struct NDEFSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, as one sentence without a full stop.
  public let reason: String

  /// The corrected form, where there is one.
  public let suggestion: String?

  /// An error with that sentence and correction.
  init(_ reason: String, suggestion: String? = nil) {
    self.reason = reason
    self.suggestion = suggestion
  }

  /// The sentence, and the correction if there is one.
  public var description: String {
    suggestion.map { "\(reason); did you mean \($0.escapingControls)?" } ?? reason
  }
}
