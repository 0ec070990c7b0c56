/// The reason why a phone's answer in Google's Smart Tap cannot be used.
@nonexhaustive
public enum SmartTapError: Error, Hashable, Sendable {
  /// The answer is not what the protocol prescribes; what is missing or wrong.
  case malformed(String)
  /// The answer belongs to another session.
  case otherSession
  /// The phone's key is not a point of the curve P-256.
  case notAPoint
  /// The content was changed, or was encrypted for another key.
  case wrongCode
  /// The content is compressed, which was not requested.
  case compressed
  /// OpenSSL refuses to make a key or a signature.
  case noSignature
}

extension SmartTapError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .malformed(let what): "the phone's answer has \(what)"
    case .otherSession: "the phone's answer is of another session"
    case .notAPoint: "the phone's key is not a point of the curve"
    case .wrongCode: "the pass was changed, or is encrypted for another key"
    case .compressed: "the pass is compressed, which was not requested"
    case .noSignature: "a signature cannot be made"
    }
  }
}
