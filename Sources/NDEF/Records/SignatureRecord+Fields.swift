extension SignatureRecord {
  public static let fieldNames = ["signature"]

  public var fields: NDEFFields {
    var content: NDEFFields = [
      "version": version == .one ? .text(version.description) : nil,
      "algorithm": .text(algorithm.description),
      "hash": version == .one ? nil : .text(hash.description),
    ]
    switch signature {
    case .bytes(let bytes): content["signature"] = .text(bytes.hexadecimal)
    case .uri(let uri): content["signatureURI"] = .text(uri)
    }
    content["certificateFormat"] = .text(certificateFormat.description)
    content["certificates"] = .list(certificates.map { .text($0.hexadecimal) })
    content["certificateURI"] = certificateURI.map { .text($0) }
    return ["signature": .fields(content)]
  }

  /// Reads `{"signature":{"algorithm":"ECDSA-P256","signature":"…","certificates":[…]}}`.
  public init?(fields: NDEFFields) throws(NDEFFieldError) {
    guard let content = try fields.fields("signature") else { return nil }
    do throws(NDEFFieldError) {
      let signature: Signature
      if let uri = try content.text("signatureURI") {
        signature = .uri(uri)
      } else {
        signature = .bytes(try content.bytes("signature") ?? [])
      }
      self.init(
        algorithm: Algorithm(
          rawValue: try content.number("algorithm", Algorithm.names, upTo: 0x7F) ?? 0),
        hash: Hash(
          rawValue: try content.number("hash", Hash.names, upTo: .max) ?? Hash.sha256.rawValue),
        signature: signature,
        certificateFormat: CertificateFormat(
          rawValue: try content.number("certificateFormat", CertificateFormat.names, upTo: 0x07)
            ?? 0),
        certificates: try content.list("certificates") { (value) throws(NDEFFieldError) in
          guard let bytes = [UInt8](hexadecimal: try value.text()) else {
            throw NDEFFieldError([], "it is not hexadecimal")
          }
          return bytes
        },
        certificateURI: try content.text("certificateURI"))
      let versions: [Version] = [.one, .two]
      if let name = try content.choice("version", versions.map(\.description)) {
        version = versions.first { $0.description == name } ?? .two
      }
    } catch {
      throw error.within(.name("signature"))
    }
  }
}

extension SignatureRecord.Hash {
  static let names = ["0", "1", SignatureRecord.Hash.sha256.description]
}

extension SignatureRecord.CertificateFormat {
  static let names = [x509.description, m2m.description]
}

extension NDEFFields {
  /// Returns the index of a text among names, or the number that it contains; `nil` if there is
  /// none.
  fileprivate func number(
    _ name: String, _ names: [String], upTo largest: UInt8
  ) throws(NDEFFieldError) -> UInt8? {
    guard let text = try text(name) else { return nil }
    if let index = names.firstIndex(of: text) { return UInt8(exactly: index) }
    guard let number = UInt8(text), number <= largest else {
      throw NDEFFieldError(
        [.name(name)],
        "\"\(text.escapingControls)\" is neither a number up to \(largest) nor one of "
          + names.joined(separator: ", "))
    }
    return number
  }
}
