/// The places of the fields in an OpenTag3D record.
///
/// Source: GooborgStudios/OpenTag3D, assets/json/spec_v1.json (version 1.003) and _data/spec.json (2.002). The fields of
/// the melt flow index are left out: what their numbers mean differs between the two.
enum OpenTag3DMap {
  /// The form of a field; all numbers are big-endian.
  enum Kind {
    /// A text of UTF-8, filled up with zeros.
    case text
    /// A number that is multiplied or divided.
    case number(factor: Int = 1, divisor: Int = 1)
    /// Red, green, blue and alpha.
    case color
    /// Two bytes of the year, the month, the day.
    case date
    /// Hour, minute, second in UTC.
    case time
  }

  struct Field {
    let name: String
    let kind: Kind
    let range: Range<Int>

    init(_ name: String, _ kind: Kind, _ start: Int, _ length: Int) {
      self.name = name
      self.kind = kind
      range = start..<start + length
    }

    /// Returns the value of a field; `nil` if the bytes are zeros, which stand for no value.
    ///
    /// - Throws: ``NDEFError`` for a text that is not UTF-8.
    func value(_ bytes: ArraySlice<UInt8>) throws(NDEFError) -> NDEFFieldValue? {
      guard bytes.contains(where: { $0 != 0 }) else { return nil }
      let number = bytes.reduce(0) { $0 << 8 | Int64($1) }
      switch kind {
      case .text:
        let text = try bytes.prefix { $0 != 0 }.utf8Text("text of an OpenTag3D field")
        return text.isEmpty ? nil : .text(text)
      case .number(let factor, 1): return .integer(number * Int64(factor))
      case .number(_, let divisor): return .number(Double(number) / Double(divisor))
      case .color: return .text(bytes.hexadecimal)
      case .date:
        let (year, month, day) = (number >> 16, number >> 8 & 0xFF, number & 0xFF)
        return .text(
          [Self.digits(year, 4), Self.digits(month, 2), Self.digits(day, 2)].joined(separator: "-"))
      case .time:
        return .text(bytes.map { Self.digits(Int64($0), 2) }.joined(separator: ":"))
      }
    }

    private static func digits(_ number: Int64, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
  }

  /// The number of bytes after which no field begins.
  static let length = 0xD8

  /// Returns the fields of a version in thousandths; `nil` if its first number is not known.
  static func fields(ofVersion version: UInt16) -> [Field]? {
    switch version / 1000 {
    case 1: version1
    case 2: version2
    default: nil
    }
  }

  private static let version1 = [
    Field("material", .text, 0x02, 5),
    Field("materialModifier", .text, 0x07, 5),
    Field("manufacturer", .text, 0x1B, 16),
    Field("colorName", .text, 0x2B, 32),
    Field("color1", .color, 0x4B, 4),
    Field("color2", .color, 0x50, 4),
    Field("color3", .color, 0x54, 4),
    Field("color4", .color, 0x58, 4),
    Field("diameter", .number(divisor: 1000), 0x5C, 2),
    Field("weight", .number(), 0x5E, 2),
    Field("printTemperature", .number(factor: 5), 0x60, 1),
    Field("bedTemperature", .number(factor: 5), 0x61, 1),
    Field("density", .number(divisor: 1000), 0x62, 2),
    Field("transmissionDistance", .number(divisor: 10), 0x64, 2),
    Field("dataURL", .text, 0x70, 32),
    Field("serial", .text, 0x90, 16),
    Field("manufactureDate", .date, 0xA0, 4),
    Field("manufactureTime", .time, 0xA4, 3),
    Field("spoolCoreDiameter", .number(), 0xA7, 1),
    Field("tolerance", .number(divisor: 1000), 0xAB, 1),
    Field("emptySpoolWeight", .number(), 0xAC, 2),
    Field("measuredWeight", .number(), 0xAE, 2),
    Field("measuredLength", .number(), 0xB0, 2),
    Field("maxDryTemperature", .number(factor: 5), 0xB2, 1),
    Field("dryTime", .number(), 0xB3, 1),
    Field("minPrintTemperature", .number(factor: 5), 0xB4, 1),
    Field("maxPrintTemperature", .number(factor: 5), 0xB5, 1),
    Field("minBedTemperature", .number(factor: 5), 0xB6, 1),
    Field("maxBedTemperature", .number(factor: 5), 0xB7, 1),
    Field("minVolumetricSpeed", .number(), 0xB8, 1),
    Field("maxVolumetricSpeed", .number(), 0xB9, 1),
    Field("volumetricSpeed", .number(), 0xBA, 1),
  ]

  private static let version2 = [
    Field("material", .text, 0x02, 5),
    Field("materialModifier", .text, 0x07, 5),
    Field("manufacturer", .text, 0x0C, 16),
    Field("colorName", .text, 0x1C, 32),
    Field("color1", .color, 0x3C, 4),
    Field("color2", .color, 0x40, 4),
    Field("color3", .color, 0x44, 4),
    Field("color4", .color, 0x48, 4),
    Field("serial", .text, 0x4C, 32),
    Field("sku", .text, 0x6C, 16),
    Field("barcode", .number(), 0x7C, 6),
    Field("manufactureDate", .date, 0x84, 4),
    Field("manufactureTime", .time, 0x88, 3),
    Field("diameter", .number(divisor: 1000), 0x8C, 2),
    Field("tolerance", .number(divisor: 100), 0x8E, 1),
    Field("nozzleDiameter", .number(divisor: 10), 0x8F, 1),
    Field("printTemperature", .number(factor: 5), 0x90, 1),
    Field("minPrintTemperature", .number(factor: 5), 0x91, 1),
    Field("maxPrintTemperature", .number(factor: 5), 0x92, 1),
    Field("chamberTemperature", .number(factor: 5), 0x93, 1),
    Field("bedTemperature", .number(factor: 5), 0x94, 1),
    Field("minBedTemperature", .number(factor: 5), 0x95, 1),
    Field("maxBedTemperature", .number(factor: 5), 0x96, 1),
    Field("volumetricSpeed", .number(), 0x97, 1),
    Field("minVolumetricSpeed", .number(), 0x98, 1),
    Field("maxVolumetricSpeed", .number(), 0x99, 1),
    Field("maxDryTemperature", .number(factor: 5), 0x9A, 1),
    Field("dryTime", .number(), 0x9B, 1),
    Field("density", .number(divisor: 1000), 0x9C, 2),
    Field("weight", .number(), 0x9E, 2),
    Field("emptySpoolWeight", .number(), 0xA0, 2),
    Field("measuredLength", .number(), 0xA2, 2),
    Field("measuredWeight", .number(), 0xA4, 2),
    Field("spoolCoreDiameter", .number(), 0xA6, 1),
    Field("transmissionDistance", .number(divisor: 10), 0xA7, 1),
    Field("dataURL", .text, 0xB8, 32),
  ]
}
