import CSwiftNFCOpenSSL

extension TravelDocument.Cipher {
  var blockSize: Int { self == .tripleDES ? 8 : 16 }

  var keySize: Int {
    switch self {
    case .tripleDES, .aes128: 16
    case .aes192: 24
    case .aes256: 32
    }
  }

  /// The name in libcrypto of the cipher in CBC mode.
  fileprivate var name: String {
    switch self {
    case .tripleDES: "DES-EDE-CBC"
    case .aes128: "AES-128-CBC"
    case .aes192: "AES-192-CBC"
    case .aes256: "AES-256-CBC"
    }
  }
}

/// A block cipher with a key, in CBC mode.
struct BlockMode {
  private let cipher: TravelDocument.Cipher
  private let key: [UInt8]

  init(_ cipher: TravelDocument.Cipher, key: [UInt8]) {
    precondition(key.count == cipher.keySize, "a key has the size of its cipher")
    self.cipher = cipher
    self.key = key
  }

  /// Encrypts whole blocks.
  func encrypt(_ data: [UInt8], _ initialValue: [UInt8]) -> [UInt8] {
    run(data, initialValue, encrypts: true)
  }

  /// Decrypts whole blocks.
  func decrypt(_ data: [UInt8], _ initialValue: [UInt8]) -> [UInt8] {
    run(data, initialValue, encrypts: false)
  }

  private func run(_ data: [UInt8], _ initialValue: [UInt8], encrypts: Bool) -> [UInt8] {
    precondition(data.count.isMultiple(of: cipher.blockSize), "whole blocks only")
    let context = COpenSSL_newCipherContext()
    defer { EVP_CIPHER_CTX_free(context) }
    var output = [UInt8](repeating: 0, count: data.count + cipher.blockSize)
    var count: Int32 = 0
    let algorithm =
      switch cipher {
      case .tripleDES: EVP_des_ede_cbc()
      case .aes128: EVP_aes_128_cbc()
      case .aes192: EVP_aes_192_cbc()
      case .aes256: EVP_aes_256_cbc()
      }
    let isDone =
      EVP_CipherInit_ex(context, algorithm, nil, key, initialValue, encrypts ? 1 : 0) == 1
      && EVP_CIPHER_CTX_set_padding(context, 0) == 1
      && EVP_CipherUpdate(context, &output, &count, data, Int32(data.count)) == 1
    precondition(isDone && Int(count) == data.count, "libcrypto refuses DES or AES")
    return Array(output.prefix(data.count))
  }

  /// Returns the first eight bytes of a CMAC (NIST SP 800-38B), for AES.
  func cmac(_ data: [UInt8]) -> [UInt8] {
    COpenSSL_initialize()
    var code = [UInt8](repeating: 0, count: 16)
    var size = 0
    let result = EVP_Q_mac(
      nil, "CMAC", nil, cipher.name, nil, key, key.count, data, data.count, &code, code.count,
      &size)
    precondition(result != nil && size == 16, "libcrypto has CMAC")
    return Array(code.prefix(8))
  }
}
