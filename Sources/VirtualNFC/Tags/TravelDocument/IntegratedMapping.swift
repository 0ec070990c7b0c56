/// Integrated mapping of PACE: a generator from the two nonces (ICAO Doc 9303-11, 4.4.3.3.2 and appendix B).
struct IntegratedMapping {
  let cipher: TravelDocument.Cipher
  let group: DocumentGroup

  /// The constants of the pseudo-random function, for keys of 128 bits and for longer ones.
  private static let constants: (short: [String], long: [String]) = (
    ["A668892A7C41E3CA739F40B057D85904", "A4E136AC725F738B01C1F60217C188AD"],
    [
      "D463D65234124EF7897054986DCA0A174E28DF758CBAA03F240616414D5A1676",
      "54BD7255F0AAF831BEC3423FCF39D69B6CBF066677D0FAAE5AADD99DF8E53517",
    ]
  )

  /// The size of the chip's nonce in bytes.
  static func nonceSize(_ cipher: TravelDocument.Cipher) -> Int {
    cipher == .aes192 || cipher == .aes256 ? 32 : 16
  }

  /// Returns the generator; `nil` for nonces of other sizes.
  func generator(_ nonce: [UInt8], reader: [UInt8]) -> [UInt8]? {
    guard let number = number(nonce, reader) else { return nil }
    guard group.isCurve else {
      // To the power of the cofactor: an element of the subgroup.
      let (prime, one) = (group.prime, BigNumber(1))
      let cofactor = prime.minus(one).divided(by: group.order)
      let element = number.power(cofactor, modulo: prime)
      return element == one || element.isZero ? nil : element.bytes
    }
    return point(number)
  }

  private func number(_ nonce: [UInt8], _ reader: [UInt8]) -> BigNumber? {
    let size = Self.nonceSize(cipher)
    guard nonce.count == size, reader.count == cipher.keySize else { return nil }
    let texts = size == 16 ? Self.constants.short : Self.constants.long
    let constants = texts.map { [UInt8](hexadecimal: $0) ?? [] }
    func encrypt(_ data: [UInt8], _ key: [UInt8]) -> [UInt8] {
      let zeros = [UInt8](repeating: 0, count: cipher.blockSize)
      return BlockMode(cipher, key: Array(key.prefix(cipher.keySize))).encrypt(data, zeros)
    }
    let prime = group.prime
    // 64 bits more than the prime has, so that the remainder is nearly uniform.
    let bitsNeeded = bitCount(prime) + 64
    var key = encrypt(nonce, reader)
    var bytes: [UInt8] = []
    while 8 * bytes.count < bitsNeeded {
      bytes += encrypt(constants[1], key)
      key = encrypt(constants[0], key)
    }
    return BigNumber(bytes).remainder(prime)
  }

  private func bitCount(_ number: BigNumber) -> Int {
    let bytes = number.bytes
    return 8 * bytes.count - (bytes.first?.leadingZeroBitCount ?? 0)
  }

  /// Encodes a number as a point (appendix B.2, with affine coordinates).
  private func point(_ t: BigNumber) -> [UInt8]? {
    let (p, a, b) = group.coefficients
    let one = BigNumber(1)
    func square(_ x: BigNumber) -> BigNumber { x.times(x, modulo: p) }
    func equation(_ x: BigNumber) -> BigNumber {
      square(x).plus(a, modulo: p).times(x, modulo: p).plus(b, modulo: p)
    }
    let alpha = square(t).negated(modulo: p)
    let sum = alpha.plus(square(alpha), modulo: p).inverse(modulo: p).plus(one, modulo: p)
    let x2 = b.negated(modulo: p).times(a.inverse(modulo: p), modulo: p).times(sum, modulo: p)
    let x3 = alpha.times(x2, modulo: p)
    let h2 = equation(x2)
    let exponent = p.minus(one).minus(p.plus(one).divided(by: BigNumber(4)))
    let root = h2.power(exponent, modulo: p)
    let isSquare = square(root).times(h2, modulo: p) == one
    let u = square(t).times(t, modulo: p).times(h2, modulo: p)
    let (x, y) = isSquare ? (x2, root.times(h2, modulo: p)) : (x3, root.times(u, modulo: p))
    return [0x04] + x.bytes(group.size) + y.bytes(group.size)
  }
}
