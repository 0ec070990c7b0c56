/// The carriers for which a third device offers to pass on messages between two others: the well-known type `Hm`.
///
/// The mediator, such as a phone, touches first the one device and then the other.
///
/// Source: NFC Forum Connection Handover 1.5, "Handover Mediation Record".
public struct HandoverMediationRecord: HandoverCarrierListRecord {
  public static let wellKnownType = "Hm"
  public static let fieldNames = ["handoverMediation"]

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

  public var description: String { "handover mediation for \(carrierNames)" }
}
