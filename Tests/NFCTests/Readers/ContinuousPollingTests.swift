import NFC
import SwiftNFCCore
import Synchronization
import Testing
import VirtualNFC

/// Polling with the carrier on: tags that come at any moment, answer late or only now and then, and what a tag holds.
@Suite struct ContinuousPollingTests {
  private static func named(_ name: String) throws -> VirtualTag { try .named(name) }

  /// What has come and gone within a time.
  private static func events(
    _ reader: Reader, _ options: PollingOptions = .all, for time: Duration
  ) async -> [String] {
    let seen = Mutex<[String]>([])
    let task = Task {
      for try await event in reader.events(polling: options) {
        switch event {
        case .arrived: seen.withLock { $0.append("arrived") }
        case .left: seen.withLock { $0.append("left") }
        default: seen.withLock { $0.append("\(event)") }
        }
      }
    }
    try? await Task.sleep(for: time)
    task.cancel()
    _ = await task.result
    return seen.withLock { $0 }
  }

  /// A tag that comes between any two frames, also after the first of two tries and between the searches for types A and
  /// Jewel, whose REQA leaves it deaf for the next, is found within two cycles; so is its going, once.
  @Test(arguments: ["ntag213", "classic-1k", "type4", "type4b", "type3", "topaz512"])
  func aTagThatComesBetweenAnyFrames(_ name: String) async throws {
    let bench = try await Bench()
    var events = bench.reader.events(polling: .all).makeAsyncIterator()
    // Frames of two cycles: two tries for each of A, B and Jewel, two to four for FeliCa, up to two rare ones; and what
    // identifying the tag takes.
    let twoCycles = 2 * 14 + 12
    for moment in stride(from: 0, to: 26, by: 2) {
      let tag = try Self.named(name)
      bench.virtual.setFaults([Fault(.tagArrives(tag), at: .exchange(moment))])
      guard case .arrived(let found)? = try await events.next() else {
        Issue.record("\(name) at \(moment)")
        return
      }
      #expect(found.identifier == tag.identifier)
      let frames = bench.virtual.statistics.exchanges - moment
      #expect(frames <= twoCycles, "\(name) at \(moment): \(frames)")
      bench.field.remove(tag)
      guard case .left? = try await events.next() else {
        Issue.record("\(name) at \(moment)")
        return
      }
    }
    await bench.reader.close()
  }

  /// Answers as late as the standards permit, and one that is later than all sources say.
  @Test(arguments: [
    ("type4b", PollingOptions.iso14443b, 5.0, 1), ("bprime", .iso14443bPrime, 7.8, 0),
    ("iclass", .iClass, 1.5, 0), ("ask-ctx", .iso14443b2ct, 4.4, 0),
    ("srix4k", .iso14443b2sr, 0.6, 0), ("bprime", .iso14443bPrime, 20, 0),
    ("srix4k", .iso14443b2sr, 20, 0), ("ask-ctx", .iso14443b2ct, 20, 0),
  ])
  func aTagThatAnswersLate(
    _ name: String, _ options: PollingOptions, _ milliseconds: Double, _ first: Int
  ) async throws {
    let bench = try await Bench()
    let delay = Fault.Effect.answerLate(.microseconds(Int(milliseconds * 1000)))
    bench.virtual.setFaults(
      first == 0
        ? [Fault(delay, at: .everyExchange(1))] : [Fault(delay, at: .exchange(first))])
    let tag = try Self.named(name)
    bench.field.place(tag)
    let reader = bench.reader
    let found = try await within(.seconds(20)) {
      for try await tag in reader.tags(polling: options) { return tag as DetectedTag? }
      return nil
    }
    #expect(found?.identifier == tag.identifier)
    // Every tenth search waits for longer.
    #expect(bench.virtual.statistics.exchanges <= (milliseconds > 12.8 ? 60 : 14))
    await bench.reader.close()
  }

  /// One of seven answers is lost at the edge of the field; finding an NTAG takes five.
  @Test(arguments: ["ntag213", "type3", "topaz512"])
  func aTagAtTheEdgeStays(_ name: String) async throws {
    let bench = try await Bench()
    bench.field.place(try Self.named(name))
    bench.virtual.setFaults([Fault(.answerLost, at: .everyExchange(7))])
    #expect(await Self.events(bench.reader, for: .seconds(4)) == ["arrived"])
    await bench.reader.close()
  }

  /// A FeliCa card answers nothing for 20 ms after the carrier was switched on, which it is after each miss, and here one
  /// answer of seven is lost: the card comes once and stays, and when it has gone, it has left once.
  @Test(arguments: [("type3", PollingOptions.all), ("felica-lite-s", .all), ("suica", .iso18092)])
  func aFeliCaCardThatStartsSlowly(_ name: String, _ options: PollingOptions) async throws {
    var chip = VirtualPN532()
    chip.feliCaStart = .milliseconds(20)
    let field = VirtualField()
    let tag = try Self.named(name)
    field.place(tag)
    let virtual = try VirtualReader(field, chip: chip)
    let reader = try await Reader.open(virtual.connectionString)
    virtual.setFaults([Fault(.answerLost, at: .everyExchange(7))])
    let removal = Task {
      try await Task.sleep(for: .seconds(3))
      field.remove(tag)
    }
    #expect(await Self.events(reader, options, for: .seconds(6)) == ["arrived", "left"])
    try await removal.value
    await reader.close()
    virtual.close()
  }

  /// Other programs find the time-out and the number of attempts that they expect, and frames with parity bits.
  @Test func closingPutsTheSettingsBack() async throws {
    let commands = Mutex<[[UInt8]]>([])
    let bench = try await Bench(
      trace: { event in
        if case .command(let bytes) = event { commands.withLock { $0.append(bytes) } }
      })
    #expect(await Self.events(bench.reader, for: .seconds(1)).isEmpty)
    await bench.reader.close()
    let sent = commands.withLock { $0 }
    // RFConfiguration 02 and 05; 12.8 ms and two attempts while the field was empty.
    let timeouts = sent.filter { $0.starts(with: [0x32, 0x02]) }.compactMap(\.last)
    #expect(timeouts.contains(0x08) && timeouts.last == 0x0A)
    let attempts = sent.filter { $0.starts(with: [0x32, 0x05]) }.compactMap(\.last)
    #expect(attempts.contains(0x01) && attempts.last == 0x02)
    // WriteRegister of CIU_ManualRCV, in which bit 4 is ParityDisable.
    var values: [UInt8] = []
    for command in sent where command.first == 0x08 {
      for index in stride(from: 1, to: command.count - 2, by: 3)
      where command[index] == 0x63 && command[index + 1] == 0x0D {
        values.append(command[index + 2])
      }
    }
    #expect(values.contains { $0 & 0x10 != 0 } && (values.last ?? 0) & 0x10 == 0)
  }

  /// Looking for tags does not read: the counter of an NTAG is the same afterwards.
  @Test func theCounterOfAnNTAG() async throws {
    let tag = VirtualTag.ntag213()
    // ACCESS: NFC_CNT_EN.
    tag.memory[0x2A * 4] |= 0x10
    let bench = try await Bench(tag)
    #expect(await Self.events(bench.reader, for: .seconds(3)) == ["arrived"])
    let ntag = try await bench.tag(.iso14443).miFare
    let readCounter: [UInt8] = [0x39, 0x02]
    #expect(try await ntag.sendMiFareCommand(readCounter) == [0, 0, 0])
    // What a READ does, which the check must notice.
    _ = try await ntag.sendMiFareCommand([0x30, 0x04])
    #expect(try await ntag.sendMiFareCommand(readCounter) == [1, 0, 0])
    for _ in 0..<10 { #expect(try await ntag.isPresent()) }
    #expect(try await ntag.sendMiFareCommand(readCounter) == [1, 0, 0])
    await bench.reader.close()
  }

  /// A tag that a program holds is asked for its presence: the carrier stays on.
  @Test(arguments: [
    "ntag213", "ntag-i2c-1k", "ntag-i2c-plus-2k", "ultralight", "ultralight-c", "classic-1k",
    "type4", "type4b", "desfire-ev2", "emrtd", "type3", "felica-lite-s", "suica", "topaz512",
    "srix4k",
  ])
  func theCarrierStaysOnWhileATagIsHeld(_ name: String) async throws {
    let isOff = Mutex(0)
    let bench = try await Bench(
      try Self.named(name),
      trace: { event in if event == .carrier(false) { isOff.withLock { $0 += 1 } } })
    let tag = try await bench.tag()
    isOff.withLock { $0 = 0 }
    for _ in 0..<15 { #expect(try await tag.isPresent()) }
    #expect(isOff.withLock { $0 } == 0)
    await bench.reader.close()
  }

  /// A mailbox and the like live as long as the carrier is on.
  @Test(arguments: ["st25dv", "ntag5-link", "icode-slix2"])
  func theCarrierStaysOnForVicinityTags(_ name: String) async throws {
    let isOff = Mutex(0)
    let direct = DirectReader(VirtualField()) { event in
      if event == .carrier(false) { isOff.withLock { $0 += 1 } }
    }
    direct.field.place(try Self.named(name))
    let reader = try await direct.open()
    let tag = try await reader.firstTag(within: .seconds(5))
    try await tag.connect()
    isOff.withLock { $0 = 0 }
    for _ in 0..<15 { #expect(try await tag.isPresent()) }
    #expect(isOff.withLock { $0 } == 0)
    await reader.close()
  }

  /// A password, an authentication and a selected application outlast presence checks.
  @Test func whatATagHoldsOutlastsPresenceChecks() async throws {
    let protected = VirtualTag.ntag213()
    // AUTH0, ACCESS with PROT, password and PACK.
    protected.memory[0x29 * 4 + 3] = 4
    protected.memory[0x2A * 4] = 0x80
    protected.memory.replaceSubrange(0x2B * 4..<0x2C * 4 + 2, with: [1, 2, 3, 4, 5, 6])
    let bench = try await Bench(protected)
    let ntag = try await bench.tag(.iso14443).miFare
    #expect(try await ntag.sendMiFareCommand([0x1B, 1, 2, 3, 4]) == [5, 6])
    for _ in 0..<15 { #expect(try await ntag.isPresent()) }
    #expect(try await ntag.sendMiFareCommand([0x30, 0x04]).count == 16)
    await bench.reader.close()

    let third = try await Bench(.classic1K(uid: [1, 2, 3, 4], formatted: false))
    let classic = try await third.tag(.iso14443).miFare
    let sectors = try #require(classic.classic)
    try await sectors.authenticate(block: 4, with: .factory, as: .a)
    for _ in 0..<15 { #expect(try await classic.isPresent()) }
    // A sector that is not open refuses this.
    #expect(try await sectors.readBlock(4).count == 16)
    await third.reader.close()

    let other = try await Bench(.type4(uid: [0x04, 1, 2, 3, 4, 5, 6]))
    let card = try await other.tag(.iso14443).iso7816
    #expect(try await card.sendCommand(APDU.select(aid: "D2760000850101")).statusWord == 0x9000)
    for _ in 0..<15 { #expect(try await card.isPresent()) }
    let file = try #require(APDU([0x00, 0xA4, 0x00, 0x0C, 0x02, 0xE1, 0x03]))
    #expect(try await card.sendCommand(file).statusWord == 0x9000)
    await other.reader.close()
  }
}
