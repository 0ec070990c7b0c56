import Foundation
import NFC
import Synchronization
import TestSupport
import Testing
import VirtualNFC

@Suite struct ReaderTests {
  // MARK: Cancelling

  @Test func cancellingAPollEndsItAtOnceAndLeavesTheReaderUsable() async throws {
    let bench = try await Bench()
    for _ in 0..<5 {
      bench.virtual.setFaults([])
      let poll = Task { try await bench.firstTag() }
      try await bench.waitForCommands()
      let start = ContinuousClock.now
      poll.cancel()
      await #expect(throws: CancellationError.self) { try await poll.value }
      #expect(ContinuousClock.now - start < .milliseconds(1500))
    }
    let tag = VirtualTag.ntag213()
    bench.field.place(tag)
    let found = try await within(.seconds(5)) { try await bench.firstTag() }
    #expect(found?.identifier == tag.identifier)
  }

  @Test func cancellingACommandThatWaitsEndsIt() async throws {
    let bench = try await Bench(.type4())
    let card = try await bench.tag().iso7816
    // The chip has sent the command on, and its answer never comes: five seconds' wait.
    bench.virtual.setFaults([Fault(.replyLost, at: .command(0))])
    let command = Task { try await card.sendCommand(.select(aid: "D2760000850101")) }
    try await bench.waitForCommands()
    let start = ContinuousClock.now
    command.cancel()
    await #expect(throws: CancellationError.self) { try await command.value }
    #expect(ContinuousClock.now - start < .milliseconds(2000))
    let found = try await within(.seconds(5)) { try await bench.tag() }
    let again = try found.iso7816
    #expect(try await again.sendCommand(.select(aid: "D2760000850101")).isSuccess)
  }

  @Test func aTaskThatIsCancelledBeforeItBeginsSendsNothing() async throws {
    let bench = try await Bench(.ntag213())
    let tag = try await bench.tag()
    bench.virtual.setFaults([])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await tag.connect()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(bench.virtual.statistics.commands == 0)
  }

  // MARK: Life

  @Test func everyCallAfterCloseThrows() async throws {
    let bench = try await Bench(.ntag213())
    let tag = try await bench.tag()
    await bench.reader.close()
    await bench.reader.close()
    let connecting = await #expect(throws: NFCError.self) { try await tag.connect() }
    #expect(connecting?.code == .readerLost)
    let polling = await #expect(throws: NFCError.self) { try await bench.firstTag() }
    #expect(polling?.code == .readerLost)
    #expect(await tag.tag.isAvailable == false)
  }

  @Test func theCarrierGoesWithTheLastReference() async throws {
    let field = VirtualField()
    field.place(.ntag213())
    let virtual = try VirtualReader(field)
    func use() async throws {
      let reader = try await Reader.open(virtual.connectionString)
      #expect(field.isPowered)
      for try await tag in reader.tags(polling: .iso14443) {
        try await tag.connect()
        break
      }
    }
    try await use()
    for _ in 0..<100 where field.isPowered { try await Task.sleep(for: .milliseconds(20)) }
    #expect(!field.isPowered)
  }

  /// In its own process, because other tests have files of their own. Readers that work side by side are
  /// aborted at the same moments.
  @Test func openingAndClosingLeavesNothingBehind() async {
    await #expect(processExitsWith: .success) {
      limitThisProcess()
      func use(_ readers: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<readers { group.addTask { try await useAndClose(number) } }
          try await group.waitForAll()
        }
      }
      // What is opened once per process is open afterwards.
      try await use(1)
      let before = try openFiles()
      for _ in 0..<6 { try await use(8) }
      let deadline = ContinuousClock.now + .seconds(10)
      while try openFiles() != before, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(50))
      }
      let after = try openFiles()
      #expect(after == before, "\(before), \(after)")
    }
  }

  @Test func thirtyTwoReadersPollSideBySide() async throws {
    let start = ContinuousClock.now
    let found = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
      for number in 0..<32 {
        group.addTask {
          let bench = try await Bench(.ntag213(uid: [4, 1, 2, 3, 4, 5, UInt8(number)]))
          defer { bench.virtual.close() }
          return try await bench.firstTag(.iso14443)?.identifier
        }
      }
      return try await group.reduce(into: Set<[UInt8]>()) { set, uid in
        if let uid { set.insert(uid) }
      }
    }
    #expect(found.count == 32)
    // libnfc pauses 50 ms while it opens a port, one port after the other; all else runs together.
    #expect(ContinuousClock.now - start < .seconds(60))
  }

  // MARK: What is refused

  @Test func iso15693IsRefusedWithTheReason() async throws {
    let bench = try await Bench()
    for options in [PollingOptions.iso15693, [.iso14443, .iso15693]] {
      let error = await #expect(throws: NFCError.self) { try await bench.firstTag(options) }
      #expect(error?.code == .unsupported)
      #expect(error?.reason.contains("ISO 15693") == true)
    }
  }

  @Test(arguments: [0, 261, 262, 300, 70_000])
  func aCommandOfAnyLengthIsSentOrRefused(_ count: Int) async throws {
    let bench = try await Bench(.ntag213())
    let tag = try await bench.tag().miFare
    let command = [UInt8](repeating: 0x30, count: count)
    let error = await #expect(throws: NFCError.self) { try await tag.sendMiFareCommand(command) }
    let expected: NFCError.Code =
      count == 0 ? .invalidParameter : count + 2 > 262 ? .commandTooLong : .tagRefused
    #expect(error?.code == expected)
    #expect(try await tag.sendMiFareCommand([0x30, 0x00]).count == 16)
  }

  @Test func aTagOfAnEarlierPollIsNeverReachedByMistake() async throws {
    let one = VirtualTag.ntag213(uid: [4, 1, 1, 1, 1, 1, 1])
    let two = VirtualTag.ntag213(uid: [4, 2, 2, 2, 2, 2, 2])
    let bench = try await Bench(one)
    var tags = bench.reader.tags(polling: .iso14443).makeAsyncIterator()
    let first = try #require(try await tags.next()?.miFare)
    let early = await #expect(throws: NFCError.self) {
      try await first.sendMiFareCommand([0x30, 0x00])
    }
    #expect(early?.code == .tagNotConnected)
    try await first.connect()
    bench.field.remove(one)
    bench.field.place(two)
    let second = try await tags.next()
    #expect(second?.identifier == two.identifier)
    for _ in 0..<2 {
      let late = await #expect(throws: NFCError.self) {
        try await first.sendMiFareCommand([0x30, 0x00])
      }
      #expect(late?.code == .tagConnectionLost)
      let connecting = await #expect(throws: NFCError.self) { try await first.connect() }
      #expect(connecting?.code == .tagConnectionLost)
    }
  }

  // MARK: Arrivals and departures

  @Test func tagsComeAndGo() async throws {
    let tag = VirtualTag.ntag213()
    let bench = try await Bench(tag)
    var events = bench.reader.events(polling: .iso14443)
      .makeAsyncIterator()
    for _ in 0..<3 {
      guard case .arrived(let found)? = try await events.next() else {
        Issue.record("no arrival")
        return
      }
      #expect(found.identifier == tag.identifier)
      bench.field.remove(tag)
      guard case .left(let gone)? = try await events.next() else {
        Issue.record("no departure")
        return
      }
      #expect(gone.identifier == tag.identifier)
      bench.field.place(tag)
    }
  }

  @Test func severalTagsOfOneTechnologyAreEachFound() async throws {
    let uids: [[UInt8]] = (0..<5).map { [4, 0x10, UInt8($0 * 17), 0x80, UInt8($0), 3, 2] }
    let bench = try await Bench()
    for uid in uids { bench.field.place(.ntag213(uid: uid)) }
    var found: [DetectedTag] = []
    for try await tag in bench.reader.tags(polling: .iso14443) {
      found.append(tag)
      if found.count == uids.count { break }
    }
    #expect(Set(found.map(\.identifier)) == Set(uids))
    // Each of them can be talked to, in any order, and answers for itself.
    for tag in found.reversed() {
      guard case .miFare(let tag) = tag else { continue }
      try await tag.connect()
      let header = try await tag.sendMiFareCommand([0x30, 0x00])
      let identifier = Array(header[0..<3]) + header[4..<8]
      #expect(identifier == tag.identifier)
    }
  }

  @Test func aTagThatStaysIsReportedOnce() async throws {
    let bench = try await Bench(.ntag213(), .type4B(), .suica(), .topaz96())
    let seen = Mutex<[TagTechnology]>([])
    let poll = Task {
      for try await tag in bench.reader.tags() { seen.withLock { $0.append(tag.technology) } }
    }
    try await Task.sleep(for: .seconds(1))
    poll.cancel()
    _ = await poll.result
    #expect(Set(seen.withLock { $0 }) == [.iso14443a, .iso14443b, .feliCa, .jewel])
    #expect(seen.withLock { $0.count } == 4)
  }

  @Test func aRandomUIDIsOneTag() async throws {
    let bench = try await Bench(.emrtd())
    var events = bench.reader.events(polling: .iso14443)
      .makeAsyncIterator()
    guard case .arrived(.iso7816)? = try await events.next() else {
      Issue.record("no ISO 7816 card")
      return
    }
    let quiet = Task { [events] in
      var events = events
      return try await events.next()
    }
    try await Task.sleep(for: .milliseconds(300))
    quiet.cancel()
    await #expect(throws: CancellationError.self) { _ = try await quiet.value }
  }
}

extension ReaderTests {
  @Test func severalTypeBCardsAreEachFound() async throws {
    let pupis: [[UInt8]] = [[1, 2, 3, 4], [9, 9, 9, 9], [0x50, 0x3C, 0x9A, 0x17]]
    let bench = try await Bench()
    for pupi in pupis { bench.field.place(.type4B(pupi: pupi)) }
    var found: [DetectedTag] = []
    for try await tag in bench.reader.tags(polling: .iso14443) {
      found.append(tag)
      if found.count == pupis.count { break }
    }
    #expect(Set(found.map(\.identifier)) == Set(pupis))
    for case .iso7816(let card) in found {
      try await card.connect()
      #expect(try await card.sendCommand(.select(aid: "D2760000850101")).isSuccess)
    }
  }

  @Test func severalFeliCaCardsAreEachFound() async throws {
    let bench = try await Bench(.suica(), .feliCaLiteS(), .type3())
    var found = Set<[UInt8]>()
    // A card is heard when it draws a slot of its own: not all need come in one round.
    for try await tag in bench.reader.tags(polling: .iso18092) {
      guard case .feliCa(let card) = tag else { continue }
      try await card.connect()
      let answer = try await card.sendFeliCaCommand(
        [0x06] + card.idm + [0x01, 0x0B, 0x00, 0x01, 0x80, 0x00])
      #expect(Array(answer[1..<9]) == card.idm)
      found.insert(card.idm)
      if found.count == 3 { break }
    }
    #expect(found == Set(bench.field.tags.map(\.identifier)))
  }
}

/// Opens a reader, polls until the task is cancelled, and closes the reader.
private func useAndClose(_ number: Int) async throws {
  let field = VirtualField()
  if number.isMultiple(of: 2) { field.place(.ntag213()) }
  let virtual = try VirtualReader(field)
  defer { virtual.close() }
  let reader = try await Reader.open(virtual.connectionString)
  let poll = Task { for try await tag in reader.tags() { try await tag.connect() } }
  try await Task.sleep(for: .milliseconds(15 * number))
  poll.cancel()
  _ = await poll.result
  await reader.close()
}

/// Returns the number of open files of this process by their kinds: `pipe`, `socket`, or a path. Those of
/// libdispatch's timers are omitted; it opens them when it first needs them.
private func openFiles() throws -> [String: Int] {
  let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
  let files = descriptors.compactMap {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
  }
  let kinds = files.map { String($0.prefix { $0 != ":" }) }.filter { $0 != "anon_inode" }
  return Dictionary(kinds.map { ($0, 1) }) { $0 + $1 }
}
