/// The content of a record by name, as in its JSON object.
///
/// The fields keep the order in which they were set. The order is ignored when two values are
/// compared.
public struct NDEFFields: Sendable {
  private var order: [String] = []
  private var values: [String: NDEFFieldValue] = [:]

  /// Creates a value without fields.
  public init() {}

  /// The names in their order.
  public var names: [String] { order }

  /// Whether there are no fields.
  public var isEmpty: Bool { order.isEmpty }

  /// The value with this name; `nil` if there is none. Setting `nil` removes it.
  public subscript(name: String) -> NDEFFieldValue? {
    get { values[name] }
    set {
      if values[name] == nil, newValue != nil { order.append(name) }
      if values[name] != nil, newValue == nil { order.removeAll { $0 == name } }
      values[name] = newValue
    }
  }

  /// Adds the fields of another value; existing fields are replaced.
  mutating func merge(_ other: NDEFFields) {
    for name in other.names { self[name] = other[name] }
  }
}

extension NDEFFields: Hashable {
  public static func == (first: NDEFFields, second: NDEFFields) -> Bool {
    first.values == second.values
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension NDEFFields: ExpressibleByDictionaryLiteral {
  /// Creates the fields of a literal; a field whose value is `nil` is left out.
  public init(dictionaryLiteral elements: (String, NDEFFieldValue?)...) {
    for (name, value) in elements { self[name] = value }
  }
}

extension NDEFFields: Codable {
  private struct FieldKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Encodes an object with the fields in their order.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FieldKey.self)
    for name in order {
      try container.encode(values[name] ?? .null, forKey: FieldKey(stringValue: name))
    }
  }

  /// Decodes an object.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FieldKey.self)
    for key in container.allKeys {
      self[key.stringValue] = try container.decode(NDEFFieldValue.self, forKey: key)
    }
  }
}

// MARK: - Reading

extension NDEFFields {
  /// Returns whether there is a value with this name other than `null`.
  func hasValue(_ name: String) -> Bool { self[name] ?? .null != .null }

  /// Returns the text with this name, or `nil` if there is none.
  public func text(_ name: String) throws(NDEFFieldError) -> String? {
    switch self[name] {
    case nil, .null: return nil
    case .text(let text): return text
    case .some(let other): throw .wrongKind(other, "a string", at: name)
    }
  }

  /// Returns the text with this name.
  ///
  /// - Throws: ``NDEFFieldError``, also if there is none.
  public func requiredText(_ name: String) throws(NDEFFieldError) -> String {
    guard let text = try text(name) else { throw .missing(name) }
    return text
  }

  /// Returns the text with this name, which must be one of the choices; `nil` if there is none.
  func choice(_ name: String, _ choices: [String]) throws(NDEFFieldError) -> String? {
    guard let text = try text(name) else { return nil }
    guard choices.contains(text) else {
      throw NDEFFieldError(
        [.name(name)],
        "\"\(text.escapingControls)\" is not one of \(choices.joined(separator: ", "))")
    }
    return text
  }

  /// Returns the whole number with this name, or `nil` if there is none.
  public func integer<Value: FixedWidthInteger>(
    _ name: String, as type: Value.Type = Value.self
  ) throws(NDEFFieldError) -> Value? {
    switch self[name] {
    case nil, .null: return nil
    case .integer(let number):
      guard let value = Value(exactly: number) else {
        throw NDEFFieldError(
          [.name(name)], "\(number) is not between \(Value.min) and \(Value.max)")
      }
      return value
    case .some(let other): throw .wrongKind(other, "a whole number", at: name)
    }
  }

  /// Returns `true` or `false` with this name, or `nil` if there is none.
  public func boolean(_ name: String) throws(NDEFFieldError) -> Bool? {
    switch self[name] {
    case nil, .null: return nil
    case .boolean(let value): return value
    case .some(let other): throw .wrongKind(other, "true or false", at: name)
    }
  }

  /// Returns the bytes of the hexadecimal digits with this name, or `nil` if there are none.
  public func bytes(_ name: String) throws(NDEFFieldError) -> [UInt8]? {
    guard let digits = try text(name) else { return nil }
    guard let bytes = [UInt8](hexadecimal: digits) else {
      throw NDEFFieldError([.name(name)], "\"\(digits.escapingControls)\" is not hexadecimal")
    }
    return bytes
  }

  /// Returns both numbers of a version with this name, such as `1.5`; `nil` if there is none. Each is at most 15.
  func version(_ name: String) throws(NDEFFieldError) -> (major: UInt8, minor: UInt8)? {
    guard let text = try text(name) else { return nil }
    let numbers = text.utf8.split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false
    ).compactMap { digits in
      digits.allSatisfy(\.isDigitASCII) ? UInt8(String(decoding: digits, as: UTF8.self)) : nil
    }
    guard numbers.count == 2, numbers.allSatisfy({ $0 <= 0x0F }),
      text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 1
    else {
      throw NDEFFieldError(
        [.name(name)], "\"\(text.escapingControls)\" is not a version such as 1.5")
    }
    return (numbers[0], numbers[1])
  }

  /// Returns the bytes of a text with this name, or of its digits after `hex:`.
  func marked(_ name: String) throws(NDEFFieldError) -> [UInt8]? {
    guard let text = try text(name) else { return nil }
    guard let bytes = [UInt8](asciiOrHexadecimal: text) else {
      throw NDEFFieldError([.name(name)], "what follows hex: is not hexadecimal")
    }
    return bytes
  }

  /// Throws if there is a field with another name.
  func expectOnly(_ names: [String]) throws(NDEFFieldError) {
    for name in order where !names.contains(name) && hasValue(name) {
      throw NDEFFieldError([.name(name)], "it is not one of \(names.joined(separator: ", "))")
    }
  }

  /// Returns the fields with this name, or `nil` if there are none.
  public func fields(_ name: String) throws(NDEFFieldError) -> NDEFFields? {
    switch self[name] {
    case nil, .null: return nil
    case .fields(let fields): return fields
    case .some(let other): throw .wrongKind(other, "an object", at: name)
    }
  }

  /// Returns the elements of the list with this name, each read by `body`; none if there is no
  /// list.
  public func list<Value>(
    _ name: String, _ body: (NDEFFieldValue) throws(NDEFFieldError) -> Value
  ) throws(NDEFFieldError) -> [Value] {
    let values: [NDEFFieldValue]
    switch self[name] {
    case nil, .null: return []
    case .list(let list): values = list
    case .some(let other): throw .wrongKind(other, "a list", at: name)
    }
    var results: [Value] = []
    for (index, value) in values.enumerated() {
      do throws(NDEFFieldError) {
        results.append(try body(value))
      } catch {
        throw error.within(.name(name), .index(index))
      }
    }
    return results
  }

  /// Returns the texts of the list with this name, or the one text in place of a list.
  public func texts(_ name: String) throws(NDEFFieldError) -> [String] {
    if case .text(let text) = self[name] { return [text] }
    return try list(name) { (value) throws(NDEFFieldError) in try value.text() }
  }
}

extension NDEFFieldValue {
  /// Returns the value, which must be a text.
  public func text() throws(NDEFFieldError) -> String {
    guard case .text(let text) = self else { throw .wrongKind(self, "a string") }
    return text
  }

  /// Returns the value, which must be an object.
  public func fields() throws(NDEFFieldError) -> NDEFFields {
    guard case .fields(let fields) = self else { throw .wrongKind(self, "an object") }
    return fields
  }
}
