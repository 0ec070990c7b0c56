/// The reason why fields are not the content of a record, and the field at fault.
public struct NDEFFieldError: Error, Hashable, Sendable {
  /// A step from a value to one inside it.
  @nonexhaustive
  public enum Step: Hashable, Sendable {
    /// To the field with this name.
    case name(String)
    /// To the element of a list with this index, from 0.
    case index(Int)
  }

  /// The path to the field that is wrong; empty for the whole value.
  public let path: [Step]

  /// The reason, as one sentence without a full stop.
  public let reason: String

  /// Creates an error for the field at a path.
  public init(_ path: [Step], _ reason: String) {
    self.path = path
    self.reason = reason
  }

  /// Returns the same error with the path from an enclosing value.
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

  /// The path in the usual notation: `records[0].wifi.ssid`.
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
  /// The place and the reason.
  public var description: String { path.isEmpty ? reason : "\(place): \(reason)" }
}
