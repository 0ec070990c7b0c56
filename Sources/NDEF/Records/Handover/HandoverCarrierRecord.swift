/// The kind of a carrier that has no configuration yet: the well-known type `Hc`.
///
/// Source: NFC Forum Connection Handover 1.5, "Handover Carrier Record".
public struct HandoverCarrierRecord: NDEFTolerantRecord {
  /// The meaning of the carrier's type: the CTF field.
  public var carrierTypeFormat: TypeNameFormat
  /// The carrier's type, at most 255 bytes, such as `application/vnd.wfa.wsc`.
  public var carrierType: [UInt8]
  /// The data that the carrier's specification defines.
  public var carrierData: [UInt8]
  public var identifier: [UInt8]

  /// Creates the record of a carrier.
  public init(
    carrierTypeFormat: TypeNameFormat, carrierType: String, carrierData: [UInt8] = [],
    identifier: [UInt8] = []
  ) {
    self.carrierTypeFormat = carrierTypeFormat
    self.carrierType = Array(carrierType.utf8)
    self.carrierData = carrierData
    self.identifier = identifier
  }

  /// The bits of the first byte that are the CTF field; the others are reserved.
  private static let carrierTypeFormatMask: UInt8 = 0x07

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "Hc")
  }

  /// Reads the carrier; leniently, the reserved bits before the type format are left out.
  ///
  /// - Throws: ``NDEFError`` for a type format other than 1 to 4, a reserved bit, or a type that exceeds the
  ///   payload.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    let first = try reader.readByte("carrier type format")
    let reserved = NDEFError.reservedBits(
      "the carrier type format", first, known: Self.carrierTypeFormatMask, offset: 0)
    if let reserved { try tolerance.report(reserved) }
    let code = first & Self.carrierTypeFormatMask
    guard let format = TypeNameFormat(rawValue: code), format.hasType else {
      throw NDEFError(
        .invalidValue, offset: 0, reason: "the carrier type format \(code) is reserved")
    }
    carrierTypeFormat = format
    carrierType = Array(try reader.readBytes8("carrier type"))
    carrierData = Array(reader.readRest())
    identifier = record.identifier
  }

  public var record: NDEFRecord {
    var payload = [carrierTypeFormat.rawValue]
    payload.appendWithLength8(carrierType)
    payload += carrierData
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: "Hc", identifier: identifier, payload: payload)
  }

  public var description: String { "handover carrier \(carrierType.asciiOrHexadecimal)" }

  public static let fieldNames = ["handoverCarrier"]

  public var fields: NDEFFields {
    [
      "handoverCarrier": .fields([
        "tnf": .text(carrierTypeFormat.description),
        "type": .text(carrierType.asciiOrHexadecimal), "data": .text(carrierData.hexadecimal),
      ])
    ]
  }

  /// Reads `{"handoverCarrier":{"tnf":"media","type":"…","data":"…"}}`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("handoverCarrier") else { return nil }
    do throws(NDEFFieldError) {
      let names = TypeNameFormat.allCases.filter(\.hasType).map(\.description)
      let format = try content.choice("tnf", names).flatMap(TypeNameFormat.init(name:))
      guard let format else { throw .missing("tnf") }
      self.init(
        carrierTypeFormat: format, carrierType: "", carrierData: try content.bytes("data") ?? [])
      carrierType = try content.marked("type") ?? []
    } catch {
      throw error.within(.name("handoverCarrier"))
    }
  }
}
