import SwiftNFCSeededRandom
import SwiftNFCCore

/// MIFARE Plus X or S in security level 3 or 1, or in level 0, as on delivery.
///
/// In level 0, keys and blocks are written without authentication. A commit switches the card to level 1,
/// or to level 3 if it has no level 1; the switch takes effect when the card next enters the field. In
/// level 1, it is a MIFARE Classic that can also be authenticated with an AES key, and with another one
/// that switches it to level 3. In level 3, sectors have the access conditions of a MIFARE Classic, AES
/// keys, and a MAC over each command and answer. A refused command ends the session.
///
/// Its memory consists of all blocks, followed by the keys of the sectors, A before B, 16 bytes each.
///
/// Sources: MF1PLUSx0y1 data sheet for the sectors; for the commands NXP's reader library (`phalMfp`),
/// liblogicalaccess and Proxmark3 (`mifare4.c`), whose recording of a card (`hf_mfp_mad_sl3.trace`)
/// contains authentication and reading. None of them specifies the answer of a card to a command in the
/// wrong order (here 0B, or 06 for one that requires authentication), or whether an authentication with
/// one sector's key opens another sector with the same key (here not). Of MIFARE Plus EV1, its secure
/// messaging, GetVersion and sectors with a level of their own are modeled (`phalMfpEVx`; ``hasMessagingOfEV1``). Level 2, the configuration blocks from
/// B000 on, proximity check and virtual card selection with its keys are not modeled.
public struct MIFAREPlus: VirtualChip {
  /// The members of the family.
  @nonexhaustive
  public enum Product: Hashable, Sendable, CaseIterable {
    /// MIFARE Plus X with 2 KB.
    case x2K
    /// MIFARE Plus X with 4 KB.
    case x4K
    /// MIFARE Plus S with 2 KB, without encryption on the air and without value operations.
    case s2K

    var sectorCount: Int { self == .x4K ? 40 : 32 }
    var blockCount: Int { MIFAREClassic.Product.blocks(ofSector: sectorCount - 1).upperBound }
    var isX: Bool { self != .s2K }
    /// The ATQA in transmission order (AN10833).
    var atqa: [UInt8] { [self == .x4K ? 0x42 : 0x44, 0x00] }
    /// The SAK in level 1, which is that of a Classic of 1 KB or 4 KB (AN10833).
    var sakOfLevelOne: UInt8 { self == .x4K ? 0x18 : 0x08 }
    /// The ATS, as recorded from cards.
    var ats: [UInt8] {
      [0x0C, 0x75, 0x77, 0x80, 0x02, 0xC1, 0x05, 0x2F, 0x2F]
        + (isX ? [0x01, 0xBC, 0xD6] : [0x00, 0x35, 0xC7])
    }
  }

  /// The addresses of keys that are not a sector's.
  enum KeyAddress {
    static let firstSector: UInt16 = 0x4000
    static let cardMaster: UInt16 = 0x9000
    static let cardConfiguration: UInt16 = 0x9001
    static let levelTwoSwitch: UInt16 = 0x9002
    static let levelThreeSwitch: UInt16 = 0x9003
    static let levelOneCard: UInt16 = 0x9004
    /// The keys that move sectors to level 3, and to both levels at once; only an EV1 has them.
    static let levelThreeSectorSwitch: UInt16 = 0x9006
    static let mixedSectorSwitch: UInt16 = 0x9007
    static let card = [
      cardMaster, cardConfiguration, levelTwoSwitch, levelThreeSwitch, levelOneCard,
    ]
    /// The keys that are required for a commit.
    static let needed: Set<UInt16> = [cardMaster, cardConfiguration, levelThreeSwitch]
  }

  static let keySize = 16
  /// The value of keys before they are written.
  static let factoryKey = [UInt8](repeating: 0xFF, count: keySize)
  /// The UID of a recorded card.
  static let defaultUID: [UInt8] = [0x04, 0x50, 0x5D, 0x1A, 0xB7, 0x68, 0x80]

  /// The member of the family.
  public let product: Product
  /// The security level: 0, 1 or 3.
  public private(set) var securityLevel: Int
  /// Whether level 1 exists between level 0 and level 3.
  public let hasLevelOne: Bool
  /// Whether the card is a MIFARE Plus EV1: it answers GetVersion, and has the secure messaging of EV1, too, which it
  /// uses with a reader that announces it.
  public var hasMessagingOfEV1 = false {
    didSet {
      for address in [KeyAddress.levelThreeSectorSwitch, KeyAddress.mixedSectorSwitch] {
        keys[address] = hasMessagingOfEV1 ? keys[address] ?? keys[KeyAddress.cardMaster] : nil
      }
    }
  }
  /// The levels of sectors that were moved out of level 1, and those that they have after the next power-on.
  var sectorLevels: [Int: SectorLevel] = [:]
  var nextSectorLevels: [Int: SectorLevel] = [:]
  var sectorSwitch: SectorSwitch?
  /// Whether the card, in level 1, refuses a first authentication (70) and accepts only a following one (76).
  /// Public sources show both kinds of card.
  package var requiresFollowingAuthentication = false
  /// The number of frames that GetVersion has sent while more follow.
  var sentVersionFrames = 0
  /// The security level after the next power-on.
  var nextSecurityLevel: Int
  var interface: ProximityInterface
  /// The sectors in level 1, as accessed by CRYPTO1.
  var classic: MIFAREClassic?
  /// The protocol of the last frame in level 1.
  var side = Side.neither
  var blocks: [UInt8]
  /// The keys by their addresses.
  var keys: [UInt16: [UInt8]]
  /// The keys of the card that have been written in level 0.
  var writtenKeys: Set<UInt16> = []
  var session: MIFAREPlusSession?
  var challenge: MIFAREPlusChallenge?
  /// The result of INCREMENT, DECREMENT or RESTORE, which TRANSFER writes.
  var transferBuffer: ValueBlock?
  var generator: SplitMix64
  /// Fixed values that replace the next random numbers, the challenge before the transaction identifier.
  var nextRandomNumbers: [[UInt8]] = []

  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - key: the key of every sector and of the card.
  ///   - personalized: whether it is in security level 3, or 1 if it has that; if not, it is as on
  ///     delivery.
  ///   - hasLevelOne: whether personalization leads to level 1.
  public init(
    _ product: Product = .x2K, uid: [UInt8]? = nil, key: [UInt8]? = nil, personalized: Bool = true,
    hasLevelOne: Bool = false
  ) {
    let uid = uid ?? Self.defaultUID
    self.product = product
    self.hasLevelOne = hasLevelOne
    securityLevel = !personalized ? 0 : hasLevelOne ? 1 : 3
    nextSecurityLevel = securityLevel
    interface = Self.interface(product, uid, level: securityLevel)
    blocks = [UInt8](repeating: 0, count: product.blockCount * 16)
    let key = key ?? Self.factoryKey
    keys = [:]
    for number in 0..<UInt16(2 * product.sectorCount) {
      keys[KeyAddress.firstSector + number] = key
    }
    for address in KeyAddress.card { keys[address] = key }
    generator = SplitMix64(seed: uid + key)
    // Block 0 is the maker's: UID, SAK, ATQA and further data as recorded.
    blocks.replaceSubrange(
      0..<16, with: uid + [0x08, product.atqa[0], 0x00, 0x20, 0x11, 0x10, 0x00, 0x22, 0x00])
    for sector in 0..<product.sectorCount {
      let trailer = MIFAREClassic.Product.trailer(ofSector: sector) * 16
      // The access bits are those of a Classic on delivery (data sheet, 8.6), and so are the keys of
      // CRYPTO1.
      blocks.replaceSubrange(trailer + 6..<trailer + 10, with: [0xFF, 0x07, 0x80, 0x69])
      if hasLevelOne {
        blocks.replaceSubrange(trailer..<trailer + 6, with: Self.factoryKey.prefix(6))
        blocks.replaceSubrange(trailer + 10..<trailer + 16, with: Self.factoryKey.prefix(6))
      } else {
        // Plain communication is allowed.
        blocks[trailer + 5] = Self.plainCommunication
      }
    }
    if securityLevel == 1 { classic = makeClassic() }
  }

  static let plainCommunication: UInt8 = 0x0F

  /// Returns the interface of the card. In level 1, SAK is that of a Classic (AN10833).
  private static func interface(
    _ product: Product, _ uid: [UInt8], level: Int
  ) -> ProximityInterface {
    ProximityInterface(
      typeA: uid, atqa: product.atqa, sak: level == 1 ? product.sakOfLevelOne : 0x20,
      ats: product.ats)
  }

  // MARK: VirtualChip

  public var name: String {
    switch product {
    case .x2K where hasLevelOne: "mifare-plus-sl1"
    case .x2K: "mifare-plus"
    case .x4K where hasLevelOne: "mifare-plus-4k-sl1"
    case .x4K: "mifare-plus-4k"
    case .s2K: "mifare-plus-s"
    }
  }

  public var identifier: [UInt8] { interface.identifier }
  public var modulation: RadioFrame.Modulation { interface.modulation }

  private var sectorKeyAddresses: Range<UInt16> {
    KeyAddress.firstSector..<KeyAddress.firstSector + UInt16(2 * product.sectorCount)
  }

  public var memory: [UInt8] {
    get { blocks + sectorKeyAddresses.flatMap { keys[$0] ?? Self.factoryKey } }
    set {
      // Block 0 does not change, because the card answers with its content.
      for (index, byte) in newValue.prefix(blocks.count).enumerated() where index >= 16 {
        blocks[index] = byte
      }
      for (index, address) in sectorKeyAddresses.enumerated() {
        let key = newValue.dropFirst(blocks.count + index * Self.keySize).prefix(Self.keySize)
        if key.count == Self.keySize { keys[address] = Array(key) }
      }
      classic?.memory = blocks
    }
  }

  /// Access bits that no key can change, and the security level, which can only increase.
  public var irreversibleState: IrreversibleState {
    var state = IrreversibleState()
    for sector in 0..<product.sectorCount {
      let trailer = block(MIFAREClassic.Product.trailer(ofSector: sector))
      if AccessConditions(trailer: trailer)?.canChangeAccessBits != true {
        state.add(.accessBits, place: sector)
      }
    }
    if nextSecurityLevel > 0 { state.add(.configurationLock, place: nextSecurityLevel) }
    for (sector, level) in nextSectorLevels {
      state.add(.configurationLock, place: Self.placeOfSectors * level.rawValue + sector)
    }
    return state
  }

  /// Distinguishes the levels of sectors from those of the card.
  private static let placeOfSectors = 100

  public mutating func powerOn() {
    enterNextSectorLevels()
    if securityLevel != nextSecurityLevel { enterNextLevel() }
    interface.powerOn()
    classic?.powerOn()
    side = .neither
    reset()
  }

  private mutating func enterNextLevel() {
    securityLevel = nextSecurityLevel
    interface = Self.interface(product, identifier, level: securityLevel)
    classic = securityLevel == 1 ? makeClassic() : nil
    if securityLevel == 3, hasLevelOne { replaceClassicKeys() }
  }

  public mutating func powerOff() {
    interface.powerOff()
    classic?.powerOff()
    side = .neither
    reset()
  }

  public mutating func carrierHasLasted(_ time: Duration) { classic?.carrierHasLasted(time) }

  mutating func reset() {
    session = nil
    challenge = nil
    sectorSwitch = nil
    transferBuffer = nil
    sentVersionFrames = 0
  }

  public mutating func receive(_ frame: RadioFrame) -> RadioFrame? {
    if classic != nil, side != .blocks { return receiveAtLevelOne(frame) }
    let wasActivated = interface.isActivated
    switch interface.receive(frame) {
    case .handled(let answer):
      if wasActivated, !interface.isActivated { reset() }
      if !interface.isActivated { side = .neither }
      return answer
    case .command(let command):
      return interface.respond(process(command))
    }
  }

  func block(_ number: Int) -> [UInt8] {
    Array(blocks[number * 16..<number * 16 + 16])
  }

  mutating func random(_ count: Int) -> [UInt8] {
    guard let next = nextRandomNumbers.first, next.count == count else {
      return generator.bytes(count)
    }
    nextRandomNumbers.removeFirst()
    return next
  }
}

extension VirtualTag {
  /// Returns a MIFARE Plus, whose keys are all FF; by default a Plus X with 2 KB in security level 3.
  ///
  /// - Parameters:
  ///   - uid: 7 bytes; `nil` for the chip's own.
  ///   - personalized: whether it is in security level 3, or 1 if it has that; if not, it is as on
  ///     delivery.
  ///   - hasLevelOne: whether personalization leads to level 1.
  public static func miFarePlus(
    _ product: MIFAREPlus.Product = .x2K, uid: [UInt8]? = nil, personalized: Bool = true,
    hasLevelOne: Bool = false
  ) -> VirtualTag {
    VirtualTag(
      MIFAREPlus(product, uid: uid, personalized: personalized, hasLevelOne: hasLevelOne))
  }
}
