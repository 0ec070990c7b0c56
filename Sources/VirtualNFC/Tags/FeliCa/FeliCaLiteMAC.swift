import CSwiftNFCOpenSSL

/// The message authentication codes of FeliCa Lite and Lite-S (FeliCa Lite-S User's Manual).
///
/// All are two-key triple DES in CBC mode. The card is little endian: each unit of 8 bytes is reversed
/// before and after the cipher.
enum FeliCaLiteMAC {
  private static let unit = 8
  static let size = 8

  /// Returns SK1 and SK2 in the cipher's byte order: RC, encrypted with the card key CK.
  ///
  /// Both parameters have the byte order of their blocks. `nil` if libcrypto does not support triple DES.
  static func sessionKey(cardKey: [UInt8], challenge: [UInt8]) -> [UInt8]? {
    encrypt(
      reversedUnits(challenge), key: reversedUnits(cardKey),
      initializationVector: [UInt8](repeating: 0, count: unit))
  }

  /// Returns the MAC of data in whole units of 8 bytes.
  ///
  /// - Parameters:
  ///   - isWrite: whether SK1 and SK2 are exchanged, as for the MAC_A of a write.
  ///   - challenge: RC in the byte order of its block; RC1 is the initialization vector.
  static func code(
    over data: [UInt8], sessionKey: [UInt8], challenge: [UInt8], isWrite: Bool = false
  ) -> [UInt8]? {
    let key =
      isWrite ? Array(sessionKey.dropFirst(unit) + sessionKey.prefix(unit)) : sessionKey
    let initializationVector = Array(challenge.prefix(unit).reversed())
    guard
      let text = encrypt(
        reversedUnits(data), key: key, initializationVector: initializationVector)
    else { return nil }
    return text.suffix(unit).reversed()
  }

  /// Returns MAC_A of a read. The block numbers, with that of MAC_A last, precede the data.
  static func readCode(
    blockNumbers: [UInt8], data: [UInt8], sessionKey: [UInt8], challenge: [UInt8]
  ) -> [UInt8]? {
    var head: [UInt8] = blockNumbers.prefix(unit / 2).flatMap { [$0, 0x00] }
    head += [UInt8](repeating: 0xFF, count: unit - head.count)
    return code(over: head + data, sessionKey: sessionKey, challenge: challenge)
  }

  /// Returns MAC_A of a write. The write counter and the block numbers precede the data.
  static func writeCode(
    writeCounter: [UInt8], blockNumber: UInt8, data: [UInt8], sessionKey: [UInt8],
    challenge: [UInt8]
  ) -> [UInt8]? {
    let head =
      Array(writeCounter.prefix(3))
      + [0x00, blockNumber, 0x00, FeliCaLiteBlock.macA, 0x00]
    return code(over: head + data, sessionKey: sessionKey, challenge: challenge, isWrite: true)
  }

  private static func reversedUnits(_ bytes: [UInt8]) -> [UInt8] {
    stride(from: 0, to: bytes.count, by: unit).flatMap { bytes[$0...].prefix(unit).reversed() }
  }

  /// Returns data encrypted with two-key triple DES, CBC, without padding; `nil` unless all lengths are
  /// right.
  private static func encrypt(
    _ text: [UInt8], key: [UInt8], initializationVector: [UInt8]
  ) -> [UInt8]? {
    guard key.count == 2 * unit, initializationVector.count == unit, !text.isEmpty,
      text.count % unit == 0, let length = CInt(exactly: text.count),
      let context = COpenSSL_newCipherContext()
    else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    // K1, K2, K1: every build of libcrypto supports three-key triple DES.
    let tripleKey = key + key.prefix(unit)
    var cipherText = [UInt8](repeating: 0, count: text.count + unit)
    var written: CInt = 0
    guard
      EVP_EncryptInit_ex(context, EVP_des_ede3_cbc(), nil, tripleKey, initializationVector) == 1,
      EVP_CIPHER_CTX_set_padding(context, 0) == 1,
      EVP_EncryptUpdate(context, &cipherText, &written, text, length) == 1, written == length
    else { return nil }
    return Array(cipherText.prefix(text.count))
  }
}
