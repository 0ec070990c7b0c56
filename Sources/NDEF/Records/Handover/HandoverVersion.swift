/// The version of Connection Handover that a record follows, such as 1.5.
///
/// Source: NFC Forum Connection Handover 1.5, "Handover Request Record", "Handover Select Record".
public struct HandoverVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The first number, 0 to 15; for other values than 1, the form of the record is not known.
  public let major: UInt8
  /// The second number, 0 to 15.
  public let minor: UInt8

  /// Creates a version from two numbers, of which only the low four bits are used.
  public init(major: UInt8, minor: UInt8) {
    self.major = major & 0x0F
    self.minor = minor & 0x0F
  }

  /// 1.5, the newest.
  public static let current = HandoverVersion(major: 1, minor: 5)
  /// 1.2, the first with collision resolution and error records.
  static let withCollisionResolution = HandoverVersion(major: 1, minor: 2)

  /// - Throws: ``NDEFError/Code/unsupportedVersion`` if the major version is not 1.
  init(_ reader: inout ByteReader) throws(NDEFError) {
    let byte = try reader.readByte("handover version")
    self.init(major: byte >> 4, minor: byte)
    guard major == Self.current.major else {
      throw NDEFError(
        .unsupportedVersion, offset: 0, reason: "the handover version \(self) is not known")
    }
  }

  /// Reads `version` of a handover record, such as `1.5`; it is ``current`` by default.
  init(fields: NDEFFields) throws(NDEFFieldError) {
    guard let numbers = try fields.version("version") else {
      self = .current
      return
    }
    self.init(major: numbers.major, minor: numbers.minor)
    guard major == Self.current.major else {
      throw NDEFFieldError([.name("version")], "\(self) is not a version 1.x")
    }
  }

  var rawValue: UInt8 { major << 4 | minor }

  /// Orders versions by major, then by minor number.
  public static func < (first: HandoverVersion, second: HandoverVersion) -> Bool {
    first.rawValue < second.rawValue
  }

  /// The numbers with a dot.
  public var description: String { "\(major).\(minor)" }
}
