import SwiftNFCCore

/// Judges what was read (Doc 9303-11, 5.1 and 6.1 to 6.2; 9303-12, 4 to 7).
struct PassiveAuthentication {
  private let content: DocumentContent
  private let trust: TrustStore?
  private var verdict = Verdict()
  private let object: SecurityObject?
  /// Whether EF.SOD is signed by a signer whose authority is trusted.
  private var isSignedByTrusted = false
  /// Whether EF.SOD has a signature that fits a certificate.
  private var isSigned = false

  /// - Parameter trust: `nil` if nobody is trusted.
  init(_ content: DocumentContent, trust: TrustStore?) {
    self.content = content
    self.trust = trust.flatMap { $0.isEmpty ? nil : $0 }
    object = content[.securityObject].flatMap { try? SecurityObject($0) }
  }

  static func verdict(on content: DocumentContent, trust: TrustStore?) -> Verdict {
    var judgement = PassiveAuthentication(content, trust: trust)
    judgement.judge()
    return judgement.verdict
  }

  private mutating func judge() {
    judgeFiles()
    judgeSignature()
    judgeData()
    judgeChip()
    judgeConsistency()
  }

  // MARK: Files

  private mutating func judgeFiles() {
    if content.state.hasMalformedFile {
      let names = content.unreadable.keys.sorted().joined(separator: ", ")
      verdict.contradictions.append("malformed files: \(names)")
    }
    if content[.securityObject] != nil, object == nil {
      verdict.contradictions.append("EF.SOD is malformed")
    }
    if content[.zone] != nil, content.zone == nil {
      verdict.contradictions.append("data group 1 has no machine readable zone")
    }
    if content[.face] != nil, content.face == nil {
      verdict.remarks.append("data group 2 has no image of a known format")
    }
    guard let object else {
      if content[.securityObject] == nil {
        verdict.remarks.append("the document has no EF.SOD, so nothing in it is signed")
      }
      return
    }
    verdict.changedGroups = content.groups.filter { group in
      content[group].map { !object.matches(group.number, $0) } ?? false
    }.map(\.number)
    let absent = content.absentGroups.map(\.number).filter { object.hashes[$0] != nil }
    if !absent.isEmpty {
      verdict.remarks.append("signed and not there: \(Self.names(absent))")
    }
    let unsigned = verdict.changedGroups.filter { object.hashes[$0] == nil }
    if !unsigned.isEmpty {
      verdict.remarks.append("there and not signed: \(Self.names(unsigned))")
    }
  }

  private static func names(_ groups: [Int]) -> String {
    groups.map { "DG\($0)" }.joined(separator: ", ")
  }

  // MARK: Signature

  private mutating func judgeSignature() {
    guard let object else { return }
    let others = trust?.anchors.map(\.certificate) ?? []
    switch object.signedData.verify(others: others) {
    case .wrong:
      verdict.contradictions.append("the signature of EF.SOD is wrong")
      if trust != nil { verdict.issuer = .invalid }
    case .unsupported(let reason):
      verdict.remarks.append("EF.SOD could not be verified: \(reason)")
      if trust != nil { verdict.issuer = .unknown }
    case .valid(let certificate, let signer):
      isSigned = true
      verdict.signer = Verdict.Signer(
        country: certificate.country, subject: certificate.subjectText,
        issuer: certificate.issuerText, serialNumber: certificate.serialNumberText,
        notBefore: certificate.notBefore, notAfter: certificate.notAfter)
      if certificate.hasContradictingCurve {
        verdict.remarks.append("the signer's certificate names another curve than that of its key")
      }
      if let trust { judge(certificate, signer, trust) }
    }
  }

  private mutating func judge(
    _ certificate: Certificate, _ signer: SignedData.Signer, _ trust: TrustStore
  ) {
    switch Self.authority(of: certificate, trust) {
    case .unknown:
      verdict.issuer = .unknown
    case .wrong:
      verdict.issuer = .invalid
      verdict.remarks.append(
        "the signer's certificate is not signed by the authority that it names")
    case .found(let anchor):
      isSignedByTrusted = true
      verdict.signer?.authoritySource = anchor.source
      if certificate.allowsSignatures == false || certificate.hasExtendedKeyUsage {
        verdict.issuer = .invalid
        isSignedByTrusted = false
        verdict.remarks.append("the signer's certificate is not one for documents")
      } else if let time = trust.revocation(of: certificate) {
        // Whoever has the key of a signer may also have chosen the signing time.
        verdict.issuer = .invalid
        isSignedByTrusted = false
        verdict.remarks.append("the signer's certificate was revoked on \(time)")
      } else if !wasValid(certificate, signer) {
        verdict.issuer = .notValidThen
      } else if let contradiction = contradiction(certificate, anchor.certificate) {
        verdict.issuer = .contradicting
        verdict.remarks.append(contradiction)
      } else {
        verdict.issuer = .trusted
      }
    }
  }

  private enum Authority {
    case found(TrustStore.Anchor)
    case unknown
    /// The key is known by its identifier, and has not signed the certificate.
    case wrong
  }

  private static func authority(of certificate: Certificate, _ trust: TrustStore) -> Authority {
    // A signer's certificate that the user trusts needs no authority.
    if let anchor = trust.anchors.first(where: { $0.certificate == certificate }) {
      return .found(anchor)
    }
    let candidates = trust.candidates(for: certificate)
    for anchor in candidates where certificate.isSigned(by: anchor.certificate) == .valid {
      return .found(anchor)
    }
    let isKnown = trust.hasKey(certificate.authorityKeyIdentifier)
    let couldVerify = candidates.contains { certificate.isSigned(by: $0.certificate) == .wrong }
    return isKnown && couldVerify ? .wrong : .unknown
  }

  /// Whether the certificate was valid when it signed: at the signing time, else on the date of issue, else within the
  /// ten years before the date of expiry, for which documents are issued. Later it may have expired.
  private func wasValid(_ certificate: Certificate, _ signer: SignedData.Signer) -> Bool {
    func covers(_ from: DocumentTime, _ until: DocumentTime) -> Bool {
      let period = certificate.keyUsagePeriod
      return from <= certificate.notAfter && until >= certificate.notBefore
        && (period?.from).map { until >= $0 } ?? true
        && (period?.until).map { from <= $0 } ?? true
    }
    if let time = signer.signingTime { return covers(time, time) }
    if let issue = content.issueDetails?.issue.flatMap({ DocumentTime(digits: $0) }) {
      // A day, of which the time is not known.
      let end = DocumentTime(digits: issue.digits.prefix(8) + "235959") ?? issue
      return covers(issue, end)
    }
    guard let expiry = content.zone.flatMap({ DocumentTime(digits: "20" + $0.expiry) }) else {
      return true
    }
    return covers(expiry.adding(years: -10), expiry)
  }

  /// Returns how countries or kinds of documents differ.
  private func contradiction(_ certificate: Certificate, _ authority: Certificate) -> String? {
    if let country = certificate.country, let other = authority.country, country != other {
      return "the signer is of \(country), and its authority of \(other)"
    }
    guard let zone = content.zone else { return nil }
    if let country = certificate.country,
      CountryCode.matches(zone.issuingState, country) == false
    {
      return "the signer is of \(country), and the document of another state"
    }
    if let types = certificate.documentTypes, !types.isEmpty {
      let code = zone.documentCode.uppercased()
      let isAllowed = types.contains { type in
        let type = type.filter { $0 != "<" }
        return code == type || type.count == 1 && code.hasPrefix(type)
      }
      if !isAllowed { return "the signer may not sign documents of this type" }
    }
    return nil
  }

  // MARK: Data

  private mutating func judgeData() {
    switch verdict.issuer {
    case .trusted, .notValidThen, .contradicting:
      verdict.data = verdict.changedGroups.isEmpty ? .unchanged : .changed
    case .unknown:
      // Who has signed is not known, but what was signed is not what was read.
      if isSigned, !verdict.changedGroups.isEmpty { verdict.data = .changed }
    case .invalid, .notChecked: break
    }
    if !verdict.changedGroups.isEmpty {
      verdict.contradictions.append(
        "not as in EF.SOD: \(Self.names(verdict.changedGroups))")
    }
  }

  // MARK: Chip

  private mutating func judgeChip() {
    let state = content.state
    let listed = object.map { Set($0.hashes.keys) } ?? Set(content.commonData?.groups ?? [])
    let promisesAgreement =
      content.securityInfos.map { ChipAuthentication($0) != nil } ?? listed.contains(14)
    let promisesSignature = listed.contains(15)
    var isProven = false
    var isWrong = false
    for (proof, group, name) in [
      (state.chipAuthentication, DataGroup.securityInfos, "chip authentication"),
      (state.activeAuthentication, .activeAuthentication, "active authentication"),
    ] {
      // A key that is not the signed one proves nothing, and its absence neither.
      let isSignedKey =
        object.map { $0.hashes[group.number] != nil } ?? false
        && !verdict.changedGroups.contains(group.number)
      switch proof {
      case .proven where isSignedKey: isProven = true
      case .wrong where isSignedKey:
        isWrong = true
        verdict.remarks.append("the chip does not have the key of \(name)")
      case .unknown(let reason): verdict.remarks.append(reason)
      default: break
      }
    }
    var promisesMapping = false
    if case .pace(let info, _)? = state.access, info.mapping == .chipAuthentication {
      promisesMapping = true
      switch mappingProof() {
      case .proven: isProven = true
      case .wrong:
        isWrong = true
        verdict.remarks.append("the chip does not have the key of EF.CardSecurity")
      case .unknown(let reason): verdict.remarks.append(reason)
      default: break
      }
    }
    if isWrong {
      verdict.chip = .clone
    } else if isProven, verdict.issuer == .trusted, verdict.data != .notChecked {
      verdict.chip = .genuine
    } else if !promisesAgreement, !promisesSignature, !promisesMapping {
      verdict.chip = .noProof
    }
  }

  /// Verifies integrated chip authentication by the key that EF.CardSecurity has for these parameters.
  private func mappingProof() -> ReadingState.ChipProof {
    guard let proof = content.state.mappingProof else { return .notAsked }
    guard let file = content[.cardSecurity], let signed = try? SignedData(file[...]),
      let set = try? BERObject(signed.content), let infos = try? SecurityInfos(set)
    else { return .unknown("EF.CardSecurity could not be read") }
    guard
      let key = infos.chipAuthenticationKeys.first(where: {
        $0.identifier == proof.keyIdentifier
      })
    else { return .unknown("EF.CardSecurity has no key for this way of PACE") }
    guard let trust else {
      return proof.isProof(of: key.key) ? .notAsked : .wrong
    }
    guard case .valid(let signer, _) = signed.verify(others: trust.anchors.map(\.certificate)),
      case .found = Self.authority(of: signer, trust), trust.revocation(of: signer) == nil
    else { return .unknown("the signer of EF.CardSecurity is not trusted") }
    return proof.isProof(of: key.key) ? .proven : .wrong
  }

  // MARK: Consistency

  /// EF.CardAccess is not signed; its entries must be those of data group 14 (Doc 9303-11, 4.2). Otherwise somebody may
  /// have led the reader to a weaker way.
  private mutating func judgeConsistency() {
    guard let infos = content.securityInfos, infos.hasPACE || !infos.paceEntries.isEmpty else {
      return
    }
    guard let access = content.cardAccess else {
      verdict.remarks.append("data group 14 has ways of PACE, and EF.CardAccess could not be read")
      return
    }
    if access.paceEntries != infos.paceEntries {
      verdict.contradictions.append(
        "EF.CardAccess and data group 14 have different ways of PACE")
    }
  }
}

extension DocumentContent {
  /// Judges what was read.
  ///
  /// - Parameter trust: the authorities that the user trusts; without any, nothing is proved, and only contradictions are
  ///   found.
  public func verdict(trust: TrustStore?) -> Verdict {
    PassiveAuthentication.verdict(on: self, trust: trust)
  }
}
