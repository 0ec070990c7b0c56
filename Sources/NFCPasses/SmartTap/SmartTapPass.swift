import NDEF

/// One pass of Google Wallet, as Smart Tap delivers it.
struct SmartTapPass: Hashable {
  /// The kind of pass: `ly` (loyalty), `of` (offer), `gc` (gift card), `et` (event), `fl` (flight), `tr` (transit), `gr`
  /// (generic), or another one.
  var kind: String
  /// The identifier of the object in Google's console; personal data.
  var objectIdentifier: [UInt8]
  /// `smartTapRedemptionValue` of the pass.
  var value: [UInt8]

  /// The record that holds an issuer and one pass.
  private static let serviceValue = "asv"
  private static let issuer = "i"
  private static let valueIdentifier = Array("n".utf8)
  /// Bits 5 to 0 of a text record's first byte: the length of its language code (NFC Forum, Text RTD 1.0, 3.2.1).
  private static let languageLength: UInt8 = 0x3F

  static func all(in bytes: [UInt8]) throws(SmartTapError) -> [SmartTapPass] {
    var passes: [SmartTapPass] = []
    for record in try SmartTapResponse.message(bytes) where record.hasType(.external, serviceValue)
    {
      for object in try SmartTapResponse.message(record.payload)
      where !object.hasType(.external, issuer) {
        passes.append(try SmartTapPass(object))
      }
    }
    guard !passes.isEmpty else { throw .malformed("no pass") }
    return passes
  }

  private init(_ record: NDEFRecord) throws(SmartTapError) {
    let fields = try SmartTapResponse.message(record.payload)
    guard let value = fields.first(where: Self.isValue) else {
      throw .malformed("a pass without value")
    }
    kind = String(decoding: record.type, as: UTF8.self)
    objectIdentifier =
      fields.first { $0.hasType(.external, "oid") }.map { Array($0.payload.dropFirst()) } ?? []
    if value.hasType(.wellKnown, "T") {
      let status = value.payload.first ?? 0
      self.value = Array(value.payload.dropFirst(1 + Int(status & Self.languageLength)))
    } else {
      self.value = Array(value.payload.dropFirst())
    }
  }

  private static func isValue(_ record: NDEFRecord) -> Bool {
    record.hasType(.wellKnown, "T") && record.identifier == valueIdentifier
      || record.hasType(.external, "n")
  }
}
