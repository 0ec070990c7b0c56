import SwiftNFCCore

/// A list of certificates that an authority has revoked (Doc 9303-12, 7.3; RFC 5280, 5).
struct RevocationList: Sendable {
  let issuer: DistinguishedName
  let authorityKeyIdentifier: [UInt8]?
  /// The times of revocation by the serial numbers, without leading zeros.
  private let revoked: [[UInt8]: DocumentTime]

  private let signed: [UInt8]
  private let algorithm: SignatureAlgorithm?
  private let signature: [UInt8]

  private static let authorityKeyExtension: ASN1ObjectIdentifier = "2.5.29.35"

  /// Decodes a list in DER; `nil` for anything else.
  init?(_ der: [UInt8]) {
    guard let object = try? BERObject(der), object.tag == BERObject.Universal.sequence,
      let outer = try? object.children(), outer.count == 3, let bits = outer[2].wholeBits,
      outer[0].tag == BERObject.Universal.sequence, var fields = try? outer[0].children()[...]
    else { return nil }
    // The version is there if the list has extensions.
    if fields.first?.tag == BERObject.Universal.integer { fields.removeFirst() }
    let list = Array(fields)
    guard list.count >= 3, list[0].tag == BERObject.Universal.sequence,
      list[1].tag == BERObject.Universal.sequence, DocumentTime(list[2]) != nil
    else { return nil }
    issuer = DistinguishedName(list[1])
    signed = Array(outer[0].encoded)
    algorithm = SignatureAlgorithm(outer[1])
    signature = bits
    var revoked: [[UInt8]: DocumentTime] = [:]
    for entries in list.dropFirst(3) where entries.tag == BERObject.Universal.sequence {
      for entry in (try? entries.children()) ?? [] {
        guard let parts = try? entry.children(), parts.count >= 2,
          parts[0].tag == BERObject.Universal.integer, let time = DocumentTime(parts[1])
        else { return nil }
        revoked[parts[0].bytes.significant] = time
      }
    }
    self.revoked = revoked
    let extensions = list.first { $0.tag == 0xA0 }.flatMap { try? BERObject($0.content) }
    let authority = ((try? extensions?.children()) ?? []).compactMap { entry -> [UInt8]? in
      guard let parts = try? entry.children(),
        parts.first?.objectIdentifier == Self.authorityKeyExtension,
        let value = parts.last?.octets, let object = try? BERObject(value)
      else { return nil }
      return (try? object.children())?.first { $0.tag == 0x80 }?.bytes
    }
    authorityKeyIdentifier = authority.first
  }

  /// Returns when a certificate was revoked; `nil` if it was not.
  func revocation(of certificate: Certificate) -> DocumentTime? {
    certificate.issuer == issuer ? revoked[certificate.serialNumber.significant] : nil
  }

  /// Verifies the list's signature by the key of an authority.
  func isSigned(by authority: Certificate) -> SignatureAlgorithm.Result {
    guard let algorithm, let key = authority.publicKey else { return .unsupported }
    return algorithm.verify(signature, of: signed, by: key)
  }
}
