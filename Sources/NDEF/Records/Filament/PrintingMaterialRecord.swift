/// A record that describes a material for 3D printing, in a payload that has more than its fields.
public protocol PrintingMaterialRecord: NDEFTolerantRecord {
  /// The media type of the record.
  static var mediaType: String { get }

  /// The payload, which a record that is written again keeps as it is.
  var payload: [UInt8] { get }
}

extension PrintingMaterialRecord {
  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.media, mediaType)
  }

  public var record: NDEFRecord {
    NDEFRecord(
      typeNameFormat: .media, type: Self.mediaType, identifier: identifier, payload: payload)
  }

  /// Refuses fields without a payload, which has more than they describe.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let name = Self.fieldNames.first(where: { fields.hasValue($0) }) else { return nil }
    throw NDEFFieldError([.name(name)], "it can be given as a payload only")
  }

  /// Returns the texts of these fields that have one.
  static func texts(_ names: [String], of fields: NDEFFields) -> [String] {
    names.compactMap { name in
      if case .text(let text) = fields[name] { text } else { nil }
    }
  }
}
