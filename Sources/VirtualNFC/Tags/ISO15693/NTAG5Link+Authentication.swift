import SwiftNFCCore
import SwiftNFCSeededRandom

/// What the first step of a mutual authentication leaves for the second.
struct NTAG5MutualChallenge: Hashable, Sendable {
  let number: Int
  let key: [UInt8]
  let reader: [UInt8]
  let own: [UInt8]
}

/// AUTHENTICATE of an NTAG 5 with AES keys: the tag authentication, and the mutual one with its purposes (data sheet
/// NTP53x2 rev. 3.3, 8.2.3.4.4; ISO/IEC 29167-10).
extension NTAG5Link {
  /// The last four bits of C_MAM2 (table 164).
  private enum Purpose {
    static let authentication: UInt8 = 0x0
    static let suspendPrivacy: UInt8 = 0x8
    static let enablePrivacy: UInt8 = 0x9
    static let disablePrivacy: UInt8 = 0xA
    static let destroy: UInt8 = 0xB
  }

  /// The first byte of a message: method and step (tables 159, 161 and 163).
  private enum Method {
    static let tag: UInt8 = 0x00
    static let mutual: UInt8 = 0x02
    static let mutualEnd: UInt8 = 0x06
  }

  private static let challengeSize = 10
  private static let randomSize = 4
  /// A Barker code of seven bits, and the bit "done", which every answer has (table 157).
  private static let barker: UInt8 = 0xA7
  /// From the first value on, only a mutual authentication is accepted; at the second, none (8.1.3.6).
  private static let (lastLimit, endOfLimit) = (0xFF00, 0xFFFF)

  mutating func executeOther(_ code: UInt8, _ parameters: [UInt8]) -> VicinityAnswer {
    guard code == VicinityCommandCode.authenticate, loaded.usesKeys else { return .unknown }
    let waiting = mutualChallenge
    mutualChallenge = nil
    // A new authentication ends the previous one (8.2.2.4.1).
    authenticatedKey = nil
    guard parameters.count > 2, parameters[0] == 0x00 else { return .refusal(.unknown) }
    if parameters[1] == Method.mutualEnd {
      return waiting.map { finish($0, parameters.dropFirst(2).reversed()) } ?? .refusal(.unknown)
    }
    let method = parameters[1]
    guard parameters.count == 3 + Self.challengeSize,
      method == Method.tag || method == Method.mutual, count(method),
      let key = activeKey(Int(parameters[2]))
    else { return .refusal(.unknown) }
    let challenge = Array(parameters.dropFirst(3).reversed())
    return method == Method.tag
      ? prove(key, challenge) : begin(key, Int(parameters[2]), challenge)
  }

  private func activeKey(_ number: Int) -> [UInt8]? {
    guard number < NTAG5ConfigurationMemory.keyCount,
      loaded.keyHeader(number) == NTAG5ConfigurationMemory.locked
    else { return nil }
    return loaded.key(number)
  }

  /// Counts a first step, and returns whether the limit permits it.
  private mutating func count(_ method: UInt8) -> Bool {
    let value = configuration.authenticationLimit
    guard value & 0x8000 != 0 else { return true }
    guard value < Self.endOfLimit else { return false }
    configuration.authenticationLimit = value + 1
    return value < Self.lastLimit || method == Method.mutual
  }

  private mutating func prove(_ key: [UInt8], _ challenge: [UInt8]) -> VicinityAnswer {
    let block = [0x96, 0xC5] + random(Self.randomSize) + challenge
    return .cryptographic([Self.barker] + Self.encrypt(block, key).reversed())
  }

  private mutating func begin(
    _ key: [UInt8], _ number: Int, _ challenge: [UInt8]
  ) -> VicinityAnswer {
    let own = random(Self.challengeSize)
    let clear = Self.challengeSize - Self.randomSize
    mutualChallenge = NTAG5MutualChallenge(number: number, key: key, reader: challenge, own: own)
    let block = Self.encrypt([0xDA, 0x83] + own[clear...] + challenge, key)
    return .cryptographic([Self.barker] + (block + own[..<clear]).reversed())
  }

  private mutating func finish(_ waiting: NTAG5MutualChallenge, _ block: [UInt8]) -> VicinityAnswer
  {
    guard block.count == 16 else { return .refusal(.unknown) }
    let plain = Self.encrypt(block, waiting.key)
    let purpose = plain[1] & 0x0F
    let expected =
      [0xDA, 0x80 | purpose] + waiting.reader.suffix(Self.randomSize) + waiting.own
    guard plain == expected, perform(purpose, loaded.privileges(waiting.number)) else {
      return .refusal(.unknown)
    }
    authenticatedKey = waiting.number
    core.state = .selected
    return .cryptographic([Self.barker])
  }

  /// Carries out a purpose; `false` if it is none, or if the key has not its privilege.
  private mutating func perform(_ purpose: UInt8, _ privileges: UInt8) -> Bool {
    switch purpose {
    case Purpose.authentication: return true
    case Purpose.destroy:
      guard privileges & Privilege.destroy != 0 else { return false }
      security.destroy()
      return true
    case Purpose.suspendPrivacy, Purpose.enablePrivacy, Purpose.disablePrivacy:
      guard privileges & Privilege.privacy != 0 else { return false }
      if purpose != Purpose.suspendPrivacy { security.isPrivate = purpose == Purpose.enablePrivacy }
      isPrivacySuspended = purpose == Purpose.suspendPrivacy
      hide()
      return true
    default: return false
    }
  }

  private static func encrypt(_ block: [UInt8], _ key: [UInt8]) -> [UInt8] {
    let cipher = DESFireCipher(kind: .aes, key: key)
    return cipher.encrypt(block, vector: cipher.zeroVector)
  }

  private mutating func random(_ count: Int) -> [UInt8] {
    nextRandomNumbers.isEmpty ? generator.bytes(count) : nextRandomNumbers.removeFirst()
  }
}
