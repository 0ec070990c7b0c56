import SwiftNFCCore

// Cards whose commands the reader has as its own: pages, blocks and keys.
extension PCSCDriver {
  /// Returns the first pages, as the reader reads them for a storage card; `nil` if it does not.
  func storedPages() throws -> [UInt8]? {
    guard let command = StorageCardCommands.command(for: Self.readFirstPages),
      case .answer(let pages) = try readStored(Self.readFirstPages, by: command)
    else { return nil }
    return pages
  }

  private static let pageSize = 4
  private static let pagesPerRead = 4

  /// Sends the reader's command for READ.
  ///
  /// Identiv's readers return one page of an Ultralight, whatever Le asks for (uTrust 3720F, reference manual 1.00,
  /// 6.2.1; CLOUD 47x0 F, reference manual 1.0, 6.2.1). The other three are then read one by one. What the tag returns
  /// after its last page is not asked for: it is refused there.
  private func readStored(_ read: [UInt8], by command: [UInt8]) throws -> ExchangeOutcome {
    let first = ExchangeOutcome(try transmitByLength(command))
    guard case .answer(var pages) = first, pages.count == Self.pageSize else { return first }
    if case .classic = session?.path { return first }
    for offset in 1..<Self.pagesPerRead {
      guard let number = UInt8(exactly: Int(read[1]) + offset),
        let next = StorageCardCommands.command(for: [read[0], number])
      else { return .malformed }
      let outcome = ExchangeOutcome(try transmitByLength(next))
      guard case .answer(let page) = outcome else { return outcome }
      guard page.count == Self.pageSize else { return .malformed }
      pages += page
    }
    return .answer(pages)
  }

  func exchangeStorage(_ command: [UInt8], _ framing: Framing) throws -> [UInt8] {
    let isBare = framing == .bare
    let own = isBare ? try withoutCheck(command) : command
    // The reader has no command for HLTA. A card that is halted does not answer, and starts again when it is selected
    // the next time; here, with its power.
    guard own != Self.halt else { throw Self.silence }
    guard let substitute = StorageCardCommands.command(for: own) else {
      throw NFCError(
        .unsupported,
        "\(name) can send this tag only READ and WRITE, not "
          + "\(own.prefix(1).hexadecimal): it has neither a transparent session nor a pass-through "
          + "for type A", cause: .unsupportedByReader)
    }
    let isRead = own.first == Self.read
    let outcome =
      try isRead
      ? readStored(own, by: substitute) : ExchangeOutcome(try transmit(substitute))
    switch outcome {
    case .answer(let data):
      guard isBare else { return data }
      return Self.bare(data.isEmpty ? [Self.acknowledge] : data, onRefusal: becomeMute)
    case .noAnswer, .broken: return try frame(.noAnswer)
    case .malformed: return try frame(.malformed)
    case .unknown(let word):
      throw unsupported("support the commands for storage cards", word)
    case .refused(let word):
      try checkPresence()
      becomeMute()
      if isBare, !isAmbiguous(word, own) { return [Self.refusal] }
      if isBare { return try frame(.refused(word)) }
      throw NFCError(.tagRefused, "the card has refused the command", cause: .statusWord(word))
    }
  }

  /// The status word that gives no reason (PC/SC part 3, 3.2.2.1).
  private static let noReason: UInt16 = 0x6300
  static let read: UInt8 = 0x30
  /// ISO/IEC 14443-3, 6.5.3.
  private static let halt: [UInt8] = [0x50, 0x00]

  /// Returns whether a tag may have carried out a command all the same: a reader that reports a
  /// failed write without a reason may have lost the acknowledge.
  private func isAmbiguous(_ word: UInt16, _ command: [UInt8]) -> Bool {
    word == Self.noReason && command.first != Self.read
  }

  package func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    guard case .classic = session?.path else {
      throw NFCError(.unsupported, "\(name) has no MIFARE Classic card in its field")
    }
    try returnClassic()
    guard let slots = try load(key, keyType) else {
      throw NFCError(
        .unsupported,
        "\(name) does not accept a key for MIFARE Classic in its volatile memory, and none is "
          + "written to its nonvolatile memory", cause: .unsupportedByReader)
    }
    let command = StorageCardCommands.authenticate(block: block, keyType, slots)
    // The sector stays open for every program.
    tagHoldsState(true)
    switch ExchangeOutcome(try transmit(command)) {
    case .answer: return
    case .unknown(let word):
      throw unsupported("authenticate MIFARE Classic cards", word)
    case .refused, .noAnswer, .broken, .malformed:
      active = nil
      throw NFCError(
        .authenticationFailed, "the key does not open the sector", place: .block(Int(block)))
    }
  }

  /// Puts a key into the reader's volatile memory; `nil` if the reader accepts none there.
  private func load(
    _ key: [UInt8], _ keyType: MiFareClassicKeyType
  ) throws -> StorageCardCommands.KeySlots? {
    for slots in keySlots.map({ [$0] }) ?? model.keySlots {
      let command = StorageCardCommands.load(key, keyType, slots)
      guard case .answer = ExchangeOutcome(try transmit(command)) else { continue }
      keySlots = slots
      return slots
    }
    return nil
  }
}
