/// A spool of filament or a bottle of resin: the media type `application/vnd.openprinttag`.
///
/// The content has two sections. The main section describes the material and does not change; printers write the
/// auxiliary section. Fields have the names of the specification in camel case, numbers its units, colors and UUIDs
/// hexadecimal digits; a field without a known name is called by its key, such as `key63`.
///
/// Source: OpenPrintTag specification, "NFC data format", and its lists of fields as of 2026.
public struct OpenPrintTagRecord: PrintingMaterialRecord {
  public static let mediaType = "application/vnd.openprinttag"
  public static let fieldNames = ["openPrintTag"]

  public let payload: [UInt8]
  /// The fields of the main section.
  public let mainSection: NDEFFields
  /// The fields of the auxiliary section, if there is one.
  public let auxiliarySection: NDEFFields?
  public var identifier: [UInt8]

  // Keys of the meta section.
  private static let mainRegionOffset = CBORItem.unsigned(0)
  private static let auxiliaryRegionOffset = CBORItem.unsigned(2)

  /// Reads the sections; leniently, a malformed auxiliary section and fields with a wrong key are left out.
  ///
  /// - Throws: ``NDEFError`` for a section that is not a CBOR map, lies outside of the payload, or has a key that is
  ///   not a number or occurs twice.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    payload = record.payload
    identifier = record.identifier
    let meta = try Self.section(payload, at: 0)
    let mainOffset = try Self.region(Self.mainRegionOffset, of: meta.members) ?? meta.end
    let main = try Self.section(payload, at: mainOffset)
    mainSection = try OpenPrintTagKeys.main.fields(of: main.members, tolerance: &tolerance)
    var auxiliary: NDEFFields?
    do throws(NDEFError) {
      if let offset = try Self.region(Self.auxiliaryRegionOffset, of: meta.members) {
        let members = try Self.section(payload, at: offset).members
        auxiliary = try OpenPrintTagKeys.auxiliary.fields(of: members, tolerance: &tolerance)
      }
    } catch {
      try tolerance.report(error)
    }
    auxiliarySection = auxiliary
  }

  /// Returns the map that begins at an offset; anything may follow it in its region.
  private static func section(
    _ payload: [UInt8], at offset: Int
  ) throws(NDEFError) -> (members: [CBORItem.Member], end: Int) {
    guard offset < payload.count else {
      throw NDEFError(
        .truncated, offset: payload.count,
        reason: "a section begins at byte \(offset) of a payload of \(payload.count) bytes")
    }
    var reader = ByteReader(payload[offset...])
    guard case .map(let members) = try reader.readCBOR() else {
      throw NDEFError(.invalidValue, offset: offset, reason: "a section is not a CBOR map")
    }
    return (members, reader.offset)
  }

  /// Returns the offset of a region that the meta section contains; `nil` if it contains none.
  private static func region(
    _ key: CBORItem, of meta: [CBORItem.Member]
  ) throws(NDEFError) -> Int? {
    guard let member = meta.first(where: { $0.key == key }) else { return nil }
    guard case .unsigned(let offset) = member.value else {
      throw NDEFError(
        .invalidValue, offset: member.offset, reason: "the offset of a region is not a number")
    }
    return Int(clamping: offset)
  }

  public var description: String {
    let names = Self.texts(["brandName", "materialName"], of: mainSection)
    let material = Self.texts(["materialType"], of: mainSection).map { "(\($0))" }
    return (["OpenPrintTag"] + names + material).joined(separator: " ")
  }

  public var fields: NDEFFields {
    [
      "openPrintTag": .fields([
        "main": .fields(mainSection), "auxiliary": auxiliarySection.map { .fields($0) },
      ])
    ]
  }
}
