/// A record of a known type, as a value with its fields.
///
/// A program's own record types conform to this protocol, and are passed to
/// ``NDEFRecord/decoded(as:)``, which tries them before the known ones:
///
/// ```swift
/// let types: [any NDEFTypedRecord.Type] = [TicketRecord.self] + NDEFRecord.knownTypes
/// if let ticket = try record.decoded(as: types) as? TicketRecord { print(ticket.seat) }
/// ```
///
/// To add a type to the package, write one file with a struct that conforms, and add one line to
/// ``NDEFRecord/knownTypes``.
///
/// Reading is total: any record gives a value or an error. Writing is total, too: every value has a
/// record. A field that is too long for its length field in the payload is cut off, texts between
/// characters; the types say where that can happen.
public protocol NDEFTypedRecord: Hashable, Sendable, CustomStringConvertible {
  /// Returns whether the record claims to be of this type, by its type name format and type; where they are shared with
  /// other records, by its payload, too.
  static func matches(_ record: NDEFRecord) -> Bool

  /// Reads the record.
  ///
  /// - Throws: ``NDEFError``: ``NDEFError/Code/wrongRecordType`` if ``matches(_:)`` returns false;
  ///   otherwise the fault in the payload, with its offset.
  init(_ record: NDEFRecord) throws(NDEFError)

  /// The record's identifier; empty for none.
  var identifier: [UInt8] { get set }

  /// The record with this content.
  var record: NDEFRecord { get }

  /// Reads whatever can be read of the record.
  ///
  /// A type whose fields can be separated even if one is wrong reports the error to the tolerance
  /// and continues: see ``NDEFTolerantRecord``. Other types need not implement this.
  init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError)

  /// The content by name, as in a JSON object.
  var fields: NDEFFields { get }

  /// The names that can occur in `fields`.
  static var fieldNames: [String] { get }

  /// Creates the content from fields; `nil` if they do not describe this type.
  ///
  /// - Throws: ``NDEFFieldError`` if they describe this type and one of them is wrong.
  init?(fields: NDEFFields) throws(NDEFFieldError)
}

extension NDEFTypedRecord {
  /// Reads the record strictly.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try self.init(record)
  }

  /// No fields.
  public var fields: NDEFFields { [:] }

  /// No names.
  public static var fieldNames: [String] { [] }

  /// Reads nothing.
  public init?(fields: NDEFFields) throws(NDEFFieldError) { return nil }

  /// Throws if the record does not claim to be of this type.
  static func expectMatch(_ record: NDEFRecord) throws(NDEFError) {
    guard matches(record) else {
      throw NDEFError(
        .wrongRecordType, offset: 0,
        reason: "a record of type \(record.typeNameFormat) \(record.type.asciiOrHexadecimal)"
          + " is not of the type \(Self.self)")
    }
  }
}

/// A record of a known type of which something can be read even if one of its fields is wrong.
///
/// A type that conforms implements only ``NDEFTypedRecord/init(_:tolerance:)``, which also reads
/// strictly.
public protocol NDEFTolerantRecord: NDEFTypedRecord {}

extension NDEFTolerantRecord {
  /// Reads the record, and throws the first error in it.
  ///
  /// - Throws: ``NDEFError``: ``NDEFError/Code/wrongRecordType`` for a record of another type;
  ///   otherwise the fault in the payload, with its offset.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    var tolerance = NDEFTolerance.strict
    try self.init(record, tolerance: &tolerance)
  }

  /// Reads a record inside another one. The outer record keeps one that only has a reserved value, and leaves out one
  /// with any other error.
  ///
  /// - Parameter reserved: is set to the error of the reserved value, which the caller reports.
  init(inner record: NDEFRecord, reserved: inout NDEFError?) throws(NDEFError) {
    var tolerance = NDEFTolerance.lenient
    try self.init(record, tolerance: &tolerance)
    if let error = tolerance.firstError {
      guard error.code == .reservedValue else { throw error }
      reserved = error
    }
  }

  /// Not available: a type that conforms implements this. If it did not, its two initializers would
  /// call each other without end.
  @available(*, unavailable, message: "implement this, or conform to NDEFTypedRecord")
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    throw NDEFError(.wrongRecordType, offset: 0, reason: "the type does not read its records")
  }
}

extension NDEFRecord {
  /// The types that ``decoded`` knows; the first one that matches a record reads it.
  ///
  /// Types that match by name come before those that match a whole type name format.
  public static let knownTypes: [any NDEFTypedRecord.Type] = [
    URIRecord.self,
    TextRecord.self,
    SmartPosterRecord.self,
    HandoverSelectRecord.self,
    HandoverRequestRecord.self,
    HandoverCarrierRecord.self,
    HandoverMediationRecord.self,
    HandoverInitiateRecord.self,
    SignatureRecord.self,
    DeviceInformationRecord.self,
    AndroidApplicationRecord.self,
    WiFiRecord.self,
    BluetoothRecord.self,
    BluetoothLERecord.self,
    VCardRecord.self,
    OpenPrintTagRecord.self,
    OpenTag3DRecord.self,
    OpenSpoolRecord.self,
    MIMERecord.self,
    WindowsLaunchAppRecord.self,
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
  /// - Throws: ``NDEFError`` if the type is known and the payload is malformed, or the record has no type although its
  ///   format has one.
  public var decoded: (any NDEFTypedRecord)? {
    get throws(NDEFError) { try decoded(as: Self.knownTypes) }
  }

  /// Returns the record as a value of the first of these types that matches it, or `nil` if none
  /// does.
  ///
  /// - Throws: ``NDEFError`` if one matches and the payload is malformed.
  public func decoded(
    as types: [any NDEFTypedRecord.Type]
  ) throws(NDEFError) -> (any NDEFTypedRecord)? {
    var tolerance = NDEFTolerance.strict
    return try decoded(as: types, tolerance: &tolerance)
  }

  /// The readable part of the record as a value of its type, and the first error in it.
  ///
  /// The value is `nil` if the type is not known or nothing can be read; the error is `nil` if
  /// ``decoded`` returns a value.
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
    guard !typeNameFormat.hasType || !type.isEmpty else { throw .missingType(typeNameFormat, 0) }
    for type in types where type.matches(self) {
      return try type.init(self, tolerance: &tolerance)
    }
    return nil
  }
}
