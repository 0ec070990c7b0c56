import NFC

extension DetectedTag {
  /// The name of the kind for people, with its article: `a MIFARE Classic`. No exchange.
  public var kindName: String {
    switch self {
    case .miFare(let tag): Self.kindName(tag.family)
    // Its activation says so, without a command.
    case .iso7816(let card) where card.applicationData?.first == ActivationWords.travelDocument:
      "a travel document"
    case .iso7816: "a smart card"
    case .iso15693: "an ISO 15693 tag"
    case .feliCa: "a FeliCa card"
    case .other(let tag): Self.kindName(tag.technology)
    }
  }

  private static func kindName(_ family: MiFareFamily) -> String {
    switch family {
    case .desfire: "a MIFARE DESFire"
    case .classic: "a MIFARE Classic"
    case .plus: "a MIFARE Plus"
    default: "a MIFARE or NTAG tag"
    }
  }

  private static func kindName(_ technology: TagTechnology) -> String {
    switch technology {
    case .jewel: "a Jewel or Topaz tag"
    case .iso14443bPrime: "a B' card (Innovatron, Calypso)"
    case .iso14443b2sr: "an ST SRx tag"
    case .iso14443b2ct: "an ASK CTx ticket"
    case .barcode: "an NFC Barcode"
    case .iClass: "an iCLASS or PicoPass card"
    case .iso14443a, .iso14443b, .feliCa, .iso15693: "a tag of an unknown kind"
    }
  }

  /// Returns the chip, if it is known and the tag is still in the field to be identified. The first call takes the
  /// exchanges that identifying the chip takes, none to four; later calls take none.
  ///
  /// - Throws: `NFCError` `tagConnectionLost`.
  public func product() async throws -> TagProduct? {
    switch self {
    case .miFare(let tag): try await tag.product()
    case .iso7816(let tag): try await tag.product()
    case .feliCa(let tag): try await tag.product()
    case .iso15693(let tag): try await tag.product()
    case .other(let tag): try await tag.product()
    }
  }
}
