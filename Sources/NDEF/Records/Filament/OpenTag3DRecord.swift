/// A spool of filament: the media type `application/opentag3d`.
///
/// The fields have the names of the specification in camel case. Temperatures are in degrees Celsius, diameters in
/// millimeters, weights in grams, lengths in meters, densities in grams per cubic centimeter; colors are the
/// hexadecimal digits of red, green, blue and alpha.
///
/// Source: opentag3d.info/spec, versions 1.003 and 2.002. Later versions with the same first number only add fields.
public struct OpenTag3DRecord: PrintingMaterialRecord {
  public static let mediaType = "application/opentag3d"
  public static let fieldNames = ["openTag3D"]

  public let payload: [UInt8]
  /// The version of the specification in thousandths, such as 2002.
  public let version: UInt16
  /// The fields that have a value.
  public let content: NDEFFields
  public var identifier: [UInt8]

  /// Reads the fields; leniently, a text that is not UTF-8 is left out.
  ///
  /// Bytes that are missing at the end are zeros, as the specification says.
  ///
  /// - Throws: ``NDEFError`` for a payload without a version, a version other than 1 and 2, or a text that is not
  ///   UTF-8.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    payload = record.payload
    identifier = record.identifier
    var reader = ByteReader(payload)
    version = try reader.readBigEndian16("version")
    guard let map = OpenTag3DMap.fields(ofVersion: version) else {
      throw NDEFError(
        .unsupportedVersion, offset: 0,
        reason: "the OpenTag3D version \(Self.shown(version)) is not known")
    }
    let missing = max(0, OpenTag3DMap.length - payload.count)
    let memory = payload + [UInt8](repeating: 0, count: missing)
    var content = NDEFFields()
    for field in map {
      do throws(NDEFError) {
        content[field.name] = try field.value(memory[field.range])
      } catch {
        try tolerance.report(error)
      }
    }
    self.content = content
  }

  private static func shown(_ version: UInt16) -> String {
    let thousandths = "\(version % 1000)"
    return "\(version / 1000)." + String(repeating: "0", count: 3 - thousandths.count) + thousandths
  }

  public var description: String {
    let names = ["manufacturer", "material", "materialModifier", "colorName"]
    return (["OpenTag3D"] + Self.texts(names, of: content)).joined(separator: " ")
  }

  public var fields: NDEFFields {
    var content = content
    content["version"] = .text(Self.shown(version))
    return ["openTag3D": .fields(content)]
  }
}
