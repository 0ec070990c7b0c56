import CSwiftNFCLibNFC
import SwiftNFCCore

// MARK: Looking for tags

extension LibNFCDriver {
  /// The number of tags after which a search ends.
  private static let maximumTags = Reader.maximumTagsAtOnce

  package func list(_ technology: TagTechnology) throws -> [Target] {
    switch technology {
    case .iso14443a: return try listAll(NMT_ISO14443A)
    case .iso14443b: return try listTypeB()
    case .feliCa: return try listFeliCa()
    case .jewel: return try find(NMT_JEWEL, NBR_106).map { [$0] } ?? []
    case .iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .barcode, .iClass:
      return try findRare(technology).map { [$0] } ?? []
    case .iso15693:
      throw NFCError(
        .unsupported, "libnfc's readers do not support ISO 15693; some PC/SC readers do")
    }
  }

  /// For the other technologies, a PN53x finds only one tag at a time.
  package func findsOneByOne(_ technology: TagTechnology) -> Bool {
    [.iso14443a, .iso14443b, .feliCa].contains(technology)
  }

  package func find(_ technology: TagTechnology, excluding found: [Target]) throws -> Target? {
    switch technology {
    case .iso14443a: return try find(NMT_ISO14443A, excluding: found)
    case .iso14443b:
      let first = active
      let other = try find(NMT_ISO14443B, excluding: found)
      if other == nil, let first, found.count == 1, found[0].isSame(as: first) {
        onlyHaltedCard = (first, .now)
      }
      return other
    case .feliCa: return try findFeliCa(excluding: found)
    default: return nil
    }
  }

  /// Finds one tag after the other, each put to sleep so that the next can be heard.
  private func listAll(_ type: nfc_modulation_type) throws -> [Target] {
    var targets: [Target] = []
    while let target = try find(type, excluding: targets) { targets.append(target) }
    return targets
  }

  /// Puts the active tag to sleep and searches for another. A tag that was found before is found
  /// again if it has returned to IDLE, for instance after a refusal, and is put to sleep too.
  private func find(_ type: nfc_modulation_type, excluding found: [Target]) throws -> Target? {
    guard found.count < Self.maximumTags else { return nil }
    for _ in 0...found.count {
      if let active, [.iso14443a, .iso14443b].contains(active.technology) { try deselect() }
      guard let target = try find(type, NBR_106) else { return nil }
      if !found.contains(where: { $0.isSame(as: target) }) { return target }
    }
    return nil
  }

  /// A PN53x can put type B cards to sleep but cannot wake them: it sends REQB, never WUPB. A
  /// single card is restarted, because it may choose another PUPI when the carrier is switched off,
  /// and left active.
  private func listTypeB() throws -> [Target] {
    let targets = try listAll(NMT_ISO14443B)
    guard targets.count == 1 else { return targets }
    try resetField()
    return try find(NMT_ISO14443B, NBR_106).map { [$0] } ?? []
  }

  /// A FeliCa card has no sleep: others are found as long as Polling, whose slots cards draw again each
  /// time, brings up another one within this many tries.
  private static let feliCaTries = 3

  private func listFeliCa() throws -> [Target] {
    var targets: [Target] = []
    while let target = try findFeliCa(excluding: targets, isComplete: true) {
      targets.append(target)
    }
    return targets
  }

  /// One time slot finds one card and never two, and takes less time than four.
  private static let searchesUntilSlots = 4
  private static let searchesUntilFastRate = 6

  private func findFeliCa(excluding found: [Target], isComplete: Bool = false) throws -> Target? {
    guard case .feliCa(let card)? = found.first else {
      feliCaSearches += 1
      let hasSlots = isComplete || feliCaSearches % Self.searchesUntilSlots == 2
      if let target = try findFeliCa(NBR_212, slots: hasSlots ? .four : .one) { return target }
      // A card that answers at 212 kbit/s is the same at 424, and all known ones do.
      guard isComplete || feliCaSearches % Self.searchesUntilFastRate == 0 else { return nil }
      return try findFeliCa(NBR_424, slots: .four)
    }
    guard found.count < Self.maximumTags else { return nil }
    for _ in 0..<Self.feliCaTries {
      guard let target = try findFeliCa(Self.bitRate(of: card), slots: .four) else { return nil }
      if !found.contains(where: { $0.isSame(as: target) }) { return target }
    }
    return nil
  }

  /// The last byte of Polling: the number of time slots less one.
  enum TimeSlots: UInt8 {
    case one = 0x00
    case four = 0x03
  }

  /// Polls for a system, `FFFF` for any, with the system code in the answer.
  func findFeliCa(
    _ rate: nfc_baud_rate, slots: TimeSlots, system: [UInt8] = [0xFF, 0xFF]
  ) throws -> Target? {
    try find(
      NMT_FELICA, rate,
      initiatorData: [FeliCaCode.polling] + system + [0x01, slots.rawValue])
  }

  static func bitRate(of card: FeliCaTarget) -> nfc_baud_rate {
    card.bitRate == 424 ? NBR_424 : NBR_212
  }

  /// Searches once for a target. A search that fails on the air has found nothing; one whose frame
  /// breaks on the line is repeated once, because it changes nothing.
  ///
  /// - Parameter sendsRATS: whether a card that supports ISO/IEC 14443-4 is activated for it.
  private func find(
    _ type: nfc_modulation_type, _ rate: nfc_baud_rate, initiatorData: [UInt8]? = nil,
    sendsRATS: Bool = true
  ) throws -> Target? {
    try releaseCard(before: type)
    active = nil
    onlyHaltedCard = nil
    var isRepeated = false
    while true {
      do {
        let found = try call {
          try prepare(for: type, sendsRATS: sendsRATS)
          return try device.select(type, rate, initiatorData: initiatorData).flatMap { Target($0) }
        }
        active = found
        if let found, found.runsProtocol { protocolCard = found }
        return found
      } catch let failure as LibNFC.Failure {
        switch failure.code {
        case LibNFC.Failure.transmission, LibNFC.Failure.targetReleased,
          LibNFC.Failure.authentication:
          return nil
        case LibNFC.Failure.aborted: throw endedEarly(failure, "looking for tags")
        case _ where failure.isOfLine && hasAnsweredNothing(isRepeated: isRepeated): return nil
        case _ where failure.isOfLine && !isRepeated && !device.isClosed:
          settings.doubtSettings()
          isRepeated = true
          // The answer may still come, in the place of the one to the next command.
          if device.traits.mayAnswerNothing { _ = try? call { device.isInStep } }
          // The search whose answer is lost may have found a card, which then waits for commands.
          try resetField()
        default: throw readerError(failure, "looking for tags")
        }
      }
    }
  }

  /// Returns whether a search that has failed between host and reader has found nothing, because the reader answers
  /// other commands: the second time, unless the reader is known for this.
  func hasAnsweredNothing(isRepeated: Bool) -> Bool {
    guard device.traits.mayAnswerNothing, isRepeated || answersNothing, !device.isClosed,
      (try? call { device.isInStep }) == true
    else { return false }
    answersNothing = true
    return true
  }

  /// Prepares the chip, without relying on its previous settings.
  private func prepare(
    for type: nfc_modulation_type, sendsRATS: Bool
  ) throws(LibNFC.Failure) {
    let areChecksOff = framing == .bare
    framing = nil
    try jewel.restore()
    settings.isBroadcasting = isBroadcasting
    try settings.prepareForSearch(type)
    try settings.switchChecksOn(areOff: areChecksOff)
    try device.set(NP_EASY_FRAMING, true)
    try settings.setAutomaticRATS(sendsRATS)
  }

  func deselect() throws {
    active = nil
    protocolCard = nil
    try reader("putting a tag to sleep") {
      do {
        try device.deselect()
      } catch let failure as LibNFC.Failure where failure.isOfLine && !watchdog.isAborted {
        // A frame may have been broken on the line. A tag that sleeps already is not affected.
        device.resynchronize()
        try device.deselect()
      }
    }
  }
}

// MARK: Waking tags

extension LibNFCDriver {
  package func select(_ target: Target) throws {
    if let active, active.isSame(as: target), !isCommandCut { return }
    isCommandCut = false
    let isOnlyCard = isOnlyHaltedCard(target)
    if case .iso14443a(let card)? = active, card.supportsISO14443Part4 { try deselect() }
    switch target {
    case .iso14443a, .feliCa:
      if try wake(target) { return }
    default: break
    }
    // A card that was interrupted in the middle of a command, or that cannot be woken, reacts only
    // to switching the carrier off.
    try resetField()
    guard try isOnlyCard ? restart(target) : wake(target) else {
      throw NFCError(.tagConnectionLost, "the tag has left the field")
    }
  }

  /// Within this time, nobody puts another card in the place of one.
  private static let timeOfExchange = Duration.milliseconds(500)

  /// Returns whether a search has just put a type B card to sleep and found no other.
  private func isOnlyHaltedCard(_ target: Target) -> Bool {
    guard let onlyHaltedCard, onlyHaltedCard.target.isSame(as: target) else { return false }
    return onlyHaltedCard.time.duration(to: .now) < Self.timeOfExchange
  }

  /// Finds a type B card after the carrier was switched off. It may have chosen another PUPI then (ISO/IEC 14443-3,
  /// 7.9.2); before, it was the only card.
  private func restart(_ target: Target) throws -> Bool {
    guard let found = try find(NMT_ISO14443B, NBR_106), found.isLikely(target) else { return false }
    active = target
    protocolCard = target
    return true
  }

  func wake(_ target: Target) throws -> Bool {
    switch target {
    case .iso14443a(let card): return try wake(card)
    case .iso14443b:
      return try wakeTypeB(target)
    case .feliCa(let card):
      let rate = Self.bitRate(of: card)
      let system = card.systemCode.count == 2 ? card.systemCode : [0xFF, 0xFF]
      if try findFeliCa(rate, slots: .one, system: system)?.isSame(as: target) ?? false {
        return true
      }
      for _ in 0..<Self.maximumTags {
        guard let found = try findFeliCa(rate, slots: .four) else { return false }
        if found.isSame(as: target) { return true }
      }
      return false
    case .iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .jewel, .barcode, .iClass, .iso15693:
      return try list(target.technology).contains { $0.isSame(as: target) }
    }
  }

  private func wake(_ card: ISO14443ATarget) throws -> Bool {
    if !card.supportsISO14443Part4, card.uid == cardWithSectors { return try wakeSectors(card) }
    let found = try find(NMT_ISO14443A, NBR_106, initiatorData: card.uid)
    if case .iso14443a(let found)? = found, card.isClassicSide(of: found) {
      // It was activated for its applications: it restarts.
      try deselect()
      cardWithSectors = card.uid
      return try wakeSectors(card)
    }
    return found?.isSame(as: .iso14443a(card)) ?? false
  }

  /// Wakes a card with MIFARE Classic sectors in addition to its applications. It opens the sectors
  /// only before RATS, as in libnfc's `nfc-mfclassic`.
  private func wakeSectors(_ card: ISO14443ATarget) throws -> Bool {
    let found = try find(
      NMT_ISO14443A, NBR_106, initiatorData: card.uid, sendsRATS: false)
    // One that was activated all the same would take what follows for commands to its applications.
    guard case .iso14443a(let found)? = found, card.isClassicSide(of: found), found.ats.isEmpty
    else { return false }
    active = .iso14443a(card)
    return true
  }

  private func wakeTypeB(_ target: Target) throws -> Bool {
    for _ in 0..<Self.maximumTags {
      guard let found = try find(NMT_ISO14443B, NBR_106) else { return false }
      if found.isSame(as: target) { return true }
      try deselect()
    }
    return false
  }
}
