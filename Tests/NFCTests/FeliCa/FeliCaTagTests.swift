import NFC
import Testing
import VirtualNFC

@Suite struct FeliCaTagTests {
  static let key = FeliCaLiteCardKey("0123456789abcdef".utf8)
  static let otherKey = FeliCaLiteCardKey("fedcba9876543210".utf8)
  static let block = [UInt8](repeating: 0x5A, count: 16)

  private func card(_ bench: Bench) async throws -> any FeliCaTag {
    let tag = try await bench.tag(.iso18092)
    guard case .feliCa(let card) = tag else { throw NFCError(.wrongTag, "\(tag)") }
    return card
  }

  @Test func systemsOfOneCard() async throws {
    let bench = try await Bench(.suica())
    defer { withExtendedLifetime(bench) {} }
    let card = try await card(bench)
    let systems = try await card.systems()
    #expect(systems.map(\.code) == [0x0003, 0xFE00])
    #expect(systems.map { $0.idm[0] >> 4 } == [0, 1])
    let blocks = try await card.readBlocks(service: 0x39C9, blocks: 0..<16, system: systems[1])
    #expect(blocks.count == 16)
    let error = await #expect(throws: NFCError.self) {
      try await card.readBlocks(service: 0x39C9, blocks: 0..<1)
    }
    #expect(error?.code == .tagRefused && error?.cause == .statusFlags(0x01, 0xA6))
    #expect(try await card.requestSpecificationVersion().basic == 0x0500)
    #expect(try await card.searchServiceCode(index: 0) == .area(0, last: 0xFFFE))
    #expect(try await card.searchServiceCode(index: 500) == nil)
    #expect(try await card.requestServiceV2(nodeCodes: [0x090F]).encryptionIdentifier == 0x41)
    try await card.resetMode()
  }

  /// 20 blocks are 15 and 5; behind the last the card names the block.
  @Test func manyBlocks() async throws {
    let bench = try await Bench(.suica())
    let card = try await card(bench)
    let (blocks, commands, _) = try await bench.counting {
      try await card.readBlocks(service: 0x090F, blocks: 0..<20)
    }
    #expect(blocks.count == 20 && commands == 2)
    let error = await #expect(throws: NFCError.self) {
      try await card.readBlocks(service: 0x090F, blocks: 18..<22)
    }
    #expect(error?.place == .block(20))
    #expect(card.lite == nil)
  }

  @Test(arguments: [false, true]) func authentication(isLiteS: Bool) async throws {
    let bench = try await Bench(isLiteS ? .feliCaLiteS() : .feliCaLite())
    let card = try await card(bench)
    let lite = try #require(card.lite)
    let key = try #require(Self.key)
    try await lite.writeCardKey(key, version: 2)
    let session = try await lite.authenticate(key)
    #expect(try await session.read([0, 1, 2, 3, 4]).count == 5)
    #expect(!"\(session)".contains("["))
    let wrong = try #require(Self.otherKey)
    let error = await #expect(throws: NFCError.self) { try await lite.authenticate(wrong) }
    #expect(error?.code == .authenticationFailed)
    // The session's challenge is no longer the card's.
    await #expect(throws: NFCError.self) { try await session.read([0]) }
    guard isLiteS else {
      let error = await #expect(throws: NFCError.self) { try await lite.authenticateMutually(key) }
      #expect(error?.code == .unsupported)
      return
    }
    let mutual = try await lite.authenticateMutually(key)
    try await mutual.write(Self.block, to: 5)
    #expect(try await mutual.read([5]) == [Self.block])
    let refused = await #expect(throws: NFCError.self) {
      try await lite.authenticateMutually(wrong)
    }
    #expect(refused?.code == .authenticationFailed)
  }

  /// What cannot be undone is written only if it was named; then it counts from the next power-up.
  @Test func memoryConfiguration() async throws {
    let tag = VirtualTag.feliCaLiteS()
    let bench = try await Bench(tag)
    let lite = try #require(try await card(bench).lite)
    let key = try #require(Self.key)
    try await lite.writeCardKey(key)
    let before = tag.memory
    var configuration = try await lite.memoryConfiguration()
    configuration.writeRestrictedBlocks = [5]
    configuration.readRestrictedBlocks = [5]
    let plan = configuration.irreversibleEffects(on: try await lite.memoryConfiguration())
    let changed = configuration
    let error = await #expect(throws: NFCError.self) {
      try await lite.writeMemoryConfiguration(changed, accepting: [.restrictsReading([5])])
    }
    #expect(error?.code == .invalidParameter)
    #expect(tag.memory == before)
    try await lite.writeMemoryConfiguration(changed, accepting: plan)
    bench.field.remove(tag)
    bench.field.place(tag)
    let again = try #require(try await card(bench).lite)
    let closed = await #expect(throws: NFCError.self) {
      try await again.authenticate(key).read([5])
    }
    #expect(closed?.code == .notAuthenticated)
    let session = try await again.authenticateMutually(key)
    try await session.write(Self.block, to: 5)
    #expect(try await session.read([5]) == [Self.block])
  }

  static let effects: [Fault.Effect] = [
    .tagLeaves, .frameLost, .answerLost, .answerBroken,
  ]

  /// Every loss at each of the two exchanges of a read of many blocks, and of the five of an authentication.
  @Test(arguments: 0..<5, effects.indices) func lossFails(_ index: Int, _ fault: Int) async throws {
    let bench = try await Bench(.feliCaLiteS())
    let lite = try #require(try await card(bench).lite)
    let factory = try #require(FeliCaLiteCardKey([UInt8](repeating: 0, count: 16)))
    bench.virtual.setFaults([Fault(Self.effects[fault], at: .exchange(index))])
    let error = await #expect(throws: NFCError.self) {
      try await lite.authenticateMutually(factory)
    }
    #expect(error?.group == .connection, "\(String(describing: error))")
    guard index < 2 else { return }
    let suicaBench = try await Bench(.suica())
    let suica = try await card(suicaBench)
    suicaBench.virtual.setFaults([Fault(Self.effects[fault], at: .exchange(index))])
    let readError = await #expect(throws: NFCError.self) {
      try await suica.readBlocks(service: 0x090F, blocks: 0..<20)
    }
    #expect(readError?.group == .connection)
  }
}
