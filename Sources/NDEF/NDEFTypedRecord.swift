/// A record of a known type, as a value with its fields.
///
/// To add a type, write one file with a struct that conforms, and add one line to
/// ``NDEFRecord/knownTypes``.
///
/// Reading is total: any record gives a value or an error. Writing is total too: every value has a
/// record. A field that is longer than its length in the payload can say is cut there, texts
/// between characters; the types say where that can happen.
public protocol NDEFTypedRecord: Hashable, Sendable, CustomStringConvertible {
  /// Whether the record claims to be of this type; its payload is not looked at.
  static func matches(_ record: NDEFRecord) -> Bool

  /// Reads the record.
  ///
  /// - Throws: ``NDEFError``: ``NDEFError/Code/wrongRecordType`` if ``matches(_:)`` is false; else
  ///   what is wrong with the payload, with the offset in it.
  init(_ record: NDEFRecord) throws(NDEFError)

  /// The record's identifier; empty for none.
  var identifier: [UInt8] { get set }

  /// The record with this content.
  var record: NDEFRecord { get }

  /// Adds the content to the record's JSON object.
  ///
  /// The keys `tnf`, `type`, `id` and `payload` are there already.
  func encodeFields(
    to container: inout KeyedEncodingContainer<NDEFRecord.FieldKey>
  ) throws

  /// Reads the content from a JSON object without `payload`; `nil` if it does not describe this
  /// type.
  static func decodeFields(
    from container: KeyedDecodingContainer<NDEFRecord.FieldKey>
  ) throws -> Self?
}

extension NDEFTypedRecord {
  /// Adds nothing.
  public func encodeFields(
    to container: inout KeyedEncodingContainer<NDEFRecord.FieldKey>
  ) throws {}

  /// Reads nothing.
  public static func decodeFields(
    from container: KeyedDecodingContainer<NDEFRecord.FieldKey>
  ) throws -> Self? { nil }

  /// Throws if the record does not claim to be of this type.
  static func expectMatch(_ record: NDEFRecord) throws(NDEFError) {
    guard matches(record) else {
      throw NDEFError(
        .wrongRecordType, offset: 0,
        reason: "a record of type \(record.typeNameFormat) \(record.type.asciiOrHexadecimal)"
          + " is no \(Self.self)")
    }
  }
}

extension NDEFRecord {
  /// The types that ``decoded`` knows; the first that matches a record reads it.
  ///
  /// Types that match by name come before those that match a whole type name format.
  public static let knownTypes: [any NDEFTypedRecord.Type] = [
    URIRecord.self,
    TextRecord.self,
    SmartPosterRecord.self,
    HandoverSelectRecord.self,
    HandoverRequestRecord.self,
    HandoverCarrierRecord.self,
    SignatureRecord.self,
    DeviceInformationRecord.self,
    AndroidApplicationRecord.self,
    WiFiRecord.self,
    BluetoothRecord.self,
    BluetoothLERecord.self,
    VCardRecord.self,
    MIMERecord.self,
    AbsoluteURIRecord.self,
    ExternalRecord.self,
    EmptyRecord.self,
    UnknownRecord.self,
  ]

  /// The record as a value of its type, or `nil` if the type is not known.
  ///
  /// ```swift
  /// switch try record.decoded {
  /// case let link as URIRecord: print(link.uri)
  /// case let text as TextRecord: print(text.text)
  /// default: print(record)
  /// }
  /// ```
  ///
  /// - Throws: ``NDEFError`` if the type is known and the payload malformed.
  public var decoded: (any NDEFTypedRecord)? {
    get throws(NDEFError) {
      for type in Self.knownTypes where type.matches(self) {
        return try type.init(self)
      }
      return nil
    }
  }
}
