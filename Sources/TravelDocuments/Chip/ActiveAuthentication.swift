import SwiftNFCCore

/// Active authentication (Doc 9303-11, 6.1): the chip signs a random number. One exchange.
struct ActiveAuthentication {
  /// What is known of the chip's key.
  enum Result: Hashable {
    case proven
    /// The signature is complete, and it is not one.
    case wrong
    /// Nothing is known, with the reason.
    case unknown(String)
  }

  static let challengeSize = 8
  private static let instruction: UInt8 = 0x88
  /// Shorter keys can be broken.
  private static let shortestModulus = 128

  private let key: PublicKey
  private let digest: DigestAlgorithm?

  /// - Parameters:
  ///   - file: data group 15.
  ///   - digest: the hash function for ECDSA that data group 14 names.
  /// - Returns: `nil` for a key that is not supported.
  init?(dataGroup file: [UInt8], digest: DigestAlgorithm?) {
    guard let group = try? BERObject(file), group.tag == 0x6F,
      let information = try? BERObject(group.content), let key = PublicKey(information)
    else { return nil }
    self.key = key
    self.digest = digest
  }

  /// The size of a signature in bytes.
  private var size: Int {
    switch key {
    case .rsa(_, let modulus): modulus.count
    case .curve(let curve, _): 2 * curve.size
    case .modular(let group, _): group.size
    }
  }

  /// Asks the chip.
  func run(_ channel: ChipChannel) throws -> Result {
    if case .rsa(_, let modulus) = key, modulus.count < Self.shortestModulus {
      return .unknown("the chip's key is too short to prove anything")
    }
    let challenge = try channel.link.random(Self.challengeSize)
    let longest = channel.link.maximumResponseLength
    let cipher = channel.messaging?.cipher
    func limit(_ answer: Int) -> Int {
      cipher.map { SecureMessaging.dataLimit($0, answer: answer) } ?? answer - 2
    }
    // A sequence of r and s, as some chips return it, is longer than both.
    let room = if case .curve = key { size + 9 } else { size }
    let shortRoom = limit(min(longest, 258))
    var answer: ChipChannel.Answer
    if room <= shortRoom {
      answer = try channel.send(command(challenge, expecting: shortRoom))
    } else if limit(longest) >= room {
      answer = try channel.send(command(challenge, expecting: max(room, 257)))
    } else if longest >= 258 {
      // A chip that returns the rest by GET RESPONSE needs no longer answers.
      answer = try channel.send(command(challenge, expecting: 256))
    } else {
      return .unknown("this reader does not receive an answer of \(size) bytes")
    }
    guard answer.isSuccess else {
      return .unknown("the chip refuses active authentication (\(answer.status))")
    }
    if answer.data.count < size, case .rsa = key, limit(longest) >= size, room <= shortRoom {
      answer = try channel.send(command(challenge, expecting: max(size, 257)))
    }
    return verify(answer.data, challenge: challenge)
  }

  private func command(_ challenge: [UInt8], expecting count: Int) -> APDU {
    APDU(
      instructionClass: 0, instructionCode: Self.instruction, p1: 0, p2: 0, data: challenge,
      expectedLength: count)
  }

  /// Verifies a signature.
  func verify(_ signature: [UInt8], challenge: [UInt8]) -> Result {
    switch key {
    case .rsa(let key, let modulus):
      // Some chips cut an answer that does not fit, and report success.
      guard signature.count >= modulus.count else {
        return .unknown("the chip's answer was cut off")
      }
      guard let value = signature.numberPadded(to: modulus.count),
        let recovered = OpenSSL.recoverRSA(value, key: key)
      else { return .wrong }
      return Self.isSignature(recovered, of: challenge) ? .proven : .wrong
    case .curve(let curve, let point):
      // Where nothing names the hash function, each is tried: that proves the same.
      let digests = digest.map { [$0] } ?? DigestAlgorithm.allCases
      let forms = [
        signature.count == 2 * curve.size ? signature : nil,
        SignatureAlgorithm.pair(signature, curve),
      ].compactMap(\.self)
      guard !forms.isEmpty else { return .unknown("the chip's answer is not a signature") }
      let isValid = digests.contains { digest in
        forms.contains {
          OpenSSL.verifyECDSA(
            digest: digest(challenge), signature: $0, point: point, on: curve)
        }
      }
      return isValid ? .proven : .wrong
    case .modular: return .unknown("the chip's key is of an unknown kind")
    }
  }

  /// The trailers of ISO/IEC 9796-2, 5.3.1, and the hash functions that they mean (ISO/IEC 10118-3).
  private static let trailers: [([UInt8], DigestAlgorithm)] = [
    ([0xBC], .sha1), ([0x33, 0xCC], .sha1), ([0x34, 0xCC], .sha256), ([0x35, 0xCC], .sha512),
    ([0x36, 0xCC], .sha384), ([0x38, 0xCC], .sha224),
  ]

  /// Checks 6A, a part of the message, its hash with the challenge, and the trailer (ISO/IEC 9796-2, digital signature
  /// scheme 1, partial recovery).
  static func isSignature(_ recovered: [UInt8], of challenge: [UInt8]) -> Bool {
    guard recovered.first == 0x6A,
      let (trailer, digest) = trailers.first(where: { recovered.suffix($0.0.count) == $0.0[...] })
    else { return false }
    let content = recovered.dropFirst().dropLast(trailer.count)
    guard content.count > digest.size else { return false }
    let message = Array(content.dropLast(digest.size))
    return OpenSSL.areEqual(digest(message + challenge), Array(content.suffix(digest.size)))
  }
}
