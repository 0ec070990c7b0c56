/// Why fields are not the content of a record, and which of them is to blame.
public struct NDEFFieldError: Error, Hashable, Sendable {
  /// A step from a value to one inside it.
  public enum Step: Hashable, Sendable {
    /// To the field of that name.
    case name(String)
    /// To that element of a list, from 0.
    case index(Int)
  }

  /// The way to the field that is wrong; empty if it is the whole.
  public let path: [Step]

  /// What is wrong, as one sentence without a full stop.
  public let reason: String

  /// An error at that place.
  public init(_ path: [Step], _ reason: String) {
    self.path = path
    self.reason = reason
  }

  /// The same error, seen from a value around it.
  public func within(_ steps: Step...) -> NDEFFieldError {
    NDEFFieldError(steps + path, reason)
  }

  static func missing(_ name: String) -> NDEFFieldError {
    NDEFFieldError([.name(name)], "it is missing")
  }

  static func wrongKind(
    _ value: NDEFFieldValue, _ expected: String, at name: String? = nil
  ) -> NDEFFieldError {
    NDEFFieldError(
      name.map { [.name($0)] } ?? [], "it is \(value.kind) where \(expected) is expected")
  }

  /// The place as a person writes it: `records[0].wifi.ssid`.
  public var place: String {
    var text = ""
    for step in path {
      switch step {
      case .name(let name): text += (text.isEmpty ? "" : ".") + name.escapingControls
      case .index(let index): text += "[\(index)]"
      }
    }
    return text
  }
}

extension NDEFFieldError: CustomStringConvertible {
  /// The place and the sentence.
  public var description: String { path.isEmpty ? reason : "\(place): \(reason)" }
}
