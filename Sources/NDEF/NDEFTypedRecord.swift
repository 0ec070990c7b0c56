/// A record of a known type, as a value with its fields.
///
/// A program's own record type conforms, and is given to ``NDEFRecord/decoded(as:)`` in front of the
/// known ones:
///
/// ```swift
/// let types: [any NDEFTypedRecord.Type] = [TicketRecord.self] + NDEFRecord.knownTypes
/// if let ticket = try record.decoded(as: types) as? TicketRecord { print(ticket.seat) }
/// ```
///
/// To add a type to the package, write one file with a struct that conforms, and add one line to
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

  /// Reads what can be read of the record.
  ///
  /// A type whose fields can be told apart although one is wrong reports that one to the tolerance
  /// and goes on. The others need not implement this.
  init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError)

  /// The content by name, as a JSON object shows it.
  var fields: NDEFFields { get }

  /// The names that ``fields`` may have.
  static var fieldNames: [String] { get }

  /// Reads the content from fields; `nil` if they do not describe this type.
  ///
  /// - Throws: ``NDEFFieldError`` if they do and one is wrong.
  init?(fields: NDEFFields) throws(NDEFFieldError)
}

extension NDEFTypedRecord {
  /// Reads the record strictly.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try self.init(record)
  }

  /// None.
  public var fields: NDEFFields { [:] }

  /// None.
  public static var fieldNames: [String] { [] }

  /// Reads nothing.
  public init?(fields: NDEFFields) throws(NDEFFieldError) { return nil }

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
    get throws(NDEFError) { try decoded(as: Self.knownTypes) }
  }

  /// The record as a value of the first of those types that matches it, or `nil` if none does.
  ///
  /// - Throws: ``NDEFError`` if one matches and the payload is malformed.
  public func decoded(
    as types: [any NDEFTypedRecord.Type]
  ) throws(NDEFError) -> (any NDEFTypedRecord)? {
    var tolerance = NDEFTolerance.strict
    return try decoded(as: types, tolerance: &tolerance)
  }

  /// What can be read of the record as a value of its type, and the first error in it.
  ///
  /// There is no value if the type is not known or nothing can be read; there is no error if
  /// ``decoded`` gives the value too.
  public var decodedLeniently: (value: (any NDEFTypedRecord)?, error: NDEFError?) {
    var tolerance = NDEFTolerance.lenient
    do {
      let value = try decoded(as: Self.knownTypes, tolerance: &tolerance)
      return (value, tolerance.firstError)
    } catch {
      return (nil, tolerance.firstError ?? error)
    }
  }

  private func decoded(
    as types: [any NDEFTypedRecord.Type], tolerance: inout NDEFTolerance
  ) throws(NDEFError) -> (any NDEFTypedRecord)? {
    for type in types where type.matches(self) {
      return try type.init(self, tolerance: &tolerance)
    }
    return nil
  }
}
