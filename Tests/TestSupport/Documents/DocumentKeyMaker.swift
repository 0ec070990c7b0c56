import CSwiftNFCOpenSSL
import VirtualNFC

/// Makes keys that only a test has.
package enum DocumentKeyMaker {
  package static func random(_ count: Int) -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Returns a key over standardized domain parameters by their number, below the order.
  package static func curveKey(_ parameters: Int) -> (private: [UInt8], public: [UInt8]) {
    guard let group = DocumentGroup(parameters) else {
      preconditionFailure("there are no parameters \(parameters)")
    }
    // One bit less than the order has.
    var key = random(group.keySize)
    key[0] = parameters == 18 ? 0 : key[0] & 0x7F
    guard let point = group.multiple(key) else { preconditionFailure("the key is not zero") }
    return (key, point)
  }

  /// Returns a key of RSA.
  package static func rsaKey(_ bits: Int) -> (modulus: [UInt8], privateExponent: [UInt8]) {
    COpenSSL_initialize()
    let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    var (modulus, exponent): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    let isDone =
      EVP_PKEY_keygen_init(context) == 1
      && EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1
      && EVP_PKEY_generate(context, &key) == 1 && EVP_PKEY_get_bn_param(key, "n", &modulus) == 1
      && EVP_PKEY_get_bn_param(key, "d", &exponent) == 1
    precondition(isDone, "libcrypto makes RSA keys")
    defer {
      EVP_PKEY_free(key)
      BN_free(modulus)
      BN_clear_free(exponent)
    }
    func bytes(_ number: OpaquePointer?) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: (Int(BN_num_bits(number)) + 7) / 8)
      BN_bn2bin(number, &bytes)
      return bytes
    }
    return (bytes(modulus), bytes(exponent))
  }

  // MARK: SubjectPublicKeyInfo

  private static let curves = [
    8: "1.2.840.10045.3.1.1", 9: "1.3.36.3.3.2.8.1.1.3", 10: "1.3.132.0.33",
    11: "1.3.36.3.3.2.8.1.1.5", 12: "1.2.840.10045.3.1.7", 13: "1.3.36.3.3.2.8.1.1.7",
    14: "1.3.36.3.3.2.8.1.1.9", 15: "1.3.132.0.34", 16: "1.3.36.3.3.2.8.1.1.11",
    17: "1.3.36.3.3.2.8.1.1.13", 18: "1.3.132.0.35",
  ]

  /// Returns a public key over standardized domain parameters: with the name of its curve, or for integers with the
  /// number of the parameters (RFC 5480, 2; TR-03110-3, A.2.1.1).
  package static func information(_ parameters: Int, _ publicKey: [UInt8]) -> [UInt8] {
    guard let curve = curves[parameters] else {
      return numbered(parameters, DERWriter.integer(publicKey))
    }
    return DERWriter.sequence(
      DERWriter.sequence(
        DERWriter.identifier("1.2.840.10045.2.1"), DERWriter.identifier(curve)),
      DERWriter.bits(publicKey))
  }

  /// Returns a public key that only has the number of its parameters.
  package static func numbered(_ parameters: Int, _ publicKey: [UInt8]) -> [UInt8] {
    DERWriter.sequence(
      DERWriter.sequence(
        DERWriter.identifier("0.4.0.127.0.7.1.2"), DERWriter.integer(parameters)),
      DERWriter.bits(publicKey))
  }

  /// Returns a public key of RSA with the exponent 65537 (RFC 3279, 2.3.1).
  package static func rsaInformation(_ modulus: [UInt8]) -> [UInt8] {
    DERWriter.sequence(
      DERWriter.sequence(DERWriter.identifier("1.2.840.113549.1.1.1"), DERWriter.null),
      DERWriter.bits(
        DERWriter.sequence(DERWriter.integer(modulus), DERWriter.integer([0x01, 0x00, 0x01]))))
  }
}
