import SwiftNFCCore

// Cards that the service shows one at a time: recognizing them, and their commands.
extension PCSCDriver {
  // MARK: Recognition

  /// Returns the kind of a card and the way to send commands to it; `nil` if the reader does not
  /// indicate it.
  ///
  /// - Throws: `tagResponseError` for a card that does not answer, which says nothing about the
  ///   reader: the next round asks again.
  func recognize(_ atr: ContactlessATR) throws -> (CardPath, Target?)? {
    let found: (CardPath, Target?)?
    switch atr {
    case .smartCard(let historicalBytes):
      found = (.apdus, try smartCard(historicalBytes))
    case .storageCard(let card) where card.isVicinity:
      guard capabilities.technologies.contains(.iso15693) else { return nil }
      found = (try vicinityPath(), nil)
    case .storageCard(let card) where card.isFeliCa:
      found = try feliCa()
    case .feliCa:
      found = try feliCa()
    case .storageCard(let card) where card.isTopaz:
      found = try topaz()
    case .storageCard(let card) where card.isTypeA:
      found = try typeA(sak: card.sak)
    case .storageCard(let card) where card.isTypeB:
      found = try typeBMemory()
    case .storageCard:
      return nil
    }
    guard let found else { throw Self.silence }
    return found
  }

  static let silence = NFCError(.tagResponseError, "the tag has not answered", cause: .noAnswer)

  /// Returns the UID, IDm or PUPI; `nil` if the reader does not report it.
  func identifier() throws -> [UInt8]? {
    guard case .answer(let bytes) = try identifierOutcome(), !bytes.isEmpty else { return nil }
    return bytes
  }

  private func identifierOutcome() throws -> ExchangeOutcome {
    ExchangeOutcome(try transmitByLength(StorageCardCommands.getIdentifier))
  }

  /// Status words without a reason (ISO/IEC 7816-4, 5.6): the reader may refuse, or the card may be moving away.
  private static let wordsWithoutReason: Set<UInt16> = [0x6300, 0x6F00]

  /// Returns the UID or PUPI of a card; empty if the reader does not report it.
  ///
  /// A reader may not have the command: PC/SC part 3, table 3-0, has 6A81 for that, and a reader that does not
  /// know it at all passes it on to the card, which answers 6E00 or 6D00 (OpenSC issue 810). The card takes its
  /// commands all the same.
  ///
  /// - Throws: `tagResponseError` if the card does not answer, or the reader may still report the UID in another
  ///   round.
  private func reportedUID() throws -> [UInt8] {
    switch try identifierOutcome() {
    case .answer(let uid) where Self.uidLengths.contains(uid.count): return uid
    case .refused(let word) where !Self.wordsWithoutReason.contains(word): return []
    case .unknown: return []
    case .answer, .refused:
      guard !isPatient else { throw Self.silence }
      return []
    case .noAnswer, .broken, .malformed: throw Self.silence
    }
  }

  /// Sends a command that ends with the length of its answer, and again with the right one if the reader names
  /// that (PC/SC part 3, 3.2.2.1.3 and 3.2.2.1.8).
  func transmitByLength(_ command: [UInt8]) throws -> [UInt8] {
    let answer = try transmit(command)
    guard let right = ExchangeOutcome.rightLength(in: answer) else { return answer }
    return try transmit(command.dropLast() + [right])
  }

  // MARK: ISO/IEC 14443-4

  private static let pupiLength = 4
  private static let applicationDataLength = 4
  private static let typeBHistoricalLength = 8

  /// The possible lengths of a UID (ISO/IEC 14443-3, 6.5.4); a PUPI has the first.
  private static let uidLengths: Set<Int> = [4, 7, 10]

  private func smartCard(_ historicalBytes: [UInt8]) throws -> Target {
    let identifier = try reportedUID()
    let answer = ExchangeOutcome(try transmit(StorageCardCommands.getATS))
    // Readers give the historical bytes or the whole ATS, in answer to the question or in both places.
    if case .answer(let bytes) = answer, let ats = AnswerToSelect(bytes),
      [bytes, ats.historicalBytes].contains(historicalBytes)
    {
      return .iso14443a(ISO14443ATarget(uid: identifier, ats))
    }
    if let ats = AnswerToSelect(historicalBytes) {
      return .iso14443a(ISO14443ATarget(uid: identifier, ats))
    }
    if case .answer = answer {
      return .iso14443a(ISO14443ATarget(uid: identifier, historicalBytes: historicalBytes))
    }
    guard isTypeB(historicalBytes), identifier.isEmpty || identifier.count == Self.pupiLength else {
      return .iso14443a(ISO14443ATarget(uid: identifier, historicalBytes: historicalBytes))
    }
    let rest = historicalBytes.dropFirst(Self.applicationDataLength)
    return .iso14443b(
      ISO14443BTarget(
        pupi: identifier,
        applicationData: Array(historicalBytes.prefix(Self.applicationDataLength)),
        protocolInfo: Array(rest.dropLast())))
  }

  /// Returns whether bytes are application data, protocol info that indicates ISO/IEC 14443-4, and
  /// MBLI in the high half of the last byte (PC/SC part 3, 3.1.3.2.3.1; ISO/IEC 14443-3, 7.9.4).
  private func isTypeB(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == Self.typeBHistoricalLength else { return false }
    let protocolType = bytes[5] & 0x0F
    return protocolType & 0x01 != 0 && protocolType & 0x08 == 0 && bytes[7] & 0x0F == 0
  }

  func exchangeAPDU(
    _ command: [UInt8], _ framing: Framing, _ timeout: Duration
  ) throws -> [UInt8] {
    guard framing == .tagProtocol else {
      throw NFCError(
        .unsupported, "\(name) runs the protocol of ISO 14443-4 itself", cause: .unsupportedByReader
      )
    }
    let answer = try transmit(command, timeout: timeout)
    guard !answer.isEmpty else { throw Self.silence }
    return answer
  }

  // MARK: Memory cards of type B, and Topaz

  /// Calypso tickets, ST SRx and others: the reader names no kind, and no command for them is known.
  private func typeBMemory() throws -> (CardPath, Target?)? {
    guard let identifier = try identifier() else { return nil }
    let target = ISO14443BTarget(pupi: identifier, applicationData: [], protocolInfo: [])
    return (.identifierOnly, .iso14443b(target))
  }

  /// SENS_RES of every Topaz (NFC Forum Digital Protocol, 7.6.1.2), and the part of the UID that
  /// RID returns.
  private static let topazSensRes: [UInt8] = [0x0C, 0x00]
  private static let topazUIDLength = 4

  private func topaz() throws -> (CardPath, Target?)? {
    guard let uid = try identifier(), uid.count >= Self.topazUIDLength else { return nil }
    let target = Target.jewel(
      sensRes: Self.topazSensRes, uid: Array(uid.prefix(Self.topazUIDLength)))
    return (.identifierOnly, target)
  }

  // MARK: Type A

  static let ultralightSAK: UInt8 = 0x00
  /// Says that the UID continues, and so no card's at the end (ISO/IEC 14443-3, 6.5.3.4): for one
  /// whose SAK is not known.
  private static let unknownSAK: UInt8 = 0x04
  static let readFirstPages: [UInt8] = [read, 0x00]
  static let tagTimeout = Duration.milliseconds(100)

  private func typeA(sak: UInt8?) throws -> (CardPath, Target?) {
    let uid = try reportedUID()
    func card(_ sak: UInt8) -> Target {
      .iso14443a(ISO14443ATarget(uid: uid, atqa: [], sak: sak))
    }
    switch sak {
    case Self.ultralightSAK:
      return try ultralight(uid)
    case let sak? where MiFareClassicKind(sak: sak) != nil:
      // A reader that calls it a storage card has not activated ISO/IEC 14443-4 on it.
      return (.classic, card(sak & ~ISO14443ATarget.sakISO14443Part4))
    case let sak? where ISO14443ATarget(uid: uid, atqa: [], sak: sak).supportsISO14443Part4:
      // A reader that names a smart card by its SAK.
      return (.apdus, card(sak))
    case let sak?:
      return (.identifierOnly, card(sak))
    case nil:
      // A name without information: if the pages begin with the UID, the tag is an Ultralight.
      guard let pages = try storedPages(),
        uid.isEmpty ? Self.hasCheckedUID(pages) : Self.arePages(pages, of: uid)
      else { return (.identifierOnly, card(Self.unknownSAK)) }
      return try ultralight(uid)
    }
  }

  /// - Parameter uid: empty if the reader does not report it; it is then the one in the first pages.
  private func ultralight(_ uid: [UInt8]) throws -> (CardPath, Target?) {
    let way = try ultralightPath(uid)
    if let way, way.pages == nil {
      // What belongs to the session with the card is recorded only when the card has been recognized.
      if case .transparent = way.path { _ = try transmit(TransparentSession.endCommand) }
      try startAgain(way.path)
    }
    var uid = uid
    if uid.isEmpty, let pages = try way?.pages ?? storedPages() { uid = Self.uid(in: pages) ?? [] }
    let card = ISO14443ATarget(uid: uid, atqa: [], sak: Self.ultralightSAK)
    return (way?.path ?? .pages, .iso14443a(card))
  }

  /// Returns the best way to send frames that the reader is shown to have, by reading the tag's
  /// first pages; `nil` if it has none.
  ///
  /// A tag is silent if another program has left it so, after a refusal or HLTA: it is started again once. A tag that
  /// refuses its first pages shows the way as well as one that has them read: it requires a password from page 0 on
  /// (NTAG21x data sheet, 8.5.7, AUTH0). The tag is silent after that.
  ///
  /// - Throws: `tagResponseError` for a tag that is silent again, which says nothing about the reader.
  private func ultralightPath(_ uid: [UInt8]) throws -> (path: CardPath, pages: [UInt8]?)? {
    var isSilent = false
    if let found = try ultralightPath(uid, &isSilent) { return found }
    guard isSilent else { return nil }
    try resetCard()
    if let found = try ultralightPath(uid, &isSilent) { return found }
    guard !isSilent || !isPatient else { throw Self.silence }
    return nil
  }

  /// - Parameter isSilent: whether this is the second attempt, because the tag has not answered the first, or its answer
  ///   was broken: the reader has lost the code of a refusal if that happens again. Is set if the reader has sent a
  ///   frame that the tag has not answered.
  private func ultralightPath(
    _ uid: [UInt8], _ isSilent: inout Bool
  ) throws -> (path: CardPath, pages: [UInt8]?)? {
    let isRepeated = isSilent
    isSilent = false
    func found(
      _ path: CardPath, _ outcome: ExchangeOutcome
    ) -> (path: CardPath, pages: [UInt8]?)? {
      switch outcome {
      case .answer(let pages) where Self.arePages(pages, of: uid): return (path, pages)
      case .answer(let answer) where Self.isRefusal(answer): return (path, nil)
      case .broken where isRepeated: return (path, nil)
      case .noAnswer, .broken: isSilent = true
      case .answer, .refused, .unknown, .malformed: break
      }
      return nil
    }
    if model.hasDirectTransmit {
      return found(.direct, try sendDirect(Self.readFirstPages, Self.tagTimeout))
    }
    if model.hasEncapsulation,
      let found = found(
        .encapsulated(.typeA),
        try sendEncapsulated(Self.readFirstPages, of: .typeA, Self.tagTimeout))
    {
      return found
    }
    let way = model.typeAPassThrough
    if way == .identiv, let found = try pagesPassedThrough(.identiv, uid) { return found }
    if try startTransparentSession(.typeA) {
      if let found = found(
        .transparent(.typeA), try transparentExchange(Self.readFirstPages, Self.tagTimeout))
      {
        return found
      }
      _ = try transmit(TransparentSession.endCommand)
    }
    return way == .acs ? try pagesPassedThrough(.acs, uid) : nil
  }

  private func pagesPassedThrough(
    _ way: TypeAPassThrough, _ uid: [UInt8]
  ) throws -> (path: CardPath, pages: [UInt8]?)? {
    switch try sendPassedThrough(Self.readFirstPages, way, Self.tagTimeout) {
    case .answer(let pages) where Self.arePages(pages, of: uid): (.passedThrough(way), pages)
    case .answer(let answer) where Self.isRefusal(answer): (.passedThrough(way), nil)
    default: nil
    }
  }

  // MARK: FeliCa

  /// LEN, Polling for any system with the system code in the answer, one time slot (FeliCa Card
  /// User's Manual, 4.4.2).
  static let polling: [UInt8] = [0x06, 0x00, 0xFF, 0xFF, 0x01, 0x00]
  private static let pollingAnswer: UInt8 = 0x01

  private func feliCa() throws -> (CardPath, Target?)? {
    if model.hasFeliCaFrames, let target = try feliCaByFrames() { return (.feliCaFrames, target) }
    var isSilent = false
    func target(_ outcome: ExchangeOutcome) -> Target? {
      isSilent = isSilent || [.noAnswer, .broken].contains(outcome)
      return Self.feliCa(outcome)
    }
    if model.hasDirectTransmit {
      if let target = target(try sendDirect(Self.polling, Self.tagTimeout)) {
        return (.direct, target)
      }
    } else if model.hasEncapsulation,
      let target = target(try sendEncapsulated(Self.polling, of: .feliCa, Self.tagTimeout))
    {
      return (.encapsulated(.feliCa), target)
    } else if try startTransparentSession(.feliCa) {
      if let target = target(try transparentExchange(Self.polling, Self.tagTimeout)) {
        return (.transparent(.feliCa), target)
      }
      _ = try transmit(TransparentSession.endCommand)
    }
    // A card that has not answered says nothing about the reader.
    guard !isSilent || !isPatient else { throw Self.silence }
    guard let idm = try identifier(), idm.count == Self.idmLength else { return nil }
    let pmm = try pmm()
    func identified(_ systemCode: [UInt8] = []) -> Target {
      .feliCa(FeliCaTarget(idm: idm, pmm: pmm, systemCode: systemCode, bitRate: 212))
    }
    let question = FeliCaQuestion.frame(to: idm)
    if model.hasFeliCaCommands {
      let answer = try sendFeliCaCommand(question, Self.tagTimeout)
      if FeliCaQuestion.isAnswered(answer, by: idm) {
        return (.feliCaCommands, identified(FeliCaQuestion.systemCode(from: answer)))
      }
    }
    guard model.hasFeliCaBlocks else { return (.identifierOnly, identified()) }
    return (
      .feliCaBlocks, identified(try firstBlock().map(FeliCaQuestion.systemCode(fromBlock:)) ?? [])
    )
  }

  /// Returns the first block of an NFC Forum Type 3 tag, if the reader can read it by its number.
  private func firstBlock() throws -> [UInt8]? {
    let select = FeliCaBlockAccess.select(service: FeliCaQuestion.service)
    guard case .answer = ExchangeOutcome(try transmit(select)),
      case .answer(let block) = ExchangeOutcome(try transmit(FeliCaBlockAccess.read(block: 0)))
    else { return nil }
    return block
  }

  private static let idmLength = 8

  /// Returns the card, if the reader sends frames to it: Polling, or if the reader does not send that, a read.
  private func feliCaByFrames() throws -> Target? {
    if let target = Self.feliCa(try sendFeliCa(Self.polling, Self.tagTimeout)) { return target }
    guard let idm = try identifier(), idm.count == Self.idmLength else { return nil }
    let outcome = try sendFeliCa(FeliCaQuestion.frame(to: idm), Self.tagTimeout)
    guard FeliCaQuestion.isAnswered(outcome, by: idm) else { return nil }
    return .feliCa(
      FeliCaTarget(
        idm: idm, pmm: try pmm(), systemCode: FeliCaQuestion.systemCode(from: outcome), bitRate: 212
      ))
  }

  /// Returns what Sony's readers report in place of an ATS; empty if the reader does not.
  private func pmm() throws -> [UInt8] {
    guard case .answer(let bytes) = ExchangeOutcome(try transmit(StorageCardCommands.getATS)),
      bytes.count == Self.idmLength
    else { return [] }
    return bytes
  }

  func exchangeFeliCaBlocks(_ command: [UInt8]) throws -> [UInt8] {
    guard let request = FeliCaBlockAccess.Request(command) else {
      throw NFCError(
        .unsupported, "\(name) only reads blocks of this card and accepts no other command for it",
        cause: .unsupportedByReader)
    }
    var selected: [UInt8]?
    var data: [UInt8] = []
    for block in request.blocks {
      if selected != block.service {
        _ = try feliCaData(FeliCaBlockAccess.select(service: block.service))
        selected = block.service
      }
      let bytes = try feliCaData(FeliCaBlockAccess.read(block: block.number))
      guard bytes.count == FeliCaBlockAccess.blockSize else { return try frame(.malformed) }
      data += bytes
    }
    return request.answer(data)
  }

  private func feliCaData(_ command: [UInt8]) throws -> [UInt8] {
    let outcome = ExchangeOutcome(try transmit(command))
    guard case .refused(let word) = outcome else { return try frame(outcome) }
    try checkPresence()
    throw NFCError(.tagRefused, "the card has refused the command", cause: .statusWord(word))
  }

  /// Reads the answer to Polling: LEN, code, IDm, PMm, system code.
  static func feliCa(_ outcome: ExchangeOutcome) -> Target? {
    guard case .answer(let bytes) = outcome, bytes.first == UInt8(exactly: bytes.count),
      bytes.count >= 18, bytes[1] == pollingAnswer
    else { return nil }
    return .feliCa(
      FeliCaTarget(
        idm: Array(bytes[2..<10]), pmm: Array(bytes[10..<18]),
        systemCode: Array(bytes[18...].prefix(2)), bitRate: 212))
  }
}

extension ISO14443ATarget {
  fileprivate init(uid: [UInt8], _ ats: AnswerToSelect) {
    self.init(uid: uid, atqa: [], sak: Self.sakISO14443Part4, ats: ats.bytes)
  }
}
