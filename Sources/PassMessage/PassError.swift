/// The reason why a pass cannot be read from what a phone has sent, or a key not be used.
@nonexhaustive
public enum PassError: Error, Hashable, Sendable {
  /// The text or the bytes are not a private key in a form that is read: PEM or DER, SEC 1 or PKCS 8.
  case malformedKey
  /// The key is not of the curve P-256 (secp256r1, prime256v1), the only one that both wallets use.
  case otherCurve
  /// The key is encrypted with a passphrase; remove it first: `openssl ec -in FILE -out FILE`.
  case encryptedKey
  /// The cryptogram is too short to hold a key identifier, a key, a time and a tag; the number of its bytes.
  case tooShort(Int)
  /// The cryptogram is longer than any with a message of 64 bytes; the number of its bytes.
  case tooLong(Int)
  /// The phone has encrypted the pass for the key with this identifier, which is another one.
  case otherKey(identifier: [UInt8])
  /// No point of the curve has the x coordinate that the phone has sent.
  case notAPoint
  /// The content was changed, or belongs to another pass type.
  case wrongTag
}

extension PassError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .malformedKey: "this is not a private key (PEM or DER, SEC 1 or PKCS 8)"
    case .otherCurve: "the key is not of the curve P-256"
    case .encryptedKey:
      "the key is encrypted with a passphrase; openssl ec -in FILE -out FILE removes it"
    case .tooShort(let count): "the cryptogram has \(count) bytes, which is too short"
    case .tooLong(let count): "the cryptogram has \(count) bytes, which is too long"
    case .otherKey(let identifier):
      "the pass is encrypted for another key, with the identifier \(hexadecimal(identifier))"
    case .notAPoint: "the phone's key is not a point of the curve"
    case .wrongTag: "the pass was changed, or is of another pass type"
    }
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0x0F)]] })
  }
}
