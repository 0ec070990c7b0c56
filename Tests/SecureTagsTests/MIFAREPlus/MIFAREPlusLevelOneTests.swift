import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests a MIFARE Plus in security level 1, and its switch to level 3, through the real libnfc and every
/// kind of PC/SC reader that sends frames.
@Suite(.replayed) struct MIFAREPlusLevelOneTests {
  enum Way: String, Sendable, CaseIterable {
    case libnfc, transparentSession, directTransmit, encapsulation

    func bench(
      _ tag: VirtualTag, trace: (@Sendable (TraceEvent) -> Void)? = nil
    ) async throws -> TagBench {
      switch self {
      case .libnfc: try await TagBench(tag, trace: trace)
      case .transparentSession: try await TagBench(tag, .pcsc)
      case .directTransmit: try await TagBench(tag, .pcsc, dialect: .directTransmit)
      case .encapsulation: try await TagBench(tag, .pcsc, dialect: .springCard)
      }
    }
  }

  private static let factory = SecretKey([UInt8](repeating: 0xFF, count: 16))
  private static let new = SecretKey((0..<16).map { UInt8($0 * 5 + 2) })
  private static let block = (0..<16).map { UInt8($0 + 0x30) }
  private static let everything = Set<IrreversibleEffect>([
    .leavesSecurityLevel, .closesClassicKeys,
  ])

  private static func levelOne(_ product: MIFAREPlus.Product = .x2K) -> VirtualTag {
    .miFarePlus(product, hasLevelOne: true)
  }

  private static func card(_ bench: TagBench) async throws -> MIFAREPlusLevelOneCard {
    try MIFAREPlusLevelOneCard(await bench.miFare())
  }

  /// The sectors behave like those of a Classic before and after the AES authentication.
  @Test(arguments: [MIFAREPlus.Product.x2K, .x4K], Way.allCases)
  func isAClassicThatProvesAKey(_ product: MIFAREPlus.Product, _ way: Way) async throws {
    let bench = try await way.bench(Self.levelOne(product))
    let card = try await Self.card(bench)
    #expect(card.tag.family == .classic && card.tag.sak == (product == .x4K ? 0x18 : 0x08))
    try await card.classic.authenticate(block: 4, with: .factory, as: .a)
    try await card.classic.writeBlock(4, Self.block)
    #expect(try await card.isLevelOne())
    try await card.authenticate(Self.factory)
    try await card.classic.authenticate(block: 4, with: .factory, as: .a)
    #expect(try await card.classic.readBlock(4) == Self.block)
    #expect(Array(bench.placed.memory[64..<80]) == Self.block)
    await bench.close()
  }

  /// Values and the size of the memory, which PC/SC has no commands for.
  @Test(arguments: [MIFAREPlus.Product.x2K, .x4K])
  func hasTheMemoryOfAPlus(_ product: MIFAREPlus.Product) async throws {
    let bench = try await TagBench(Self.levelOne(product))
    let card = try await Self.card(bench)
    try await card.authenticate(Self.factory)
    try await card.classic.authenticate(block: 4, with: .factory, as: .a)
    try await card.classic.writeBlock(5, MIFAREPlusValue(value: 100, address: 5).bytes)
    try await card.classic.increment(5, by: 23)
    try await card.classic.transfer(to: 5)
    #expect(
      try await card.classic.readBlock(5) == MIFAREPlusValue(value: 123, address: 5).bytes)
    // The activation does not indicate that a card of 2 KB has more memory than a Classic of 1 KB.
    try await card.classic.authenticate(block: 127, with: .factory, as: .a)
    let beyond = await failure {
      try await card.classic.authenticate(block: 128, with: .factory, as: .a)
    }
    #expect((beyond == nil) == (product == .x4K))
    await bench.close()
  }

  /// Two exchanges for the authentication, and the selection that ends any active protocol.
  @Test func anAuthenticationIsTwoCommands() async throws {
    let commands = Mutex<[[UInt8]]>([])
    let bench = try await TagBench(Self.levelOne()) { event in
      if case .sent(let frame) = event, let code = frame.bytes.first, code == 0x76 || code == 0x72 {
        commands.withLock { $0.append(frame.bytes) }
      }
    }
    try await Self.card(bench).authenticate(Self.factory)
    let sent = commands.withLock { $0 }
    #expect(sent.count == 2)
    #expect(sent.first?.prefix(3) == [0x76, 0x04, 0x90])
    #expect(sent.last?.count == 35)
    await bench.close()
  }

  @Test(arguments: Way.allCases) func wrongKeys(_ way: Way) async throws {
    let tag = Self.levelOne()
    let bench = try await way.bench(tag)
    let card = try await Self.card(bench)
    let wrong = await failure { try await card.authenticate(Self.new) }
    // An ACR122U reports the four bits of the refusal as a broken answer.
    #expect(wrong?.code == (way == .directTransmit ? .tagResponseError : .authenticationFailed))
    #expect(wrong?.reason.contains("key is wrong") == true || way != .directTransmit)
    #expect(wrong?.description.contains("02070C") == false)
    #expect(
      await failure { try await card.authenticate(SecretKey([1, 2])) }?.code == .invalidParameter)
    let plan = try await card.levelThreePlan(key: Self.new)
    let refused = await failure { try await card.perform(plan, accepting: Self.everything) }
    #expect(refused?.code == .authenticationFailed)
    // The card has not changed.
    try await Self.card(bench).authenticate(Self.factory)
    #expect(tag.irreversibleChanges.isEmpty)
    await bench.close()
  }

  /// A Classic refuses the command and continues to work; nothing is sent to other tags.
  @Test(arguments: Way.allCases) func otherCards(_ way: Way) async throws {
    let bench = try await way.bench(.classic1K())
    let card = try await Self.card(bench)
    #expect(try await !card.isLevelOne())
    #expect(await failure { try await card.authenticate(Self.factory) }?.code == .tagRefused)
    #expect(await failure { _ = try await card.levelThreePlan(key: nil) }?.code == .unsupported)
    try await card.classic.authenticate(block: 4, with: .ndef, as: .a)
    await bench.close()
    let other = try await way.bench(.miFarePlus())
    #expect(await failure { _ = try await Self.card(other) }?.code == .wrongTag)
    await other.close()
  }

  /// Level 0, level 1, level 3: data is kept, and in level 3 the keys of level 0 are valid.
  @Test(arguments: Way.allCases) func wholeWay(_ way: Way) async throws {
    let tag = VirtualTag.miFarePlus(personalized: false, hasLevelOne: true)
    let bench = try await way.bench(tag)
    let blank = try MIFAREPlusCard(await bench.miFare())
    #expect(try await blank.securityLevel() == 0)
    for address in [MIFAREPlusKeyAddress.cardMaster, .cardConfiguration, .levelThreeSwitch] {
      try await blank.personalize(address, Self.new)
    }
    let sectorKey = try #require(MIFAREPlusKeyAddress(sector: 1))
    try await blank.personalize(sectorKey, Self.new)
    try await blank.commitPersonalization()

    let one = try await Self.card(bench)
    try await one.classic.authenticate(block: 4, with: .factory, as: .a)
    try await one.classic.writeBlock(4, Self.block)
    let plan = try await one.levelThreePlan(key: Self.new)
    #expect(plan.lines.first == "security level: 1 → 3")
    // Nothing happens before it is requested by name.
    for effects in [[], [.leavesSecurityLevel], [.closesClassicKeys]]
      as [Set<IrreversibleEffect>]
    {
      let exchanges = try await bench.counting {
        let error = await failure {
          try await one.perform(plan, accepting: effects)
        }
        #expect(error?.code == .invalidParameter)
      }
      #expect(exchanges == 0)
    }
    try await one.perform(plan, accepting: Self.everything)

    let three = try MIFAREPlusCard(await bench.miFare())
    #expect(try await three.securityLevel() == 3)
    try await three.authenticate(sector: 1, Self.new)
    #expect(try await three.readBlocks(4..<5) == Self.block)
    // No key of CRYPTO1 can be read any more.
    #expect(
      try await three.readBlocks(7..<8).hexadecimal == "00000000000FFF078069000000000000")
    await bench.close()
  }

  /// A card that does not know the first authentication in level 1 is switched with the other one; a wrong key
  /// switches neither.
  @Test(arguments: Way.allCases) func otherAuthenticationOfTheSwitch(_ way: Way) async throws {
    var chip = MIFAREPlus(hasLevelOne: true)
    chip.requiresFollowingAuthentication = true
    let bench = try await way.bench(VirtualTag(chip))
    let card = try await Self.card(bench)
    let plan = try await card.levelThreePlan(key: Self.new)
    let refused = await failure { try await card.perform(plan, accepting: Self.everything) }
    #expect(refused?.code == .authenticationFailed)
    let again = try await Self.card(bench)
    try await again.perform(
      try await again.levelThreePlan(key: Self.factory), accepting: Self.everything)
    #expect(try await MIFAREPlusCard(bench.miFare()).securityLevel() == 3)
    await bench.close()
  }

  /// A PC/SC reader that opens the sectors itself and cannot send other commands to such a card: the error
  /// says so, and nothing is lost.
  @Test(arguments: [VirtualPCSCReader.Dialect.storageCard, .omnikey, .identivPassThrough])
  func readersThatKeepTheCardToThemselves(_ dialect: VirtualPCSCReader.Dialect) async throws {
    let bench = try await TagBench(Self.levelOne(), .pcsc, dialect: dialect)
    let card = try await Self.card(bench)
    #expect(await failure { _ = try await card.isLevelOne() }?.code == .unsupported)
    #expect(await failure { try await card.authenticate(Self.factory) }?.code == .unsupported)
    #expect(await failure { _ = try await card.levelThreePlan(key: nil) }?.code == .unsupported)
    try await card.classic.authenticate(block: 4, with: .factory, as: .a)
    #expect(try await card.classic.readBlock(4).count == 16)
    await bench.close()
  }

  /// A plan is valid for one card only.
  @Test func plansOfAnotherCard() async throws {
    let bench = try await TagBench(Self.levelOne())
    let card = try await Self.card(bench)
    let second = try await TagBench(Self.levelOne())
    let other = try await Self.card(second).levelThreePlan(key: Self.factory)
    let error = await failure { try await card.perform(other, accepting: Self.everything) }
    await second.close()
    #expect(error?.code == .invalidParameter)
    await bench.close()
  }

  /// The reader asks the card whether it is still there only when it may: after the procedure the sectors
  /// open again, and a card that leaves is noticed.
  @Test(arguments: Way.allCases) func aCardThatLeavesIsNoticed(_ way: Way) async throws {
    let bench = try await way.bench(Self.levelOne())
    let card = try await Self.card(bench)
    try await card.authenticate(Self.factory)
    #expect(try await card.tag.isPresent())
    bench.field.remove(bench.placed)
    #expect(try await !card.tag.isPresent())
    let gone = await failure { try await card.authenticate(Self.factory) }
    #expect(gone?.code == .tagConnectionLost)
    try await Self.card(bench).authenticate(Self.factory)
    await bench.close()
  }

  /// After any fault at any exchange of the authentication, the error says what is the case, and the same
  /// call succeeds.
  @Test(arguments: Way.allCases) func everyFaultOfTheAuthentication(_ way: Way) async throws {
    let bench = try await way.bench(Self.levelOne())
    let first = try await Self.card(bench)
    let count = try await bench.counting { try await first.authenticate(Self.factory) }
    for trouble in TagBench.Trouble.allCases {
      for moment in 0..<count {
        let place: Comment = "\(trouble) at \(moment)"
        let card = try await Self.card(bench)
        guard bench.setTrouble(trouble, at: moment) else { continue }
        let error = await failure { try await card.authenticate(Self.factory) }
        if trouble == .tagLeaves { #expect(error?.code == .tagConnectionLost, place) }
        // HLTA is not answered, so that nothing is lost with it or its answer.
        #expect(
          error == nil ? trouble != .tagLeaves : error?.code != .unsupported, place)
        try await Self.card(bench).authenticate(Self.factory)
      }
    }
    #expect(bench.placed.irreversibleChanges.isEmpty)
    await bench.close()
  }

  /// After any fault at any exchange, the card is in level 1 or in level 3, its data has not changed, and
  /// the same call completes the switch.
  @Test(arguments: Way.allCases) func everyFaultOfTheSwitch(_ way: Way) async throws {
    let first = try await way.bench(Self.levelOne())
    let card = try await Self.card(first)
    let plan = try await card.levelThreePlan(key: Self.factory)
    let count = try await first.counting {
      try await card.perform(plan, accepting: Self.everything)
    }
    await first.close()
    var bench = try await way.bench(Self.levelOne())
    var (switched, stayed) = (0, 0)
    for trouble in TagBench.Trouble.allCases {
      for moment in 0..<count {
        let place = "\(trouble) at \(moment)"
        bench.replace(with: Self.levelOne())
        let card = try await Self.card(bench)
        let plan = try await card.levelThreePlan(key: Self.factory)
        guard bench.setTrouble(trouble, at: moment) else { continue }
        let error = await failure { try await card.perform(plan, accepting: Self.everything) }
        let level = try await bench.miFare()
        if level.family == .plus {
          switched += 1
          // Unless the answer of the authentication was lost, every fault is reported.
          #expect(error == nil || error?.group == .connection || moment >= count - 2, "\(place)")
          try await MIFAREPlusCard(level).authenticate(sector: 1, Self.factory)
        } else {
          stayed += 1
          #expect(error != nil, "\(place)")
          try await MIFAREPlusLevelOneCard(level).authenticate(Self.factory)
        }
      }
    }
    #expect(switched > 4 && stayed > 4)
    await bench.close()
  }

  /// A task that is cancelled at any frame of the switch leaves a card of level 1 or level 3, and never one in
  /// between.
  @Test(.notReplayed("a task is cancelled"), arguments: Way.allCases)
  func aCancelledSwitch(_ way: Way) async throws {
    var bench = try await way.bench(Self.levelOne())
    var frame = 0
    while frame < 100 {
      let cancellation = ExchangeCancellation()
      bench.replace(with: cancellation.watched(Self.levelOne().chip))
      let card = try await Self.card(bench)
      let isCancelled = await cancellation.cancelling(at: frame) {
        let plan = try await card.levelThreePlan(key: Self.factory)
        try await card.perform(plan, accepting: Self.everything)
      }
      let found = try await bench.miFare()
      if found.family == .plus {
        try await MIFAREPlusCard(found).authenticate(sector: 1, Self.factory)
      } else {
        try await MIFAREPlusLevelOneCard(found).authenticate(Self.factory)
      }
      #expect(isCancelled || found.family == .plus)
      guard isCancelled else { break }
      frame += 1
    }
    #expect((4..<100).contains(frame))
    await bench.close()
  }
}

/// Tests the blocks that an authentication needs, without a reader.
@Suite(.replayed) struct MIFAREPlusBlocksTests {
  private static let ats: [UInt8] = [0x0C, 0x75, 0x77, 0x80, 0x02, 0xC1, 5, 0x2F, 0x2F, 1, 2, 3]

  /// A card that returns these answers one by one.
  private final class Card: Sendable {
    private let state: Mutex<(answers: ArraySlice<[UInt8]>, sent: [[UInt8]])>
    init(_ answers: [[UInt8]]) { state = Mutex((answers[...], [])) }
    var sent: [[UInt8]] { state.withLock { $0.sent } }
    func send(_ frame: [UInt8]) throws -> [UInt8] {
      try state.withLock { state in
        state.sent.append(frame)
        guard let answer = state.answers.popFirst() else {
          throw NFCError(.tagResponseError, "silence", cause: .noAnswer)
        }
        return answer
      }
    }
  }

  @Test func blockNumbersAndWaitingTimes() throws {
    let card = Card([Self.ats, [0x02, 0x90], [0xF2, 0x41], [0x03, 0x90, 7], [0x02, 6], [0xC2]])
    var blocks = MIFAREPlusBlocks(send: card.send)
    #expect(try blocks.begin() == Array(Self.ats.dropFirst()))
    #expect(try blocks.exchange([0x70, 1]) == [0x90])
    #expect(try blocks.exchange([0x72]) == [0x90, 7])
    #expect(try blocks.exchange([0x78]) == [6])
    try blocks.end()
    // The two high bits of a waiting time are the power level, which the reader's answer does not contain
    // (ISO/IEC 14443-4, 7.3).
    #expect(
      card.sent == [
        [0xE0, 0x50], [0x02, 0x70, 1], [0x03, 0x72], [0xF2, 0x01], [0x02, 0x78], [0xC2],
      ]
    )
  }

  @Test(
    arguments: [
      [], [0x03, 0x90], [0x12, 0x90], [0xA2], [0xB2], [0xF2], [0xC2], [0x0A, 0x00, 0x90],
    ] as [[UInt8]])
  func otherBlocksAreRefused(_ answer: [UInt8]) throws {
    var blocks = MIFAREPlusBlocks(send: Card([Self.ats, answer]).send)
    _ = try blocks.begin()
    #expect(throws: NFCError.self) { try blocks.exchange([0x70]) }
  }

  @Test func noCardMakesTheReaderWaitForEver() throws {
    var blocks = MIFAREPlusBlocks(
      send: Card([Self.ats] + [[UInt8]](repeating: [0xF2, 0x3B], count: 100)).send)
    _ = try blocks.begin()
    #expect(throws: NFCError.self) { try blocks.exchange([0x70]) }
  }

  @Test(arguments: [[], [0x01], [0x05, 0x75], [0x02, 0x72], [0x02, 0x70]] as [[UInt8]])
  func answersToSelectThatAreNoneOrTooSmall(_ answer: [UInt8]) {
    var blocks = MIFAREPlusBlocks(send: Card([answer]).send)
    #expect(throws: NFCError.self) { try blocks.begin() }
  }
}
