import NFC
import TestSupport
import Testing
import VirtualNFC

@Suite(.replayed) struct FeliCaTagTests {
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
    #expect(error?.code == .tagRefused && error?.cause == .statusFlags(flag1: 0x01, flag2: 0xA6))
    #expect(try await card.requestSpecificationVersion().basic == 0x0500)
    #expect(try await card.searchServiceCode(index: 0) == .area(0, last: 0xFFFE))
    #expect(try await card.searchServiceCode(index: 500) == nil)
    #expect(try await card.requestServiceV2(nodeCodes: [0x090F]).encryptionIdentifier == 0x41)
    try await card.resetMode()
  }

  /// 20 blocks are read as 15 and 5; past the last one, the card names the block.
  @Test func manyBlocks() async throws {
    let bench = try await Bench(.suica())
    let card = try await card(bench)
    let (blocks, commands, _) = try await bench.counting {
      try await card.readBlocks(service: 0x090F, blocks: 0..<20)
    }
    // The first command also has the chip wait for as long as the card may take.
    #expect(blocks.count == 20 && commands == 3)
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
  @Test(.asking(.memoryConfiguration)) func memoryConfiguration() async throws {
    let tag = VirtualTag.feliCaLiteS()
    let bench = try await Bench(tag)
    let lite = try #require(try await card(bench).lite)
    let key = try #require(Self.key)
    try await lite.writeCardKey(key)
    let before = tag.memory
    var configuration = try await lite.memoryConfiguration()
    configuration.writeRestrictedBlocks = [5]
    configuration.readRestrictedBlocks = [5]
    let plan = try await lite.memoryConfigurationPlan(configuration)
    #expect(plan.effects == [.restrictsReading, .restrictsWriting])
    let error = await #expect(throws: NFCError.self) {
      try await lite.perform(plan, accepting: [.restrictsReading])
    }
    #expect(error?.code == .invalidParameter)
    #expect(tag.memory == before)
    try await lite.perform(plan, accepting: Set(plan.effects))
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

  /// Many blocks, one an exchange; a block that may not be written is named, those before it stay.
  @Test(.asking(.counter)) func writesBlocks() async throws {
    let tag = VirtualTag.feliCaLiteS()
    let bench = try await Bench(tag)
    let card = try await card(bench)
    let (_, commands, _) = try await bench.counting {
      try await card.writeBlocks(service: 0x0009, at: 4, Self.block + Self.block + Self.block)
    }
    // The first command also has the chip wait for as long as the card may take.
    #expect(commands == 4)
    #expect(
      try await card.readBlocks(service: 0x000B, blocks: 4..<7) == [
        Self.block, Self.block, Self.block,
      ])
    let zeros = [UInt8](repeating: 0, count: 16)
    let last = await #expect(throws: NFCError.self) {
      try await card.writeBlocks(service: 0x0009, at: 14, zeros + zeros)
    }
    #expect(last?.code == .tagRefused && last?.place == .block(15))
    let before = tag.memory
    for (service, first, data, code) in [
      (0x090F, 4, zeros, NFCError.Code.tagRefused), (0x000B, 4, zeros, .tagRefused),
      (0x0009, 4, [1, 2, 3], .invalidParameter), (0x0009, 4, zeros + [1], .invalidParameter),
      (0x0009, 4, [], .invalidParameter), (0x0009, -1, zeros, .invalidParameter),
      (0x0009, 65_535, zeros + zeros, .invalidParameter),
      (0x0009, 65_536, zeros, .invalidParameter),
    ] as [(UInt16, Int, [UInt8], NFCError.Code)] {
      let error = await #expect(throws: NFCError.self) {
        try await card.writeBlocks(service: service, at: first, data)
      }
      #expect(error?.code == code, "\(service), \(first)")
    }
    #expect(tag.memory == before)
  }

  /// A Lite-S takes four blocks in a command, and no command more than 255; neither changes anything.
  @Test func tooManyBlocks() async throws {
    let tag = VirtualTag.feliCaLiteS()
    let bench = try await Bench(tag)
    let card = try await card(bench)
    let before = tag.memory
    let refused = await #expect(throws: NFCError.self) {
      try await card.readWithoutEncryption(serviceCodes: [0x000B], blocks: [0, 1, 2, 3, 4])
    }
    #expect(refused?.code == .tagRefused)
    guard case .statusFlags(_, 0xA2)? = refused?.cause else {
      Issue.record("\(String(describing: refused))")
      return
    }
    let written = await #expect(throws: NFCError.self) {
      try await card.writeWithoutEncryption(
        serviceCodes: [0x0009], blocks: [4, 5, 6], data: [Self.block, Self.block, Self.block])
    }
    #expect(written?.code == .tagRefused)
    let impossible = await #expect(throws: NFCError.self) {
      try await card.readWithoutEncryption(
        serviceCodes: [0x000B], blocks: [FeliCaBlock](repeating: 0, count: 256))
    }
    #expect(impossible?.code == .invalidParameter)
    #expect(tag.memory == before)
  }

  /// An issued card takes another key with MAC_A where its configuration lets it, and refuses it otherwise.
  @Test(.asking(.memoryConfiguration), arguments: [true, false]) func anotherCardKey(
    isWritableWithMAC: Bool
  ) async throws {
    let tag = VirtualTag.feliCaLiteS()
    let bench = try await Bench(tag)
    let (old, new) = (try #require(Self.key), try #require(Self.otherKey))
    let lite = try #require(try await card(bench).lite)
    try await lite.writeCardKey(old, version: 1)
    var configuration = try await lite.memoryConfiguration()
    configuration.systemBlocksAreWritable = false
    configuration.keyIsWritableWithMAC = isWritableWithMAC
    try await lite.perform(
      try await lite.memoryConfigurationPlan(configuration), accepting: [.closesSystemBlocks])
    bench.field.remove(tag)
    bench.field.place(tag)
    let issued = try #require(try await card(bench).lite)
    let before = tag.memory
    let open = await #expect(throws: NFCError.self) { try await issued.writeCardKey(new) }
    #expect(open?.group == .refusal)
    let session = try await issued.authenticateMutually(old)
    guard isWritableWithMAC else {
      let error = await #expect(throws: NFCError.self) { try await session.writeCardKey(new) }
      #expect(error?.group == .refusal)
      // All but WCNT, at the end, is as it was.
      #expect(tag.memory.dropLast(16) == before.dropLast(16))
      return
    }
    try await session.writeCardKey(new, version: 0x0203)
    _ = try await issued.authenticate(new)
    let error = await #expect(throws: NFCError.self) { try await issued.authenticate(old) }
    #expect(error?.code == .authenticationFailed)
    let version = try await card(bench).readBlocks(service: 0x000B, blocks: 0x86..<0x87)
    #expect(version.first?.prefix(2) == [0x03, 0x02])
  }
}
