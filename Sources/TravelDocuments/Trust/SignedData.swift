import SwiftNFCCore

/// A message that is signed: SignedData of CMS (RFC 5652, 5), in BER.
///
/// OpenSSL's own verification refuses signatures that real documents have: plain ECDSA, a hash function that differs
/// from that of the signature, and no certificate inside. So only the primitives are those of OpenSSL.
struct SignedData: Sendable {
  /// A signer's part.
  struct Signer: Sendable {
    /// The name and number of the certificate, or its key's identifier.
    var issuer: DistinguishedName?
    var serialNumber: [UInt8]?
    var keyIdentifier: [UInt8]?
    var digest: DigestAlgorithm
    var algorithm: SignatureAlgorithm
    var signature: [UInt8]
    /// The signed attributes in DER, as they are hashed; `nil` if the content itself is signed.
    var attributes: [UInt8]?
    var messageDigest: [UInt8]?
    var contentType: ASN1ObjectIdentifier?
    var signingTime: DocumentTime?
  }

  /// The kind of content. Documents have several, which means nothing.
  let contentType: ASN1ObjectIdentifier
  let content: [UInt8]
  let certificates: [Certificate]
  let signers: [Signer]

  private static let signedData: ASN1ObjectIdentifier = "1.2.840.113549.1.7.2"

  private enum Attribute {
    static let contentType: ASN1ObjectIdentifier = "1.2.840.113549.1.9.3"
    static let messageDigest: ASN1ObjectIdentifier = "1.2.840.113549.1.9.4"
    static let signingTime: ASN1ObjectIdentifier = "1.2.840.113549.1.9.5"
  }

  init(_ bytes: ArraySlice<UInt8>) throws(DataObjectError) {
    let start = bytes.startIndex
    let outer = try BERObject(bytes).children()
    guard outer.count >= 2, outer[0].objectIdentifier == Self.signedData else {
      throw DataObjectError("this is not signed data", at: start)
    }
    let fields = try BERObject(outer[1].content).children()
    guard fields.count >= 4 else { throw DataObjectError("signed data is not complete", at: start) }
    let encapsulated = try fields[2].children()
    guard let type = encapsulated.first?.objectIdentifier, encapsulated.count >= 2,
      let octets = try BERObject(encapsulated[1].content).octets
    else { throw DataObjectError("signed data has no content", at: start) }
    contentType = type
    content = octets
    var certificates: [Certificate] = []
    for field in fields.dropFirst(3) where field.tag == 0xA0 {
      certificates += try field.children().compactMap { Certificate($0) }
    }
    self.certificates = certificates
    guard let last = fields.last, last.tag == BERObject.Universal.set else {
      throw DataObjectError("signed data has no signer", at: start)
    }
    signers = try last.children().compactMap(Self.signer)
  }

  /// Decodes a signer; `nil` for one with an unknown algorithm.
  private static func signer(_ object: BERObject) -> Signer? {
    guard let fields = try? object.children(), fields.count >= 5,
      let digest = SignatureAlgorithm.digest(fields[2])
    else { return nil }
    var rest = fields.dropFirst(3)
    let attributes = rest.first?.tag == 0xA0 ? rest.popFirst() : nil
    guard let algorithmField = rest.popFirst(),
      let algorithm = SignatureAlgorithm(algorithmField, digest: digest),
      let signature = rest.popFirst()?.octets
    else { return nil }
    var signer = Signer(digest: digest, algorithm: algorithm, signature: signature)
    if fields[1].tag == BERObject.Universal.sequence {
      guard let name = try? fields[1].children(), name.count == 2 else { return nil }
      signer.issuer = DistinguishedName(name[0])
      signer.serialNumber = name[1].bytes
    } else {
      signer.keyIdentifier = fields[1].octets ?? fields[1].bytes
    }
    guard let attributes else { return signer }
    let tag = BERObject.Universal.set
    signer.attributes =
      attributes.hasIndefiniteLength()
      ? attributes.definite(as: tag)
      // Hashed as the signer has encoded them, but for the tag (RFC 5652, 5.4).
      : [UInt8(tag)] + attributes.encoded.dropFirst()
    for attribute in (try? attributes.children()) ?? [] {
      guard let parts = try? attribute.children(), parts.count >= 2,
        let value = try? BERObject(parts[1].content)
      else { continue }
      switch parts[0].objectIdentifier {
      case Attribute.contentType: signer.contentType = value.objectIdentifier
      case Attribute.messageDigest: signer.messageDigest = value.octets
      case Attribute.signingTime: signer.signingTime = DocumentTime(value)
      default: break
      }
    }
    return signer
  }

  // MARK: Verification

  /// What is known of the signature.
  enum Verification: Sendable {
    /// It is one of this certificate's key.
    case valid(Certificate, signer: Signer)
    case wrong
    /// There is no certificate for it, or its algorithm is not supported.
    case unsupported(String)
  }

  /// Verifies the first signature for which there is a certificate.
  ///
  /// - Parameter others: certificates outside of the message.
  func verify(others: [Certificate] = []) -> Verification {
    var result = Verification.unsupported("it has no signer whose algorithm is known")
    for signer in signers {
      let candidates = candidates(for: signer, others)
      guard !candidates.isEmpty else {
        result = .unsupported("the signer's certificate is missing")
        continue
      }
      if let digest = signer.messageDigest {
        guard signer.digest(content) == digest else { return .wrong }
      } else if signer.attributes != nil {
        return .wrong
      }
      let covered = signer.attributes ?? content
      var wasTried = false
      for certificate in candidates {
        guard let key = certificate.publicKey else { continue }
        switch signer.algorithm.verify(signer.signature, of: covered, by: key) {
        case .valid: return .valid(certificate, signer: signer)
        case .wrong: wasTried = true
        case .unsupported: break
        }
      }
      if wasTried { return .wrong }
      result = .unsupported("the algorithm or the key of the signature is not supported")
    }
    return result
  }

  /// Returns the certificates that may be the signer's, best first: by issuer and number, by the key's identifier, by the
  /// number only, then every one inside.
  private func candidates(for signer: Signer, _ others: [Certificate]) -> [Certificate] {
    let all = certificates + others
    func matches(_ certificate: Certificate) -> Int? {
      if let identifier = signer.keyIdentifier {
        return certificate.subjectKeyIdentifier == identifier ? 0 : nil
      }
      guard certificate.serialNumber == signer.serialNumber else { return nil }
      return certificate.issuer == signer.issuer ? 0 : 1
    }
    let named = all.filter { matches($0) == 0 }
    if !named.isEmpty { return named }
    let numbered = certificates.filter { matches($0) == 1 }
    return numbered.isEmpty ? certificates : numbered
  }
}
