import SwiftNFCCore

/// The ISO/IEC 14443 or FeliCa card at a virtual PC/SC reader, and the PN532 that communicates with it.
struct ProximitySlot {
  /// The reader's information about the card.
  struct Card {
    enum Kind {
      case smartCard(historicalBytes: [UInt8], isTypeA: Bool)
      case ultralight
      case classic
      case feliCa
    }

    let kind: Kind
    let identifier: [UInt8]
    let atr: [UInt8]
    /// The answer to select of a type A card with ISO/IEC 14443-4, beginning with its length; empty for other cards.
    var ats: [UInt8] = []
    /// A FeliCa card's IC code and response times; empty for other cards.
    var pmm: [UInt8] = []

    /// The protocol of a transparent session with the card.
    var standard: TransparentStandard? {
      switch kind {
      case .ultralight, .classic: .typeA
      case .feliCa: .feliCa
      case .smartCard: nil
      }
    }

    var isUltralight: Bool {
      if case .ultralight = kind { return true }
      return false
    }

    var isClassic: Bool {
      if case .classic = kind { return true }
      return false
    }

    /// Whether ``kind`` supports ISO/IEC 14443-4.
    var isSmartCard: Bool {
      if case .smartCard = kind { return true }
      return false
    }
  }

  private(set) var card: Card?
  private var chip: PN532Chip
  private let feliCaATR: [UInt8]

  /// Creates a slot for a field.
  ///
  /// - Parameter isACR122: whether FeliCa cards are named as by that reader.
  init(_ field: VirtualField, isACR122: Bool) {
    feliCaATR =
      isACR122
      ? Self.storageATR(standard: 0x03, name: 0xF011)
      : Self.storageATR(standard: 0x11, name: 0x003B)
    chip = PN532Chip(field: field)
    chip.wake()
    // Two attempts, and not an endless search: an active card responds only to the second request
    // (ISO/IEC 14443-3, 6.4).
    chip.radio.activationRetries = 1
  }

  mutating func forget() {
    card = nil
    chip.forgetTargets()
  }

  /// Searches for a card, as a reader does automatically, and restores the state of the carrier.
  mutating func discover() {
    let wasPowered = chip.field.isPowered
    chip.field.setPower(true)
    activate()
    chip.forgetTargets()
    // A card that has been activated does not hear the next search.
    chip.field.setPower(false)
    guard wasPowered else { return }
    chip.field.setPower(true)
    activate()
  }

  // InListPassiveTarget: user manual UM0701-02, 7.3.5. Each entry is baud rate and type: type A, FeliCa
  // with Polling for any system, type B for any application.
  private static let searches: [[UInt8]] = [
    [0x4A, 0x01, 0x00], [0x4A, 0x01, 0x01, 0x00, 0xFF, 0xFF, 0x01, 0x00], [0x4A, 0x01, 0x03, 0x00],
  ]
  private static let (typeA, feliCa): (UInt8, UInt8) = (0x00, 0x01)

  /// Activates a card of any type.
  mutating func activate() {
    for search in Self.searches {
      // The reply consists of the response code, the number of targets, and the number of this one.
      guard case .reply(let reply) = chip.execute(search), reply.count > 3, reply[1] == 1 else {
        continue
      }
      let target = Array(reply[3...])
      switch search[2] {
      case Self.typeA: card = Self.typeACard(target)
      case Self.feliCa: card = feliCaCard(target)
      default: card = Self.typeBCard(target)
      }
      return
    }
    card = nil
  }

  // MARK: Kinds

  /// Parses ATQA, SAK, length of the UID, UID, ATS.
  private static func typeACard(_ target: [UInt8]) -> Card? {
    guard target.count >= 4, target.count >= 4 + Int(target[3]) else { return nil }
    let (sak, length) = (target[2], Int(target[3]))
    let uid = Array(target[4..<(4 + length)])
    let ats = Array(target[(4 + length)...].dropFirst())
    let found = ISO14443ATarget(uid: uid, atqa: [], sak: sak, ats: ats)
    guard !found.supportsISO14443Part4 else {
      return Card(
        kind: .smartCard(historicalBytes: found.historicalBytes, isTypeA: true), identifier: uid,
        atr: atr(found.historicalBytes), ats: Array(target[(4 + length)...]))
    }
    return Card(
      kind: sak == 0 ? .ultralight : .classic, identifier: uid,
      atr: storageATR(standard: 0x03, name: names[sak] ?? 0))
  }

  /// The card names by SAK (PC/SC part 3, supplemental document).
  private static let names: [UInt8: UInt16] = [
    0x00: 0x0003, 0x08: 0x0001, 0x18: 0x0002, 0x09: 0x0026,
  ]

  /// Parses length, code, IDm, PMm, system code.
  private func feliCaCard(_ target: [UInt8]) -> Card? {
    guard target.count >= 10 else { return nil }
    return Card(
      kind: .feliCa, identifier: Array(target[2..<10]), atr: feliCaATR,
      pmm: Array(target[10...].prefix(8)))
  }

  /// Parses ATQB, the length of the answer to ATTRIB, and that answer.
  private static func typeBCard(_ target: [UInt8]) -> Card? {
    guard target.count >= 12 else { return nil }
    let maximumBufferLengthIndex = target.count > 13 ? target[13] & 0xF0 : 0
    let historicalBytes = Array(target[5..<12]) + [maximumBufferLengthIndex]
    return Card(
      kind: .smartCard(historicalBytes: historicalBytes, isTypeA: false),
      identifier: Array(target[1..<5]),
      atr: atr(historicalBytes))
  }

  private static func atr(_ historicalBytes: [UInt8]) -> [UInt8] {
    let historical = Array(historicalBytes.prefix(15))
    let body = [0x80 | UInt8(historical.count), 0x80, 0x01] + historical
    return [0x3B] + body + [body.reduce(0, ^)]
  }

  /// Returns the answer to reset of a storage card (PC/SC part 3, 3.1.3.2.3).
  static func storageATR(standard: UInt8, name: UInt16) -> [UInt8] {
    atr(
      [
        0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, standard, UInt8(name >> 8),
        UInt8(name & 0xFF), 0x00, 0x00, 0x00, 0x00,
      ])
  }

  // MARK: Commands

  private static let dataExchange: [UInt8] = [0x40, 0x01]
  /// The same, and more data follows.
  private static let chainedDataExchange: [UInt8] = [0x40, 0x41]
  /// What the chip accepts with one command.
  private static let longestPart = 262
  private static let statusMask: UInt8 = 0x3F
  private static let moreInformation: UInt8 = 0x40

  /// Sends a command of the chip and returns its answer; `nil` if the chip does not accept the command.
  mutating func direct(_ command: [UInt8]) -> [UInt8]? {
    guard case .reply(let reply) = chip.execute(command) else { return nil }
    return reply
  }

  /// Sends InDataExchange to the card; `nil` if the card does not answer or refuses.
  mutating func exchangeData(_ data: [UInt8]) -> [UInt8]? {
    var rest = data[...]
    // A command with extended length fields is passed to the chip in parts.
    while rest.count > Self.longestPart {
      let part = Self.chainedDataExchange + rest.prefix(Self.longestPart)
      guard case .reply(let reply) = chip.execute(part), reply.count >= 2,
        reply[1] & Self.statusMask == 0
      else { return nil }
      rest = rest.dropFirst(Self.longestPart)
    }
    var command = Self.dataExchange + rest
    var answer: [UInt8] = []
    while case .reply(let reply) = chip.execute(command), reply.count >= 2,
      reply[1] & Self.statusMask == 0
    {
      answer += reply.dropFirst(2)
      guard reply[1] & Self.moreInformation != 0 else { return answer }
      command = Self.dataExchange
    }
    return nil
  }

  /// Performs MIFARE Classic's authentication, after which the cipher is active.
  mutating func authenticate(block: UInt8, keyType: UInt8, key: [UInt8]) -> Bool {
    guard let card else { return false }
    return exchangeData([keyType, block] + key + card.identifier.suffix(4)) != nil
  }

  /// Sends a frame of type A or FeliCa without its check bytes, and returns the answer, whether its check
  /// was right, and the number of bits in its last byte. A FeliCa frame begins with its length.
  mutating func exchange(
    _ frame: [UInt8]
  ) -> (bytes: [UInt8], isChecked: Bool, bitsInLastByte: Int)? {
    let isFeliCa = card?.standard == .feliCa
    let request =
      isFeliCa
      ? RadioFrame(
        frame + CyclicRedundancyCheck.feliCa(frame), modulation: .feliCa, bitRate: 212)
      : RadioFrame.typeA(frame)
    guard case .frame(let answer) = chip.transmit(request) else { return nil }
    guard let payload = answer.checkedPayload else {
      return (answer.bytes, false, answer.bitsInLastByte)
    }
    let length = UInt8(truncatingIfNeeded: payload.count + 1)
    return (isFeliCa ? [length] + payload : payload, true, 8)
  }
}
