import NDEF

extension NDEFMessage {
  /// Verifies the signature records of the message: NFC Forum Signature RTD 1.0 and 2.0, certificates of X.509.
  ///
  /// Nothing is fetched: a signature or a certificate that is only named by a link is not checked. Lists of revoked
  /// certificates are not consulted. A signature does not say when it was made; so the certificates have to be valid at
  /// the time that is given. See also ``unsignedRecords``.
  ///
  /// - Parameters:
  ///   - certificates: those that are trusted, in DER: of signers, or of authorities above them. Each is trusted by
  ///     itself.
  ///   - time: the time at which the certificates have to be valid, in seconds since 1970-01-01.
  /// - Returns: one verdict for each record that has or names a signature, in order.
  public func signatureVerdicts(trusting certificates: [[UInt8]], at time: Int)
    -> [SignatureVerdict]
  {
    let trusted = certificates.compactMap { X509Certificate($0) }
    var start = 0
    var verdicts: [SignatureVerdict] = []
    for (index, record) in records.enumerated() where SignatureRecord.matches(record) {
      var verdict = SignatureVerdict(record: index, coveredRecords: start..<index)
      start = index + 1
      var tolerance = NDEFTolerance.lenient
      do throws(NDEFError) {
        let signature = try SignatureRecord(record, tolerance: &tolerance)
        guard !signature.isMark else { continue }
        verify(signature, &verdict, trusted, time)
      } catch {
        verdict.remark = "the signature record is broken: \(error)"
      }
      verdicts.append(verdict)
    }
    return verdicts
  }

  /// The positions of the records that no signature covers. Anybody can have added them.
  public var unsignedRecords: [Int] {
    var unsigned: [Int] = []
    var section: [Int] = []
    for (index, record) in records.enumerated() {
      guard SignatureRecord.matches(record) else {
        section.append(index)
        continue
      }
      var tolerance = NDEFTolerance.lenient
      let signature = try? SignatureRecord(record, tolerance: &tolerance)
      if signature?.isMark ?? true { unsigned += section }
      section = []
    }
    return unsigned + section
  }

  private func verify(
    _ record: SignatureRecord, _ verdict: inout SignatureVerdict, _ trusted: [X509Certificate],
    _ time: Int
  ) {
    guard !verdict.coveredRecords.isEmpty else {
      verdict.remark = "the signature covers no record"
      return
    }
    guard case .bytes(let signature) = record.signature else {
      verdict.remark = "the signature is elsewhere, and is not fetched"
      return
    }
    guard record.certificates.isEmpty || record.certificateFormat == .x509 else {
      verdict.remark =
        "certificates of the format \(record.certificateFormat) are not supported"
      return
    }
    let chain = record.certificates.map { X509Certificate($0) }
    if let first = chain.first, first == nil {
      verdict.remark = "the certificate of the signer is not one of X.509"
      return
    }
    // Without a certificate, the reader knows from elsewhere whose the signature is (1.0, 3.3.5).
    let signers = chain.isEmpty ? trusted : [chain.first ?? nil].compactMap(\.self)
    guard !signers.isEmpty else {
      verdict.remark = "there is no certificate of the signer"
      return
    }
    guard let algorithm = SigningAlgorithm(record) else {
      verdict.remark =
        "the algorithm \(record.algorithm) with the hash \(record.hash) of version \(record.version) is not known"
      return
    }
    let fitting = signers.filter { $0.key.map(algorithm.fits) ?? false }
    guard !fitting.isEmpty else {
      verdict.certificate = chain.isEmpty ? nil : signers.first?.encoded
      verdict.remark = "the key of the certificate is not of the algorithm \(record.algorithm)"
      return
    }
    let contents = coverage(of: verdict, record.version)
    let signer = fitting.first { certificate in
      certificate.key.map { key in
        contents.contains { algorithm.verifies(signature, of: $0, by: key) }
      } ?? false
    }
    verdict.content = signer == nil ? .changed : .unchanged
    guard let certificate = signer ?? (chain.isEmpty ? nil : fitting.first) else { return }
    verdict.certificate = certificate.encoded
    guard !trusted.isEmpty else { return }
    switch certificate.judge(
      chain: chain.dropFirst().compactMap(\.self), trusting: trusted, at: time)
    {
    case .trusted: verdict.issuer = .trusted
    case .unknown: verdict.issuer = .unknown
    case .notValidNow(let text): (verdict.issuer, verdict.remark) = (.notValidNow, text)
    case .invalid(let text): (verdict.issuer, verdict.remark) = (.invalid, text)
    }
  }

  /// Returns what the signature may cover. ndeflib's example of a verification sets the MB flag of the first record also
  /// after another signature; both readings hold all records as they are.
  private func coverage(
    of verdict: SignatureVerdict, _ version: SignatureRecord.Version
  ) -> [[UInt8]] {
    let covered = records[verdict.coveredRecords]
    let isFirst = verdict.coveredRecords.lowerBound == 0
    return (isFirst || version == .one ? [true] : [false, true]).map {
      SignatureRecord.coveredBytes(of: covered, version: version, beginsMessage: $0)
    }
  }
}
