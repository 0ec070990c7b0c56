/// The carriers over which a device proposes to continue with another: the well-known type `Hr`.
///
/// Source: NFC Forum Connection Handover 1.5, "Handover Request Record".
public struct HandoverRequestRecord: NDEFTolerantRecord {
  /// The version of the specification that the record follows.
  public var version: HandoverVersion
  /// The number that decides between two simultaneous requests; required from version 1.2 on.
  public var collisionResolution: CollisionResolutionRecord?
  /// The carriers, the preferred one first.
  public var carriers: [AlternativeCarrierRecord]
  /// Records that the type does not define.
  public var otherRecords: [NDEFRecord]
  public var identifier: [UInt8]

  /// Creates the record of carriers.
  ///
  /// - Parameter randomNumber: decides between two simultaneous requests.
  public init(
    version: HandoverVersion = .current, randomNumber: UInt16?,
    carriers: [AlternativeCarrierRecord], otherRecords: [NDEFRecord] = [],
    identifier: [UInt8] = []
  ) {
    self.version = version
    collisionResolution = randomNumber.map { CollisionResolutionRecord(randomNumber: $0) }
    self.carriers = carriers
    self.otherRecords = otherRecords
    self.identifier = identifier
  }

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "Hr")
  }

  /// Reads the carriers; leniently, a malformed record among them is left out, and the collision resolution record may
  /// be missing.
  ///
  /// - Throws: ``NDEFError`` for a major version other than 1, a payload that is not a message
  ///   after the version, a malformed record in it, more than one collision resolution record, or
  ///   none from version 1.2 on.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    var reader = ByteReader(record.payload)
    self.init(
      version: try HandoverVersion(&reader), randomNumber: nil, carriers: [],
      identifier: record.identifier)
    try reader.readLocalRecords(tolerance: &tolerance) { (inner) throws(NDEFError) in
      if AlternativeCarrierRecord.matches(inner) {
        var reserved: NDEFError?
        carriers.append(try AlternativeCarrierRecord(inner: inner, reserved: &reserved))
        if let reserved { throw reserved }
      } else if CollisionResolutionRecord.matches(inner) {
        guard collisionResolution == nil else { throw .repeated("collision resolution record") }
        collisionResolution = try CollisionResolutionRecord(inner)
      } else {
        otherRecords.append(inner)
      }
    }
    if collisionResolution == nil, version >= .withCollisionResolution {
      try tolerance.report(
        NDEFError(
          .missingField, offset: 1,
          reason: "a handover request of version \(version) has no collision resolution record"))
    }
  }

  public var record: NDEFRecord {
    var records: [NDEFRecord] = []
    if let collisionResolution { records.append(collisionResolution.record) }
    records += carriers.map(\.record)
    records += otherRecords
    return NDEFRecord(
      typeNameFormat: .wellKnown, type: "Hr", identifier: identifier,
      payload: [version.rawValue] + NDEFMessage(records: records).encoded())
  }

  public var description: String {
    "handover request for \(carriers.map(\.description).joined(separator: ", "))"
  }

  public static let fieldNames = ["handoverRequest"]

  public var fields: NDEFFields {
    [
      "handoverRequest": .fields([
        "version": .text(version.description),
        "collisionResolution": (collisionResolution?.randomNumber).map { .integer(Int64($0)) },
        "carriers": .list(carriers.map { .fields($0.content) }),
      ])
    ]
  }

  /// Reads `{"handoverRequest":{"collisionResolution":7,"carriers":[…]}}`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("handoverRequest") else { return nil }
    do throws(NDEFFieldError) {
      self.init(
        version: try HandoverVersion(fields: content),
        randomNumber: try content.integer("collisionResolution"),
        carriers: try AlternativeCarrierRecord.list(in: content))
    } catch {
      throw error.within(.name("handoverRequest"))
    }
  }
}
