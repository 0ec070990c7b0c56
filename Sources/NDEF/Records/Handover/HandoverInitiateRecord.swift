/// The carriers that a third device passes on, so that two others connect: the well-known type `Hi`.
///
/// It follows a ``HandoverMediationRecord``.
///
/// Source: NFC Forum Connection Handover 1.5, "Handover Initiate Record".
public struct HandoverInitiateRecord: HandoverCarrierListRecord {
  public static let wellKnownType = "Hi"
  public static let fieldNames = ["handoverInitiate"]

  public var version: HandoverVersion
  public var carriers: [AlternativeCarrierRecord]
  public var otherRecords: [NDEFRecord]
  public var identifier: [UInt8]

  public init(
    version: HandoverVersion = .current, carriers: [AlternativeCarrierRecord],
    otherRecords: [NDEFRecord] = [], identifier: [UInt8] = []
  ) {
    self.version = version
    self.carriers = carriers
    self.otherRecords = otherRecords
    self.identifier = identifier
  }

  public var description: String { "handover initiation for \(carrierNames)" }
}
