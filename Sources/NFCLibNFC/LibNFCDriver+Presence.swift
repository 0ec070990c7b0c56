import CSwiftNFCLibNFC
import SwiftNFCCore

// MARK: Is the tag still there?

extension LibNFCDriver {
  /// READ of page 0, which every Ultralight and NTAG allows (NTAG21x data sheet, 10.2).
  private static let readFirstPage: [UInt8] = [Type2Code.read, 0x00]
  /// READ of a block of MIFARE Classic (MF1S50 data sheet, 10.3).
  private static let readBlock: UInt8 = 0x30
  /// READ's answer: four pages, or a block.
  private static let readLength = 16

  package func isPresent(_ target: Target) throws -> Bool {
    if let card = protocolCard, card.isSame(as: target) {
      return try answersAsCard(target)
    }
    if case .feliCa(let card) = target { return try isPresent(card) }
    guard let active, active.isSame(as: target) else { return try isAwake(target) }
    switch target {
    case .iso14443a(let tag) where tag.sak == 0: return try answersAsUltralight(target)
    case .iso14443a where authenticatedBlock != nil: return try answersAuthenticated(target)
    case .iso14443b2sr(let uid):
      return try answersUID(uid) ? true : isAwake(target)
    default:
      // Their searches find a tag again that is awake, and lose nothing in it; a Classic without an authentication has
      // none.
      self.active = nil
      return try isAwake(target)
    }
  }

  /// Wakes a tag. The carrier is not switched off, except for a card of type B, which a PN53x cannot wake otherwise.
  private func isAwake(_ target: Target) throws -> Bool {
    guard case .iso14443b = target else {
      return try wake(target)
    }
    do {
      try select(target)
      return true
    } catch let error as NFCError where error.code == .tagConnectionLost {
      return false
    }
  }

  // MARK: ISO/IEC 14443-4

  /// R(NAK) with block number 0, without CID, and with the CID 1 that the chip gives to cards of type B.
  private static let (negativeAcknowledge, negativeAcknowledgeWithCID): ([UInt8], [UInt8]) =
    ([0xB2], [0xBA, 0x01])
  /// S(DESELECT), likewise (ISO/IEC 14443-4, 8).
  private static let (deselect, deselectWithCID): ([UInt8], [UInt8]) = ([0xC2], [0xCA, 0x01])

  /// Asks a card of ISO/IEC 14443-4 for the block that it has sent last (R(NAK): ISO/IEC 14443-4, 7.5.4.3, rule
  /// 12), which changes nothing in it. The chip need not know the card any more.
  private func answersAsCard(_ target: Target) throws -> Bool {
    do {
      let answer = try call {
        try enterFrames(of: target)
        _ = try settings.allow(target.frameWaitingTime)
        let question =
          target.technology == .iso14443b
          ? Self.negativeAcknowledgeWithCID : Self.negativeAcknowledge
        return try self.answer(to: question) ?? self.answer(to: question)
      }
      guard answer == nil else { return true }
      (active, protocolCard) = (nil, nil)
      return false
    } catch let failure as LibNFC.Failure {
      (active, protocolCard) = (nil, nil)
      framing = nil
      if failure.code == LibNFC.Failure.aborted { throw endedEarly(failure, "checking for a tag") }
      throw readerError(failure, "checking for a tag")
    }
  }

  /// Sets up the chip for the frames of a card that it may not know any more.
  private func enterFrames(of target: Target) throws(LibNFC.Failure) {
    let isActive = active?.isSame(as: target) ?? false
    try jewel.restore()
    try device.set(NP_EASY_FRAMING, false)
    framing = nil
    guard !isActive else { return }
    if target.technology == .iso14443b {
      try settings.enterTypeB()
    } else {
      try settings.enterTypeA()
    }
  }

  /// Ends the protocol of a card before a search of its technology: it would not answer it.
  func releaseCard(before type: nfc_modulation_type) throws {
    guard let card = protocolCard,
      type == (card.technology == .iso14443b ? NMT_ISO14443B : NMT_ISO14443A)
    else { return }
    // The chip may know another target by now.
    guard !(active?.isSame(as: card) ?? false) else { return try deselect() }
    protocolCard = nil
    active = nil
    try reader("putting a tag to sleep") {
      try enterFrames(of: card)
      _ = try settings.allowQuickAnswer()
      _ = try answer(
        to: card.technology == .iso14443b ? Self.deselectWithCID : Self.deselect)
    }
  }

  // MARK: Ultralight, NTAG, MIFARE Classic

  /// Reading may count (NTAG21x data sheet, 8.7): it is used only for a tag that has been read since its power was
  /// switched on. One that is known to have GET_VERSION is asked for it.
  private func answersAsUltralight(_ target: Target) throws -> Bool {
    let question: [UInt8]
    switch ultralightUse {
    case .read: question = Self.readFirstPage
    case .versionKnown: question = [Type2Code.getVersion]
    case .unknown: return try isAwake(target)
    }
    // In the form that the chip is already configured for.
    let isBare = framing == .bare
    let command = isBare ? question + CyclicRedundancyCheck.a(question) : question
    let use = ultralightUse
    do {
      let answer = try exchange(
        command, framing: isBare ? .bare : .checked, timeout: .milliseconds(50), isQuick: true)
      ultralightUse = use
      if answer.count > 1 { return true }
    } catch let error as NFCError where error.code == .tagResponseError {
      // A tag that has refused, or that was asleep, is found again.
    }
    return try isAwake(target)
  }

  /// Reads a block that the program has opened, which leaves it open.
  private func answersAuthenticated(_ target: Target) throws -> Bool {
    guard let block = authenticatedBlock else { return try isAwake(target) }
    do {
      let answer = try exchange(
        [Self.readBlock, block], framing: .tagProtocol, timeout: .milliseconds(50), isQuick: true)
      if answer.count == Self.readLength {
        authenticatedBlock = block
        return true
      }
    } catch let error as NFCError where error.code == .tagResponseError {
      // As above.
    }
    return try isAwake(target)
  }

  // MARK: ST SRx

  /// GET_UID, which a selected tag answers and which changes nothing in it (SRIX4K data sheet, 7.6); the search for it
  /// would not be answered.
  private func answersUID(_ uid: [UInt8]) throws -> Bool {
    do {
      let answer = try exchange(
        Self.getUID, framing: .checked, timeout: .milliseconds(50), isQuick: true)
      return answer == uid.reversed()
    } catch let error as NFCError where error.code == .tagResponseError {
      return false
    }
  }

  // MARK: FeliCa

  /// The number of Pollings with four time slots. The answers of two cards meet in one of them in one of four.
  private static let pollingsWithSlots = 3

  /// Asks a card that the chip has active, or finds it. Where Polling finds another card, which lies beside it, this one
  /// is asked by its number: no other answers that, and the answers to Polling may meet in one time slot.
  private func isPresent(_ card: FeliCaTarget) throws -> Bool {
    let target = Target.feliCa(card)
    if let active, active.isSame(as: target) {
      if card.pmm.isOfFeliCaStandard, try answers(card) { return true }
    } else if case .feliCa? = active, try answers(card) {
      return true
    }
    let system = card.systemCode.count == 2 ? card.systemCode : [0xFF, 0xFF]
    var isAsked = false
    for attempt in 0...Self.pollingsWithSlots {
      let found =
        attempt == 0
        ? try findFeliCa(Self.bitRate(of: card), slots: .one, system: system)
        : try findFeliCa(Self.bitRate(of: card), slots: .four)
      guard let found else { continue }
      if found.isSame(as: target) { return true }
      // A reader that passes no command to another card than the one it has found is left with Polling.
      if !isAsked, try answers(card) { return true }
      isAsked = true
    }
    return false
  }

  /// Asks a card for its mode, which leaves it in it; Polling takes it back to the first (FeliCa Card User's Manual,
  /// 3.2). One that has no such command is asked for the first block of the service of NFC Forum tags (Type 3 Tag 1.0,
  /// 6.2); an error in its answer shows that it is there, too.
  private func answers(_ card: FeliCaTarget) throws -> Bool {
    let code = card.pmm.isOfFeliCaStandard ? FeliCaCode.requestResponse : FeliCaCode.read
    let parameters = card.pmm.isOfFeliCaStandard ? [] : FeliCaCode.firstBlock
    let command = [code] + card.idm + parameters
    do {
      let answer = try exchange(
        [UInt8(command.count + 1)] + command, framing: .tagProtocol, timeout: .milliseconds(50))
      return answer.dropFirst().first == code + 1
        && answer.dropFirst(2).prefix(card.idm.count).elementsEqual(card.idm)
    } catch let error as NFCError where error.code == .tagResponseError {
      return false
    }
  }
}

/// Commands of Ultralight and NTAG that tell what a presence check may send (NTAG21x data sheet, 10).
enum Type2Code {
  static let read: UInt8 = 0x30
  static let fastRead: UInt8 = 0x3A
  static let getVersion: UInt8 = 0x60
  static let passwordAuthentication: UInt8 = 0x1B
}

/// Command codes of FeliCa (FeliCa Card User's Manual, 4.4).
enum FeliCaCode {
  static let polling: UInt8 = 0x00
  static let requestResponse: UInt8 = 0x04
  /// Read Without Encryption.
  static let read: UInt8 = 0x06
  /// One service, 000B; one block, number 0.
  static let firstBlock: [UInt8] = [0x01, 0x0B, 0x00, 0x01, 0x80, 0x00]
}

extension Target {
  /// Whether the tag runs the protocol of ISO/IEC 14443-4 after its selection.
  var runsProtocol: Bool {
    switch self {
    case .iso14443a(let card): card.supportsISO14443Part4 && !card.ats.isEmpty
    case .iso14443b: true
    default: false
    }
  }

  /// The frame waiting time of a card in milliseconds, rounded up: 302 µs times two to the power of FWI (ISO/IEC
  /// 14443-4, 7.2; FWI is in TB(1) of an ATS and in the third byte of an ATQB's protocol info). No more than 400: a
  /// question about presence is answered at once.
  var frameWaitingTime: Int32 {
    let index: UInt8? =
      switch self {
      case .iso14443a(let card): card.frameWaitingIndex
      case .iso14443b(let card): card.protocolInfo.last.map { $0 >> 4 }
      default: nil
      }
    let shift = min(index ?? 4, 14)
    return min(Int32(302 << Int32(shift)) / 1000 + 1, 400)
  }
}

extension ISO14443ATarget {
  /// FWI, in the high half of TB(1); `nil` for the default, 4 (ISO/IEC 14443-4, 5.2.5).
  fileprivate var frameWaitingIndex: UInt8? {
    guard let t0 = ats.first, t0 & 0x20 != 0 else { return nil }
    let place = t0 & 0x10 != 0 ? 2 : 1
    return ats.indices.contains(place) ? ats[place] >> 4 : nil
  }
}

extension [UInt8] {
  /// Whether a PMm is that of a card with FeliCa Standard's commands: IC types up to 20h (Sony, IC types; ``FeliCaChip``
  /// of NFCCore).
  fileprivate var isOfFeliCaStandard: Bool { count == 8 && self[1] <= 0x20 && self[0] != 0xFF }
}
