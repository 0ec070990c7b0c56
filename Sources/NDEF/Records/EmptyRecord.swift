/// A record without content: the type name format empty.
///
/// It has no identifier; if you set one, it is not written. Source: NFC Forum NDEF 1.0, 3.2.6.
public struct EmptyRecord: NDEFTypedRecord {
  public var identifier: [UInt8] = []

  /// Creates the empty record.
  public init() {}

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.typeNameFormat == .empty
  }

  /// Reads an empty record.
  ///
  /// - Throws: ``NDEFError/Code/fieldsInEmptyRecord`` if it has a type, an identifier or a payload.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    try Self.expectMatch(record)
    try record.validate()
  }

  public var record: NDEFRecord { NDEFRecord(typeNameFormat: .empty) }

  public var description: String { "empty record" }
}

extension NDEFRecord {
  /// The record without content.
  public static let empty = EmptyRecord().record
}
