import NDEF
import PassMessage

/// Signs messages: a private key and its certificate.
///
/// ```swift
/// let signer = try MessageSigner(key: keyFile, certificates: [certificate])
/// let signed = try signer.sign(NDEFMessage(.uri("https://example.com")))
/// ```
///
/// Records of version 2.0 are written: RSASSA-PSS with 1024 or 2048 bits, DSA with 1024 or 2048 bits, and ECDSA on P-192,
/// P-224, P-256, K-233 and B-233, all with SHA-256. Version 1, which has SHA-1, is only read.
public struct MessageSigner: Sendable {
  private let key: SignatureKey
  private let certificates: [X509Certificate]
  private let algorithm: SignatureRecord.Algorithm

  /// Creates a signer.
  ///
  /// - Parameters:
  ///   - file: the private key without a passphrase: PEM or DER; SEC 1, PKCS 1 or PKCS 8.
  ///   - certificates: in DER: that of the key, then those that were used to issue it. An authority's own, which readers
  ///     have to know anyway, is left out of the record (Signature RTD 1.0, 3.3.5).
  /// - Throws: ``SigningError``.
  public init(key file: [UInt8], certificates: [[UInt8]]) throws(SigningError) {
    var der: [UInt8]
    do throws(PassError) {
      // DER begins with a SEQUENCE; in PEM, anything may stand before the first part.
      der =
        file.first == 0x30 ? file : try PrivateKeyText.der(String(decoding: file, as: UTF8.self))
    } catch {
      throw error == .encryptedKey ? .encryptedKey : .malformedKey
    }
    defer { der.wipe() }
    guard let key = SignatureKey(privateKey: der) else { throw .malformedKey }
    guard let algorithm = SigningAlgorithm.forSigning(key) else { throw .unsupportedKey }
    var decoded: [X509Certificate] = []
    for certificate in certificates {
      guard let certificate = X509Certificate(certificate) else { throw .malformedCertificate }
      decoded.append(certificate)
    }
    guard let own = decoded.first, decoded.count <= Self.mostCertificates else {
      throw .malformedCertificate
    }
    guard own.key?.isSame(as: key) ?? false else { throw .otherKey }
    self.key = key
    self.algorithm = algorithm
    self.certificates = [own] + decoded.dropFirst().filter { !$0.isSelfSigned }
  }

  /// The number of certificates in a record is four bits.
  private static let mostCertificates = 15

  /// Why nobody would trust the certificate now; `nil` if it is valid.
  ///
  /// - Parameter time: in seconds since 1970-01-01.
  public func problem(at time: Int) -> String? {
    guard let own = certificates.first else { return nil }
    switch own.judge(chain: [], trusting: [own], at: time) {
    case .trusted, .unknown: return nil
    case .notValidNow(let text), .invalid(let text): return text
    }
  }

  /// Returns the message with a signature over the records since its last signature, or since its beginning.
  ///
  /// - Throws: ``SigningError/nothingToSign`` if there are none.
  public func sign(_ message: NDEFMessage) throws(SigningError) -> NDEFMessage {
    let start = message.records.lastIndex { SignatureRecord.matches($0) }.map { $0 + 1 } ?? 0
    guard start < message.records.count else { throw .nothingToSign }
    let content = SignatureRecord.coveredBytes(
      of: message.records[start...], version: .two, beginsMessage: start == 0)
    guard
      let signature = SigningAlgorithm(algorithm, version: .two)?.signature(of: content, by: key)
    else { throw .refused }
    let record = SignatureRecord(
      algorithm: algorithm, signature: .bytes(signature),
      certificates: certificates.map(\.encoded)
    ).record
    return NDEFMessage(records: message.records + [record])
  }
}

/// The reason why a message cannot be signed.
@nonexhaustive
public enum SigningError: Error, Hashable, Sendable {
  /// The file is not a private key.
  case malformedKey
  /// The key has a passphrase.
  case encryptedKey
  /// No algorithm of the record is for this key.
  case unsupportedKey
  /// There is no certificate, one is not of X.509, or there are more than 15.
  case malformedCertificate
  /// The certificate is for another key.
  case otherKey
  /// There are no records, or all are signed.
  case nothingToSign
  /// OpenSSL refuses to sign.
  case refused
}

extension SigningError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .malformedKey: "this is not a private key (PEM or DER; SEC 1, PKCS 1 or PKCS 8)"
    case .encryptedKey:
      "the key is encrypted with a passphrase; openssl pkey -in FILE -out FILE removes it"
    case .unsupportedKey:
      "signature records have no algorithm for this key: RSA and DSA of 1024 or 2048 bits, or the curves P-192, P-224, P-256, K-233 and B-233"
    case .malformedCertificate:
      "there is no certificate of X.509 in it, or more than 15"
    case .otherKey: "the certificate is for another key"
    case .nothingToSign: "there is no record to sign after the last signature"
    case .refused: "OpenSSL refuses to sign with this key"
    }
  }
}
