extension NDEFRecord {
  /// A key of a record's JSON object.
  public struct FieldKey: CodingKey, ExpressibleByStringLiteral, Hashable, Sendable {
    /// The key.
    public let stringValue: String
    /// `nil`: no key is a number.
    public var intValue: Int? { nil }

    /// The key of that name.
    public init(stringValue: String) { self.stringValue = stringValue }
    /// `nil`: no key is a number.
    public init?(intValue: Int) { nil }
    /// The key of that name.
    public init(stringLiteral value: String) { stringValue = value }

    static let typeNameFormat: FieldKey = "tnf"
    static let type: FieldKey = "type"
    static let identifier: FieldKey = "id"
    static let payload: FieldKey = "payload"
    static let error: FieldKey = "error"
  }
}

extension NDEFRecord: Encodable {
  /// Writes `tnf`, `type`, `id`, `payload`, and the fields of a known type.
  ///
  /// `tnf` is the name of the ``TypeNameFormat``. `type` and `id` are text where they are printable
  /// US-ASCII; where they are not, or where the text begins with `hex:`, they are `hex:` and
  /// hexadecimal digits. `payload` is upper-case hexadecimal. A malformed record of a known type
  /// has `error` instead of its fields.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FieldKey.self)
    try container.encode(typeNameFormat.description, forKey: .typeNameFormat)
    try container.encode(type.asciiOrHexadecimal, forKey: .type)
    try container.encode(identifier.asciiOrHexadecimal, forKey: .identifier)
    try container.encode(payload.hexadecimal, forKey: .payload)
    let typed: (any NDEFTypedRecord)?
    do throws(NDEFError) {
      typed = try decoded
    } catch {
      return try container.encode(error.description, forKey: .error)
    }
    try typed?.encodeFields(to: &container)
  }
}

extension NDEFRecord: Decodable {
  /// Reads the object that ``encode(to:)`` writes.
  ///
  /// With a `payload`, `tnf` and `type` are needed and all else but `id` is ignored. Without one,
  /// the object is `{"uri":"…"}` or `{"text":"…","language":"en"}` (`language` may be left out:
  /// `en`), with an `id` or without; or it is an empty record, `{"tnf":"empty"}`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FieldKey.self)
    let record =
      if container.contains(.payload) {
        try Self.decodeRaw(container)
      } else {
        try Self.decodeTyped(container)
      }
    do throws(NDEFError) {
      try record.validate()
    } catch {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: container.codingPath, debugDescription: error.reason, underlyingError: error))
    }
    self = record
  }

  private static func decodeRaw(
    _ container: KeyedDecodingContainer<FieldKey>
  ) throws -> NDEFRecord {
    let format = try container.decodeTypeNameFormat()
    let type = try container.decodeBytes(forKey: .type)
    let identifier =
      container.contains(.identifier) ? try container.decodeBytes(forKey: .identifier) : []
    let digits = try container.decode(String.self, forKey: .payload)
    guard let payload = [UInt8](hexadecimal: digits) else {
      throw DecodingError.dataCorruptedError(
        forKey: .payload, in: container, debugDescription: "the payload is not hexadecimal")
    }
    return NDEFRecord(
      typeNameFormat: format, type: type, identifier: identifier, payload: payload)
  }

  private static func decodeTyped(
    _ container: KeyedDecodingContainer<FieldKey>
  ) throws -> NDEFRecord {
    for type in knownTypes {
      guard var typed = try type.decodeFields(from: container) else { continue }
      if container.contains(.identifier) {
        typed.identifier = try container.decodeBytes(forKey: .identifier)
      }
      return typed.record
    }
    guard container.contains(.typeNameFormat), try container.decodeTypeNameFormat() == .empty
    else {
      throw DecodingError.keyNotFound(
        FieldKey.payload,
        .init(
          codingPath: container.codingPath,
          debugDescription: "a record needs payload, uri or text"))
    }
    return .empty
  }
}

extension KeyedDecodingContainer where Key == NDEFRecord.FieldKey {
  fileprivate func decodeTypeNameFormat() throws -> TypeNameFormat {
    let name = try decode(String.self, forKey: .typeNameFormat)
    guard let format = TypeNameFormat(name: name) else {
      throw DecodingError.dataCorruptedError(
        forKey: .typeNameFormat, in: self, debugDescription: "\(name) is no type name format")
    }
    return format
  }

  fileprivate func decodeBytes(forKey key: Key) throws -> [UInt8] {
    let text = try decode(String.self, forKey: key)
    guard let bytes = [UInt8](asciiOrHexadecimal: text) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "what follows hex: is not hexadecimal")
    }
    return bytes
  }
}
