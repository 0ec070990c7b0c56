extension WiFiAttribute {
  /// The maximum number of bytes in a value, whose length has two bytes.
  private static let maximumLength = Int(UInt16.max)

  /// Returns attributes as the field `otherAttributes`; `nil` if there are none.
  static func fieldValue(of attributes: [WiFiAttribute]) -> NDEFFieldValue? {
    guard !attributes.isEmpty else { return nil }
    return .list(
      attributes.map { attribute in
        var number: [UInt8] = []
        number.appendBigEndian(attribute.identifier.rawValue)
        return .fields([
          "type": .text(number.hexadecimal), "value": .text(attribute.value.hexadecimal),
        ])
      })
  }

  /// Reads the attributes in `otherAttributes`; their type has four hexadecimal digits.
  static func list(in fields: NDEFFields) throws(NDEFFieldError) -> [WiFiAttribute] {
    try fields.list("otherAttributes") { (element) throws(NDEFFieldError) in
      let content = try element.fields()
      let name = try content.requiredText("type")
      guard let digits = [UInt8](hexadecimal: name), digits.count == 2 else {
        throw NDEFFieldError(
          [.name("type")], "\"\(name.escapingControls)\" is not four hexadecimal digits")
      }
      let value = try content.bytes("value") ?? []
      guard value.count <= maximumLength else {
        throw NDEFFieldError(
          [.name("value")], "it has \(value.count) bytes, and at most \(maximumLength) fit")
      }
      let number = digits.reduce(0) { $0 << 8 | UInt16($1) }
      return WiFiAttribute(Identifier(rawValue: number), value)
    }
  }
}
