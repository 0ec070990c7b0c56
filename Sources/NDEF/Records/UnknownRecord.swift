/// Content of an unknown type: the type name format unknown.
///
/// Source: NFC Forum NDEF 1.0, 3.2.6.
public struct UnknownRecord: NDEFTypedRecord {
  /// The content.
  public var payload: [UInt8]
  public var identifier: [UInt8]

  /// Creates the record of a content.
  public init(payload: [UInt8], identifier: [UInt8] = []) {
    self.payload = payload
    self.identifier = identifier
  }

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.typeNameFormat == .unknown
  }

  /// Reads any content.
  ///
  /// - Throws: ``NDEFError/Code/typeInUnknownRecord`` if the record has a type.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    try Self.expectMatch(record)
    try record.validate()
    self.init(payload: record.payload, identifier: record.identifier)
  }

  public var record: NDEFRecord {
    NDEFRecord(typeNameFormat: .unknown, identifier: identifier, payload: payload)
  }

  public var description: String { "unknown content, \(payload.byteCountDescription)" }
}
