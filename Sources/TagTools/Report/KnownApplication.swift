import NFC

/// An application of smart cards that is recognized by its name.
package struct KnownApplication: Sendable {
  package let name: String
  package let aid: ApplicationIdentifier
  /// The applications of a payment card that its environment lists.
  package private(set) var payments: [PaymentApplication] = []

  private init(_ name: String, _ aid: ApplicationIdentifier) {
    self.name = name
    self.aid = aid
  }

  private static let paymentEnvironment: ApplicationIdentifier =
    "325041592E5359532E4444463031"
  /// The application of travel documents, which some show only after access.
  package static let travelDocument: ApplicationIdentifier = "A0000002471001"

  /// The known applications (EMV book 1, 11.3.4, for the payment system environment; ICAO 9303, part 10; NFC
  /// Forum type 4 tag; Calypso, 1TIC.ICA; Korean transit, KS X 6924; FIDO CTAP; OpenPGP card; NIST SP
  /// 800-73).
  private static let all = [
    KnownApplication("payment card (EMV)", paymentEnvironment),
    KnownApplication("passport or identity card (ICAO 9303)", travelDocument),
    KnownApplication("transit card (Calypso)", "315449432E494341"),
    KnownApplication("transit card (T-money)", "D4100000030001"),
    KnownApplication("NDEF", .ndef), KnownApplication("security key (FIDO)", "A0000006472F0001"),
    KnownApplication("OpenPGP card", "D27600012401"),
    KnownApplication("identity card (PIV)", "A000000308"),
  ]

  /// Returns the name of an application; `nil` for one that is not known.
  package static func name(of aid: [UInt8]) -> String? { all.first { $0.aid.bytes == aid }?.name }

  /// Returns the applications that a card has. One exchange for each known application; no data is read. The answer
  /// of a payment card also lists its applications.
  package static func all(on card: any ISO7816Tag) async throws -> [KnownApplication] {
    var found: [KnownApplication] = []
    for application in all {
      let response = try await DetectedTag.iso7816(card).answer {
        try await card.ask(.select(aid: application.aid))
      }
      guard let response, response.isSuccess || (0x61...0x63).contains(response.sw1) else {
        continue
      }
      var known = application
      if application.aid == paymentEnvironment {
        known.payments = PaymentApplication.all(in: response.data)
      }
      found.append(known)
    }
    return found
  }
}
