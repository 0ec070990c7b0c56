import NFC
import Synchronization
import Testing
import VirtualNFC

/// Every fault at every exchange and every command of a poll and of a raw command.
@Suite struct FaultTests {
  /// What a fault is meant to be, by a name for the output of the tests.
  enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case tagLeaves, frameLost, answerLost, answerBroken
    case commandBroken, replyBroken, replyLost, replyIsNoise, replyIsAnother
    case chipFallsSilent, lineCloses

    var testDescription: String { rawValue }

    var isOnAir: Bool {
      switch self {
      case .tagLeaves, .frameLost, .answerLost, .answerBroken: true
      default: false
      }
    }

    /// The reader does not come back by itself.
    var isFatal: Bool { self == .chipFallsSilent || self == .lineCloses }

    func fault(at index: Int) -> Fault {
      let effect: Fault.Effect =
        switch self {
        case .tagLeaves: .tagLeaves
        case .frameLost: .frameLost
        case .answerLost: .answerLost
        case .answerBroken: .answerBroken
        case .commandBroken: .commandBroken
        case .replyBroken: .replyBroken
        case .replyLost: .replyLost
        case .replyIsNoise: .replyReplaced([0x55, 0xAA, 0x00, 0x00, 0xFF, 0x12, 0x34, 0x00, 0x00])
        case .replyIsAnother:
          .replyReplaced([0x00, 0x00, 0xFF, 0x02, 0xFE, 0xD5, 0x17, 0x14, 0x00])
        case .chipFallsSilent: .chipFallsSilent
        case .lineCloses: .lineCloses
        }
      return Fault(effect, at: isOnAir ? .exchange(index) : .command(index))
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let kind: Kind
    let index: Int
    var testDescription: String { "\(kind.rawValue) at \(index)" }
  }

  private static func cases(exchanges: Int, commands: Int) -> [Case] {
    Kind.allCases.flatMap { kind in
      (0..<(kind.isOnAir ? exchanges : commands)).map { Case(kind: kind, index: $0) }
    }
  }

  // MARK: Polling

  /// What it takes to find one NTAG216: REQA, two levels of anticollision and SELECT. The counts are
  /// asserted so that no moment is left out.
  static let pollExchanges = 5
  static let pollCommands = 1
  /// What it takes to find two of them, each followed by HLTA, and by two more REQA to find that there
  /// are no others. The second search makes the chip try twice.
  static let pairExchanges = 15
  static let pairCommands = 6

  @Test func aPollHasTheseExchanges() async throws {
    let bench = try await Bench(.ntag216())
    let (_, commands, exchanges) = try await bench.counting {
      try await bench.firstTag(.iso14443)
    }
    #expect(exchanges == Self.pollExchanges)
    #expect(commands == Self.pollCommands)
  }

  @Test(arguments: cases(exchanges: pollExchanges, commands: pollCommands))
  func aPollSurvives(_ item: Case) async throws {
    let tag = VirtualTag.ntag216()
    let bench = try await Bench(tag)
    bench.virtual.setFaults([item.kind.fault(at: item.index)])
    let back = Task {
      try await Task.sleep(for: .milliseconds(200))
      bench.field.place(tag)
    }
    defer { back.cancel() }
    if item.kind.isFatal {
      let error = await #expect(throws: NFCError.self) {
        try await within(.seconds(10)) { try await bench.firstTag(.iso14443) }
      }
      #expect(error?.code == .readerLost)
    } else {
      let found = try await within(.seconds(10)) { try await bench.firstTag(.iso14443) }
      #expect(found?.identifier == tag.identifier)
    }
    try await expectNextPollWorks(bench, tag, item.kind)
  }

  @Test func aPollOfTwoTagsHasTheseExchanges() async throws {
    let bench = try await Bench(.ntag216(), .ntag215())
    let (_, commands, exchanges) = try await bench.counting {
      var count = 0
      for try await _ in bench.reader.tags(polling: .iso14443) {
        count += 1
        if count == 2 { break }
      }
    }
    #expect(exchanges == Self.pairExchanges)
    #expect(commands == Self.pairCommands)
  }

  /// The search goes on after its first tag: whatever breaks in it, the second is found too.
  @Test(
    arguments: cases(exchanges: pairExchanges, commands: pairCommands).filter {
      $0.index >= ($0.kind.isOnAir ? pollExchanges : pollCommands)
    })
  func aPollOfTwoTagsSurvives(_ item: Case) async throws {
    let tags = [VirtualTag.ntag216(), .ntag215()]
    let bench = try await Bench(tags[0], tags[1])
    bench.virtual.setFaults([item.kind.fault(at: item.index)])
    let back = Task {
      try await Task.sleep(for: .milliseconds(200))
      for tag in tags { bench.field.place(tag) }
    }
    defer { back.cancel() }
    let poll: @Sendable () async throws -> Set<[UInt8]> = {
      var found: Set<[UInt8]> = []
      for try await tag in bench.reader.tags(polling: .iso14443) {
        found.insert(tag.identifier)
        if found.count == tags.count { break }
      }
      return found
    }
    guard item.kind.isFatal else {
      #expect(try await within(.seconds(10), poll) == Set(tags.map(\.identifier)))
      return
    }
    let error = await #expect(throws: NFCError.self) { try await within(.seconds(10), poll) }
    #expect(error?.code == .readerLost)
  }

  /// The reader's commands for two DESFire cards, which are asked for their version after they are found.
  static let cardCommands = 13
  private static let cards: [[UInt8]] = [[0x04, 1, 2, 3, 4, 5, 6], [0x04, 7, 7, 7, 7, 7, 7]]

  private static func found(on bench: Bench) async throws -> Set<[UInt8]> {
    var found: Set<[UInt8]> = []
    for try await tag in bench.reader.tags(polling: .iso14443) {
      found.insert(tag.identifier)
      if found.count == cards.count { break }
    }
    return found
  }

  @Test func aPollOfTwoCardsHasTheseCommands() async throws {
    let bench = try await Bench(.desfire(uid: Self.cards[0]), .desfire(uid: Self.cards[1]))
    let (found, commands, _) = try await bench.counting { try await Self.found(on: bench) }
    #expect(found == Set(Self.cards))
    #expect(commands == Self.cardCommands)
  }

  /// A frame that breaks while the second card is asked neither ends the poll nor hides the card.
  @Test(
    arguments: cases(exchanges: 0, commands: cardCommands).filter {
      !$0.kind.isFatal && !$0.kind.isOnAir
    })
  func aPollOfTwoCardsSurvives(_ item: Case) async throws {
    let bench = try await Bench(.desfire(uid: Self.cards[0]), .desfire(uid: Self.cards[1]))
    bench.virtual.setFaults([item.kind.fault(at: item.index)])
    let found = try await within(.seconds(10)) { try await Self.found(on: bench) }
    #expect(found == Set(Self.cards))
  }

  @Test(arguments: 0..<pollExchanges)
  func aTagThatComesInTheMiddleOfAPollIsFound(_ index: Int) async throws {
    let bench = try await Bench()
    let tag = VirtualTag.ntag216()
    bench.virtual.setFaults([Fault(.tagArrives(tag), at: .exchange(index))])
    let found = try await within(.seconds(10)) { try await bench.firstTag(.iso14443) }
    #expect(found?.identifier == tag.identifier)
  }

  /// A line and a field as bad as no real ones are: what comes is tags and errors, nothing else.
  @Test(arguments: [1, 2, 3]) func aPollAmongManyFaults(_ seed: UInt64) async throws {
    let tag = VirtualTag.ntag216()
    let bench = try await Bench(tag)
    let faults = Fault.random(seed: seed, count: 40, among: 0..<120)
    #expect(
      faults.map(\.moment) == Fault.random(seed: seed, count: 40, among: 0..<120).map(\.moment))
    bench.virtual.setFaults(faults)
    for _ in 0..<10 {
      _ = try? await within(.seconds(5)) {
        guard let tag = try await bench.firstTag(.iso14443)?.miFare else { return }
        try await tag.connect()
        _ = try await tag.sendMiFareCommand([0x30, 0x00])
      }
    }
    bench.virtual.setFaults([])
    let reader: Reader
    if (try? await bench.firstTag(.iso14443)) != nil { return }
    // Several frames broke one after the other, and the reader was given up: it opens again.
    await bench.reader.close()
    reader = try await Reader.open(bench.virtual.connectionString)
    for try await found in reader.tags(polling: .iso14443) {
      #expect(found.identifier == tag.identifier)
      break
    }
    await reader.close()
  }

  // MARK: A raw command

  @Test(arguments: cases(exchanges: 1, commands: 1))
  func aRawCommandFailsWithTheRightCode(_ item: Case) async throws {
    let tag = VirtualTag.ntag216()
    let bench = try await Bench(tag)
    let miFare = try await bench.tag(.iso14443).miFare
    // Sets up the chip for raw frames, so that what follows is one host command.
    _ = try await miFare.sendMiFareCommand([0x30, 0x00])
    bench.virtual.setFaults([item.kind.fault(at: item.index)])
    let error = await #expect(throws: NFCError.self) {
      try await within(.seconds(10)) { try await miFare.sendMiFareCommand([0x30, 0x04]) }
    }
    let expected: NFCError.Code =
      switch item.kind {
      case .tagLeaves: .tagConnectionLost
      case .chipFallsSilent, .lineCloses: .readerLost
      default: .tagResponseError
      }
    #expect(error?.code == expected, "\(error.map { "\($0)" } ?? "no error")")
    if expected == .tagResponseError {
      bench.virtual.setFaults([])
      // The tag is still there, and so is the connection.
      #expect(try await miFare.sendMiFareCommand([0x30, 0x04]).count == 16)
    }
    bench.field.place(tag)
    try await expectNextPollWorks(bench, tag, item.kind)
  }

  /// However long the time-out, the answer comes at once.
  @Test(
    arguments: [
      .seconds(Int64.max), .seconds(Int64.max / 1000) + .milliseconds(900), .zero, .seconds(-5),
    ] as [Duration])
  func anyTimeout(_ timeout: Duration) async throws {
    let bench = try await Bench(.ntag216())
    let miFare = try await bench.tag(.iso14443).miFare
    let answer = try? await miFare.sendMiFareCommand([0x30, 0x00], timeout: timeout)
    #expect(timeout <= .zero || answer?.count == 16)
  }

  /// A period that no clock can count is a long one.
  @Test func anyPeriod() async throws {
    let bench = try await Bench(.ntag216())
    let polling = Task {
      for try await _ in bench.reader.events(period: .seconds(Int64.max)) {}
    }
    try await Task.sleep(for: .milliseconds(300))
    polling.cancel()
    await #expect(throws: CancellationError.self) { try await polling.value }
  }

  /// If the answer to a longer time-out is lost, the chip may have it all the same: the next search sets its own.
  @Test func aLongerTimeoutWhoseAnswerIsLostDoesNotStay() async throws {
    let commands = Mutex<[[UInt8]]>([])
    let bench = try await Bench(
      .ntag216(),
      trace: { event in
        if case .command(let command) = event { commands.withLock { $0.append(command) } }
      })
    let timeouts = { commands.withLock { $0.filter { $0.starts(with: [0x32, 0x02]) } } }
    func send() async throws {
      let miFare = try await bench.tag(.iso14443).miFare
      commands.withLock { $0 = [] }
      _ = try await miFare.sendMiFareCommand([0x30, 0x00], timeout: .seconds(1))
    }
    try await send()
    let place = try #require(
      commands.withLock { $0.firstIndex { $0.starts(with: [0x32, 0x02]) } })
    // A search by hand sets its own.
    _ = try? await bench.reader.firstTag(polling: .iso14443b2sr, within: .zero)
    #expect(timeouts().last?.last == 0x08)
    let miFare = try await bench.tag(.iso14443).miFare
    commands.withLock { $0 = [] }
    bench.virtual.setFaults([Fault(.replyBroken, at: .command(place))])
    await #expect(throws: NFCError.self) {
      _ = try await miFare.sendMiFareCommand([0x30, 0x00], timeout: .seconds(1))
    }
    // 819 ms, and 51.2 ms for the next command: what the chip has is not known.
    #expect(timeouts().last?.last == 0x0E)
    bench.virtual.setFaults([])
    _ = try await miFare.sendMiFareCommand([0x30, 0x00], timeout: .milliseconds(60))
    #expect(timeouts().last?.last == 0x0A)
  }

  /// A block that is lost is not asked for again: MaxRtyCOM is 0 (UM0701-02, 7.3.1).
  @Test(arguments: cases(exchanges: 1, commands: 1))
  func anAPDUFailsWithTheRightCode(_ item: Case) async throws {
    let tag = VirtualTag.type4()
    let bench = try await Bench(tag)
    let card = try await bench.tag(.iso14443).iso7816
    bench.virtual.setFaults([item.kind.fault(at: item.index)])
    let select = APDU.select(aid: "D2760000850101")
    let error = await #expect(throws: NFCError.self) {
      try await within(.seconds(15)) { try await card.sendCommand(select) }
    }
    #expect(error?.code == (item.kind.isFatal ? .readerLost : .tagConnectionLost))
    bench.field.place(tag)
    try await expectNextPollWorks(bench, tag, item.kind)
  }

  private func expectNextPollWorks(_ bench: Bench, _ tag: VirtualTag, _ kind: Kind) async throws {
    bench.virtual.setFaults([])
    bench.field.place(tag)
    switch kind {
    case .lineCloses:
      let error = await #expect(throws: NFCError.self) { try await bench.firstTag(.iso14443) }
      #expect(error?.code == .readerLost)
    case .chipFallsSilent:
      await bench.reader.close()
      let reader = try await Reader.open(bench.virtual.connectionString)
      for try await found in reader.tags(polling: .iso14443) {
        #expect(found.identifier == tag.identifier)
        break
      }
      await reader.close()
    default:
      let found = try await within(.seconds(10)) { try await bench.firstTag(.iso14443) }
      #expect(found?.identifier == tag.identifier)
    }
  }
}
