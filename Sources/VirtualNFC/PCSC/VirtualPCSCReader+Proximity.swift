import SwiftNFCCore

// APDUs for an ISO/IEC 14443 or FeliCa card.
extension VirtualPCSCReader {
  private static let unknownInstruction: [UInt8] = [0x6D, 0x00]
  private static let read: UInt8 = 0x30
  private static let writePage: UInt8 = 0xA2
  private static let writeBlock: UInt8 = 0xA0
  private static let toChip: UInt8 = 0xD4
  private static let fromChip: UInt8 = 0xD5

  func transmitToProximity(_ command: [UInt8]) -> [UInt8] {
    guard let card = state.withLock({ $0.slot.card }) else { return Self.noAnswer }
    guard command.first == Self.pseudoClass else {
      guard card.isSmartCard else { return Self.unknownClass }
      return overAir { $0.exchangeData(command) } ?? []
    }
    guard command.count >= 4 else { return Self.wrongLength }
    let data = Self.data(of: command)
    switch (command[1], command[2], command[3]) {
    case (0xCA, 0x00, 0x00): return card.identifier + Self.done
    case (0xCA, 0x01, 0x00) where dialect == .sonyTransparentSession && !card.pmm.isEmpty:
      return card.pmm + Self.done
    case (0xCA, 0x01, 0x00):
      guard case .smartCard(let historicalBytes, true) = card.kind else {
        return Self.notSupported
      }
      return (dialect.reportsWholeATS ? card.ats : historicalBytes) + Self.done
    case (0xC2, 0x00, let function) where dialect.hasTransparentSession:
      guard let data else { return Self.wrongLength }
      return transparent(function, data)
    case (0xFE, let mode, _) where dialect == .springCard:
      guard let data else { return Self.wrongLength }
      return encapsulated(data, mode, card)
    case (0xEF, let form, 0x00)
    where dialect == .identivPassThrough && card.isUltralight && form <= 0x01:
      guard let data else { return Self.wrongLength }
      return passedThrough(data, keepsCheck: form == 0x00)
    case (0xFB, let isSuspended, 0x00) where dialect == .springCard && isSuspended <= 0x01:
      state.withLock { $0.isTrackingSuspended = isSuspended == 0x01 }
      return Self.done
    case (0x00, 0x40...0x52, _) where dialect == .directTransmit: return peripherals(command)
    case (0x00, 0x00, 0x00) where dialect == .directTransmit:
      guard let data, data.first == Self.toChip else { return Self.wrongLength }
      return direct(Array(data.dropFirst()))
    case (0x00, 0x00, 0x00) where dialect.hasFeliCaFrames && card.standard == .feliCa:
      guard let data else { return Self.wrongLength }
      guard let answer = overAir({ $0.exchange(data) }), answer.isChecked else {
        return Self.refused
      }
      return answer.bytes + Self.done
    case (0x00, 0x00, 0x00) where dialect.hasTypeAFrames && card.isUltralight:
      guard let data else { return Self.wrongLength }
      guard let answer = overAir({ $0.exchange(data) }), answer.isChecked else {
        return Self.refused
      }
      return answer.bytes + Self.done
    case (0x42...0x4A, let first, let second)
    where dialect == .identivPassThrough && card.standard == .feliCa:
      return feliCa(command[1], first, second, data ?? [], card)
    default:
      return storage(command, data ?? [], card)
    }
  }

  /// Performs one exchange with the card, and applies the fault that is due; `nil` if there is no answer.
  private func overAir<Answer: Sendable>(_ body: (inout ProximitySlot) -> Answer?) -> Answer? {
    let effect = nextEffect()
    guard effect?.stopsFrame != true else { return nil }
    let answer = state.withLock { body(&$0.slot) }
    return effect == nil ? answer : nil
  }

  private func direct(_ command: [UInt8]) -> [UInt8] {
    let timeOut: UInt8 = 0x01
    // The reply is empty for a command that the chip does not support.
    let reply =
      overAir { $0.direct(command) ?? [] } ?? [command.first.map { $0 &+ 1 } ?? 0, timeOut]
    guard !reply.isEmpty else { return Self.unknownToChip }
    // The card has not answered an exchange by the chip (nfc-tools/libnfc issue 263).
    if command.first == Self.dataExchange, reply.count == 2, reply[1] == timeOut { return [] }
    return [Self.fromChip] + reply + Self.done
  }

  /// Commands to the parts of an ACR122U around its chip: lights, time-out, firmware version, operating parameter,
  /// and buzzer (application programming interface 2.04). They do not concern a card.
  ///
  /// The version has no status word. For lights and operating parameter, the second byte of the status word is their
  /// state (nfcpy issues 105 and 154).
  private func peripherals(_ command: [UInt8]) -> [UInt8] {
    switch command[2] {
    case 0x40: blink(command)
    case 0x48: Array("ACR122U214".utf8)
    case 0x50: [0x90, state.withLock { $0.operatingParameter }]
    case 0x51:
      state.withLock {
        $0.operatingParameter = command[3]
        return [0x90, command[3]]
      }
    case 0x41, 0x52: Self.done
    default: Self.refused
    }
  }

  /// The chip's syntax error (nfc-tools/libnfc issue 251).
  private static let unknownToChip: [UInt8] = [0x63, 0x7F]
  private static let dataExchange: UInt8 = 0x40

  /// SpringCard's ENCAPSULATE. P1 is 01 for a frame of type A and 07 for one of FeliCa. How the readers
  /// return a four-bit acknowledge is not known; here it is one byte.
  private func encapsulated(
    _ frame: [UInt8], _ mode: UInt8, _ card: ProximitySlot.Card
  ) -> [UInt8] {
    let standards: [UInt8: TransparentStandard] = [0x01: .typeA, 0x07: .feliCa]
    guard let standard = standards[mode], standard == card.standard else {
      return Self.notSupported
    }
    if card.isClassic {
      // The reader's question whether the card is still there, after which the card has forgotten any
      // protocol, unless it was told not to ask.
      state.withLock { if !$0.isTrackingSuspended { $0.slot.activate() } }
    }
    let effect = nextEffect()
    guard effect?.stopsFrame != true,
      let answer = state.withLock({ $0.slot.exchange(frame) }), effect != .answerLost
    else { return Self.mute }
    let isWhole = answer.isChecked || answer.bitsInLastByte == 4 && answer.bytes.count == 1
    return isWhole && effect != .answerBroken ? answer.bytes + Self.done : Self.wrongCheck
  }

  /// A frame of type A through Identiv's `FF EF`. The answer is the tag's own, with its check or without, and has no
  /// status word: one byte for the four bits of an acknowledge, and nothing if the tag is silent (NXP's demonstration of
  /// NTAG I2C, `NTAG_I2C_RF.cpp`).
  private func passedThrough(_ frame: [UInt8], keepsCheck: Bool) -> [UInt8] {
    let effect = nextEffect()
    guard effect?.stopsFrame != true,
      let answer = state.withLock({ $0.slot.exchange(frame) }), effect != .answerLost
    else { return [] }
    guard answer.isChecked else { return answer.bytes }
    let check = CyclicRedundancyCheck.a(answer.bytes)
    let received = effect == .answerBroken ? check.map { ~$0 } : check
    return answer.bytes + (keepsCheck ? received : [])
  }

  /// Identiv's commands for FeliCa: the counts of a read or a write are P1 and P2, and the answer has neither length nor
  /// code.
  private func feliCa(
    _ instruction: UInt8, _ services: UInt8, _ blocks: UInt8, _ data: [UInt8],
    _ card: ProximitySlot.Card
  ) -> [UInt8] {
    let lists = data.prefix(2 * Int(services))
    let parameters: [UInt8]
    switch instruction {
    case 0x42: parameters = [services] + data
    case 0x44, 0x4A: parameters = []
    case 0x46, 0x48: parameters = [services] + lists + [blocks] + data.dropFirst(lists.count)
    default: return Self.unknownInstruction
    }
    let codes: [UInt8: UInt8] = [0x42: 0x02, 0x44: 0x04, 0x46: 0x06, 0x48: 0x08, 0x4A: 0x0C]
    let body = [codes[instruction] ?? 0] + card.identifier + parameters
    let answer = overAir { $0.exchange([UInt8(truncatingIfNeeded: body.count + 1)] + body) }
    guard let answer, answer.isChecked else { return Self.refused }
    return answer.bytes.dropFirst(2) + Self.done
  }

  // MARK: Storage cards

  private func storage(
    _ command: [UInt8], _ data: [UInt8], _ card: ProximitySlot.Card
  ) -> [UInt8] {
    let number = command[3]
    switch (command[1], card.kind) {
    case (0xB0, .feliCa) where dialect == .sonyTransparentSession: return Self.notSupported
    case (0xB0, .ultralight), (0xB0, .classic):
      guard let answer = overAir({ $0.exchangeData([Self.read, number]) }) else {
        return Self.refused
      }
      // Identiv's readers return a block, or one page, whatever Le requests (uTrust 3720F, reference manual 1.00,
      // 6.2.1).
      if dialect == .identivPassThrough {
        return (card.isUltralight ? Array(answer.prefix(Self.pageSize)) : answer) + Self.done
      }
      // Returns as many bytes as Le requests, all of them for 0 (ACR122U, application programming
      // interface 2.04, 5.3).
      let length = command.count > 4 ? Int(command[4]) : 0
      return (length == 0 ? answer : Array(answer.prefix(length))) + Self.done
    case (0xD6, .ultralight) where data.count == 4:
      return overAir { $0.exchangeData([Self.writePage, number] + data) } == nil
        ? Self.refused : Self.done
    case (0xD6, .classic) where data.count == 16:
      return overAir { $0.exchangeData([Self.writeBlock, number] + data) } == nil
        ? Self.refused : Self.done
    case (0x82, .classic): return load(data, slot: number, isKept: command[2] & 0x20 != 0)
    case (0x86, .classic): return authenticate(data)
    default: return Self.unknownInstruction
    }
  }

  private static let pageSize = 4
  private static let keySize = 6

  /// The slots for keys. Identiv's readers identify a slot by the key type, those of ACS by a number; an ACR1281U
  /// keeps keys in 00 to 1F.
  private var slots: (volatile: Set<UInt8>, kept: Set<UInt8>) {
    switch dialect {
    case .identivPassThrough: ([0x60, 0x61], [])
    case .sessionKey: ([0x20], Set(0x00...0x1F))
    default: ([0x00, 0x01], [])
    }
  }

  /// Loads a key. What an ACR1281U makes of a slot that it keeps, if P1 says that the key is not to be kept, is not
  /// published: here the slot decides.
  private func load(_ key: [UInt8], slot: UInt8, isKept: Bool) -> [UInt8] {
    let slots = slots
    guard key.count == Self.keySize,
      slots.kept.contains(slot) || slots.volatile.contains(slot) && !isKept
    else { return Self.refused }
    state.withLock {
      $0.keys[slot] = key
      if slots.kept.contains(slot) { $0.hasKeptKey = true }
    }
    return Self.done
  }

  /// Authenticates with the data: version, block number in two bytes, key type, key number.
  private func authenticate(_ data: [UInt8]) -> [UInt8] {
    guard data.count == 5, data[0] == 0x01, data[1] == 0x00 else { return Self.wrongLength }
    let slot = dialect == .identivPassThrough ? data[3] : data[4]
    guard let key = state.withLock({ $0.keys[slot] }) else { return Self.refused }
    let isOpen = overAir { $0.authenticate(block: data[2], keyType: data[3], key: key) }
    return isOpen == true ? Self.done : Self.refused
  }
}
