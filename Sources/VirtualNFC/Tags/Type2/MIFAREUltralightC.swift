import SwiftNFCSeededRandom
import SwiftNFCCore

/// MIFARE Ultralight C, MF0ICU2: 48 pages, the last four of which hold a triple DES key.
///
/// The chip can require authentication with that key for reading or writing from page AUTH0 on. Lock
/// bits, AUTH0, AUTH1 and the key take effect at the next REQA or WUPA. After a NAK, the chip is silent
/// until it is selected again.
///
/// Its memory consists of all 48 pages, including the key in the order in which it is written: each of
/// its halves with the last byte first.
///
/// Source: data sheet MF0ICU2 rev. 3.3. It does not specify when AUTH0 and AUTH1 take effect.
public struct MIFAREUltralightC: VirtualChip, Type2Chip {
  static let pageTotal = 48
  /// The lock bits. Counter, AUTH0, AUTH1 and the key each have one (section 7.5.3).
  static let map: LockMap =
    .static + .fourPageBlocks
    + .configuration([
      OneWayCounter.page...OneWayCounter.page, authentication0Page...authentication0Page,
      authentication1Page...authentication1Page, keyPage...(pageTotal - 1),
    ])
  /// The data area as formatted by NXP's AN1303: a lock control TLV for the lock bytes in page 28h.
  static let dataArea = Type2DataArea(
    capabilityContainer: [0xE1, 0x10, 0x12, 0x00], controlTLVs: [0x01, 0x03, 0xA0, 0x10, 0x44])

  private static let authentication0Page = 0x2A
  private static let authentication1Page = 0x2B
  private static let keyPage = 0x2C
  static let keyPages = keyPage..<pageTotal

  /// The default UID.
  static let defaultUID: [UInt8] = [0x04, 0x2D, 0x84, 0xF6, 0x53, 0x1E, 0x80]

  /// The factory configuration: AUTH0 30, so that nothing is protected, and the key of the data sheet's
  /// table 13.
  private static let factoryConfiguration: [Int: [UInt8]] = [
    authentication0Page: [0x30, 0x00, 0x00, 0x00],
    keyPage: Array("BREAKMEIFYOUCAN!".utf8),
  ]

  var activation: TypeAActivation
  var pages: [UInt8]
  var awaitedPage: Int?
  var facts: Type2Facts?
  /// The memory at the last REQA or WUPA, for the settings that take effect then.
  private var pagesInForce: [UInt8]
  private(set) var isAuthenticated = false
  /// The random number of an authentication whose second half is pending.
  private var challenge: Challenge?
  private var generator: SplitMix64
  /// A fixed value that replaces the next random number, for known answers.
  var nextRandomNumber: [UInt8]?

  private struct Challenge: Hashable {
    let randomNumber: [UInt8]
    let cryptogram: [UInt8]
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

  /// Creates a chip from a dump; `nil` unless it has 192 bytes or 176. A dump of 176 bytes is made by a
  /// reader; the key is then the factory's.
  public init?(dump: [UInt8]) {
    guard
      [Self.pageTotal * Type2Memory.pageSize, Self.keyPage * Type2Memory.pageSize].contains(
        dump.count),
      let uid = Type2Memory.uid(ofDump: dump)
    else { return nil }
    self.init(uid: uid, content: [])
    load(dump)
  }

  private init(uid: [UInt8]?, content: [UInt8]) {
    let uid = uid ?? Self.defaultUID
    activation = Self.activation(uid: uid)
    pages = Type2Memory.image(
      uid: uid, pageCount: Self.pageTotal,
      content: Self.factoryConfiguration.merging([Type2Memory.oneTimePage: content]) { $1 })
    pagesInForce = pages
    generator = SplitMix64(seed: uid)
  }

  // MARK: VirtualChip

  public var name: String { "ultralight-c" }

  // MARK: Type2Chip

  var lockMap: LockMap { Self.map }
  var lockBitsInForce: [UInt8] { pagesInForce }

  private var firstProtectedPage: Int {
    Int(pagesInForce[Self.authentication0Page * Type2Memory.pageSize])
  }

  /// Whether reading is protected. Bit 0 of AUTH1 permits reading (table 12).
  private var protectsReading: Bool {
    pagesInForce[Self.authentication1Page * Type2Memory.pageSize] & 0x01 == 0
  }

  /// The end of the readable pages: the key can never be read.
  var readEnd: Int {
    guard protectsReading, !isAuthenticated else { return Self.keyPage }
    return min(Self.keyPage, firstProtectedPage)
  }

  func acceptsWrite(to page: Int) -> Bool {
    (Type2Memory.staticLockPage..<pageCount).contains(page)
      && (isAuthenticated || page < firstProtectedPage)
      && !lockMap.isLocked(page, inForce: pagesInForce)
  }

  var frozenSettings: IrreversibleState { OneWayCounter.state(pages) }

  mutating func program(_ data: [UInt8], page: Int) -> Type2Answer {
    let offset = page * Type2Memory.pageSize
    switch page {
    case OneWayCounter.page:
      let counter = Array(pages[offset..<(offset + 2)])
      guard let sum = OneWayCounter.adding(data, to: counter, ignoresHighBits: true)
      else { return .refusal(.invalidArgument) }
      pages.replaceSubrange(offset..<(offset + 2), with: sum)
    case Self.authentication0Page, Self.authentication1Page:
      // The other bytes of these pages are reserved.
      pages[offset] = data.first ?? 0
    default:
      store(data, page: page)
    }
    return .acknowledge
  }

  mutating func activateSettings() {
    pagesInForce = pages
    isAuthenticated = false
  }

  mutating func endSession() {
    isAuthenticated = false
    challenge = nil
  }

  mutating func execute(_ command: [UInt8]) -> Type2Answer {
    if let challenge {
      self.challenge = nil
      return finishAuthentication(command, challenge)
    }
    if command == [Type2Command.authenticate, 0x00] { return beginAuthentication() }
    if command.first == Type2Command.authenticate, command.count != Self.authenticateLength {
      // A log of an ACR122U shows silence for other lengths (pokusew/nfc-pcsc issue 59).
      activation.stopResponding()
      return .silence
    }
    return executeBasic(command)
  }

  // MARK: Authentication

  /// The length of AUTHENTICATE's first part, without its CRC.
  private static let authenticateLength = 2

  /// The key in the form that the algorithm requires (section 7.5.7).
  private var key: [UInt8] {
    let stored = pagesInForce[(Self.keyPage * Type2Memory.pageSize)...]
    return stored.prefix(8).reversed() + stored.dropFirst(8).reversed()
  }

  private mutating func beginAuthentication() -> Type2Answer {
    isAuthenticated = false
    let randomNumber = nextRandomNumber ?? generator.bytes(TwoKeyTripleDES.blockSize)
    nextRandomNumber = nil
    let zero = [UInt8](repeating: 0, count: TwoKeyTripleDES.blockSize)
    guard
      let cryptogram = TwoKeyTripleDES.encrypt(randomNumber, key: key, initialValue: zero)
    else { return .refusal(.invalidArgument) }
    challenge = Challenge(randomNumber: randomNumber, cryptogram: cryptogram)
    return .data([Type2Command.authenticateContinued] + cryptogram)
  }

  /// Finishes an authentication. Each initial value is the last block that was sent over the air (section
  /// 7.5.5).
  private mutating func finishAuthentication(
    _ command: [UInt8], _ challenge: Challenge
  ) -> Type2Answer {
    let size = TwoKeyTripleDES.blockSize
    let cryptogram = Array(command.dropFirst())
    guard command.first == Type2Command.authenticateContinued, cryptogram.count == 2 * size,
      let plain = TwoKeyTripleDES.decrypt(
        cryptogram, key: key, initialValue: challenge.cryptogram),
      Array(plain.suffix(size)) == Self.rotated(challenge.randomNumber),
      let answer = TwoKeyTripleDES.encrypt(
        Self.rotated(Array(plain.prefix(size))), key: key,
        initialValue: Array(cryptogram.suffix(size)))
    else { return .refusal(.invalidArgument) }
    isAuthenticated = true
    return .data([0x00] + answer)
  }

  private static func rotated(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes.dropFirst() + bytes.prefix(1))
  }
}

extension VirtualTag {
  /// Returns a MIFARE Ultralight C (MF0ICU2), 144 bytes of user memory.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - formatted: whether it is an NFC Forum tag with an empty message; if not, it is as on delivery.
  public static func ultralightC(uid: [UInt8]? = nil, formatted: Bool = true) -> VirtualTag {
    VirtualTag(MIFAREUltralightC(uid: uid, formatted: formatted))
  }

  /// Returns a MIFARE Ultralight C (MF0ICU2) with an NDEF message of up to 137 bytes.
  ///
  /// - Throws: ``VirtualTagError/messageTooLarge(capacity:)``.
  public static func ultralightC(
    uid: [UInt8]? = nil, ndef: some TagMessage
  ) throws(VirtualTagError) -> VirtualTag {
    VirtualTag(try MIFAREUltralightC(uid: uid, ndef: ndef))
  }
}
