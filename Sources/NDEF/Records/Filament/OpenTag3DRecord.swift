/// A spool of filament: the media type `application/opentag3d`.
///
/// The fields have the names of the specification in camel case. Temperatures are in degrees Celsius, diameters in
/// millimeters, weights in grams, lengths in meters, densities in grams per cubic centimeter; colors are the
/// hexadecimal digits of red, green, blue and alpha.
///
/// Source: opentag3d.info/spec, versions 1.003 and 2.002. Later versions with the same first number only add fields.
public struct OpenTag3DRecord: NDEFTypedRecord {
  /// The payload, which a record that is written again keeps as it is.
  public let payload: [UInt8]
  /// The version of the specification in thousandths, such as 2002.
  public let version: UInt16
  /// The fields that have a value.
  public let content: NDEFFields
  public var identifier: [UInt8]

  private static let mediaType = "application/opentag3d"

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.media, mediaType)
  }

  /// Reads the fields. Bytes that are missing at the end are zeros, as the specification says.
  ///
  /// - Throws: ``NDEFError`` for a payload without a version, a version other than 1 and 2, or a text that is not
  ///   UTF-8.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    var tolerance = NDEFTolerance.strict
    try self.init(record, tolerance: &tolerance)
  }

  /// Reads the fields; leniently, a text that is not UTF-8 is left out.
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

  public var record: NDEFRecord {
    NDEFRecord(
      typeNameFormat: .media, type: Self.mediaType, identifier: identifier, payload: payload)
  }

  public var description: String {
    let names = ["manufacturer", "material", "materialModifier", "colorName"]
    let texts = names.compactMap { name -> String? in
      if case .text(let text) = content[name] { text } else { nil }
    }
    return (["OpenTag3D"] + texts).joined(separator: " ")
  }

  public static let fieldNames = ["openTag3D"]

  public var fields: NDEFFields {
    var content = content
    content["version"] = .text(Self.shown(version))
    return ["openTag3D": .fields(content)]
  }

  /// Refuses fields without a payload, which has more than they describe.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard fields["openTag3D"] ?? .null != .null else { return nil }
    throw NDEFFieldError([.name("openTag3D")], "it can be given as a payload only")
  }
}
