/// Maps the nonce of PACE to a generator (Doc 9303-11, 4.4.3.3 and appendix B).
enum NonceMapping {
  // MARK: Generic

  /// Returns the generator of generic mapping: s · G + H, or g^s · h.
  ///
  /// - Parameter shared: the result of the first agreement.
  static func generic(
    _ nonce: [UInt8], shared: [UInt8], _ parameters: DomainParameters
  ) -> [UInt8]? {
    switch parameters {
    case .curve(let curve): return OpenSSL.product(nonce, plus: shared, on: curve)
    case .modular(let group):
      guard let power = OpenSSL.modular(.power, group.generator, nonce, modulus: group.prime),
        let generator = OpenSSL.modular(.product, power, shared, modulus: group.prime)
      else { return nil }
      return isUsable(generator) ? generator : nil
    }
  }

  // MARK: Integrated

  /// Returns the generator of integrated mapping.
  ///
  /// - Parameters:
  ///   - nonce: the chip's, with as many bits as a block of ``blockSize(_:)``.
  ///   - readerNonce: the reader's, with as many bytes as a key.
  static func integrated(
    _ nonce: [UInt8], _ readerNonce: [UInt8], _ cipher: BlockCipher, _ parameters: DomainParameters
  ) -> [UInt8]? {
    switch parameters {
    case .curve(let curve):
      guard let prime = OpenSSL.numbers(of: curve)?.prime,
        let number = pseudoRandom(nonce, readerNonce, cipher, prime: prime, bits: curve.bits)
      else { return nil }
      return encodedPoint(number, on: curve)
    case .modular(let group):
      let prime = group.prime
      guard
        let number = pseudoRandom(
          nonce, readerNonce, cipher, prime: prime, bits: group.size * 8),
        let one = OpenSSL.difference(prime, [1]),
        let exponent = OpenSSL.quotient(one, group.order),
        let generator = OpenSSL.modular(.power, number, exponent, modulus: prime)
      else { return nil }
      return isUsable(generator) ? generator : nil
    }
  }

  private static func isUsable(_ generator: [UInt8]) -> Bool {
    let number = generator.significant
    return !number.isEmpty && number != [1]
  }

  /// The size of the blocks of the pseudo-random function in bytes (4.4.3.3.2).
  static func blockSize(_ cipher: BlockCipher) -> Int {
    switch cipher {
    case .tripleDES, .aes128: 16
    case .aes192, .aes256: 32
    }
  }

  /// The constants c0 and c1 of the pseudo-random function (4.4.3.3.2).
  private static let shortConstants: [[UInt8]] = [
    [
      0xA6, 0x68, 0x89, 0x2A, 0x7C, 0x41, 0xE3, 0xCA, 0x73, 0x9F, 0x40, 0xB0, 0x57, 0xD8, 0x59,
      0x04,
    ],
    [
      0xA4, 0xE1, 0x36, 0xAC, 0x72, 0x5F, 0x73, 0x8B, 0x01, 0xC1, 0xF6, 0x02, 0x17, 0xC1, 0x88,
      0xAD,
    ],
  ]
  private static let longConstants: [[UInt8]] = [
    [
      0xD4, 0x63, 0xD6, 0x52, 0x34, 0x12, 0x4E, 0xF7, 0x89, 0x70, 0x54, 0x98, 0x6D, 0xCA, 0x0A,
      0x17,
      0x4E, 0x28, 0xDF, 0x75, 0x8C, 0xBA, 0xA0, 0x3F, 0x24, 0x06, 0x16, 0x41, 0x4D, 0x5A, 0x16,
      0x76,
    ],
    [
      0x54, 0xBD, 0x72, 0x55, 0xF0, 0xAA, 0xF8, 0x31, 0xBE, 0xC3, 0x42, 0x3F, 0xCF, 0x39, 0xD6,
      0x9B,
      0x6C, 0xBF, 0x06, 0x66, 0x77, 0xD0, 0xFA, 0xAE, 0x5A, 0xAD, 0xD9, 0x9D, 0xF8, 0xE5, 0x35,
      0x17,
    ],
  ]

  /// The number of bits that are computed beyond those of the prime, so that the remainder is uniform.
  private static let surplus = 64

  /// Returns R(s, t) without the reduction.
  static func blocks(
    _ nonce: [UInt8], _ readerNonce: [UInt8], _ cipher: BlockCipher, bits: Int
  ) -> [UInt8]? {
    let size = blockSize(cipher)
    guard nonce.count == size, readerNonce.count == cipher.keySize else { return nil }
    let constants = size == 16 ? shortConstants : longConstants
    guard var block = cipher.encrypt(nonce, key: readerNonce) else { return nil }
    var result: [UInt8] = []
    while result.count * 8 < bits + surplus {
      // A block of 32 bytes has more than a key of AES-192.
      let key = Array(block.prefix(cipher.keySize))
      guard let next = cipher.encrypt(constants[0], key: key),
        let part = cipher.encrypt(constants[1], key: key)
      else { return nil }
      result += part
      block = next
    }
    return result
  }

  private static func pseudoRandom(
    _ nonce: [UInt8], _ readerNonce: [UInt8], _ cipher: BlockCipher, prime: [UInt8], bits: Int
  ) -> [UInt8]? {
    guard let blocks = blocks(nonce, readerNonce, cipher, bits: bits) else { return nil }
    return OpenSSL.modular(.remainder, blocks, modulus: prime)
  }

  /// Maps a number to a point of the curve (appendix B.2); the cofactors of all standard curves are 1.
  static func encodedPoint(_ number: [UInt8], on curve: StandardCurve) -> [UInt8]? {
    guard let numbers = OpenSSL.numbers(of: curve) else { return nil }
    let p = numbers.prime
    func operation(_ kind: OpenSSL.ModularOperation, _ a: [UInt8], _ b: [UInt8] = []) -> [UInt8]? {
      OpenSSL.modular(kind, a, b, modulus: p)
    }
    func negative(_ a: [UInt8]) -> [UInt8]? { OpenSSL.difference(p, a) }
    /// x³ + ax + b.
    func curveValue(_ x: [UInt8]) -> [UInt8]? {
      guard let square = operation(.product, x, x), let sum = operation(.sum, square, numbers.a),
        let product = operation(.product, sum, x)
      else { return nil }
      return operation(.sum, product, numbers.b)
    }
    guard let t = operation(.remainder, number), let square = operation(.product, t, t),
      let alpha = negative(square), let alphaSquare = operation(.product, alpha, alpha),
      let denominator = operation(.sum, alpha, alphaSquare),
      let inverse = operation(.inverse, denominator), let factor = operation(.sum, inverse, [1]),
      let inverseA = operation(.inverse, numbers.a), let minusB = negative(numbers.b),
      let quotient = operation(.product, minusB, inverseA),
      let x2 = operation(.product, quotient, factor), let x3 = operation(.product, alpha, x2),
      let h2 = curveValue(x2), let cube = operation(.product, square, t),
      let u = operation(.product, cube, h2),
      // (p + 1) / 4 is p / 4 rounded up, for a prime that is 3 modulo 4.
      let floor = OpenSSL.quotient(p, [4]),
      let root = OpenSSL.modular(.sum, floor, [1], modulus: p),
      let minusTwo = OpenSSL.difference(p, [1]),
      let exponent = OpenSSL.difference(minusTwo, root),
      let a = operation(.power, h2, exponent), let aSquare = operation(.product, a, a),
      let check = operation(.product, aSquare, h2)
    else { return nil }
    let isSquare = check.significant == [1]
    guard let y = operation(.product, a, isSquare ? h2 : u) else { return nil }
    let point = [0x04] + (isSquare ? x2 : x3) + y
    return OpenSSL.uncompressed(point, on: curve)
  }
}
