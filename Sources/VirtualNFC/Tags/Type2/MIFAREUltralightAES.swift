import SwiftNFCSeededRandom
import SwiftNFCCore

/// MIFARE Ultralight AES, MF0AES20: 60 pages, two AES keys and three counters.
///
/// The chip can require authentication with the first key, DataProtKey, for reading or writing from page
/// AUTH0 on. With SEC_MSG_ACT, every command and answer after an authentication has a MAC. With RID_ACT,
/// the chip shows a random UID of four bytes, and its real UID only after authentication with the second
/// key, UIDRetrKey.
///
/// Its memory consists of all pages, including the real keys, each with its last byte first; counters and
/// signature are stored separately.
///
/// Sources: Unleashed Firmware (tests on a real chip against Proxmark3; issue 1081 for the limit of wrong
/// keys), StuStaPay, libpretixnfc and traces of Proxmark3, all of which cite data sheet MF0AES(H)20. A real
/// chip is silent to a command without a MAC in a secure session; here to one with a wrong MAC, too. None of
/// them specifies when new keys and settings take effect (here at the next REQA or WUPA), what freezes the
/// lock bits of page 28h (here as in Ultralight EV1), which NAK answers a wrong key (here 0, and 4 once no
/// key is accepted any more), or whether reserved pages can be written (here not).
public struct MIFAREUltralightAES: VirtualChip, Type2Chip {
  static let pageTotal = 60
  static let map: LockMap =
    .static + .dynamic(page: lockPage, granularity: 2, last: lockPage - 1)
  static let dataArea = Type2DataArea(
    capabilityContainer: [0xE1, 0x10, 0x12, 0x00], controlTLVs: [0x01, 0x03, 0xA0, 0x0C, 0x34])
  /// The answer to GET_VERSION of the 17 pF version.
  static let version: [UInt8] = [0x00, 0x04, 0x03, 0x01, 0x04, 0x00, 0x0F, 0x03]

  private static let lockPage = 0x28
  /// RID_ACT and SEC_MSG_ACT in byte 0, AUTH0 in byte 3.
  private static let securityPage = 0x29
  /// PROT, CFGLCK and the rights to counter 2 in byte 0, VCTID, and AUTH_LIM in 10 bits.
  private static let accessPage = 0x2A
  private static let keyLockPage = 0x2D
  static let keyPages = 0x30..<0x38
  private static let pagesPerKey = 4
  private static let writablePages: [ClosedRange<Int>] = [
    Type2Memory.staticLockPage...accessPage, keyLockPage...keyLockPage,
    keyPages.lowerBound...keyPages.upperBound - 1,
  ]

  private enum Security {
    static let randomIdentifier: UInt8 = 0x01
    static let secureMessaging: UInt8 = 0x02
  }

  private enum Access {
    static let protectsReading: UInt8 = 0x80
    static let isLocked: UInt8 = 0x40
    static let counterIncrements: UInt8 = 0x08
    static let counterReads: UInt8 = 0x04
  }

  /// The lock bits in the first byte of page 2Dh: for the second key, the first key, and these bits.
  private enum KeyLock {
    static let keys: [UInt8] = [0x40, 0x80]
    static let frozen: UInt8 = 0x20
    static let all: UInt8 = 0xE0
  }

  /// The UID of a real chip, whose signature is published.
  static let defaultUID: [UInt8] = [0x04, 0x3F, 0x88, 0xC2, 0x45, 0x13, 0x90]
  private static let factoryConfiguration: [Int: [UInt8]] = [
    securityPage: [0x00, 0x00, 0x00, 0x3C], accessPage: [0x8C, 0x05, 0x00, 0x00],
  ]

  /// The answer to READ_SIG: r and s of NXP's signature of the UID, 24 bytes each. It is genuine for the
  /// default UID and wrong for any other.
  public var signature: [UInt8]
  /// The three counters, 24 bits each. They are kept without power.
  public internal(set) var counters: [UInt32] = [0, 0, 0]
  /// The count of wrong keys, from which a right one takes 16 away. It is kept without power. A wrong key when the
  /// count has reached the limit closes the chip.
  public internal(set) var failedAttempts = 0

  var activation: TypeAActivation
  var pages: [UInt8]
  var awaitedPage: Int?
  var facts: Type2Facts?
  /// The real UID, which may differ from the one that the chip shows.
  private let uid: [UInt8]
  /// The memory at the last REQA or WUPA, for keys and settings that take effect then.
  private var pagesInForce: [UInt8]
  private var challenge: Challenge?
  /// The key that the reader has authenticated with.
  private var provedKey: Int?
  private var messaging: UltralightAESSession?
  private var generator: SplitMix64
  /// A fixed value that replaces the next random number, for known answers.
  var nextRandomNumber: [UInt8]?

  private struct Challenge: Hashable {
    let key: Int
    let randomNumber: [UInt8]
  }

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery.
  public init(uid: [UInt8]? = nil, formatted: Bool = true) {
    self.init(uid: uid, content: formatted ? Self.dataArea.emptyContent : [])
  }

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - ndef: the message, or its bytes.
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public init(uid: [UInt8]? = nil, ndef: some TagMessage) throws(VirtualTagError) {
    self.init(uid: uid, content: try Self.dataArea.content(message: ndef.encodedMessage))
  }

  /// Creates a chip from a dump; `nil` unless the dump has 240 bytes. A dump made by a reader has zeros
  /// in place of the keys; the chip then has keys of zeros.
  public init?(dump: [UInt8]) {
    guard dump.count == Self.pageTotal * Type2Memory.pageSize,
      let uid = Type2Memory.uid(ofDump: dump)
    else { return nil }
    self.init(uid: uid, content: [])
    load(dump)
  }

  private init(uid: [UInt8]?, content: [UInt8]) {
    let uid = uid ?? Self.defaultUID
    self.uid = uid
    activation = Self.activation(uid: uid)
    signature = OriginalitySignature.longSignature(uid: uid)
    pages = Type2Memory.image(
      uid: uid, pageCount: Self.pageTotal,
      content: Self.factoryConfiguration.merging([Type2Memory.oneTimePage: content]) { $1 })
    pagesInForce = pages
    generator = SplitMix64(seed: uid)
  }

  // MARK: VirtualChip

  public var name: String { "ultralight-aes" }
  public var identifier: [UInt8] { uid }

  public mutating func powerOn() {
    // A random UID is drawn when the field is switched on, and begins with 08 (ISO/IEC 14443-3, 6.4.4).
    if setting(Self.securityPage, 0) & Security.randomIdentifier != 0 {
      activation = TypeAActivation(
        uid: [0x08] + generator.bytes(3), atqa: [0x04, 0x00], sak: activation.sak)
    } else {
      activation = Self.activation(uid: uid)
    }
    activation.powerOn()
    activateSettings()
  }

  // MARK: Type2Chip

  var lockMap: LockMap { Self.map }

  private func setting(_ page: Int, _ byte: Int, inForce: Bool = false) -> UInt8 {
    (inForce ? pagesInForce : pages)[page * Type2Memory.pageSize + byte]
  }

  private var firstProtectedPage: Int { Int(setting(Self.securityPage, 3, inForce: true)) }
  private var access: UInt8 { setting(Self.accessPage, 0, inForce: true) }
  private var isOpen: Bool { provedKey == 0 }
  private var attemptLimit: Int {
    Int(setting(Self.accessPage, 2, inForce: true))
      | Int(setting(Self.accessPage, 3, inForce: true) & 0x03) << 8
  }

  var readEnd: Int {
    guard access & Access.protectsReading != 0, !isOpen else { return pageCount }
    return min(pageCount, firstProtectedPage)
  }

  /// The memory without the keys, and without a UID that is hidden.
  var readableImage: [UInt8] {
    var image = pages
    let keys = Self.keyPages
    for index in keys.lowerBound * Type2Memory.pageSize..<keys.upperBound * Type2Memory.pageSize {
      image[index] = 0
    }
    if activation.uid != uid, provedKey != 1 {
      for index in 0..<Type2Memory.identityLength { image[index] = 0 }
    }
    return image
  }

  func acceptsWrite(to page: Int) -> Bool {
    guard Self.writablePages.contains(where: { $0.contains(page) }),
      isOpen || page < firstProtectedPage, !lockMap.isLocked(page, inForce: pages)
    else { return false }
    switch page {
    case Self.securityPage, Self.accessPage:
      return setting(Self.accessPage, 0) & Access.isLocked == 0
    case Self.keyPages:
      let key = (page - Self.keyPages.lowerBound) / Self.pagesPerKey
      return setting(Self.keyLockPage, 0) & KeyLock.keys[key] == 0
    default: return true
    }
  }

  var frozenSettings: IrreversibleState {
    var state = IrreversibleState()
    for (number, value) in counters.enumerated() {
      state.add(.counter, place: number, bits: UInt64(value))
    }
    if setting(Self.accessPage, 0) & Access.isLocked != 0 {
      state.add(.configurationLock, place: Self.accessPage)
    }
    state.add(
      .configurationLock, place: Self.keyLockPage,
      bits: UInt64(setting(Self.keyLockPage, 0) & KeyLock.all))
    if isClosed { state.add(.lockout) }
    return state
  }

  mutating func program(_ data: [UInt8], page: Int) -> Type2Answer {
    guard page == Self.keyLockPage else {
      store(data, page: page)
      return .acknowledge
    }
    // Bits that can only be set, and only until bit 5 is set.
    let offset = page * Type2Memory.pageSize
    let settable = pages[offset] & KeyLock.frozen == 0 ? KeyLock.all : 0
    pages[offset] |= (data.first ?? 0) & settable
    return .acknowledge
  }

  mutating func activateSettings() {
    pagesInForce = pages
    endSession()
  }

  mutating func endSession() {
    challenge = nil
    provedKey = nil
    messaging = nil
  }

  // MARK: Commands

  mutating func execute(_ command: [UInt8]) -> Type2Answer {
    if let challenge {
      self.challenge = nil
      return finishAuthentication(command, challenge)
    }
    if command.first == Type2Command.authenticate { return beginAuthentication(command) }
    guard var session = messaging else { return executePlainly(command) }
    guard let plain = session.unwrap(command) else {
      activation.stopResponding()
      return .silence
    }
    guard plain.first != Type2Command.compatibilityWrite else {
      return .refusal(.invalidArgument)
    }
    let answer = executePlainly(plain)
    defer { if messaging != nil { messaging = session } }
    switch answer {
    case .data(let bytes): return .data(session.wrap(bytes))
    case .acknowledge: return .data(session.wrap([]))
    case .refusal, .silence: return answer
    }
  }

  /// A command with a MAC is reported on after its MAC was verified.
  var reportsBeforeExecution: Bool { messaging == nil && challenge == nil }

  private mutating func executePlainly(_ command: [UInt8]) -> Type2Answer {
    if let answer = report(on: command) { return answer }
    switch (command.first, command.count) {
    case (Type2Command.getVersion, 1): return .data(Self.version)
    case (Type2Command.fastRead, _): return fastRead(command)
    case (Type2Command.readSignature, 2) where command[1] == 0: return .data(signature)
    case (Type2Command.readCounter, 2) where grants(Access.counterReads, counter: command[1]):
      let value = counters[Int(command[1])]
      return .data((0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    case (Type2Command.incrementCounter, 6)
    where grants(Access.counterIncrements, counter: command[1]):
      return increment(command)
    case (Type2Command.virtualCardSelectLast, Type2Command.virtualCardSelectLastSize):
      return .data([setting(Self.accessPage, 1)])
    default: return executeBasic(command)
    }
  }

  // MARK: Counters

  private static let counterEnd: UInt32 = 0xFF_FFFF
  /// The counter whose use can require a key.
  private static let guardedCounter: UInt8 = 2

  private func grants(_ right: UInt8, counter: UInt8) -> Bool {
    counters.indices.contains(Int(counter))
      && (counter != Self.guardedCounter || access & right != 0 || isOpen)
  }

  private mutating func increment(_ command: [UInt8]) -> Type2Answer {
    let value = counters[Int(command[1])]
    let increment = UInt32(command[2]) | UInt32(command[3]) << 8 | UInt32(command[4]) << 16
    guard value + increment <= Self.counterEnd else { return .refusal(.counterOverflow) }
    counters[Int(command[1])] = value + increment
    return .acknowledge
  }

  // MARK: Authentication

  private static let keySize = 16
  /// What a right key takes away from the count of wrong ones.
  private static let attemptsPerRightKey = 0x10

  /// Returns a key in the form that the algorithm requires.
  private func cipher(_ key: Int) -> DESFireCipher {
    let first = Self.keyPages.lowerBound * Type2Memory.pageSize + key * Self.keySize
    return DESFireCipher(
      kind: .aes, key: pagesInForce[first..<first + Self.keySize].reversed())
  }

  private var isClosed: Bool { attemptLimit != 0 && failedAttempts > attemptLimit }

  private mutating func beginAuthentication(_ command: [UInt8]) -> Type2Answer {
    provedKey = nil
    messaging = nil
    guard command.count == 2, command[1] < UInt8(KeyLock.keys.count) else {
      return .refusal(.invalidArgument)
    }
    guard !isClosed else { return .refusal(.counterOverflow) }
    let key = Int(command[1])
    let randomNumber = nextRandomNumber ?? generator.bytes(Self.keySize)
    nextRandomNumber = nil
    challenge = Challenge(key: key, randomNumber: randomNumber)
    let cipher = cipher(key)
    return .data(
      [Type2Command.authenticateContinued]
        + cipher.encrypt(randomNumber, vector: cipher.zeroVector))
  }

  private mutating func finishAuthentication(
    _ command: [UInt8], _ challenge: Challenge
  ) -> Type2Answer {
    let cryptogram = Array(command.dropFirst())
    guard command.first == Type2Command.authenticateContinued,
      cryptogram.count == 2 * Self.keySize
    else { return .refusal(.invalidArgument) }
    let cipher = cipher(challenge.key)
    let plain = cipher.decrypt(cryptogram, vector: cipher.zeroVector)
    let reader = Array(plain.prefix(Self.keySize))
    guard Array(plain.suffix(Self.keySize)) == Self.rotated(challenge.randomNumber) else {
      failedAttempts += 1
      return .refusal(isClosed ? .counterOverflow : .invalidArgument)
    }
    failedAttempts = max(0, failedAttempts - Self.attemptsPerRightKey)
    provedKey = challenge.key
    if setting(Self.securityPage, 0, inForce: true) & Security.secureMessaging != 0 {
      messaging = UltralightAESSession(
        cipher, reader: reader, card: challenge.randomNumber)
    }
    return .data([0x00] + cipher.encrypt(Self.rotated(reader), vector: cipher.zeroVector))
  }

  private static func rotated(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.dropFirst() + bytes.prefix(1))
  }
}

/// The MACs of one session: eight bytes over a counter and the command or answer. The counter increases
/// by one for each.
struct UltralightAESSession: Hashable, Sendable {
  private static let codeSize = 8
  /// The label, a counter, and the length of the derived key in bits.
  private static let derivation: [UInt8] = [0x5A, 0xA5, 0x00, 0x01, 0x00, 0x80]

  private let cipher: DESFireCipher
  private var counter: UInt16 = 0

  init(_ key: DESFireCipher, reader: [UInt8], card: [UInt8]) {
    let mixed = zip(reader[2..<8], card[0..<6]).map { $0 ^ $1 }
    let input = Self.derivation + reader[0..<2] + mixed + card[6..<16] + reader[8..<16]
    cipher = DESFireCipher(
      kind: .aes, key: key.authenticationCode(input, vector: key.zeroVector))
  }

  private mutating func code(_ bytes: [UInt8]) -> [UInt8] {
    let head = [UInt8(truncatingIfNeeded: counter), UInt8(truncatingIfNeeded: counter >> 8)]
    counter &+= 1
    let code = cipher.authenticationCode(head + bytes, vector: cipher.zeroVector)
    return stride(from: 1, to: code.count, by: 2).map { code[$0] }
  }

  /// Returns an answer with its MAC.
  mutating func wrap(_ answer: [UInt8]) -> [UInt8] { answer + code(answer) }

  /// Returns a command without its MAC; `nil` if the MAC is wrong.
  mutating func unwrap(_ command: [UInt8]) -> [UInt8]? {
    guard command.count > Self.codeSize else { return nil }
    let plain = Array(command.dropLast(Self.codeSize))
    return Array(command.suffix(Self.codeSize)) == code(plain) ? plain : nil
  }
}

extension VirtualTag {
  /// Returns a MIFARE Ultralight AES (MF0AES20), 144 bytes of user memory.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery.
  public static func ultralightAES(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(MIFAREUltralightAES(uid: uid, formatted: formatted))
  }

  /// Returns a MIFARE Ultralight AES (MF0AES20) with an NDEF message of up to 137 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ultralightAES(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREUltralightAES(uid: uid, ndef: ndef))
  }
}
