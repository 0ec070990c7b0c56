import SwiftNFCJSONText

extension NDEFFieldValue {
  /// The value of a node, without line numbers.
  init(_ node: JSONNode) {
    switch node.content {
    case .null: self = .null
    case .bool(let value): self = .boolean(value)
    case .number(let text):
      self = Int64(text).map { .integer($0) } ?? .number(Double(text) ?? .nan)
    case .string(let text): self = .text(text)
    case .array(let nodes): self = .list(nodes.map { NDEFFieldValue($0) })
    case .object(let members):
      var fields = NDEFFields()
      for member in members { fields[member.key] = NDEFFieldValue(member.node) }
      self = .fields(fields)
    }
  }
}

extension JSONNode {
  /// Returns the line of the value at a path, or of the innermost value around it.
  func line(at path: some Collection<NDEFFieldError.Step>) -> Int {
    guard let step = path.first else { return line }
    let inner: JSONNode? =
      switch (step, content) {
      case (.name(let name), _): self[name]
      case (.index(let index), .array(let nodes)):
        nodes.indices.contains(index) ? nodes[index] : nil
      default: nil
      }
    return inner?.line(at: path.dropFirst()) ?? line
  }
}
