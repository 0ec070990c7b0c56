extension MerchantKey {
  /// Creates a key from the text of a PEM file, with the labels `EC PRIVATE KEY` (SEC 1) or `PRIVATE KEY` (PKCS 8).
  /// Other parts, such as the `EC PARAMETERS` that `openssl ecparam` writes first, are passed over.
  ///
  /// - Throws: ``PassError/encryptedKey`` for a key with a passphrase, ``PassError/otherCurve``,
  ///   ``PassError/malformedKey``.
  public init(pem text: String) throws(PassError) {
    var bytes = try PrivateKeyText.der(text)
    defer { bytes.wipe() }
    try self.init(der: bytes)
  }

  /// Creates a key from a file's bytes, PEM or DER.
  ///
  /// - Throws: as ``init(pem:)`` and ``init(der:)``.
  public init(file bytes: [UInt8]) throws(PassError) {
    // DER begins with a SEQUENCE; in PEM, anything may stand before the first part.
    if bytes.first == 0x30 {
      try self.init(der: bytes)
    } else {
      try self.init(pem: String(decoding: bytes, as: UTF8.self))
    }
  }

  /// The key as a PEM file, in the form of SEC 1 that `openssl ec` writes. Whoever holds this text can read the passes.
  public var pem: String {
    var der = key.der
    defer { der.wipe() }
    var text = "\(PrivateKeyText.begin)EC PRIVATE KEY-----\n"
    var rest = Base64.encode(der)[...]
    while !rest.isEmpty {
      text += rest.prefix(PrivateKeyText.lineLength) + "\n"
      rest = rest.dropFirst(PrivateKeyText.lineLength)
    }
    return text + "\(PrivateKeyText.end)EC PRIVATE KEY-----\n"
  }
}

/// Private keys in PEM (RFC 7468).
package enum PrivateKeyText {
  static let begin = "-----BEGIN "
  static let end = "-----END "
  /// The number of characters of a line: RFC 7468, 2.
  static let lineLength = 64

  /// Returns the first private key of a text, in DER.
  ///
  /// - Throws: ``PassError/encryptedKey``, ``PassError/malformedKey``.
  package static func der(_ text: String) throws(PassError) -> [UInt8] {
    var lines = text.split(whereSeparator: \.isNewline).map(trimmed)[...]
    while let line = lines.popFirst() {
      guard let label = label(of: line, after: begin) else { continue }
      guard let last = lines.firstIndex(where: { Self.label(of: $0, after: end) == label })
      else { throw .malformedKey }
      let body = lines[..<last]
      lines = lines[lines.index(after: last)...]
      guard label.hasSuffix("PRIVATE KEY") else { continue }
      // RFC 1421 has the encryption in a header of the part, PKCS 8 in its label.
      if label.hasPrefix("ENCRYPTED") || body.contains(where: { $0.hasPrefix("Proc-Type:") }) {
        throw .encryptedKey
      }
      guard let bytes = Base64.decode(body.joined()) else { throw .malformedKey }
      return bytes
    }
    throw .malformedKey
  }

  private static func label(of line: String, after prefix: String) -> String? {
    guard line.hasPrefix(prefix), line.hasSuffix("-----"), line.count >= prefix.count + 5 else {
      return nil
    }
    return String(line.dropFirst(prefix.count).dropLast(5))
  }

  private static func trimmed(_ line: Substring) -> String {
    var line = line.drop { $0 == " " || $0 == "\t" || $0 == "\u{FEFF}" }
    while let last = line.last, last == " " || last == "\t" { line.removeLast() }
    return String(line)
  }
}
