extension HandoverErrorRecord {
  private enum Field {
    static let reason = "reason"
    static let delay = "retryAfterMilliseconds"
    static let length = "maximumLength"
    static let data = "data"
  }

  private enum ReasonName {
    static let temporary = "temporarilyOutOfMemory"
    static let permanent = "permanentlyOutOfMemory"
    static let carrier = "carrierSpecific"
    static let all = [temporary, permanent, carrier]
  }

  /// The reason by its name, or by its number if it is reserved, and its data.
  var content: NDEFFields {
    switch reason {
    case .temporarilyOutOfMemory(let milliseconds):
      [Field.reason: .text(ReasonName.temporary), Field.delay: .integer(Int64(milliseconds))]
    case .permanentlyOutOfMemory(let length):
      [Field.reason: .text(ReasonName.permanent), Field.length: .integer(Int64(length))]
    case .carrierSpecific(let milliseconds):
      [Field.reason: .text(ReasonName.carrier), Field.delay: .integer(Int64(milliseconds))]
    case .reserved(let code, let data):
      [Field.reason: .integer(Int64(code)), Field.data: .text(data.hexadecimal)]
    }
  }

  /// Reads `{"reason":"temporarilyOutOfMemory","retryAfterMilliseconds":64}`; `nil` if there is no field of this name.
  init?(field name: String, of fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields(name) else { return nil }
    do throws(NDEFFieldError) {
      self.init(try Self.reason(content))
    } catch {
      throw error.within(.name(name))
    }
  }

  private static func reason(_ content: NDEFFields) throws(NDEFFieldError) -> Reason {
    if case .integer = content[Field.reason], let code: UInt8 = try content.integer(Field.reason) {
      let firstReserved: UInt8 = 4
      guard code >= firstReserved else {
        throw NDEFFieldError(
          [.name(Field.reason)],
          "a number is a reserved reason, from \(firstReserved) on; the others are "
            + ReasonName.all.joined(separator: ", "))
      }
      return .reserved(code: code, data: try content.bytes(Field.data) ?? [])
    }
    switch try content.choice(Field.reason, ReasonName.all) {
    case ReasonName.temporary:
      return .temporarilyOutOfMemory(retryAfterMilliseconds: try number(Field.delay, content))
    case ReasonName.permanent:
      return .permanentlyOutOfMemory(maximumLength: try number(Field.length, content))
    case ReasonName.carrier:
      return .carrierSpecific(retryAfterMilliseconds: try number(Field.delay, content))
    default: throw .missing(Field.reason)
    }
  }

  private static func number<Value: FixedWidthInteger>(
    _ name: String, _ content: NDEFFields
  ) throws(NDEFFieldError) -> Value {
    guard let value: Value = try content.integer(name) else { throw .missing(name) }
    return value
  }
}
