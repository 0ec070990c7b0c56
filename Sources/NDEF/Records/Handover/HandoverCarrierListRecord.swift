/// A handover record that has a version and carriers, and nothing else of its own.
///
/// Source: NFC Forum Connection Handover 1.5, "Handover Mediation Record" and "Handover Initiate Record".
public protocol HandoverCarrierListRecord: NDEFTolerantRecord {
  /// The well-known type of the record, such as `Hm`.
  static var wellKnownType: String { get }

  /// The version of the specification that the record follows.
  var version: HandoverVersion { get }
  /// The carriers, the preferred one first.
  var carriers: [AlternativeCarrierRecord] { get }
  /// Records that the type does not define.
  var otherRecords: [NDEFRecord] { get }

  /// Creates the record of carriers.
  init(
    version: HandoverVersion, carriers: [AlternativeCarrierRecord], otherRecords: [NDEFRecord],
    identifier: [UInt8])
}

extension HandoverCarrierListRecord {
  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, wellKnownType)
  }

  /// Reads the carriers; leniently, a malformed record among them is left out.
  ///
  /// - Throws: ``NDEFError`` for a major version other than 1, a payload that is not a message after the version, or a
  ///   malformed record in it.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    let version = try HandoverVersion(&reader)
    var carriers: [AlternativeCarrierRecord] = []
    var otherRecords: [NDEFRecord] = []
    try reader.readLocalRecords(tolerance: &tolerance) { (inner) throws(NDEFError) in
      if AlternativeCarrierRecord.matches(inner) {
        var reserved: NDEFError?
        carriers.append(try AlternativeCarrierRecord(inner: inner, reserved: &reserved))
        if let reserved { throw reserved }
      } else {
        otherRecords.append(inner)
      }
    }
    self.init(
      version: version, carriers: carriers, otherRecords: otherRecords,
      identifier: record.identifier)
  }

  public var record: NDEFRecord {
    let message = NDEFMessage(records: carriers.map(\.record) + otherRecords)
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: Self.wellKnownType, identifier: identifier,
      payload: [version.rawValue] + message.encoded())
  }

  /// The carriers for people.
  var carrierNames: String {
    carriers.isEmpty ? "no carrier" : carriers.map(\.description).joined(separator: ", ")
  }

  /// `version` and `carriers`, in an object with the name of the type in ``fieldNames``.
  public var fields: NDEFFields {
    var fields = NDEFFields()
    for name in Self.fieldNames {
      fields[name] = .fields([
        "version": .text(version.description),
        "carriers": .list(carriers.map { .fields($0.content) }),
      ])
    }
    return fields
  }

  /// Reads an object such as `{"handoverMediation":{"carriers":[…]}}`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let name = Self.fieldNames.first, let content = try fields.fields(name) else {
      return nil
    }
    do throws(NDEFFieldError) {
      self.init(
        version: try HandoverVersion(fields: content),
        carriers: try AlternativeCarrierRecord.list(in: content), otherRecords: [], identifier: [])
    } catch {
      throw error.within(.name(name))
    }
  }
}
