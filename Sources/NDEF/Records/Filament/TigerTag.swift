/// A spool of filament or a bottle of resin: the memory of an NTAG21x in the format TigerTag.
///
/// It is not NDEF: the bytes fill the pages from 4 on, where another tag has its message. The chip is as before otherwise, so
/// that readers of NDEF find none.
///
/// Temperatures are in degrees Celsius, the diameter in millimeters, the drying time in hours; colors are the hexadecimal
/// digits of red, green, blue and, of the first, alpha. Numbers that have no name here are given as they are.
///
/// Source: TigerTag-Project/TigerTag-RFID-Guide, README.md, 2.1.
public struct TigerTag: Hashable, Sendable {
  /// The variants of the format.
  public enum Variant: UInt32, Hashable, Sendable {
    /// Written by anybody.
    case standard = 0x5BF5_9264
    /// Written by a manufacturer, with the number of a product and a signature.
    case plus = 0xBC0F_CB97
    /// A tag that was prepared and describes nothing yet.
    case blank = 0x6C41_A2E1

    /// Reads the first page of the data; `nil` for a tag of another kind.
    public init?(userMemory bytes: [UInt8]) {
      guard bytes.count >= 4 else { return nil }
      self.init(rawValue: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    }
  }

  /// The first page with data.
  public static let firstPage = 4
  /// The number of bytes, without and with the signature.
  private static let (dataSize, signedSize) = (80, 144)

  /// The variant of the format.
  public let variant: Variant
  /// The fields that have a value.
  public let content: NDEFFields

  /// Reads the pages from page 4 on; `nil` for a tag of another kind.
  ///
  /// - Throws: ``NDEFError`` for fewer bytes than the format has.
  public init?(userMemory bytes: [UInt8]) throws(NDEFError) {
    guard let variant = Variant(userMemory: bytes) else { return nil }
    self.variant = variant
    var reader = ByteReader(bytes)
    _ = try reader.readBigEndian32("TigerTag's identifier")
    var fields = NDEFFields()
    let product = try reader.readBigEndian32("product")
    // The numbers that stand for no product: 2.2.
    if product != 0, product != .max { fields["product"] = .integer(Int64(product)) }
    let material = Int(try reader.readBigEndian16("material"))
    let aspects = [Int(try reader.readByte("aspect")), Int(try reader.readByte("aspect"))]
    let type = Int(try reader.readByte("type"))
    let diameter = Int(try reader.readByte("diameter"))
    let brand = Int(try reader.readBigEndian16("brand"))
    fields["type"] = Self.name(type, TigerTagNames.types)
    fields["material"] = Self.name(material, TigerTagNames.materials, none: 0xFFFF)
    fields["brand"] = Self.name(brand, TigerTagNames.brands, none: 0xFFFF)
    fields["diameter"] = TigerTagNames.diameters[diameter].map { .number(Double($0) / 100) }
    let names = aspects.compactMap { Self.name($0, TigerTagNames.aspects, none: 0xFF) }
    if !names.isEmpty { fields["aspects"] = .list(names) }
    var colors = [Array(try reader.readBytes(4, "color"))]
    let quantity = try Self.number(&reader, "quantity")
    let unit = Int(try reader.readByte("unit"))
    let nozzle = [try reader.readBigEndian16("nozzle"), try reader.readBigEndian16("nozzle")]
    fields["nozzleTemperatureMinimum"] = Self.value(nozzle[0])
    fields["nozzleTemperatureMaximum"] = Self.value(nozzle[1])
    fields["dryingTemperature"] = Self.value(try reader.readByte("drying"))
    fields["dryingTime"] = Self.value(try reader.readByte("drying"))
    fields["bedTemperatureMinimum"] = Self.value(try reader.readByte("bed"))
    fields["bedTemperatureMaximum"] = Self.value(try reader.readByte("bed"))
    let time = try reader.readBigEndian32("time")
    for _ in 0..<2 {
      colors.append(Array(try reader.readBytes(3, "color")))
      _ = try reader.readByte("reserved byte")
    }
    let distance = try reader.readBigEndian16("transmission distance")
    _ = try reader.readBigEndian16("reserved bytes")
    let message = try reader.readBytes(28, "message").prefix { $0 != 0 }
    let rest = try Self.number(&reader, "remaining quantity")
    _ = try reader.readByte("reserved byte")
    let count = aspects.compactMap { TigerTagNames.colorCounts[$0] }.max() ?? 1
    if variant != .blank {
      fields["colors"] = .list(colors.prefix(count).map { .text($0.hexadecimal) })
    }
    fields["quantity"] = Self.value(quantity)
    if quantity > 0 {
      fields["remainingQuantity"] = .integer(Int64(rest))
      fields["unit"] = Self.name(unit, TigerTagNames.units)
    }
    fields["time"] = time == 0 ? nil : .text(Self.date(secondsSince2000: time))
    fields["transmissionDistance"] = distance == 0 ? nil : .number(Double(distance) / 10)
    fields["message"] = message.isEmpty ? nil : .text(String(decoding: message, as: UTF8.self))
    // Pages 24 to 39 have the signature of a manufacturer, or zeros.
    let signature = bytes.dropFirst(Self.dataSize).prefix(Self.signedSize - Self.dataSize)
    if variant == .plus, signature.count == Self.signedSize - Self.dataSize,
      signature.contains(where: { $0 != 0 })
    {
      fields["signature"] = .text(Array(signature).hexadecimal)
    }
    content = fields
  }

  private static func name(_ number: Int, _ names: [Int: String], none: Int = 0) -> NDEFFieldValue?
  {
    guard number != none, number != 0 else { return nil }
    return .text(names[number] ?? "\(number)")
  }

  private static func value(_ number: some BinaryInteger) -> NDEFFieldValue? {
    number == 0 ? nil : .integer(Int64(number))
  }

  private static func number(
    _ reader: inout ByteReader, _ name: StaticString
  ) throws(NDEFError) -> UInt32 {
    try reader.readBytes(3, name).reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns a time as in ISO 8601.
  private static func date(secondsSince2000 seconds: UInt32) -> String {
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    var days = Int(seconds) / 86_400
    var year = 2000
    func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
    while days >= (isLeap(year) ? 366 : 365) {
      days -= isLeap(year) ? 366 : 365
      year += 1
    }
    var month = 1
    for length in [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
      guard days >= length else { break }
      days -= length
      month += 1
    }
    let rest = Int(seconds) % 86_400
    return "\(year)-\(digits(month))-\(digits(days + 1))T\(digits(rest / 3600))"
      + ":\(digits(rest / 60 % 60)):\(digits(rest % 60))Z"
  }
}

extension TigerTag: CustomStringConvertible {
  /// The variant, brand, material and remaining quantity in one line.
  public var description: String {
    let name =
      switch variant {
      case .standard: "TigerTag"
      case .plus: "TigerTag+"
      case .blank: "TigerTag, not written yet"
      }
    func text(_ name: String) -> String? {
      switch content[name] {
      case .text(let text)?: text
      case .integer(let number)?: "\(number)"
      default: nil
      }
    }
    let rest = text("remainingQuantity").map { "\($0) \(text("unit") ?? "")" }
    let quantity = text("quantity").map { "\(rest ?? "?") of \($0) left" }
    return [name, text("brand"), text("material"), quantity].compactMap(\.self)
      .joined(separator: " ")
  }
}
