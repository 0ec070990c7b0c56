import CSwiftNFCOpenSSL

// What this module uses of OpenSSL's libcrypto; no other file of it calls C.

/// A key that signs or verifies, which libcrypto keeps and overwrites at the end.
///
/// It does not change after `init`, and libcrypto's functions that only read a key may be called from any thread.
final class SignatureKey: @unchecked Sendable {
  fileprivate let pointer: OpaquePointer

  fileprivate init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { EVP_PKEY_free(pointer) }

  /// A private key in DER: SEC 1, PKCS 1 or PKCS 8.
  convenience init?(privateKey der: [UInt8]) {
    COpenSSL_initialize()
    let key = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var start = bytes.baseAddress
      return d2i_AutoPrivateKey(nil, &start, bytes.count)
    }
    guard let key else { return nil }
    self.init(key)
  }

  /// Whether the key is of a kind, by its name in libcrypto.
  func isOf(_ kind: String) -> Bool { EVP_PKEY_is_a(pointer, kind) == 1 }

  /// The size in bits: of the modulus, or of the order of the curve.
  var bits: Int { Int(EVP_PKEY_get_bits(pointer)) }

  /// The name of the curve; `nil` for another key.
  var groupName: String? {
    var name = [CChar](repeating: 0, count: 64)
    var count = 0
    guard EVP_PKEY_get_group_name(pointer, &name, name.count, &count) == 1 else { return nil }
    return String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The size in bytes of each of the two numbers of a DSA or ECDSA signature.
  var numberSize: Int {
    guard isOf("DSA") else { return (bits + 7) / 8 }
    var order: OpaquePointer?
    guard EVP_PKEY_get_bn_param(pointer, OSSL_PKEY_PARAM_FFC_Q, &order) == 1 else { return 0 }
    defer { BN_free(order) }
    return Int(BN_num_bits(order) + 7) / 8
  }

  /// Whether two keys have the same public key.
  func isSame(as other: SignatureKey) -> Bool { EVP_PKEY_eq(pointer, other.pointer) == 1 }

  /// - Parameter signature: in the form of libcrypto: a sequence in DER for DSA and ECDSA.
  func verifies(_ signature: [UInt8], of content: [UInt8], _ algorithm: SigningAlgorithm) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    var keyContext: OpaquePointer?
    guard
      EVP_DigestVerifyInit(context, &keyContext, Self.hash(algorithm), nil, pointer) == 1,
      Self.setPadding(keyContext, algorithm, saltSize: "auto")
    else { return false }
    return EVP_DigestVerify(context, signature, signature.count, content, content.count) == 1
  }

  func signature(of content: [UInt8], _ algorithm: SigningAlgorithm) -> [UInt8]? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    var keyContext: OpaquePointer?
    var count = 0
    guard EVP_DigestSignInit(context, &keyContext, Self.hash(algorithm), nil, pointer) == 1,
      Self.setPadding(keyContext, algorithm, saltSize: "digest"),
      EVP_DigestSign(context, nil, &count, content, content.count) == 1
    else { return nil }
    var signature = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context, &signature, &count, content, content.count) == 1 else {
      return nil
    }
    return Array(signature.prefix(count))
  }

  private static func hash(_ algorithm: SigningAlgorithm) -> OpaquePointer? {
    algorithm.usesSHA1 ? EVP_sha1() : EVP_sha256()
  }

  private static func setPadding(
    _ context: OpaquePointer?, _ algorithm: SigningAlgorithm, saltSize: String
  ) -> Bool {
    switch algorithm.scheme {
    case .rsaPSS:
      EVP_PKEY_CTX_ctrl_str(context, "rsa_padding_mode", "pss") == 1
        && EVP_PKEY_CTX_ctrl_str(context, "rsa_pss_saltlen", saltSize) == 1
    case .rsaPKCS1: EVP_PKEY_CTX_ctrl_str(context, "rsa_padding_mode", "pkcs1") == 1
    case .dsa, .ecdsa: true
    }
  }
}

/// The two numbers of a DSA or ECDSA signature.
enum SignaturePair {
  /// Returns the sequence in DER of two numbers that stand one after the other with as many bytes each.
  static func sequence(ofPlain bytes: [UInt8]) -> [UInt8]? {
    let half = bytes.count / 2
    guard half > 0, bytes.count == 2 * half, let pair = ECDSA_SIG_new() else { return nil }
    defer { ECDSA_SIG_free(pair) }
    guard let r = BN_bin2bn(Array(bytes.prefix(half)), Int32(half), nil) else { return nil }
    guard let s = BN_bin2bn(Array(bytes.suffix(half)), Int32(half), nil),
      ECDSA_SIG_set0(pair, r, s) == 1
    else {
      BN_free(r)
      return nil
    }
    let count = i2d_ECDSA_SIG(pair, nil)
    guard count > 0 else { return nil }
    var der = [UInt8](repeating: 0, count: Int(count))
    let written = der.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      return i2d_ECDSA_SIG(pair, &start)
    }
    return written == count ? der : nil
  }

  /// Returns the numbers of a sequence in DER, one after the other.
  static func plain(ofSequence der: [UInt8], numberSize: Int) -> [UInt8]? {
    let pair = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var start = bytes.baseAddress
      return d2i_ECDSA_SIG(nil, &start, bytes.count)
    }
    guard let pair, let size = Int32(exactly: numberSize) else { return nil }
    defer { ECDSA_SIG_free(pair) }
    var r = [UInt8](repeating: 0, count: numberSize)
    var s = r
    guard BN_bn2binpad(ECDSA_SIG_get0_r(pair), &r, size) == size,
      BN_bn2binpad(ECDSA_SIG_get0_s(pair), &s, size) == size
    else { return nil }
    return r + s
  }
}

/// A certificate of X.509. It does not change after `init`.
final class X509Certificate: @unchecked Sendable {
  /// The complete certificate in DER.
  let encoded: [UInt8]
  /// The owner's key; `nil` for one that libcrypto does not know.
  let key: SignatureKey?
  private let pointer: OpaquePointer

  /// Decodes a certificate in DER; `nil` for anything else.
  init?(_ der: [UInt8]) {
    COpenSSL_initialize()
    let (decoded, isWhole) = der.withUnsafeBufferPointer { bytes -> (OpaquePointer?, Bool) in
      var start = bytes.baseAddress
      let certificate = d2i_X509(nil, &start, bytes.count)
      return (certificate, start == bytes.baseAddress.map { $0 + bytes.count })
    }
    guard let decoded else { return nil }
    guard isWhole else {
      X509_free(decoded)
      return nil
    }
    pointer = decoded
    encoded = der
    key = X509_get_pubkey(decoded).map { SignatureKey($0) }
  }

  deinit { X509_free(pointer) }

  /// Whether the certificate is signed by its own key.
  var isSelfSigned: Bool { X509_self_signed(pointer, 1) == 1 }

  /// What is known of a certificate.
  enum Judgement: Hashable {
    case trusted, unknown
    case notValidNow(String)
    case invalid(String)
  }

  /// Validates the chain from this certificate to one that is trusted (RFC 5280, 6).
  ///
  /// - Parameters:
  ///   - chain: certificates that may stand between both, and are not trusted.
  ///   - trusted: each of them is trusted by itself, also one that another has issued.
  ///   - time: in seconds since 1970-01-01.
  func judge(
    chain: [X509Certificate], trusting trusted: [X509Certificate], at time: Int
  ) -> Judgement {
    guard let store = X509_STORE_new() else { return .invalid("out of memory") }
    defer { X509_STORE_free(store) }
    guard let others = OPENSSL_sk_new_null() else { return .invalid("out of memory") }
    defer { OPENSSL_sk_free(others) }
    guard let context = X509_STORE_CTX_new() else { return .invalid("out of memory") }
    defer { X509_STORE_CTX_free(context) }
    for certificate in trusted { X509_STORE_add_cert(store, certificate.pointer) }
    for certificate in chain { OPENSSL_sk_push(others, UnsafeRawPointer(certificate.pointer)) }
    guard X509_STORE_CTX_init(context, store, pointer, others) == 1,
      let parameters = X509_STORE_CTX_get0_param(context)
    else { return .invalid("the chain cannot be validated") }
    X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    X509_VERIFY_PARAM_set_time(parameters, time)
    // The list and the certificates in it live until the end of this call.
    let isValid = withExtendedLifetime((chain, trusted)) { X509_verify_cert(context) == 1 }
    guard !isValid else { return .trusted }
    let code = X509_STORE_CTX_get_error(context)
    let text =
      X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
    switch code {
    case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID: return .notValidNow(text)
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return .unknown
    default: return .invalid(text)
    }
  }
}
