import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

@Suite struct ClassicDumpTests {
  static func commands(_ bench: Bench) async throws -> MiFareClassicCommands {
    let tag = try await bench.tag(.iso14443).miFare
    return try #require(tag.classic)
  }

  static let secret: [UInt8] = [0x51, 0x52, 0x53, 0x54, 0x55, 0x56]

  /// The chip's settings before the first command: the time-out, and two attempts in a search.
  private static let (timeOut, attempts) = (1, 1)

  /// 16 authentications and 64 reads.
  @Test func dumpsABlankCardInEightyExchanges() async throws {
    let card = VirtualTag.classic1K(formatted: false)
    let bench = try await Bench(card)
    let classic = try await Self.commands(bench)
    let (dump, commands, _) = try await bench.counting { try await classic.dump() }
    #expect(dump.bytes == card.memory)
    #expect(dump.isComplete)
    #expect(commands == 80 + Self.timeOut)
  }

  /// One wrong key, with a selection after it, before the directory's.
  @Test func dumpsAFormattedCard() async throws {
    let card = try VirtualTag.classic1K(ndef: [0xD0, 0x00, 0x00])
    let bench = try await Bench(card)
    let classic = try await Self.commands(bench)
    let (dump, commands, _) = try await bench.counting { try await classic.dump() }
    #expect(dump.isComplete)
    #expect(commands == 80 + 2 + Self.timeOut + Self.attempts)
    // Key B cannot be read: the key that was used stands in its place.
    #expect(Array(dump.bytes[58..<64]) == [0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5])
    #expect(Array(dump.bytes[122..<128]) == [0xD3, 0xF7, 0xD3, 0xF7, 0xD3, 0xF7])
    let again = try await bench.counting {
      try await classic.dump(keys: [.applicationDirectory, .ndef])
    }
    #expect(again.result.bytes == dump.bytes)
    #expect(again.commands == 80)
    // With both keys it is the card.
    let whole = try await classic.dump(findsBothKeys: true)
    #expect(whole.bytes == card.memory)
  }

  @Test func dumpsA4K() async throws {
    let card = VirtualTag.classic4K(formatted: false)
    let bench = try await Bench(card)
    let classic = try await Self.commands(bench)
    let (dump, commands, _) = try await bench.counting { try await classic.dump() }
    #expect(dump.bytes == card.memory)
    #expect(commands == 40 + 256 + Self.timeOut)
  }

  @Test func dumpsAFormatted4K() async throws {
    let card = VirtualTag.classic4K()
    let bench = try await Bench(card)
    let classic = try await Self.commands(bench)
    let (dump, commands, _) = try await bench.counting { try await classic.dump() }
    #expect(dump.isComplete)
    #expect(commands == 40 + 256 + 2 + Self.timeOut + Self.attempts)
    var text = ""
    Swift.dump(dump, to: &text)
    #expect(!"\(dump)".contains("211, 247") && !text.contains("211"))
  }

  @Test func saysWhichSectorsAreClosed() async throws {
    let card = VirtualTag.classic1K(formatted: false)
    card.memory.replaceSubrange(11 * 16..<11 * 16 + 6, with: Self.secret)
    card.memory.replaceSubrange(11 * 16 + 10..<12 * 16, with: Self.secret)
    // Read with key B alone (groups 011); trailer 011: key B is a key.
    let byKeyB = try #require(MiFareClassicAccessConditions(groups: [3, 3, 3, 3]))
    card.memory.replaceSubrange(15 * 16 + 6..<15 * 16 + 9, with: byKeyB.bytes)
    // Broken access bits.
    card.memory[19 * 16 + 7] ^= 1
    // Nothing may be read any more (groups 111).
    let closed = try #require(MiFareClassicAccessConditions(groups: [7, 0, 0, 3]))
    card.memory.replaceSubrange(23 * 16 + 6..<23 * 16 + 9, with: closed.bytes)
    let memory = card.memory
    let bench = try await Bench(card)
    let classic = try await Self.commands(bench)
    let dump = try await classic.dump()
    #expect(dump.sectors[2].failure == .noKey)
    #expect(dump.sectors[3].failure == nil)
    #expect(dump.sectors[3].keyB == .factory)
    #expect(dump.sectors[4].failure != nil)
    #expect(dump.sectors[5].failure == .notReadable(blocks: [20]))
    #expect(dump.sectors[6].failure == nil)
    #expect(!dump.isComplete)
    #expect(Array(dump.bytes[128..<192]) == [UInt8](repeating: 0, count: 64))
    #expect(Array(dump.bytes[192..<256]) == Array(memory[192..<256]))
    #expect(card.memory == memory)
    let key = try #require(MiFareClassicKey(Self.secret))
    let sector = try await classic.readSector(2, keys: [.factory, key])
    #expect(sector.failure == nil)
    #expect(sector.keyA == key)
    await #expect { try await classic.readSector(16) } throws: {
      ($0 as? NFCError)?.code == .invalidParameter
    }
    await #expect { try await classic.dump(keys: []) } throws: {
      ($0 as? NFCError)?.code == .invalidParameter
    }
  }

  /// A sector that only key B opens, before sectors whose key B is data: it opens them, and the card then refuses
  /// everything (MF1S50YYX data sheet, 8.7.2, note 1), so that key A reads them.
  @Test func aKeyBThatIsDataHidesNothing() async throws {
    let card = VirtualTag.classic1K(formatted: false)
    card.memory.replaceSubrange(7 * 16..<7 * 16 + 6, with: Self.secret)
    let byBoth = try #require(MiFareClassicAccessConditions(groups: [4, 4, 4, 3]))
    card.memory.replaceSubrange(7 * 16 + 6..<7 * 16 + 9, with: byBoth.bytes)
    card.memory.replaceSubrange(8 * 16..<9 * 16, with: [UInt8](repeating: 0x42, count: 16))
    let memory = card.memory
    let bench = try await Bench(card)
    let classic = try await Self.commands(bench)
    let (dump, commands, _) = try await bench.counting {
      try await classic.dump(keys: [.factory])
    }
    #expect(dump.sectors.allSatisfy { $0.failure == nil })
    #expect(dump.sectors[1].openedWith == .b && dump.sectors[2].openedWith == .a)
    #expect(Array(dump.bytes[128...]) == Array(memory[128...]))
    // A wrong key A and a selection; key B, a refused read, the reader's question for its reason, and a selection.
    #expect(commands == 80 + 2 + 4 + Self.timeOut + Self.attempts)
    #expect(card.memory == memory)
  }

  /// Copies open a sector with broken access bits, and then refuse everything; genuine cards may refuse it at once.
  @Test(arguments: [MIFAREClassic.Quirks(), .opensInvalidSectors])
  func brokenSectorsAreOnlyThemselves(_ quirks: MIFAREClassic.Quirks) async throws {
    var chip = MIFAREClassic(.oneK, formatted: false)
    chip.quirks = quirks
    chip.memory[11 * 16 + 7] ^= 1
    let card = VirtualTag(chip)
    let bench = try await Bench(card)
    let classic = try await Self.commands(bench)
    let dump = try await classic.dump()
    #expect(dump.sectors.filter { $0.failure != nil }.map(\.sector) == [2])
    #expect(
      dump.sectors[2].failure == (quirks.isEmpty ? .noKey : .notReadable(blocks: [8, 9, 10, 11])))
  }

  /// Each key of the list once as A and once as B, whatever stands in it twice; nothing else.
  @Test func triesEachKeyOnce() async throws {
    let card = VirtualTag.classic1K(formatted: false)
    card.memory.replaceSubrange(11 * 16..<11 * 16 + 6, with: Self.secret)
    card.memory.replaceSubrange(11 * 16 + 10..<12 * 16, with: Self.secret)
    let trace = CommandTrace()
    let bench = try await Bench(card, trace: { trace.append($0) })
    let classic = try await Self.commands(bench)
    trace.clear()
    let keys: [MiFareClassicKey] = [.factory, .ndef, .factory, .applicationDirectory]
    #expect(try await classic.readSector(2, keys: keys).failure == .noKey)
    let tried = trace.authentications
    #expect(tried.count == 6 && Set(tried).count == 6)
    #expect(tried.map(\.first) == [0x60, 0x60, 0x60, 0x61, 0x61, 0x61])
  }

  /// Also where both keys of each sector are searched for. The keys of the sector before are the likeliest.
  @Test func triesNoKeyTwiceForBothKeys() async throws {
    let other = try #require(MiFareClassicKey([0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5]))
    let secret = try #require(MiFareClassicKey(Self.secret))
    let byBoth = try #require(MiFareClassicAccessConditions(groups: [4, 4, 4, 3]))
    let card = VirtualTag.classic1K(formatted: false)
    for sector in 0..<16 {
      let keyA: [UInt8] = sector == 1 ? Self.secret.reversed() : Self.secret
      let trailer: [UInt8] = keyA + byBoth.bytes + [0x69] + other.bytes
      card.memory.replaceSubrange(sector * 64 + 48..<sector * 64 + 64, with: trailer)
    }
    let trace = CommandTrace()
    let bench = try await Bench(card, trace: { trace.append($0) })
    let classic = try await Self.commands(bench)
    trace.clear()
    let keys = [MiFareClassicKey.factory, .ndef, secret, other]
    let dump = try await classic.dump(keys: keys, findsBothKeys: true)
    #expect(dump.isComplete)
    #expect(dump.sectors.filter { $0.keyA == nil }.map(\.sector) == [1])
    #expect(dump.sectors.allSatisfy { $0.keyB == other })
    let tried = trace.authentications
    #expect(Set(tried).count == tried.count)
    // Sector 0: three as A, four as B; sector 1: four as A, one as B; 14 more: key B, and key A.
    #expect(tried.count == 40)
  }

  /// What the host has sent to its reader.
  private final class CommandTrace: Sendable {
    private let commands = Mutex<[[UInt8]]>([])

    func append(_ event: TraceEvent) {
      guard case .command(let bytes) = event else { return }
      commands.withLock { $0.append(bytes) }
    }

    func clear() { commands.withLock { $0 = [] } }

    /// InDataExchange: target, code, block, key, UID.
    var authentications: [[UInt8]] {
      commands.withLock { $0 }.filter { $0.first == 0x40 && $0.count == 14 }
        .map { Array($0[2..<10]) }
    }
  }

  /// A dump of a card with both keys, written to a blank one and read again.
  @Test(arguments: ["1k", "4k"]) func restoresToABlankCard(name: String) async throws {
    let image = try ClassicNDEFTests.card(name, ndef: ClassicNDEFTests.message(300)).memory
    let card = try ClassicNDEFTests.card(name, formatted: false)
    let bench = try await Bench(card)
    let classic = try await Self.commands(bench)
    let plan = try await classic.restorePlan(image)
    #expect(plan.isComplete)
    #expect(card.memory == (try ClassicNDEFTests.card(name, formatted: false)).memory)
    let report = try await classic.perform(plan, accepting: Set(plan.effects))
    #expect(report.isComplete)
    #expect(Array(card.memory.dropFirst(16)) == Array(image.dropFirst(16)))
    #expect(report.changedPlaces.filter { $0.containers == [.sector(1)] }.last?.number == 7)
    // Nothing is left to do.
    let again = try await classic.restorePlan(image)
    #expect(again.steps.isEmpty)
    #expect(again.omissions.allSatisfy { $0.reason == .neverWritten })
  }

  @Test(.asking(.accessBits)) func leavesOutWhatCannotOrMustNotBeWritten() async throws {
    let card = VirtualTag.classic1K(formatted: false)
    card.memory.replaceSubrange(11 * 16..<11 * 16 + 6, with: Self.secret)
    card.memory.replaceSubrange(11 * 16 + 10..<12 * 16, with: Self.secret)
    // Sector 3: data is read-only (010).
    let readOnly = try #require(MiFareClassicAccessConditions(groups: [2, 2, 2, 1]))
    card.memory.replaceSubrange(15 * 16 + 6..<15 * 16 + 9, with: readOnly.bytes)
    var image = VirtualTag.classic1K(formatted: false).memory
    image[0] ^= 0xFF
    for block in [4, 9, 12, 16] { image[block * 16] = 0x77 }
    // Sector 5: broken access bits; sector 6: a permanent trailer.
    image[23 * 16 + 6] ^= 1
    image.replaceSubrange(27 * 16 + 6..<27 * 16 + 10, with: [0x07, 0x8F, 0x0F, 0x43])
    let bench = try await Bench(card)
    let classic = try await Self.commands(bench)
    let plan = try await classic.restorePlan(image)
    #expect(plan.steps.map(\.place?.number) == [4, 15, 16])
    let omitted = plan.omissions.map { "\($0.place): \($0.reason)" }
    #expect(
      omitted == [
        "block 0 of sector 0: it cannot be written", "sector 2: no key opens the sector",
        "block 12 of sector 3: no key that was found may write it",
        "block 23 of sector 5: the access bits are broken",
        "block 27 of sector 6: its access bits could never be changed again",
      ])
    #expect(!plan.isComplete)
    let report = try await classic.perform(plan, accepting: Set(plan.effects))
    #expect(!report.isComplete)
    #expect(card.memory[16 * 16] == 0x77)
    #expect(Array(card.memory[27 * 16 + 6..<27 * 16 + 9]) == [0xFF, 0x07, 0x80])
    // Asked for by name it is done.
    let forGood = try await classic.restorePlan(image, locksPermanently: true)
    #expect(forGood.effects == [.locksMemory])
    await #expect(throws: NFCError.self) { try await classic.perform(forGood) }
    try await classic.perform(forGood, accepting: [.locksMemory])
    #expect(Array(card.memory[27 * 16 + 6..<27 * 16 + 10]) == [0x07, 0x8F, 0x0F, 0x43])
    await #expect { try await classic.restorePlan(Array(image.dropLast())) } throws: {
      ($0 as? NFCError)?.code == .malformedContent
    }
  }

  /// Torn away at every exchange of a restore, a card can be restored again.
  @Test func restoringCanBeRepeated() async throws {
    var image = VirtualTag.classicMini(formatted: false).memory
    for block in [1, 5, 6, 9] { image[block * 16 + 3] = 0x42 }
    let trailer = MiFareClassicSectorTrailer(
      keyA: .ndef, accessConditions: .ndef, generalPurposeByte: 0x40, keyB: .factory)
    image.replaceSubrange(7 * 16..<8 * 16, with: trailer.bytes)
    let bench = try await Bench()
    var moment = 0
    var isTorn = true
    while isTorn {
      let card = VirtualTag.classicMini(formatted: false)
      bench.field.place(card)
      var classic = try await Self.commands(bench)
      let plan = try await classic.restorePlan(image)
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      do {
        try await classic.perform(plan)
        isTorn = false
      } catch let error as NFCError {
        #expect(error.code == .tagConnectionLost)
      }
      bench.virtual.setFaults([])
      bench.field.place(card)
      classic = try await Self.commands(bench)
      try await classic.perform(try await classic.restorePlan(image))
      #expect(card.memory == image)
      bench.field.remove(card)
      moment += 1
    }
    #expect(moment > 10)
  }

  @Test func aDumpEndsWhenTheCardLeaves() async throws {
    let bench = try await Bench()
    for moment in [0, 1, 2, 3, 5, 40] {
      let card = VirtualTag.classic1K(formatted: false)
      bench.field.place(card)
      let classic = try await Self.commands(bench)
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      await #expect { try await classic.dump() } throws: {
        ($0 as? NFCError)?.code == .tagConnectionLost
      }
      bench.virtual.setFaults([])
    }
  }

  @Test func valuesCountAndRefuseToOverflow() async throws {
    let card = VirtualTag.classic1K(formatted: false)
    card.memory.replaceSubrange(
      5 * 16..<6 * 16, with: MiFareClassicValueBlock(value: Int32.max - 5, address: 5).bytes)
    let bench = try await Bench(card)
    let classic = try await Self.commands(bench)
    try await classic.authenticate(block: 5, with: .factory, as: .a)
    let (value, commands, _) = try await bench.counting {
      try await classic.changeValue(5, by: 3)
    }
    #expect(value == Int32.max - 2)
    #expect(commands == 4)
    #expect(try await classic.changeValue(5, by: -10) == Int32.max - 12)
    let memory = card.memory
    await #expect { try await classic.changeValue(5, by: 13) } throws: {
      ($0 as? NFCError)?.code == .capacityExceeded && ($0 as? NFCError)?.place == .block(5)
    }
    #expect(
      try await classic.readValue(5) == MiFareClassicValueBlock(value: Int32.max - 12, address: 5))
    await #expect { try await classic.changeValue(6, by: 1) } throws: {
      ($0 as? NFCError)?.code == .malformedContent
    }
    // The card would ignore the sign, and count by 0.
    await #expect { try await classic.changeValue(5, by: .min) } throws: {
      ($0 as? NFCError)?.code == .invalidParameter
    }
    #expect(card.memory == memory)
  }

  /// The card is silent when it has heard the amount, and when it has not. What it says to TRANSFER then is
  /// decrypted wrongly, and is an acknowledge for one in sixteen.
  @Test func anAmountThatTheCardHasNotReceivedIsNotSuccess() async throws {
    for attempt in 0..<80 {
      let card = VirtualTag.classic1K(formatted: false)
      card.memory.replaceSubrange(
        5 * 16..<6 * 16, with: MiFareClassicValueBlock(value: 40, address: 5).bytes)
      let field = VirtualField()
      field.place(card)
      let direct = DirectReader(field)
      ReplayedReaders.begin()
      let reader = try await Reader.open { direct.driver() }
      guard case .miFare(let tag) = try await reader.firstTag(within: .seconds(10)) else {
        Issue.record("another tag")
        return
      }
      let classic = try #require(tag.classic)
      try await classic.authenticate(block: 5, with: .factory, as: .a)
      let memory = card.memory
      direct.setFaults([Fault(.frameLost, at: .exchange(2))])
      await #expect(throws: NFCError.self, "attempt \(attempt)") {
        try await classic.changeValue(5, by: 2)
      }
      #expect(card.memory == memory)
      await reader.close()
    }
  }

  /// An acknowledge that was lost looks like a refusal: the error says that the value may have changed, so that nobody
  /// counts twice.
  @Test func aValueThatHasChangedIsNotReportedAsUnchanged() async throws {
    ReplayedReaders.begin()
    var changed = 0
    for moment in 0..<8 {
      let card = VirtualTag.classic1K(formatted: false)
      card.memory.replaceSubrange(
        5 * 16..<6 * 16, with: MiFareClassicValueBlock(value: 40, address: 5).bytes)
      let field = VirtualField()
      field.place(card)
      let direct = DirectReader(field)
      let reader = try await Reader.open { direct.driver() }
      let tag = try await reader.firstTag(within: .seconds(10)).miFare
      let classic = try #require(tag.classic)
      try await classic.authenticate(block: 5, with: .factory, as: .a)
      let memory = card.memory
      direct.setFaults([Fault(.answerLost, at: .exchange(moment))])
      do {
        try await classic.changeValue(5, by: -2)
      } catch let error as NFCError {
        guard card.memory != memory else { continue }
        changed += 1
        #expect(error.recovery != nil, "\(moment): \(error)")
      }
      await reader.close()
    }
    #expect(changed > 1)
  }

  @Test func refusalsAreDistinguishedFromLosses() async throws {
    let card = VirtualTag.classic1K()
    let memory = card.memory
    let bench = try await Bench(card)
    let classic = try await Self.commands(bench)
    // Not open.
    await #expect { try await classic.readBlock(4) } throws: {
      ($0 as? NFCError)?.code == .tagRefused && ($0 as? NFCError)?.place == .block(4)
    }
    await #expect {
      try await classic.authenticate(
        block: 4, with: #require(MiFareClassicKey(Self.secret)), as: .a)
    } throws: {
      ($0 as? NFCError)?.code == .authenticationFailed && !"\($0)".contains("515253")
    }
    // Key A of the directory reads only.
    try await classic.authenticate(block: 1, with: .applicationDirectory, as: .a)
    await #expect {
      try await classic.writeBlock(1, [UInt8](repeating: 0, count: 16))
    } throws: {
      ($0 as? NFCError)?.code == .tagRefused
    }
    // A broken trailer is not sent.
    try await classic.authenticate(block: 7, with: .factory, as: .b)
    await #expect {
      try await classic.writeBlock(7, [UInt8](repeating: 0, count: 16))
    } throws: {
      ($0 as? NFCError)?.code == .malformedContent
    }
    // Neither is a number that no card has.
    for number in [-1, 256] {
      await #expect { try await classic.readBlock(number) } throws: {
        ($0 as? NFCError)?.code == .invalidParameter
      }
    }
    #expect(card.memory == memory)
    bench.field.remove(card)
    await #expect { try await classic.readBlock(4) } throws: {
      ($0 as? NFCError)?.code == .tagConnectionLost
    }
  }

  /// A message that the tag's own commands have changed is read again.
  @Test func knowsThatABlockWasWritten() async throws {
    let bench = try await Bench(try .classic1K(ndef: [0xD0, 0x00, 0x00]))
    let tag = try await bench.tag(.iso14443).miFare
    #expect(try await tag.readNDEFBytes() == [0xD0, 0x00, 0x00])
    let classic = try #require(tag.classic)
    try await classic.authenticate(block: 4, with: .ndef, as: .a)
    try await classic.writeBlock(4, [0x03, 0x00, 0xFE] + [UInt8](repeating: 0, count: 13))
    #expect(try await tag.readNDEFBytes() == nil)
  }
}
