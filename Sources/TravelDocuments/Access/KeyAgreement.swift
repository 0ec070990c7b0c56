import SwiftNFCCore

/// Agreement on a secret over standard parameters, with their own or a mapped generator (Doc 9303-11, 9.6;
/// TR-03111, 4.3; PKCS #3).
struct KeyAgreement {
  let parameters: DomainParameters
  /// `nil` for the generator of the parameters.
  var generator: [UInt8]?

  init(_ parameters: DomainParameters, generator: [UInt8]? = nil) {
    self.parameters = parameters
    self.generator = generator
  }

  /// The order of the generator.
  var order: [UInt8] {
    switch parameters {
    case .curve(let curve): OpenSSL.numbers(of: curve)?.order ?? []
    case .modular(let group): group.order
    }
  }

  private var orderBits: Int {
    let bytes = order.significant
    return bytes.count * 8 - (bytes.first?.leadingZeroBitCount ?? 0)
  }

  /// The number of draws after which a generator of random numbers is broken.
  private static let drawLimit = 256

  /// Draws a private key and computes the public one.
  ///
  /// A public integer with a leading zero byte is not used: what is sent would have it, and what is hashed would not.
  func keyPair(random: (Int) throws -> [UInt8]) throws -> (private: Secret, public: [UInt8]) {
    let (order, bits) = (order, orderBits)
    for _ in 0..<Self.drawLimit {
      var number = try random((bits + 7) / 8)
      guard number.count == (bits + 7) / 8 else { break }
      if bits % 8 != 0 { number[0] &= 0xFF >> UInt8(8 - bits % 8) }
      guard number.contains(where: { $0 != 0 }), OpenSSL.difference(order, number) != nil,
        number.significant != order.significant, let key = publicKey(of: number),
        key.first != 0
      else { continue }
      return (Secret(number), key)
    }
    throw NFCError(.unsupported, "no key could be made")
  }

  func publicKey(of number: [UInt8]) -> [UInt8]? {
    switch parameters {
    case .curve(let curve): OpenSSL.product(number, of: generator, on: curve)
    case .modular(let group):
      OpenSSL.modular(.power, generator ?? group.generator, number, modulus: group.prime)
    }
  }

  /// Returns the shared point or integer; `nil` for a public key that is not one.
  func shared(_ number: [UInt8], _ publicKey: [UInt8]) -> [UInt8]? {
    switch parameters {
    case .curve(let curve): return OpenSSL.product(number, of: publicKey, on: curve)
    case .modular(let group):
      guard isElement(publicKey, of: group) else { return nil }
      return OpenSSL.modular(.power, publicKey, number, modulus: group.prime)
    }
  }

  /// Returns the shared secret: the x coordinate, or the integer (TR-03111, 4.3.1).
  func secret(_ number: [UInt8], _ publicKey: [UInt8]) -> [UInt8]? {
    guard let shared = shared(number, publicKey) else { return nil }
    switch parameters {
    case .curve(let curve): return Array(shared.dropFirst().prefix(curve.size))
    case .modular: return shared
    }
  }

  /// Returns whether a number is in the subgroup and not 1, which would make the secret known.
  private func isElement(_ number: [UInt8], of group: ModularGroup) -> Bool {
    guard let value = number.numberPadded(to: group.size), value.significant != [1],
      !value.significant.isEmpty,
      OpenSSL.difference(group.prime, value)?.significant.isEmpty == false
    else { return false }
    return OpenSSL.modular(.power, value, group.order, modulus: group.prime)?.significant == [1]
  }
}
