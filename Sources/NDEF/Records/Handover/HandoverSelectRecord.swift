/// The carriers over which two devices can continue: the well-known type `Hs`.
///
/// It is the first record of a message whose other records describe the carriers. On a tag, it
/// describes how to connect to the device that the tag is attached to.
///
/// ```swift
/// let handover = HandoverSelectRecord(carriers: [
///   AlternativeCarrierRecord(powerState: .active, carrierDataReference: Array("0".utf8))
/// ])
/// var bluetooth = BluetoothRecord(address: address, name: "Loudspeaker")
/// bluetooth.identifier = Array("0".utf8)
/// let message = NDEFMessage(handover.record, bluetooth.record)
/// ```
///
/// Source: NFC Forum Connection Handover 1.5, "Handover Select Record".
public struct HandoverSelectRecord: NDEFTolerantRecord {
  /// The version of the specification that the record follows.
  public var version: HandoverVersion
  /// The carriers, the preferred one first; none if no carrier of a request is suitable.
  public var carriers: [AlternativeCarrierRecord]
  /// The reason why the request was not answered completely.
  public var error: HandoverErrorRecord?
  /// Records that the type does not define.
  public var otherRecords: [NDEFRecord]
  public var identifier: [UInt8]

  /// Creates the record of carriers.
  public init(
    version: HandoverVersion = .current, carriers: [AlternativeCarrierRecord],
    error: HandoverErrorRecord? = nil, otherRecords: [NDEFRecord] = [], identifier: [UInt8] = []
  ) {
    self.version = version
    self.carriers = carriers
    self.error = error
    self.otherRecords = otherRecords
    self.identifier = identifier
  }

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "Hs")
  }

  /// Reads the carriers; leniently, a malformed record among them is left out.
  ///
  /// - Throws: ``NDEFError`` for a major version other than 1, a payload that is not a message
  ///   after the version, a malformed record in it, or more than one error record.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    self.init(
      version: try HandoverVersion(&reader), carriers: [], identifier: record.identifier)
    try reader.readLocalRecords(tolerance: &tolerance) { (inner) throws(NDEFError) in
      if AlternativeCarrierRecord.matches(inner) {
        var reserved: NDEFError?
        carriers.append(try AlternativeCarrierRecord(inner: inner, reserved: &reserved))
        if let reserved { throw reserved }
      } else if HandoverErrorRecord.matches(inner) {
        guard error == nil else { throw .repeated("error record") }
        var reserved: NDEFError?
        error = try HandoverErrorRecord(inner: inner, reserved: &reserved)
        if let reserved { throw reserved }
      } else {
        otherRecords.append(inner)
      }
    }
  }

  public var record: NDEFRecord {
    var records = carriers.map(\.record)
    if let error { records.append(error.record) }
    records += otherRecords
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: "Hs", identifier: identifier,
      payload: [version.rawValue] + NDEFMessage(records: records).encoded())
  }

  public var description: String {
    let offer =
      carriers.isEmpty
      ? "handover without carrier"
      : "handover to \(carriers.map(\.description).joined(separator: ", "))"
    return error.map { "\(offer); \($0)" } ?? offer
  }

  public static let fieldNames = ["handoverSelect"]

  public var fields: NDEFFields {
    [
      "handoverSelect": .fields([
        "version": .text(version.description),
        "carriers": .list(carriers.map { .fields($0.content) }),
        "error": error.map { .fields($0.content) },
      ])
    ]
  }

  /// Reads `{"handoverSelect":{"carriers":[{"powerState":"active","carrier":"0"}]}}`, with an error as
  /// `"error":{"reason":"temporarilyOutOfMemory","retryAfterMilliseconds":64}`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("handoverSelect") else { return nil }
    do throws(NDEFFieldError) {
      self.init(
        version: try HandoverVersion(fields: content),
        carriers: try AlternativeCarrierRecord.list(in: content),
        error: try HandoverErrorRecord(field: "error", of: content))
    } catch {
      throw error.within(.name("handoverSelect"))
    }
  }
}

extension ByteReader {
  /// Reads the remaining message, one record at a time; offsets in errors are those in the whole
  /// payload.
  mutating func readLocalRecords(
    tolerance: inout NDEFTolerance, _ body: (NDEFRecord) throws(NDEFError) -> Void
  ) throws(NDEFError) {
    let start = offset
    let parser = MessageParser(readRest(), limits: .default, isLenient: tolerance.isLenient)
    if let error = parser.error { try tolerance.report(error.shifted(by: start)) }
    for part in parser.records {
      do throws(NDEFError) {
        try body(part.record)
      } catch {
        try tolerance.report(error.shifted(by: start + part.payloadOffset))
      }
    }
  }
}
