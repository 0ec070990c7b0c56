/// The carriers for which a third device offers to pass on messages between two others: the well-known type `Hm`.
///
/// The mediator, such as a phone, touches first the one device and then the other.
///
/// Source: NFC Forum Connection Handover 1.5, "Handover Mediation Record".
public struct HandoverMediationRecord: NDEFTypedRecord {
  /// The version of the specification that the record follows.
  public var version: HandoverVersion
  /// The carriers, the preferred one first.
  public var carriers: [AlternativeCarrierRecord]
  /// Records that the type does not define.
  public var otherRecords: [NDEFRecord]
  public var identifier: [UInt8]

  /// Creates the record of carriers.
  public init(
    version: HandoverVersion = .current, carriers: [AlternativeCarrierRecord],
    otherRecords: [NDEFRecord] = [], identifier: [UInt8] = []
  ) {
    self.version = version
    self.carriers = carriers
    self.otherRecords = otherRecords
    self.identifier = identifier
  }

  public static func matches(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "Hm")
  }

  /// Reads the carriers.
  ///
  /// - Throws: ``NDEFError`` for a major version other than 1, a payload that is not a message after the version, or a
  ///   malformed record in it.
  public init(_ record: NDEFRecord) throws(NDEFError) {
    var tolerance = NDEFTolerance.strict
    try self.init(record, tolerance: &tolerance)
  }

  /// Reads the carriers; leniently, a malformed record among them is left out.
  public init(_ record: NDEFRecord, tolerance: inout NDEFTolerance) throws(NDEFError) {
    try Self.expectMatch(record)
    self.init(
      try CarrierList(record.payload, tolerance: &tolerance), identifier: record.identifier)
  }

  private init(_ list: CarrierList, identifier: [UInt8] = []) {
    self.init(
      version: list.version, carriers: list.carriers, otherRecords: list.otherRecords,
      identifier: identifier)
  }

  private var list: CarrierList {
    CarrierList(version: version, carriers: carriers, otherRecords: otherRecords)
  }

  public var record: NDEFRecord {
    NDEFRecord(
      typeNameFormat: .wellKnown, type: "Hm", identifier: identifier, payload: list.payload)
  }

  public var description: String { "handover mediation for \(list.description)" }

  public static let fieldNames = ["handoverMediation"]

  public var fields: NDEFFields { ["handoverMediation": .fields(list.fields)] }

  /// Reads `{"handoverMediation":{"carriers":[…]}}`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("handoverMediation") else { return nil }
    do throws(NDEFFieldError) {
      self.init(try CarrierList(fields: content))
    } catch {
      throw error.within(.name("handoverMediation"))
    }
  }
}
