import CSwiftNFCOpenSSL

/// AES-128 on blocks of 16 bytes: FIPS 197; CBC according to NIST SP 800-38A.
enum AESBlock {
  static let size = 16
  static let zero = [UInt8](repeating: 0, count: size)

  private enum Direction: Int32 {
    case decrypt = 0
    case encrypt = 1
  }

  /// Encrypts one block.
  static func encrypt(_ block: [UInt8], _ key: SUNKey) -> [UInt8] {
    run(EVP_aes_128_ecb(), block, key, nil, .encrypt)
  }

  /// Decrypts one block.
  static func decrypt(_ block: [UInt8], _ key: SUNKey) -> [UInt8] {
    run(EVP_aes_128_ecb(), block, key, nil, .decrypt)
  }

  /// Decrypts whole blocks.
  static func decryptChained(_ data: [UInt8], _ key: SUNKey, vector: [UInt8]) -> [UInt8] {
    run(EVP_aes_128_cbc(), data, key, vector, .decrypt)
  }

  private static func run(
    _ algorithm: OpaquePointer?, _ data: [UInt8], _ key: SUNKey, _ vector: [UInt8]?,
    _ direction: Direction
  ) -> [UInt8] {
    precondition(data.count % size == 0, "whole blocks only")
    let context = COpenSSL_newCipherContext()
    // This also overwrites the key schedule.
    defer { EVP_CIPHER_CTX_free(context) }
    var result = [UInt8](repeating: 0, count: data.count + size)
    var count: Int32 = 0
    let succeeded = key.withBytes { key in
      EVP_CipherInit_ex(
        context, algorithm, nil, key.bindMemory(to: UInt8.self).baseAddress, vector,
        direction.rawValue) == 1
        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
        && EVP_CipherUpdate(context, &result, &count, data, Int32(data.count)) == 1
    }
    precondition(succeeded && Int(count) == data.count, "libcrypto refuses AES-128")
    return Array(result.prefix(data.count))
  }
}

/// CMAC over a function from block to block: NIST SP 800-38B, 6.2. For AES the function is the
/// cipher, for LRP its evaluation (NXP AN12304, 3.3).
enum CMAC {
  /// x^7 + x^2 + x + 1, the polynomial for blocks of 128 bits.
  private static let reduction: UInt8 = 0x87
  private static let endMark: UInt8 = 0x80

  /// - Parameter blocks: the minimum number of blocks of the padded message, 1 except in some
  ///   protocols.
  static func code(
    _ message: [UInt8], blocks: Int = 1, _ function: ([UInt8]) -> [UInt8]
  ) -> [UInt8] {
    let first = doubled(function(AESBlock.zero))
    let size = max(blocks * AESBlock.size, message.count.roundedUp(to: AESBlock.size))
    let isWhole = message.count == size
    let padding = [endMark] + [UInt8](repeating: 0, count: size)
    let padded = Array((message + (isWhole ? [] : padding)).prefix(size))
    let last = combined(Array(padded.suffix(AESBlock.size)), isWhole ? first : doubled(first))
    var chained = AESBlock.zero
    for start in stride(from: 0, to: size - AESBlock.size, by: AESBlock.size) {
      chained = function(combined(Array(padded[start..<start + AESBlock.size]), chained))
    }
    return function(combined(last, chained))
  }

  /// Returns the eight bytes of a code that are sent: every second one (NT4H2421Gx data sheet,
  /// 9.1.3; NXP AN12196).
  static func truncated(_ code: [UInt8]) -> [UInt8] {
    code.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }

  private static func doubled(_ block: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var carry: UInt8 = 0
    for byte in block.reversed() {
      result.append(byte << 1 | carry)
      carry = byte >> 7
    }
    result.reverse()
    // No branch depends on a secret.
    if let end = result.popLast() { result.append(end ^ (reduction & (0 &- carry))) }
    return result
  }

  private static func combined(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    zip(a, b).map { $0 ^ $1 }
  }
}

extension Int {
  /// Returns the next multiple, or the number itself if it is one.
  fileprivate func roundedUp(to unit: Int) -> Int { (self + unit - 1) / unit * unit }
}
