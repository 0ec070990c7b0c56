import SwiftNFCCore

/// The authorities that a user trusts: certificates, and master lists of countries.
///
/// Every certificate is trusted by itself. There is no path to a root: countries renew their keys under the same name.
public struct TrustStore: Sendable {
  /// A file that was added.
  public struct Source: Hashable, Sendable {
    /// The name that the caller gave.
    public let name: String
    /// The number of certificates.
    public let certificateCount: Int
    /// For a master list, whether its signature was verified by an authority of another source; `nil` for anything else.
    public internal(set) var isListVerified: Bool?
  }

  /// An authority, and the source that it comes from.
  struct Anchor: Sendable {
    let certificate: Certificate
    let source: String
  }

  /// What was added.
  public private(set) var sources: [Source] = []
  private(set) var anchors: [Anchor] = []
  private var byKeyIdentifier: [[UInt8]: [Int]] = [:]
  private var byName: [DistinguishedName: [Int]] = [:]
  private var lists: [(source: Int, list: SignedData)] = []
  private var revocationLists: [RevocationList] = []

  /// The certificates that were added, in DER and in their order.
  package var certificates: [[UInt8]] { anchors.map(\.certificate.encoded) }

  /// Creates a store that trusts nobody.
  public init() {}

  /// Whether no certificate was added.
  public var isEmpty: Bool { anchors.isEmpty }

  /// Adds a file: a certificate in DER or PEM, several in PEM, a master list in CMS, a list of revoked certificates, or an
  /// LDIF of ICAO's directory. A list of revoked certificates counts if an authority that is added has signed it.
  ///
  /// - Parameter name: the name of the file, for messages.
  /// - Throws: `DataObjectError` for a file that is none of these, and for a master list whose signature is wrong.
  public mutating func add(_ file: [UInt8], name: String) throws(DataObjectError) {
    let content = try TrustFile(file)
    for list in content.lists {
      if case .wrong = list.verify() {
        throw DataObjectError("the signature of the master list is wrong", at: 0)
      }
    }
    let certificates = content.certificates
    guard !certificates.isEmpty || !content.revocationLists.isEmpty else {
      throw DataObjectError("there is no certificate in it", at: 0)
    }
    revocationLists += content.revocationLists
    for certificate in certificates {
      let index = anchors.count
      anchors.append(Anchor(certificate: certificate, source: name))
      if let identifier = certificate.subjectKeyIdentifier {
        byKeyIdentifier[identifier, default: []].append(index)
      }
      byName[certificate.subject, default: []].append(index)
    }
    for list in content.lists { lists.append((sources.count, list)) }
    sources.append(
      Source(
        name: name, certificateCount: certificates.count,
        isListVerified: content.lists.isEmpty ? nil : false))
    verifyLists()
  }

  /// A list is verified if its signer's authority comes from elsewhere.
  private mutating func verifyLists() {
    var verified: [Int: Bool] = [:]
    for (source, list) in lists {
      var isVerified = false
      if case .valid(let signer, _) = list.verify() {
        let name = sources[source].name
        isVerified = candidates(for: signer).contains {
          $0.source != name && signer.isSigned(by: $0.certificate) == .valid
        }
      }
      verified[source] = (verified[source] ?? true) && isVerified
    }
    for (source, isVerified) in verified { sources[source].isListVerified = isVerified }
  }

  /// Returns when an authority has revoked a certificate that it had issued; `nil` if it has not, as far as is known.
  func revocation(of certificate: Certificate) -> DocumentTime? {
    for list in revocationLists {
      guard let time = list.revocation(of: certificate) else { continue }
      let authorities =
        list.authorityKeyIdentifier.flatMap { byKeyIdentifier[$0] } ?? byName[list.issuer] ?? []
      if authorities.contains(where: { list.isSigned(by: anchors[$0].certificate) == .valid }) {
        return time
      }
    }
    return nil
  }

  /// Returns the authorities that may have issued a certificate: by the key's identifier, else by the name.
  func candidates(for certificate: Certificate) -> [Anchor] {
    if let identifier = certificate.authorityKeyIdentifier,
      let found = byKeyIdentifier[identifier]
    {
      return found.map { anchors[$0] }
    }
    return (byName[certificate.issuer] ?? []).map { anchors[$0] }
  }

  /// Returns whether the authority with the key's identifier is known.
  func hasKey(_ identifier: [UInt8]?) -> Bool {
    identifier.map { byKeyIdentifier[$0] != nil } ?? false
  }
}
