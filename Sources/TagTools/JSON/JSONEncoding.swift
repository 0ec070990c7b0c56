import SwiftNFCJSONText

extension JSONValue {
  /// Encodes a value and keeps its keys in the order in which they are encoded. Foundation's encoder does not
  /// keep that order.
  package init(encoding value: some Encodable) throws {
    let node = EncodedNode()
    try value.encode(to: JSONValueEncoder(node: node, codingPath: []))
    self = node.value
  }
}

/// A position in the value that is being built.
private final class EncodedNode {
  enum Content {
    case scalar(JSONValue)
    case array
    case object
  }

  var content = Content.object {
    didSet {
      elements = []
      members = []
    }
  }
  private var elements: [EncodedNode] = []
  private var members: [(key: String, node: EncodedNode)] = []

  var value: JSONValue {
    switch content {
    case .scalar(let value): value
    case .array: .array(elements.map(\.value))
    case .object:
      .object(members.map { JSONValue.Member(key: $0.key, value: $0.node.value) })
    }
  }

  func member(_ key: String) -> EncodedNode {
    let node = EncodedNode()
    if case .object = content {
      members.removeAll { $0.key == key }
      members.append((key, node))
    }
    return node
  }

  func element() -> EncodedNode {
    let node = EncodedNode()
    if case .array = content { elements.append(node) }
    return node
  }

  var count: Int { elements.count }

  func encode(_ value: some Encodable, codingPath: [any CodingKey]) throws {
    switch value {
    case let value as String: content = .scalar(.string(value))
    case let value as Bool: content = .scalar(.bool(value))
    case let value as any BinaryInteger: content = .scalar(.integer(value))
    case let value as Double where value.isFinite: content = .scalar(.number("\(value)"))
    case let value as Float where value.isFinite: content = .scalar(.number("\(value)"))
    case is Double, is Float:
      throw EncodingError.invalidValue(
        value, .init(codingPath: codingPath, debugDescription: "JSON has no such number"))
    default: try value.encode(to: JSONValueEncoder(node: self, codingPath: codingPath))
    }
  }
}

private struct JSONValueEncoder: Encoder {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = node.content {} else { node.content = .object }
    return KeyedEncodingContainer(KeyedContainer<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.content = .array
    return UnkeyedContainer(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleContainer(node: node, codingPath: codingPath)
  }

  private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodedNode
    let codingPath: [any CodingKey]

    mutating func encodeNil(forKey key: Key) {
      node.member(key.stringValue).content = .scalar(.null)
    }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
      try node.member(key.stringValue).encode(value, codingPath: codingPath + [key])
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      superEncoder(forKey: key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      superEncoder(forKey: key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
      JSONValueEncoder(node: node.member("super"), codingPath: codingPath)
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
      JSONValueEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
    }
  }

  private struct UnkeyedContainer: UnkeyedEncodingContainer {
    let node: EncodedNode
    let codingPath: [any CodingKey]
    var count: Int { node.count }

    mutating func encodeNil() { node.element().content = .scalar(.null) }

    mutating func encode(_ value: some Encodable) throws {
      try node.element().encode(value, codingPath: codingPath)
    }

    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
      superEncoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      superEncoder().unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
      JSONValueEncoder(node: node.element(), codingPath: codingPath)
    }
  }

  private struct SingleContainer: SingleValueEncodingContainer {
    let node: EncodedNode
    let codingPath: [any CodingKey]

    mutating func encodeNil() { node.content = .scalar(.null) }

    mutating func encode(_ value: some Encodable) throws {
      try node.encode(value, codingPath: codingPath)
    }
  }
}
