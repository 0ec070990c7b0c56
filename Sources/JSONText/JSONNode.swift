/// A JSON value from a text, with the line on which it begins.
package struct JSONNode: Sendable {
  package enum Content: Sendable {
    case null
    case bool(Bool)
    /// A number as it is written in the text.
    case number(String)
    case string(String)
    case array([JSONNode])
    case object([Member])
  }

  package struct Member: Sendable {
    package let key: String
    package let node: JSONNode
  }

  /// The line, counted from 1.
  package let line: Int
  package let content: Content

  /// The value without line numbers.
  package var value: JSONValue {
    switch content {
    case .null: .null
    case .bool(let value): .bool(value)
    case .number(let text): .number(text)
    case .string(let text): .string(text)
    case .array(let nodes): .array(nodes.map(\.value))
    case .object(let members):
      .object(members.map { JSONValue.Member(key: $0.key, value: $0.node.value) })
    }
  }

  package var string: String? { if case .string(let text) = content { text } else { nil } }
  package var members: [Member]? { if case .object(let members) = content { members } else { nil } }

  package subscript(key: String) -> JSONNode? { members?.first { $0.key == key }?.node }
}

/// The reason why a text is not JSON.
package struct JSONError: Error, Hashable, Sendable {
  /// The line, counted from 1.
  package let line: Int
  /// The reason, as one sentence without a full stop.
  package let reason: String

  package init(line: Int, reason: String) {
    self.line = line
    self.reason = reason
  }
}
