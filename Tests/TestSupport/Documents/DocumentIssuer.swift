import CSwiftNFCOpenSSL
import VirtualNFC

/// A state that signs documents with keys that are made for a test, and forgotten after it (Doc 9303-12, 7).
package struct DocumentIssuer: Sendable {
  private struct Signer {
    let privateKey: [UInt8]
    let publicKey: [UInt8]
    let name: [UInt8]
    let serial: Int
    var certificate: [UInt8] = []
    var keyIdentifier: [UInt8] { DocumentIssuer.digest(publicKey, EVP_sha1(), 20) }
  }

  /// P-256, and ECDSA with SHA-256.
  private static let curve = 12
  private static let signatureAlgorithm = DERWriter.sequence(
    DERWriter.identifier("1.2.840.10045.4.3.2"))
  private static let digestAlgorithm = DERWriter.sequence(
    DERWriter.identifier("2.16.840.1.101.3.4.2.1"))

  private let authority: Signer
  private let signer: Signer

  /// Makes the keys of an authority and of a signer.
  package init(country: String = "UT") {
    var authority = Self.signer(Self.name(country, "CSCA"), serial: 1)
    authority.certificate = Self.certificate(of: authority, by: authority, isAuthority: true)
    var signer = Self.signer(Self.name(country, "Document Signer"), serial: 2)
    signer.certificate = Self.certificate(of: signer, by: authority, isAuthority: false)
    (self.authority, self.signer) = (authority, signer)
  }

  /// The certificate of the authority in DER: what a reader trusts.
  package var certificate: [UInt8] { authority.certificate }

  // MARK: Documents

  /// Returns EF.SOD for data groups by their numbers (Doc 9303-10, 4.6.2).
  package func securityObject(_ groups: [Int: [UInt8]]) -> [UInt8] {
    let hashes = groups.sorted { $0.key < $1.key }.map { number, file in
      DERWriter.sequence(DERWriter.integer(number), DERWriter.octets(Self.sha256(file)))
    }
    let content = DERWriter.sequence(
      DERWriter.integer(0), Self.digestAlgorithm, DERWriter.object(0x30, hashes.flatMap(\.self)))
    return DERWriter.object(0x77, signedData(content, "2.23.136.1.1.1"))
  }

  /// Returns EF.CardSecurity with entries (Doc 9303-10, 3.11.4).
  package func cardSecurity(_ entries: [[UInt8]]) -> [UInt8] {
    signedData(DERWriter.set(entries), "0.4.0.127.0.7.3.2.1")
  }

  /// Returns a master list with the authority's certificate (Doc 9303-12, 9).
  package func masterList() -> [UInt8] {
    signedData(
      DERWriter.sequence(DERWriter.integer(0), DERWriter.set([certificate])), "2.23.136.1.1.2")
  }

  /// Returns a list of certificates that are revoked, of the authority (RFC 5280, 5).
  ///
  /// - Parameter revokesSigner: whether the signer's certificate is on it.
  package func revocationList(revokesSigner: Bool, time: String = "220101000000") -> [UInt8] {
    let entries =
      revokesSigner
      ? DERWriter.sequence(
        DERWriter.sequence(DERWriter.integer(signer.serial), DERWriter.time(time))) : []
    let content = DERWriter.sequence(
      DERWriter.integer(1), Self.signatureAlgorithm, authority.name, DERWriter.time(time),
      DERWriter.time("301231000000"), entries)
    return DERWriter.sequence(
      content, Self.signatureAlgorithm, DERWriter.bits(Self.sign(content, authority)))
  }

  /// CMS SignedData with the signer's certificate (RFC 5652, 5).
  private func signedData(_ content: [UInt8], _ type: String) -> [UInt8] {
    let attributes = [
      DERWriter.sequence(
        DERWriter.identifier("1.2.840.113549.1.9.3"),
        DERWriter.set([DERWriter.identifier(type)])),
      DERWriter.sequence(
        DERWriter.identifier("1.2.840.113549.1.9.4"),
        DERWriter.set([DERWriter.octets(Self.sha256(content))])),
      DERWriter.sequence(
        DERWriter.identifier("1.2.840.113549.1.9.5"),
        DERWriter.set([DERWriter.time("210601120000")])),
    ]
    let covered = DERWriter.set(attributes)
    let information = DERWriter.sequence(
      DERWriter.integer(1), DERWriter.sequence(authority.name, DERWriter.integer(signer.serial)),
      Self.digestAlgorithm, [0xA0] + covered.dropFirst(), Self.signatureAlgorithm,
      DERWriter.octets(Self.sign(covered, signer)))
    return DERWriter.sequence(
      DERWriter.identifier("1.2.840.113549.1.7.2"),
      DERWriter.object(
        0xA0,
        DERWriter.sequence(
          DERWriter.integer(3), DERWriter.set([Self.digestAlgorithm]),
          DERWriter.sequence(
            DERWriter.identifier(type), DERWriter.object(0xA0, DERWriter.octets(content))),
          DERWriter.object(0xA0, signer.certificate), DERWriter.set([information]))))
  }

  // MARK: Certificates

  private static func signer(_ name: [UInt8], serial: Int) -> Signer {
    let key = DocumentKeyMaker.curveKey(curve)
    return Signer(privateKey: key.private, publicKey: key.public, name: name, serial: serial)
  }

  private static func name(_ country: String, _ common: String) -> [UInt8] {
    DERWriter.sequence(
      DERWriter.set([
        DERWriter.sequence(
          DERWriter.identifier("2.5.4.6"), DERWriter.object(0x13, Array(country.utf8)))
      ]),
      DERWriter.set([
        DERWriter.sequence(
          DERWriter.identifier("2.5.4.3"), DERWriter.object(0x0C, Array(common.utf8)))
      ]))
  }

  private static func certificate(
    of subject: Signer, by issuer: Signer, isAuthority: Bool
  ) -> [UInt8] {
    func extensionEntry(_ identifier: String, _ value: [UInt8]) -> [UInt8] {
      DERWriter.sequence(DERWriter.identifier(identifier), DERWriter.octets(value))
    }
    // keyCertSign and cRLSign, or digitalSignature (RFC 5280, 4.2.1.3).
    let usage: [UInt8] = isAuthority ? [0x03, 0x02, 0x01, 0x06] : [0x03, 0x02, 0x07, 0x80]
    let extensions =
      extensionEntry("2.5.29.14", DERWriter.octets(subject.keyIdentifier))
      + extensionEntry(
        "2.5.29.35", DERWriter.sequence(DERWriter.object(0x80, issuer.keyIdentifier)))
      + extensionEntry("2.5.29.15", usage)
    let content = DERWriter.sequence(
      DERWriter.object(0xA0, DERWriter.integer(2)), DERWriter.integer(subject.serial),
      signatureAlgorithm, issuer.name,
      DERWriter.sequence(DERWriter.time("200101000000"), DERWriter.time("401231235959")),
      subject.name, DocumentKeyMaker.information(curve, subject.publicKey),
      DERWriter.object(0xA3, DERWriter.object(0x30, extensions)))
    return DERWriter.sequence(
      content, signatureAlgorithm, DERWriter.bits(sign(content, issuer)))
  }

  // MARK: Primitives

  private static func sign(_ data: [UInt8], _ signer: Signer) -> [UInt8] {
    guard
      let pair = DocumentGroup(curve)?.signature(
        sha256(data), signer.privateKey, number: DocumentKeyMaker.random(32))
    else { preconditionFailure("P-256 signs") }
    return DERWriter.sequence(DERWriter.integer(pair.r), DERWriter.integer(pair.s))
  }

  static func sha256(_ data: [UInt8]) -> [UInt8] { digest(data, EVP_sha256(), 32) }

  private static func digest(_ data: [UInt8], _ algorithm: OpaquePointer?, _ size: Int) -> [UInt8] {
    COpenSSL_initialize()
    var digest = [UInt8](repeating: 0, count: size)
    let isDone = EVP_Digest(data, data.count, &digest, nil, algorithm, nil) == 1
    precondition(isDone, "libcrypto has SHA")
    return digest
  }
}
