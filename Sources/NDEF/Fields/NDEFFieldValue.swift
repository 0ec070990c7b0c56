/// A value in a record's content, in the form of JSON.
public enum NDEFFieldValue: Hashable, Sendable {
  /// No value.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// Another number.
  case number(Double)
  /// A text.
  case text(String)
  /// Several values.
  case list([NDEFFieldValue])
  /// Several values with names.
  case fields(NDEFFields)

  /// The kind of value, with an article.
  var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "true or false"
    case .integer, .number: "a number"
    case .text: "a string"
    case .list: "a list"
    case .fields: "an object"
    }
  }
}

extension NDEFFieldValue: ExpressibleByStringLiteral {
  /// Creates a text.
  public init(stringLiteral value: String) { self = .text(value) }
}

extension NDEFFieldValue: CustomStringConvertible {
  /// A text for people: a text in quotation marks, a list or an object by its kind.
  public var description: String {
    switch self {
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .text(let value): "\"\(value.escapingControls)\""
    case .null, .list, .fields: kind
    }
  }
}

extension NDEFFieldValue: Codable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .fields(let value): return try value.encode(to: encoder)
    case .list(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(value) }
      return
    case .null, .boolean, .integer, .number, .text: break
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .boolean(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .null, .list, .fields: try container.encodeNil()
    }
  }

  /// Decodes any value.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.singleValueContainer() {
      if container.decodeNil() {
        self = .null
        return
      }
      if let value = try? container.decode(Bool.self) {
        self = .boolean(value)
        return
      }
      if let value = try? container.decode(Int64.self) {
        self = .integer(value)
        return
      }
      if let value = try? container.decode(Double.self) {
        self = .number(value)
        return
      }
      if let value = try? container.decode(String.self) {
        self = .text(value)
        return
      }
    }
    if var container = try? decoder.unkeyedContainer() {
      var values: [NDEFFieldValue] = []
      while !container.isAtEnd { values.append(try container.decode(NDEFFieldValue.self)) }
      self = .list(values)
      return
    }
    self = .fields(try NDEFFields(from: decoder))
  }
}
