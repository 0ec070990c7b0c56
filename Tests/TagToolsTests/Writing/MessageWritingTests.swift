import NFC
import SecureTags
import TagTools
import Testing
import VirtualNFC

/// Tests writing the message of any tag with public calls only, as a program does it.
@Suite struct MessageWritingTests {
  typealias Bench = BackupTests.Bench

  private static let first = NDEFMessage(.text("the first message"))
  private static let second = NDEFMessage(.uri("https://example.com"))

  private static func message(_ bench: Bench) async throws -> NDEFMessage? {
    try await #require(try await bench.found().ndef).readNDEF()
  }

  /// The plan says what happens, and performing it is the same as writing.
  @Test(arguments: BackupTests.names) func aPlanIsWhatHappens(_ name: String) async throws {
    let bench = try await Bench(name)
    try await bench.found().write(Self.first)
    let memory = bench.tag.memory
    let tag = try await bench.found()
    let plan = try await tag.messagePlan(Self.second)
    #expect(plan.steps.map(\.before) == [.bytes(Self.first.encoded())])
    #expect(plan.steps.map(\.after) == [.bytes(Self.second.encoded())])
    #expect(plan.effects.isEmpty)
    #expect(bench.tag.memory == memory)
    try await tag.perform(plan)
    #expect(try await Self.message(bench) == Self.second)
    #expect(try await bench.found().messagePlan(Self.second).steps.isEmpty)
  }

  @Test func theOldMessageIsKeptFirst() async throws {
    let bench = try await Bench("ntag213")
    var kept: [[UInt8]] = []
    try await bench.found().write(Self.first) { kept.append($0) }
    try await bench.found().write(Self.second) { kept.append($0) }
    #expect(kept == [[], Self.first.encoded()])
    // What cannot be kept is not replaced.
    struct Full: Error {}
    let tag = try await bench.found()
    await #expect(throws: Full.self) { try await tag.write(Self.first) { _ in throw Full() } }
    #expect(try await Self.message(bench) == Self.second)
  }

  @Test(arguments: BackupTests.names) func recordsAreAppended(_ name: String) async throws {
    let bench = try await Bench(name)
    let writing = MessageWriting(appends: true, verifies: true)
    try await bench.found().write(Self.first, writing)
    let size = try await bench.found().write(Self.second, writing)
    let whole = NDEFMessage(records: Self.first.records + Self.second.records)
    #expect(try await Self.message(bench) == whole)
    #expect(size == whole.encoded().count)
  }

  @Test func aBlankTagIsFormattedOnRequest() async throws {
    let bench = try await Bench("blank-ultralight")
    let tag = try await bench.found()
    let refusal = await #expect(throws: NFCError.self) { try await tag.write(Self.first) }
    #expect(refusal?.code == .notNDEF)
    let plan = try await tag.messagePlan(Self.first, MessageWriting(formats: true))
    #expect(plan.steps.count == 2)
    try await bench.found().write(Self.first, MessageWriting(formats: true))
    #expect(try await Self.message(bench) == Self.first)
  }

  /// A lock has to be accepted, whether or not the tag is formatted.
  @Test(arguments: ["ntag213", "blank-ultralight"])
  func aLockIsAccepted(_ name: String) async throws {
    let bench = try await Bench(name)
    let memory = bench.tag.memory
    let tag = try await bench.found()
    let plan = try await tag.messagePlan(
      Self.first, MessageWriting(formats: true, locks: true))
    #expect(plan.effects == [.locksMemory])
    let error = await #expect(throws: NFCError.self) { try await tag.perform(plan) }
    #expect(error?.code == .invalidParameter)
    #expect(bench.tag.memory == memory)
    try await tag.perform(plan, accepting: [.locksMemory])
    #expect(try await Self.message(bench) == Self.first)
    let locked = try await bench.found()
    let refusal = await #expect(throws: NFCError.self) { try await locked.write(Self.second) }
    #expect(refusal?.code == .readOnly)
    #expect(try await Self.message(bench) == Self.first)
  }

  @Test func anErasurePlan() async throws {
    let bench = try await Bench("ntag213")
    try await bench.found().write(Self.first)
    let tag = try await bench.found()
    let plan = try await tag.erasurePlan()
    #expect(plan.steps.map(\.after) == [.bytes([])])
    try await tag.perform(plan)
    #expect(try await Self.message(bench) == nil)
  }

  /// A plan is for the message that the tag had.
  @Test func aPlanIsStaleAfterAnotherProgramHasWritten() async throws {
    let bench = try await Bench("ntag213")
    try await bench.found().write(Self.first)
    let tag = try await bench.found()
    let plan = try await tag.messagePlan(Self.second)
    // Another program changes the text, and leaves the length.
    let index = try #require(bench.tag.memory.firstIndex(of: UInt8(ascii: "f")))
    bench.tag.memory[index] = UInt8(ascii: "x")
    let memory = bench.tag.memory
    let error = await #expect(throws: NFCError.self) { try await tag.perform(plan) }
    #expect(error?.code == .invalidParameter)
    #expect(bench.tag.memory == memory)
  }

  @Test func whatDoesNotFitIsRefused() async throws {
    let bench = try await Bench("ntag213")
    try await bench.found().write(Self.first)
    let memory = bench.tag.memory
    let long = NDEFMessage(.text(String(repeating: "x", count: 500)))
    let tag = try await bench.found()
    for change in [
      { _ = try await tag.messagePlan(long) }, { _ = try await tag.write(long) },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: NFCError.self) { try await change() }
      #expect(error?.code == .capacityExceeded)
    }
    #expect(bench.tag.memory == memory)
  }

  /// At any moment, the tag has the old message, none, or the new one, and the same call completes it.
  @Test(arguments: ["ntag213", "classic-1k", "icode-slix2", "felica-lite", "desfire"])
  func aTagThatIsRemovedEarly(_ name: String) async throws {
    var isComplete = false
    var moment = 0
    while !isComplete {
      let bench = try await Bench(name)
      try await bench.found().write(Self.first)
      let tag = try await bench.found()
      bench.direct.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      do {
        try await tag.write(Self.second, MessageWriting(verifies: true))
        isComplete = true
      } catch let error as NFCError {
        #expect(error.group == .connection, "\(error)")
      }
      let seen = try await Self.message(bench)
      #expect([nil, Self.first, Self.second].contains(seen), "\(moment)")
      try await bench.found().write(Self.second)
      #expect(try await Self.message(bench) == Self.second, "\(moment)")
      moment += 1
      try #require(moment < 200)
    }
    #expect(moment > 2)
  }
}
