// The fields of a record that describe its framing; all others are its decoded content.
private enum Frame {
  static let typeNameFormat = "tnf"
  static let type = "type"
  static let identifier = "id"
  static let payload = "payload"
  static let error = "error"
  /// The type of a media record, instead of `tnf` and `type`.
  static let mediaType = "mediaType"

  static let names: Set<String> = [typeNameFormat, type, identifier, payload, error]
}

extension NDEFRecord {
  /// The record by name: `tnf`, `type`, `id`, `payload`, and the fields of a known type.
  ///
  /// `tnf` is the name of the ``TypeNameFormat``. `type` and `id` are text if they are printable
  /// US-ASCII; if they are not, or if the text begins with `hex:`, they are `hex:` and hexadecimal
  /// digits. `payload` is upper-case hexadecimal. A malformed record of a known type has the fields
  /// that could be read, and `error`.
  public var fields: NDEFFields {
    var fields: NDEFFields = [
      Frame.typeNameFormat: .text(typeNameFormat.description),
      Frame.type: .text(type.asciiOrHexadecimal),
      Frame.identifier: .text(identifier.asciiOrHexadecimal),
      Frame.payload: .text(payload.hexadecimal),
    ]
    let (typed, error) = decodedLeniently
    if let typed { fields.merge(typed.fields) }
    if let error { fields[Frame.error] = .text(error.description) }
    return fields
  }

  /// Creates a record from its fields.
  ///
  /// The fields of a known type are enough: `uri`; `text` and `language` (`en` by default);
  /// `mediaType` and `content`; `wifi`, `smartPoster`, and so on, as in ``fields``. With a
  /// `payload`, `tnf` and `type` are required, and any other fields must agree with it. An `id` can
  /// be added to all of them. Unknown fields are ignored.
  ///
  /// - Throws: ``NDEFFieldError`` with the field that is missing, wrong, or contradicts another.
  public init(fields: NDEFFields) throws(NDEFFieldError) {
    let record =
      if fields.hasValue(Frame.payload) {
        try Self.raw(fields)
      } else {
        try Self.typed(fields)
      }
    do throws(NDEFError) {
      try record.validate()
    } catch {
      throw NDEFFieldError([], error.reason)
    }
    self = record
  }

  // MARK: With a payload

  private static func raw(_ fields: NDEFFields) throws(NDEFFieldError) -> NDEFRecord {
    let payload = try fields.bytes(Frame.payload) ?? []
    let mediaType = try fields.text(Frame.mediaType)
    let isMedia = !fields.hasValue(Frame.typeNameFormat) && mediaType != nil
    let format = isMedia ? .media : try typeNameFormat(fields)
    let given = try fields.marked(Frame.type) ?? (isMedia ? Array((mediaType ?? "").utf8) : nil)
    // A record that was read without a type says so; one that a person writes has forgotten it.
    guard let type = given ?? (format.hasType ? nil : []) else { throw .missing(Frame.type) }
    let record = NDEFRecord(
      typeNameFormat: format, type: type,
      identifier: try fields.marked(Frame.identifier) ?? [], payload: payload)
    var decoded = record.decodedLeniently.value?.fields ?? NDEFFields()
    // Types that have fields of their own, such as wifi, do not repeat the media type.
    if format == .media, decoded[Frame.mediaType] == nil {
      decoded[Frame.mediaType] = .text(type.asciiOrHexadecimal)
    }
    for name in fields.names where !Frame.names.contains(name) {
      guard let given = fields[name], given != .null else { continue }
      if let said = decoded[name] {
        try given.expectAgreement(with: said, at: [.name(name)])
      } else if knownFieldNames.contains(name) {
        throw NDEFFieldError(
          [.name(name)],
          "the payload, a record of the type \(format) \(type.asciiOrHexadecimal), has no such field"
        )
      }
    }
    return record
  }

  private static func typeNameFormat(
    _ fields: NDEFFields
  ) throws(NDEFFieldError) -> TypeNameFormat {
    let name = try fields.requiredText(Frame.typeNameFormat)
    guard let format = TypeNameFormat(name: name) else {
      throw NDEFFieldError(
        [.name(Frame.typeNameFormat)],
        "\"\(name.escapingControls)\" is not one of "
          + TypeNameFormat.allCases.map(\.description).joined(separator: ", "))
    }
    return format
  }

  // MARK: Without a payload

  private static func typed(_ fields: NDEFFields) throws(NDEFFieldError) -> NDEFRecord {
    for type in knownTypes {
      guard var typed = try type.init(fields: fields) else { continue }
      typed.identifier = try fields.marked(Frame.identifier) ?? []
      let record = typed.record
      try record.expectFrame(fields)
      let own = typed.fields
      if let foreign = fields.knownName(except: own.names + type.fieldNames) {
        throw NDEFFieldError(
          [.name(foreign)],
          "it does not belong to a record with \(own.names.joined(separator: ", "))")
      }
      try record.expectAll(own, as: type)
      return record
    }
    guard fields.hasValue(Frame.typeNameFormat), try typeNameFormat(fields) == .empty else {
      throw NDEFFieldError(
        [.name(Frame.payload)],
        "it is missing; a record has a payload, or fields such as uri, text or wifi")
    }
    if let foreign = fields.knownName(except: []) {
      throw NDEFFieldError([.name(foreign)], "it does not belong to an empty record")
    }
    return NDEFRecord(
      typeNameFormat: .empty, type: try fields.marked(Frame.type) ?? [],
      identifier: try fields.marked(Frame.identifier) ?? [])
  }

  /// Checks that the record has all of these fields: a value that is too long for its length field is cut off.
  private func expectAll(
    _ fields: NDEFFields, as type: any NDEFTypedRecord.Type
  ) throws(NDEFFieldError) {
    let written: NDEFFields
    do throws(NDEFError) {
      written = try type.init(self).fields
    } catch {
      throw NDEFFieldError(fields.names.prefix(1).map { .name($0) }, error.reason)
    }
    let value = NDEFFieldValue.fields(fields)
    guard let difference = value.difference(from: .fields(written), at: []) else { return }
    throw NDEFFieldError(difference.path, "a record cannot hold all of it")
  }

  /// Checks that `tnf` and `type`, if given, are those of the record.
  private func expectFrame(_ fields: NDEFFields) throws(NDEFFieldError) {
    if fields.hasValue(Frame.typeNameFormat) {
      let given = try Self.typeNameFormat(fields)
      guard given == typeNameFormat else {
        throw NDEFFieldError(
          [.name(Frame.typeNameFormat)], "it is \(given), but the content is \(typeNameFormat)")
      }
    }
    if let given = try fields.marked(Frame.type) {
      guard hasType(typeNameFormat, String(decoding: given, as: UTF8.self)) else {
        throw NDEFFieldError(
          [.name(Frame.type)],
          "it is \(given.asciiOrHexadecimal), but the content is \(type.asciiOrHexadecimal)")
      }
    }
  }

  /// The names of the fields of all known types.
  fileprivate static let knownFieldNames = Set(knownTypes.flatMap { $0.fieldNames })
}

extension NDEFFields {
  /// Returns the first name with a value that is a field of a known type, except for these.
  fileprivate func knownName(except names: [String]) -> String? {
    self.names.first { name in
      hasValue(name) && NDEFRecord.knownFieldNames.contains(name) && !names.contains(name)
    }
  }
}

extension NDEFFieldValue {
  /// The first place at which a value differs from another, and both values there.
  fileprivate struct Difference {
    let path: [NDEFFieldError.Step]
    let given: NDEFFieldValue
    let said: NDEFFieldValue?
  }

  /// Returns the first place at which a field given here has another value there; `nil` if there is none.
  fileprivate func difference(
    from said: NDEFFieldValue, at path: [NDEFFieldError.Step]
  ) -> Difference? {
    switch (self, said) {
    case (.fields(let given), .fields(let said)):
      for name in given.names {
        guard let value = given[name], value != .null else { continue }
        let place = path + [.name(name)]
        guard let other = said[name] else {
          return Difference(path: place, given: value, said: nil)
        }
        if let difference = value.difference(from: other, at: place) { return difference }
      }
      return nil
    case (.list(let given), .list(let others)):
      guard given.count == others.count else {
        return Difference(path: path, given: self, said: said)
      }
      for (index, (value, other)) in zip(given, others).enumerated() {
        if let difference = value.difference(from: other, at: path + [.index(index)]) {
          return difference
        }
      }
      return nil
    // Some programs write 2.0 as 2.
    case (.integer(let given), .number(let number)) where Double(given) == number: return nil
    default: return self == said ? nil : Difference(path: path, given: self, said: said)
    }
  }

  /// Throws unless all fields given here also have these values there.
  fileprivate func expectAgreement(
    with said: NDEFFieldValue, at path: [NDEFFieldError.Step]
  ) throws(NDEFFieldError) {
    guard let difference = difference(from: said, at: path) else { return }
    let reason =
      switch (difference.given, difference.said) {
      case (let given, nil): "it is \(given), but the payload has none"
      case (.list(let given), .list(let said)?):
        "it has \(given.count) elements, but the payload has \(said.count)"
      case (let given, let said?): "it is \(given), but the payload says \(said)"
      }
    throw NDEFFieldError(difference.path, reason)
  }
}

// MARK: - Codable

extension NDEFRecord: Codable {
  /// Encodes the object of ``fields``.
  public func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }

  /// Decodes an object; see ``init(fields:)``.
  public init(from decoder: any Decoder) throws {
    let fields = try NDEFFields(from: decoder)
    do throws(NDEFFieldError) {
      try self.init(fields: fields)
    } catch {
      throw error.decodingError(decoder.codingPath)
    }
  }
}

extension NDEFFieldError {
  /// Returns the error in the form that decoders throw.
  func decodingError(_ codingPath: [any CodingKey]) -> DecodingError {
    .dataCorrupted(
      .init(codingPath: codingPath, debugDescription: description, underlyingError: self))
  }
}
