import NFC
import SecureTags
import TestSupport
import Testing
import VirtualNFC

/// Tests what the next program finds on a card after a PC/SC reader was closed: the service leaves a card powered.
@Suite struct LeftCardTests {
  private static let getVersion: [UInt8] = [0x90, 0x60, 0x00, 0x00, 0x00]
  /// A wrapped GetCardUID, which requires a session.
  private static let askForUID: [UInt8] = [0x90, 0x51, 0x00, 0x00, 0x00]
  private static let additionalFrame: [UInt8] = [0x91, 0xAF]
  private static let noSession: [UInt8] = [0x91, 0xAE]
  private static let factory = SecretKey([UInt8](repeating: 0xFF, count: 16))

  /// A card on a PC/SC reader that several programs use, one after the other.
  private struct Bench {
    let field = VirtualField()
    let virtual: VirtualPCSCReader

    init(_ tag: VirtualTag, _ dialect: VirtualPCSCReader.Dialect = .transparentSession) {
      ReplayedReaders.begin()
      field.place(tag)
      virtual = VirtualPCSCReader(field, dialect: dialect)
    }

    /// Opens the reader, connects to the card, and closes the reader.
    func use(_ body: (DetectedTag) async throws -> Void) async throws {
      let reader = try await Reader.open(over: { [virtual] in virtual.service() })
      let tag = try #require(try await reader.tagsInField().first)
      try await tag.connect()
      try await body(tag)
      await reader.close()
    }

    /// Returns the answer to a command of the next program.
    func ask(_ command: [UInt8]) throws -> [UInt8] {
      let service = virtual.service()
      defer { service.close() }
      try service.connect(to: virtual.name)
      return try service.transmit(command, atMost: .seconds(1))
    }
  }

  private struct Stop: Error {}

  /// The double keeps what it should keep: the next program finds the card where a program has left it.
  @Test func aServiceLeavesTheCardAsItIs() throws {
    let bench = Bench(VirtualTag(DESFire(.ev2, formatted: false)))
    #expect(try bench.ask(Self.getVersion).suffix(2) == Self.additionalFrame)
    #expect(try bench.ask(Self.getVersion).suffix(2) == [0x91, 0xCA])
    #expect(bench.field.isPowered)
  }

  @Test func aCommandThatWasCut() async throws {
    let bench = Bench(VirtualTag(DESFire(.ev2, formatted: false)))
    try await bench.use { tag in
      await #expect(throws: CancellationError.self) {
        try await tag.tag.exclusively { link in
          guard try link.transceive([0x60]).first == 0xAF else { throw Stop() }
          throw CancellationError()
        }
      }
    }
    #expect(!bench.field.isPowered)
    #expect(try bench.ask(Self.getVersion).suffix(2) == Self.additionalFrame)
  }

  /// A procedure of several frames whose task is cancelled between two of them.
  @Test func aTaskThatWasCancelled() async throws {
    let bench = Bench(VirtualTag(DESFire(.ev2, formatted: false)))
    try await bench.use { tag in
      let task = Task {
        try await tag.tag.exclusively { link in
          _ = try link.transceive([0x60])
          withUnsafeCurrentTask { $0?.cancel() }
          _ = try link.transceive([0xAF])
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      // The same card can be used again, from the beginning.
      try await tag.connect()
      guard case .miFare(let card) = tag else { throw Stop() }
      #expect(try await card.sendMiFareCommand([0x60]).first == 0xAF)
      #expect(try await card.sendMiFareCommand([0xAF]).first == 0xAF)
      #expect(try await card.sendMiFareCommand([0xAF]).first == 0x00)
    }
  }

  @Test(arguments: ReaderBench.Kind.allCases)
  func theSameCardStartsAgain(_ kind: ReaderBench.Kind) async throws {
    let bench = try await ReaderBench(kind, VirtualTag(DESFire(.ev2, formatted: false)))
    let tag = try await bench.found()
    await #expect(throws: CancellationError.self) {
      try await tag.tag.exclusively { link in
        _ = try link.transceive([0x60])
        throw CancellationError()
      }
    }
    try await tag.connect()
    guard case .miFare(let card) = tag else { throw Stop() }
    #expect(try await card.sendMiFareCommand([0x60]).first == 0xAF)
    await bench.close()
  }

  @Test func aSession() async throws {
    let bench = Bench(VirtualTag(DESFire(.ev2, formatted: false)))
    try await bench.use { tag in
      let card = try await DESFireCard(tag)
      try await card.root.authenticate(0, .factory(.des))
    }
    #expect(!bench.field.isPowered)
    #expect(try bench.ask(Self.askForUID) == Self.noSession)
  }

  /// A card that holds nothing is not reset: the next program need not wait for it.
  @Test func aSessionThatHasEnded() async throws {
    let bench = Bench(VirtualTag(DESFire(.ev2, formatted: false)))
    try await bench.use { tag in
      let card = try await DESFireCard(tag)
      try await card.root.authenticate(0, .factory(.des))
      try await card.endSession()
    }
    #expect(bench.field.isPowered)
    #expect(try bench.ask(Self.askForUID) == Self.noSession)
  }

  @Test func aSessionOfMIFAREPlus() async throws {
    for ends in [true, false] {
      let bench = Bench(.miFarePlus())
      try await bench.use { tag in
        guard case .miFare(let tag) = tag else { throw Stop() }
        let card = try MIFAREPlusCard(tag)
        try await card.authenticate(sector: 1, Self.factory)
        if ends { try await card.endSession() }
      }
      #expect(bench.field.isPowered == ends)
    }
  }

  @Test func aSessionOfNTAG424() async throws {
    for ends in [true, false] {
      let bench = Bench(.ntag424())
      try await bench.use { tag in
        let chip = try await DESFireCard(tag).application(.fixed)
        try await chip.authenticate(0, .factory(.aes))
        if ends { try await chip.card.endSession() }
      }
      #expect(bench.field.isPowered == ends)
    }
  }

  /// What every program reads and writes needs no reset.
  @Test(arguments: [
    "type4", "type4b", "desfire", "ntag424", "ntag215", "icode-slix2", "felica-lite-s",
  ])
  func aMessage(_ name: String) async throws {
    let bench = Bench(try VirtualTag.named(name))
    try await bench.use { tag in
      try await tag.ndef?.writeNDEF(NDEFMessage(.uri("https://example.com")))
      #expect(try await tag.ndef?.readNDEF()?.records.count == 1)
    }
    #expect(bench.field.isPowered)
  }

  /// Programs that authenticate with commands of their own.
  @Test func aProofOfTheProgram() async throws {
    let rows: [(tag: VirtualTag, command: [UInt8])] = [
      (.ntag215(), [0x1B, 0xFF, 0xFF, 0xFF, 0xFF]),
      (VirtualTag(DESFire(.ev1, formatted: false)), [0x1A, 0x00]),
      (VirtualTag(DESFire(.ev1, formatted: false)), [0x90, 0x1A, 0x00, 0x00, 0x01, 0x00, 0x00]),
      (.miFarePlus(), [0x70, 0x00, 0x40, 0x00]),
    ]
    for row in rows {
      let bench = Bench(row.tag)
      try await bench.use { tag in
        guard case .miFare(let tag) = tag else { throw Stop() }
        _ = try await tag.sendMiFareCommand(row.command)
      }
      #expect(!bench.field.isPowered, "\(row.command)")
    }
    let passport = Bench(try VirtualTag.named("type4"))
    try await passport.use { tag in
      guard case .iso7816(let tag) = tag else { throw Stop() }
      _ = try await tag.sendCommand(
        APDU(instructionClass: 0, instructionCode: 0x20, p1: 0, p2: 1, data: [1, 2, 3, 4]))
    }
    #expect(!passport.field.isPowered)
    let vicinity = Bench(.icodeSLIX2())
    try await vicinity.use { tag in
      guard case .iso15693(let tag) = tag else { throw Stop() }
      // SET PASSWORD, which the tag refuses or does not answer.
      _ = try? await tag.transceive([0x02, 0xB3, 0x04, 0x10, 0, 0, 0, 0], timeout: .seconds(1))
    }
    #expect(!vicinity.field.isPowered)
  }

  /// A sector that was opened with a key stays open for the next program.
  @Test(arguments: [VirtualPCSCReader.Dialect.storageCard, .directTransmit])
  func aSectorOfClassic(_ dialect: VirtualPCSCReader.Dialect) async throws {
    let bench = Bench(.classic1K(formatted: false), dialect)
    try await bench.use { tag in
      guard case .miFare(let tag) = tag, let classic = tag.classic else { throw Stop() }
      try await classic.authenticate(block: 4, with: .factory, as: .a)
      _ = try await classic.readBlock(4)
    }
    #expect(!bench.field.isPowered)
    #expect(try bench.ask([0xFF, 0xB0, 0x00, 0x04, 0x10]).suffix(2) != [0x90, 0x00])
  }
}
