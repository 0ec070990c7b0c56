import SwiftNFCSeededRandom
import SwiftNFCCore

/// ICODE DNA: 63 blocks of 4 bytes and a counter block, four AES keys, a signature of the UID. It proves
/// that it has a key (tag authentication, TAM1), also to a reader that proves it in turn (mutual authentication).
///
/// What an authenticated reader may do, the protection of memory, configuration and the counter's rules are not
/// modeled: only the short data sheet (SL2S6002) is public. Sources: NXP's reader library (`phalICode`, commands
/// and the order of their bytes); ISO/IEC 29167-10 for the cipher, as readers of UCODE DNA use it. It is not
/// confirmed which error code refuses a key that is not active (here 0F, which a user of an NTAG 5 saw on
/// community.nxp.com).
public struct ICODEDNA: VirtualChip, VicinityChip {
  static let model = VicinityModel(
    // This UID is one of those whose signature has been published.
    "icode-dna", uid: [0xE0, 0x04, 0x01, 0x18, 0x00, 0x9B, 0x5F, 0xEE], blockCount: 64,
    reservedBlocks: 1, features: .readMultipleBlocks,
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands, icReference: 0x01, truncatesSecurityStatus: true,
      truncatesReads: true, givesNoReasons: true, manufacturer: 0x04))
  /// What the first step of a mutual authentication leaves for the second.
  private struct MutualChallenge: Hashable, Sendable {
    let number: Int
    let key: [UInt8]
    let reader: [UInt8]
    let own: [UInt8]
  }

  /// The number of keys.
  public static let keyCount = 4
  private static let keySize = 16
  /// The key 0 of the tag that the name `icode-dna` gives: zeros. A real chip has no active key on delivery.
  static let demonstrationKey = [UInt8](repeating: 0, count: keySize)

  var model: VicinityModel { Self.model }
  var core: VicinityCore
  /// The active keys by their numbers.
  private var keys: [Int: [UInt8]]
  /// The answer to READ SIGNATURE, which is genuine for UIDs with a published signature.
  var signature: [UInt8]
  private var generator: SplitMix64
  private var mutualChallenge: MutualChallenge?
  /// The number of the key that a reader has proved in a mutual authentication since power-up.
  private(set) var authenticatedKey: Int?
  /// Fixed values that replace the next random numbers.
  var nextRandomNumbers: [[UInt8]] = []

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for one with a genuine signature.
  ///   - keys: the active keys by their numbers, 0 to 3, 16 bytes each; others are ignored.
  ///   - formatted: whether it has a capability container and an empty message; if not, it is all zero,
  ///     as on delivery.
  public init(uid: [UInt8]? = nil, keys: [Int: [UInt8]] = [:], formatted: Bool = true) {
    self.init(Self.model.core(uid: uid, formatted: formatted), keys)
  }

  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for one with a genuine signature.
  ///   - keys: the active keys by their numbers, 0 to 3, 16 bytes each; others are ignored.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(
    uid: [UInt8]? = nil, keys: [Int: [UInt8]] = [:], ndef: some TagMessage
  ) throws(VirtualTagError) {
    self.init(try Self.model.core(uid: uid, ndef: ndef), keys)
  }

  private init(_ core: VicinityCore, _ keys: [Int: [UInt8]]) {
    self.core = core
    self.keys = keys.filter {
      (0..<Self.keyCount).contains($0.key) && $0.value.count == Self.keySize
    }
    signature = ICODESignature.signature(uid: core.uid)
    generator = SplitMix64(seed: core.uid)
  }

  // MARK: VicinityChip

  mutating func execute(
    _ code: UInt8, _ parameters: [UInt8], _ flags: VicinityFlags
  ) -> VicinityAnswer {
    code == ICODECommand.readSignature && parameters.isEmpty ? .data(signature) : .unknown
  }

  // MARK: Authentication

  /// AUTHENTICATE: the suite, the method, the number of the key, and the reader's challenge, whose last
  /// byte comes first.
  private static let suite: UInt8 = 0x00
  private static let tagAuthentication: UInt8 = 0x00
  private static let mutualAuthentication: UInt8 = 0x02
  private static let secondStep: UInt8 = 0x04
  private static let challengeSize = 10
  private static let randomSize = 4
  private static let constant: [UInt8] = [0x96, 0xC5]
  private static let mutualConstant: [UInt8] = [0xDA, 0x83]
  /// Its last four bits are the purpose, of which only "none" is modeled.
  private static let secondConstant: [UInt8] = [0xDA, 0x80]
  /// A Barker code of seven bits, and the bit "done", which is set in both answers of a mutual authentication
  /// (community.nxp.com, question 749895: a chip's log, which has the flags 04 and 00, too).
  private static let barker: UInt8 = 0xA7

  mutating func executeOther(_ code: UInt8, _ parameters: [UInt8]) -> VicinityAnswer {
    guard code == VicinityCommandCode.authenticate else { return .unknown }
    let waiting = mutualChallenge
    mutualChallenge = nil
    guard parameters.count > 2, parameters[0] == Self.suite else { return .refusal(.unknown) }
    if parameters[1] == Self.mutualAuthentication | Self.secondStep {
      return waiting.map { finish($0, parameters.dropFirst(2).reversed()) } ?? .refusal(.unknown)
    }
    guard parameters.count == 3 + Self.challengeSize, let key = keys[Int(parameters[2])] else {
      return .refusal(.unknown)
    }
    let challenge = Array(parameters.dropFirst(3).reversed())
    switch parameters[1] {
    case Self.tagAuthentication:
      return .cryptographic(
        [Self.barker]
          + Self.encrypt(Self.constant + random(Self.randomSize) + challenge, key).reversed())
    case Self.mutualAuthentication:
      let own = random(Self.challengeSize)
      let clear = Self.challengeSize - Self.randomSize
      mutualChallenge = MutualChallenge(
        number: Int(parameters[2]), key: key, reader: challenge, own: own)
      let block = Self.encrypt(Self.mutualConstant + own[clear...] + challenge, key)
      return .cryptographic(
        [Self.barker] + (block + own[..<clear]).reversed(), flags: .isFinal)
    default: return .refusal(.unknown)
    }
  }

  private mutating func finish(_ waiting: MutualChallenge, _ block: [UInt8]) -> VicinityAnswer {
    let expected =
      Self.secondConstant + waiting.reader.suffix(Self.randomSize) + waiting.own
    guard block.count == Self.keySize, Self.encrypt(block, waiting.key) == expected else {
      return .refusal(.unknown)
    }
    authenticatedKey = waiting.number
    return .cryptographic([Self.barker], flags: [])
  }

  mutating func endSession() {
    mutualChallenge = nil
    authenticatedKey = nil
  }

  private static func encrypt(_ block: [UInt8], _ key: [UInt8]) -> [UInt8] {
    let cipher = DESFireCipher(kind: .aes, key: key)
    return cipher.encrypt(block, vector: cipher.zeroVector)
  }

  private mutating func random(_ count: Int) -> [UInt8] {
    nextRandomNumbers.isEmpty ? generator.bytes(count) : nextRandomNumbers.removeFirst()
  }
}

extension VirtualTag {
  /// Returns an ICODE DNA, 252 bytes, with an empty NDEF message.
  ///
  /// - Parameters:
  ///   - uid: 8 bytes, most significant first; `nil` for one with a genuine signature.
  ///   - keys: the active keys by their numbers, 0 to 3, 16 bytes each; others are ignored.
  ///   - formatted: `false` for a memory of zeros, as on delivery.
  public static func icodeDNA(
    uid: [UInt8]? = nil, keys: [Int: [UInt8]] = [:], formatted: Bool = true
  ) -> VirtualTag {
    VirtualTag(ICODEDNA(uid: uid, keys: keys, formatted: formatted))
  }

  /// Returns an ICODE DNA with an NDEF message of up to 246 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func icodeDNA(
    uid: [UInt8]? = nil, keys: [Int: [UInt8]] = [:], ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try ICODEDNA(uid: uid, keys: keys, ndef: ndef))
  }
}
