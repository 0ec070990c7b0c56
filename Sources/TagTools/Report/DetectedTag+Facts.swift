import SwiftNFCJSONText
import NFC

extension DetectedTag {
  /// The name of the case, as used in `--json`.
  package var typeName: String {
    switch self {
    case .miFare: "miFare"
    case .iso7816: "iso7816"
    case .iso15693: "iso15693"
    case .feliCa: "feliCa"
    case .other: "other"
    }
  }

  /// All values of ``typeName``.
  package static let typeNames = ["miFare", "iso7816", "iso15693", "feliCa", "other"]

  /// Returns the information that an ISO 15693 tag reports about itself, or `nil` for a tag of another kind
  /// or one that reports nothing.
  package func vicinityInformation() async throws -> ISO15693SystemInformation? {
    guard case .iso15693(let tag) = self else { return nil }
    do {
      return try await tag.systemInformation()
    } catch let error as NFCError where error.code == .unsupported {
      return nil
    }
  }

  /// The name of the member that says of a UID that it is `random`.
  package static let uidKindKey = "uidKind"

  /// The members that identify the tag: `type`, `protocol`, `uid`.
  package var identity: [JSONValue.Member] {
    var members = [
      JSONValue.Member(key: "type", value: .string(typeName)),
      JSONValue.Member(key: "protocol", value: .string(technology.rawValue)),
    ]
    if let uid = JSONValue.uid(identifier) {
      members.append(JSONValue.Member(key: "uid", value: uid))
    }
    return members
  }

  /// Returns the values reported during activation, the tag's product, and the information that an ISO 15693
  /// tag reports about itself.
  package func facts(
    _ product: TagProduct?, _ information: ISO15693SystemInformation? = nil
  ) -> [JSONValue.Member] {
    let file = ImagedTags.image(identifier)
    let hasUID = ImagedTags.isKnown(identifier)
    let product = product.map { JSONValue.string($0.name) }
    let details: JSONValue
    switch self {
    case .miFare(let tag):
      details = .members([
        "family": .string(tag.family.rawValue), "product": product,
        "atqa": tag.atqa.isEmpty ? nil : .bytes(tag.atqa),
        "sak": .bytes([tag.sak]), "ats": tag.ats.isEmpty ? nil : .bytes(tag.ats),
        "historicalBytes": tag.historicalBytes.isEmpty ? nil : .bytes(tag.historicalBytes),
      ])
    case .iso7816(let tag):
      details = .members([
        "product": product, "atqa": tag.atqa.flatMap { $0.isEmpty ? nil : .bytes($0) },
        "sak": tag.sak.map { .bytes([$0]) },
        "ats": tag.ats.flatMap { $0.isEmpty ? nil : .bytes($0) },
        "historicalBytes": tag.ats == nil || tag.historicalBytes.isEmpty
          ? nil : .bytes(tag.historicalBytes),
        "pupi": technology == .iso14443b && !tag.identifier.isEmpty
          ? .bytes(tag.identifier) : nil,
        "applicationData": tag.applicationData.map { .bytes($0) },
        "protocolInfo": tag.protocolInfo.map { .bytes($0) },
      ])
    case .feliCa(let tag):
      // The PMm names the chip.
      let hasPMm = ImagedTags.hasPMm(identifier)
      let idm: JSONValue? = hasUID ? .bytes(tag.idm) : nil
      let pmm: JSONValue? = hasPMm ? .bytes(tag.pmm) : nil
      details = .members([
        "product": hasPMm ? product : nil, "idm": idm, "pmm": pmm,
        "systemCode": tag.systemCode.isEmpty ? nil : .bytes(tag.systemCode),
      ])
    case .iso15693(let tag):
      let manufacturer = hasUID ? tag.icManufacturerCode : nil
      let serialNumber: JSONValue? = hasUID ? .bytes(tag.icSerialNumber) : nil
      // Every answer to an inventory has a DSFID.
      let hasDSFID = file == nil || file?.vicinity?.dsfid != nil
      let dsfid = hasDSFID ? information?.dsfid ?? tag.dsfid : nil
      details = .members([
        "product": product, "icManufacturerCode": manufacturer.map { .bytes([$0]) },
        "icSerialNumber": serialNumber, "dsfid": dsfid.map { .bytes([$0]) },
        "afi": information?.afi.map { .bytes([$0]) },
        "blockSize": information?.blockSize.map { .integer($0) },
        "blockCount": information?.blockCount.map { .integer($0) },
      ])
    case .other(let tag):
      guard case .iso14443a(let target) = tag.target else {
        details = .members(["product": product])
        break
      }
      details = .members([
        "product": product, "atqa": .bytes(target.atqa), "sak": .bytes([target.sak]),
      ])
    }
    guard case .object(let members) = details else { return identity }
    let kind = hasRandomUID ? [JSONValue.Member(key: Self.uidKindKey, value: "random")] : []
    return identity + kind + members
  }
}
