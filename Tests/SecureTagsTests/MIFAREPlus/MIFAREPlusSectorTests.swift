import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests single sectors of a MIFARE Plus EV1 that are moved out of security level 1.
@Suite(.replayed) struct MIFAREPlusSectorTests {

  private static let factory = SecretKey([UInt8](repeating: 0xFF, count: 16))
  private static let wrong = SecretKey((0..<16).map { UInt8($0 * 5 + 2) })
  private static let block = (0..<16).map { UInt8($0 + 0x30) }
  private static let keys = Dictionary(uniqueKeysWithValues: (0..<40).map { ($0, factory) })

  private static func tag(isEV1: Bool = true) -> VirtualTag {
    var chip = MIFAREPlus(hasLevelOne: true)
    chip.hasMessagingOfEV1 = isEV1
    return VirtualTag(chip)
  }

  private static func card(_ bench: TagBench) async throws -> MIFAREPlusLevelOneCard {
    try MIFAREPlusLevelOneCard(await bench.miFare())
  }

  private static func address(_ sector: Int, isB: Bool = false) throws -> MIFAREPlusKeyAddress {
    try #require(MIFAREPlusKeyAddress(sector: sector, isB: isB))
  }

  @Test(
    arguments: MIFAREPlusLevelOneTests.Way.allCases, MIFAREPlusSectorLevel.allCases)
  func movesSectors(
    _ way: MIFAREPlusLevelOneTests.Way, _ level: MIFAREPlusSectorLevel
  ) async throws {
    let tag = Self.tag()
    let bench = try await way.bench(tag)
    let card = try await Self.card(bench)
    try await card.classic.authenticate(block: 4, with: .factory, as: .a)
    try await card.classic.writeBlock(4, Self.block)
    let plan = try await card.sectorPlan(
      [3, 1], to: level, key: Self.factory, sectorKeys: Self.keys)
    #expect(plan.steps.map(\.place?.number) == [1, 3])
    #expect(plan.effects.contains(.closesClassicKeys) == (level == .three))
    // Nothing is sent before it is requested by name, with the keys of all sectors and for this card.
    let exchanges = try await bench.counting {
      let refused = await failure { try await card.perform(plan) }
      #expect(refused?.code == .invalidParameter)
      let incomplete = await failure {
        _ = try await card.sectorPlan(
          [3, 1], to: level, key: Self.factory, sectorKeys: [1: Self.factory])
      }
      #expect(incomplete?.code == .invalidParameter)
    }
    #expect(exchanges == 0)
    // A sector in level 1 has no AES key to open it.
    let early = await failure {
      _ = try await card.readBlocks(4..<5, Self.address(1), Self.factory)
    }
    #expect(early?.code == .tagRefused)
    #expect(tag.irreversibleChanges.isEmpty)

    try await card.perform(plan, accepting: Set(plan.effects))
    let moved = try await Self.card(bench)
    #expect(try await moved.isLevelOne())
    #expect(
      try await Array(moved.readBlocks(4..<8, Self.address(1), Self.factory).prefix(16))
        == Self.block)
    try await moved.writeBlock(5, Self.block, Self.address(1), Self.factory)
    #expect(
      try await moved.readBlocks(5..<6, Self.address(1, isB: true), Self.factory, .plain)
        == Self.block)
    // The other sectors are those of a Classic, and this one only in the mixed level.
    let again = try await Self.card(bench)
    try await again.classic.authenticate(block: 8, with: .factory, as: .a)
    let classic = await failure {
      try await Self.card(bench).classic.authenticate(block: 5, with: .factory, as: .a)
    }
    #expect((classic == nil) == (level == .mixed))
    await bench.close()
  }

  @Test func wrongKeysAndSectors() async throws {
    let tag = Self.tag()
    let bench = try await TagBench(tag)
    let card = try await Self.card(bench)
    for sectors in [[], [40], [-1], [1, 1], Array(0..<29)] {
      let error = await failure {
        _ = try await card.sectorPlan(
          sectors, to: .three, key: Self.factory, sectorKeys: Self.keys)
      }
      #expect(error?.code == .invalidParameter, "\(sectors)")
    }
    for (key, sectorKey) in [(Self.wrong, Self.factory), (Self.factory, Self.wrong)] {
      let plan = try await card.sectorPlan(
        [1, 2], to: .three, key: key, sectorKeys: [1: Self.factory, 2: sectorKey])
      let error = await failure { try await card.perform(plan, accepting: Set(plan.effects)) }
      #expect(error?.code == .authenticationFailed)
    }
    #expect(tag.irreversibleChanges.isEmpty)
    // The card has not changed.
    try await Self.card(bench).classic.authenticate(block: 4, with: .factory, as: .a)
    // The largest switch.
    let many = try await Self.card(bench)
    let large = try await many.sectorPlan(
      Array(0..<28), to: .mixed, key: Self.factory, sectorKeys: Self.keys)
    try await many.perform(large, accepting: Set(large.effects))
    #expect(
      try await Self.card(bench).readBlocks(108..<109, Self.address(27), Self.factory).count == 16)
    await bench.close()
  }

  /// A MIFARE Plus X and a Classic are asked what they are before anything else.
  @Test func otherCards() async throws {
    for tag in [Self.tag(isEV1: false), .classic1K()] {
      let bench = try await TagBench(tag)
      let card = try await Self.card(bench)
      let error = await failure {
        _ = try await card.sectorPlan(
          [1], to: .three, key: Self.factory, sectorKeys: Self.keys)
      }
      #expect(error?.code == .unsupported)
      await bench.close()
    }
  }

  private static func plan(_ card: MIFAREPlusLevelOneCard) async throws -> ChangePlan {
    try await card.sectorPlan([1, 2], to: .three, key: factory, sectorKeys: keys)
  }

  /// After any fault at any exchange, all of the sectors have moved or none, and the call can be made again.
  @Test func everyFault() async throws {
    let first = try await TagBench(Self.tag())
    let card = try await Self.card(first)
    let plan = try await Self.plan(card)
    let count = try await first.counting {
      try await card.perform(plan, accepting: Set(plan.effects))
    }
    await first.close()
    var bench = try await TagBench(Self.tag())
    var (switched, stayed) = (0, 0)
    for trouble in TagBench.Trouble.allCases {
      for moment in 0..<count {
        bench.replace(with: Self.tag())
        let card = try await Self.card(bench)
        let plan = try await Self.plan(card)
        guard bench.setTrouble(trouble, at: moment) else { continue }
        let error = await failure { try await card.perform(plan, accepting: Set(plan.effects)) }
        var moved: [Bool] = []
        for sector in [1, 2] {
          let found = try await Self.card(bench)
          let read = await failure {
            _ = try await found.readBlocks(
              4 * sector..<4 * sector + 1, Self.address(sector), Self.factory)
          }
          moved.append(read == nil)
        }
        #expect(Set(moved).count == 1, "\(trouble) at \(moment)")
        if moved == [true, true] {
          switched += 1
          #expect(error == nil || error?.group == .connection || moment >= count - 2)
        } else {
          stayed += 1
          #expect(error != nil, "\(trouble) at \(moment)")
        }
      }
    }
    #expect(switched > 2 && stayed > 2)
    await bench.close()
  }
}
