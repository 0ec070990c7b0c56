import NFC
import Testing
import VirtualNFC

@Suite struct PollingTests {
  @Test func findsATagAndTalksToIt() async throws {
    let bench = try await Bench(.ntag216())
    let tag = try await bench.tag().miFare
    #expect(try await tag.product()?.name == "NTAG216")
    // Sets up the chip for raw frames, so that what follows is one host command.
    _ = try await tag.sendMiFareCommand([0x30, 0x00])
    let (answer, commands, exchanges) = try await bench.counting {
      try await tag.sendMiFareCommand([0x30, 0x03])
    }
    #expect(answer.starts(with: [0xE1, 0x10, 0x6D, 0x00]))
    #expect(exchanges == 1)
    #expect(commands == 1)
    await bench.reader.close()
    #expect(!bench.field.isPowered)
  }

  /// The first tag is reported before others are searched for, and is still awake then.
  @Test func theFirstTagTakesOneCommandOfTheReader() async throws {
    let bench = try await Bench(.ntag216(), .ntag215())
    let (product, commands, _) = try await bench.counting {
      let tag = try await bench.tag()
      guard case .miFare(let tag) = tag else { return nil as TagProduct? }
      return try await tag.product()
    }
    #expect(product != nil)
    // InListPassiveTarget, the time-out of commands, and GET_VERSION.
    #expect(commands == 3)
  }

  /// Looking for others puts a connected tag to sleep; the next command to it wakes it.
  @Test func aConnectedTagOutlastsTheSearchForOthers() async throws {
    let bench = try await Bench(.ntag216(), .ntag215())
    var tags = bench.reader.tags(polling: .iso14443).makeAsyncIterator()
    let first = try #require(try await tags.next()?.miFare)
    try await first.connect()
    #expect(try await first.sendMiFareCommand([0x30, 0x03]).starts(with: [0xE1]))
    let second = try #require(try await tags.next())
    #expect(second.identifier != first.identifier)
    #expect(try await first.sendMiFareCommand([0x30, 0x03]).starts(with: [0xE1]))
    try await second.connect()
    await #expect(throws: NFCError.self) { try await first.sendMiFareCommand([0x30, 0x03]) }
  }

  /// One that has fallen back to IDLE meanwhile answers the search again, and is not reported twice.
  @Test func aTagThatHasRefusedIsNotFoundAgain() async throws {
    let bench = try await Bench(.ntag216(), .ntag215())
    var tags = bench.reader.tags(polling: .iso14443).makeAsyncIterator()
    let first = try #require(try await tags.next()?.miFare)
    try await first.connect()
    // A page that no NTAG has.
    await #expect(throws: NFCError.self) { try await first.sendMiFareCommand([0x30, 0xFF]) }
    #expect(try await tags.next()?.identifier != first.identifier)
  }

  /// What has been selected on a card is lost when it is put to sleep, and the program hears of it.
  @Test func aCardOfBlocksMustBeConnectedToAgain() async throws {
    let bench = try await Bench(
      .type4(uid: [0x04, 1, 2, 3, 4, 5, 6]), .type4(uid: [0x04, 9, 8, 7, 6, 5, 4]))
    var tags = bench.reader.tags(polling: .iso14443).makeAsyncIterator()
    let first = try #require(try await tags.next())
    let card = try first.iso7816
    let select = APDU.select(aid: "D2760000850101")
    try await card.connect()
    #expect(try await card.sendCommand(select).statusWord == 0x9000)
    let second = try #require(try await tags.next())
    #expect(second.identifier != first.identifier)
    let error = await #expect(throws: NFCError.self) { try await card.sendCommand(select) }
    #expect(error?.code == .tagNotConnected)
    try await card.connect()
    #expect(try await card.sendCommand(select).statusWord == 0x9000)
  }
}
