import NFC
import SecureTags
import TestSupport
import Testing
import VirtualNFC

/// A MIFARE Plus through the real libnfc.
@Suite(.replayed) struct MIFAREPlusCardTests {
  private static let factory = SecretKey([UInt8](repeating: 0xFF, count: 16))
  private static let new = SecretKey((0..<16).map { UInt8($0 * 5 + 2) })
  private static let block = (0..<16).map { UInt8($0 + 0x30) }

  private struct Bench {
    let field = VirtualField()
    let virtual: VirtualReader
    let reader: Reader
    let tag: VirtualTag

    init(
      _ tag: VirtualTag, trace: (@Sendable (TraceEvent) -> Void)? = nil
    ) async throws {
      ReplayedReaders.begin()
      self.tag = tag
      field.place(tag)
      virtual = try VirtualReader(field, trace: trace)
      reader = try await Reader.open(virtual.connectionString)
    }

    func close() async {
      await reader.close()
      virtual.close()
    }

    func card() async throws -> MIFAREPlusCard {
      for try await tag in reader.tags(polling: .iso14443a) {
        try await tag.connect()
        guard case .miFare(let tag) = tag else { throw NFCError(.wrongTag, "no MIFARE") }
        return try MIFAREPlusCard(tag)
      }
      throw NFCError(.noTag, "polling ended")
    }

    /// Returns the number of exchanges of `body`.
    func counting(_ body: () async throws -> Void) async throws -> Int {
      virtual.setFaults([])
      try await body()
      return virtual.statistics.exchanges
    }
  }

  @Test(arguments: [(MIFAREPlus.Product.x2K, 1), (.x4K, 39)], MIFAREPlusCommunication.allCases)
  func readsAndWrites(
    _ kind: (MIFAREPlus.Product, Int), _ communication: MIFAREPlusCommunication
  ) async throws {
    let bench = try await Bench(.miFarePlus(kind.0))
    let card = try await bench.card()
    let first = kind.1 == 1 ? 4 : 240
    let none = await #expect(throws: NFCError.self) { _ = try await card.readBlocks(4..<5) }
    #expect(none?.code == .notAuthenticated)
    try await card.authenticate(sector: kind.1, Self.factory)
    try await card.writeBlock(first, Self.block, communication)
    try await card.writeBlock(first + 1, Self.block.reversed(), communication)
    #expect(
      try await card.readBlocks(first..<first + 3, communication)
        == Self.block + Self.block.reversed() + [UInt8](repeating: 0, count: 16))
    #expect(Array(bench.tag.memory[first * 16..<first * 16 + 16]) == Self.block)
    // The blocks of another sector require its own key, with which the transaction continues.
    try await card.authenticate(sector: 0, Self.factory)
    _ = try await card.readBlocks(0..<4, communication)
    await #expect(throws: NFCError.self) { _ = try await card.readBlocks(first..<first + 1) }
    await #expect(throws: NFCError.self) { _ = try await card.readBlocks(0..<1) }
    await bench.close()
  }

  /// An EV1 has the answer to select of a Plus X, and only GetVersion tells them apart. A Plus X refuses it and
  /// remains usable.
  @Test(arguments: [true, false]) func isNamedByItsVersion(_ isEV1: Bool) async throws {
    var chip = MIFAREPlus()
    chip.hasMessagingOfEV1 = isEV1
    let bench = try await Bench(VirtualTag(chip))
    let card = try await bench.card()
    let product = try #require(await card.tag.product())
    #expect(product.name == (isEV1 ? "MIFARE Plus EV1" : "MIFARE Plus X"))
    #expect(product.memorySize == (isEV1 ? 2048 : nil))
    try await card.authenticate(sector: 1, Self.factory)
    #expect(try await card.readBlocks(4..<5).count == 16)
    await bench.close()
  }

  /// The messaging of EV1 costs the same exchanges, and the card accepts nothing of the other messaging.
  @Test(arguments: MIFAREPlusCommunication.allCases)
  func theMessagingOfEV1(_ communication: MIFAREPlusCommunication) async throws {
    var chip = MIFAREPlus()
    chip.hasMessagingOfEV1 = true
    let bench = try await Bench(VirtualTag(chip))
    let card = try await bench.card()
    let address = try #require(MIFAREPlusKeyAddress(sector: 1))
    var counts: [Int] = []
    for messaging in [MIFAREPlusSecureMessaging.ev0, .ev1] {
      counts.append(
        try await bench.counting {
          try await card.authenticate(address, Self.factory, messaging: messaging)
          try await card.writeBlock(4, Self.block, communication)
          try await card.setValue(5, 100)
          try await card.changeValue(5, by: -23)
          #expect(try await card.value(5) == 77)
          #expect(try await card.readBlocks(4..<5, communication) == Self.block)
          // The transaction continues with another key.
          try await card.authenticate(sector: 2, Self.factory)
          #expect(try await card.readBlocks(8..<9, communication).count == 16)
          try await card.endSession()
        })
    }
    #expect(counts[0] == counts[1])
    #expect(Array(bench.tag.memory[64..<80]) == Self.block)
    await bench.close()
  }

  /// A card of the first generation is not used with less than was asked for.
  @Test func theMessagingOfEV1IsNotReplacedByAnother() async throws {
    let bench = try await Bench(.miFarePlus())
    let card = try await bench.card()
    let error = await #expect(throws: NFCError.self) {
      try await card.authenticate(sector: 1, Self.factory, messaging: .ev1)
    }
    #expect(error?.code == .unsupported)
    let none = await #expect(throws: NFCError.self) { _ = try await card.readBlocks(4..<5) }
    #expect(none?.code == .notAuthenticated)
    try await card.authenticate(sector: 1, Self.factory)
    #expect(try await card.readBlocks(4..<5).count == 16)
    await bench.close()
  }

  @Test func largeSectorsAreReadAtOnce() async throws {
    let bench = try await Bench(.miFarePlus(.x4K))
    let card = try await bench.card()
    try await card.authenticate(sector: 32, Self.factory)
    _ = try await bench.counting { _ = try await card.readBlocks(128..<143) }
    #expect(bench.virtual.statistics.commands <= 2)
    await bench.close()
  }

  /// A card without encryption reports it.
  @Test func cardsWithoutEncryption() async throws {
    let bench = try await Bench(.miFarePlus(.s2K))
    let card = try await bench.card()
    try await card.authenticate(sector: 1, Self.factory)
    let error = await #expect(throws: NFCError.self) { _ = try await card.readBlocks(4..<5) }
    #expect(error?.code == .unsupported)
    try await card.authenticate(sector: 1, Self.factory)
    #expect(try await card.readBlocks(4..<5, .plain).count == 16)
    await bench.close()
  }

  /// Nothing is sent for a block that no card has, nor for a range that ends with one.
  @Test func blocksThatNoCardHas() async throws {
    let bench = try await Bench(.miFarePlus(.x4K))
    let card = try await bench.card()
    try await card.authenticate(sector: 39, Self.factory)
    for range in [-1..<2, 250..<260, 256..<257, Int.max - 1..<Int.max] {
      let exchanges = try await bench.counting {
        let error = await #expect(throws: NFCError.self) { _ = try await card.readBlocks(range) }
        #expect(error?.code == .invalidParameter)
      }
      #expect(exchanges == 0)
    }
    for block in [-1, 256, Int.max] {
      let error = await #expect(throws: NFCError.self) { _ = try await card.value(block) }
      #expect(error?.code == .invalidParameter)
    }
    await bench.close()
  }

  @Test func values() async throws {
    let bench = try await Bench(.miFarePlus())
    let card = try await bench.card()
    try await card.authenticate(sector: 1, Self.factory)
    try await card.setValue(5, 100)
    try await card.changeValue(5, by: 23)
    try await card.changeValue(5, by: -200, into: 6)
    #expect(try await card.value(5) == 123)
    #expect(try await card.value(6, .plain) == -77)
    try await card.copyValue(6, to: 5)
    #expect(try await card.value(5) == -77)
    let none = await #expect(throws: NFCError.self) { _ = try await card.value(4) }
    #expect(none?.code == .malformedContent)
    await bench.close()
  }

  /// PC/SC sends each command unchanged.
  @Test func everyCommandThroughPCSC() async throws {
    let bench = try await TagBench(.miFarePlus(), .pcsc)
    let card = try MIFAREPlusCard(await bench.miFare())
    #expect(try await card.securityLevel() == 3)
    try await card.authenticate(sector: 1, Self.factory)
    for communication in MIFAREPlusCommunication.allCases {
      try await card.writeBlock(4, Self.block, communication)
      #expect(try await card.readBlocks(4..<5, communication) == Self.block)
    }
    try await card.setValue(5, 100)
    try await card.changeValue(5, by: 23)
    try await card.changeValue(5, by: -200, into: 6)
    try await card.copyValue(6, to: 5)
    #expect(try await card.value(5, .plain) == -77)
    let address = try #require(MIFAREPlusKeyAddress(sector: 1, isB: true))
    try await card.changeKey(address, to: Self.new)
    try await card.authenticate(address, Self.new)
    try await card.endSession()
    let ended = await failure { _ = try await card.readBlocks(4..<5) }
    #expect(ended?.code == .notAuthenticated)
    await bench.close()
  }

  @Test func keys() async throws {
    let bench = try await Bench(.miFarePlus())
    let card = try await bench.card()
    let address = try #require(MIFAREPlusKeyAddress(sector: 2, isB: true))
    try await card.authenticate(sector: 2, Self.factory)
    try await card.changeKey(address, to: Self.new)
    let wrong = await #expect(throws: NFCError.self) {
      try await card.authenticate(address, Self.factory)
    }
    #expect(wrong?.code == .authenticationFailed)
    try await card.authenticate(address, Self.new)
    try await card.authenticate(.cardMaster, Self.factory)
    try await card.changeKey(.cardConfiguration, to: Self.new)
    try await card.authenticate(.cardConfiguration, Self.new)
    // This key cannot change keys.
    await #expect(throws: NFCError.self) { try await card.changeKey(.cardMaster, to: Self.new) }
    for text in ["\(Self.new)", String(reflecting: card), "\(String(describing: wrong))"] {
      #expect(!text.contains("02070C"))
    }
    await bench.close()
  }

  @Test func levelZero() async throws {
    let bench = try await Bench(.miFarePlus(personalized: false))
    let card = try await bench.card()
    let early = await #expect(throws: NFCError.self) { try await card.commitPersonalization() }
    #expect(early?.code == .tagRefused)
    for address in [MIFAREPlusKeyAddress.cardMaster, .cardConfiguration, .levelThreeSwitch] {
      try await card.personalize(address, Self.new)
    }
    try await card.personalize(try #require(MIFAREPlusKeyAddress(sector: 1)), Self.new)
    try await card.personalize(block: 4, Self.block)
    try await card.commitPersonalization()
    bench.field.remove(bench.tag)
    bench.field.place(bench.tag)
    let personalized = try await bench.card()
    try await personalized.authenticate(sector: 1, Self.new)
    #expect(try await personalized.readBlocks(4..<5) == Self.block)
    await bench.close()
  }

  @Test func otherCards() async throws {
    let bench = try await Bench(.classic1K())
    let error = await #expect(throws: NFCError.self) { _ = try await bench.card() }
    #expect(error?.code == .wrongTag)
    await bench.close()
  }

  /// The card is removed at each exchange of each change: it has either its old or its new content.
  @Test(arguments: ["block", "value", "key"]) func torn(_ change: String) async throws {
    let bench = try await Bench(.miFarePlus())
    let first = try await bench.card()
    try await first.authenticate(sector: 1, Self.factory)
    try await first.setValue(5, 100)
    let before = bench.tag.memory
    let run: @Sendable (MIFAREPlusCard) async throws -> Void = { card in
      try await card.authenticate(sector: 1, Self.factory)
      switch change {
      case "block": try await card.writeBlock(4, Self.block)
      case "value": try await card.changeValue(5, by: 11)
      default:
        guard let address = MIFAREPlusKeyAddress(sector: 1, isB: true) else { return }
        try await card.changeKey(address, to: Self.new)
      }
    }
    let count = try await bench.counting { try await run(first) }
    let after = bench.tag.memory
    #expect(after != before && count >= 3)
    for moment in 0..<count {
      for effect in [Fault.Effect.tagLeaves, .answerLost] {
        bench.tag.memory = before
        let card = try await bench.card()
        bench.virtual.setFaults([Fault(effect, at: .exchange(moment))])
        let result = await Result { try await run(card) }
        bench.virtual.setFaults([])
        bench.field.place(bench.tag)
        #expect([before, after].contains(bench.tag.memory), "\(effect) at \(moment)")
        if case .success = result { #expect(bench.tag.memory == after) }
      }
    }
    await bench.close()
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
