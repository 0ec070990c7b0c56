import NFC
import SecureTags
import TagTools
import Testing
import VirtualNFC

/// Tests the report with public calls only, as a program makes it.
@Suite struct ReportTests {
  typealias Bench = BackupTests.Bench

  private static func value(_ name: String, _ report: TagReport) -> String? {
    report.facts.first { $0.name == name }?.value
  }

  @Test func ofAnNTAG() async throws {
    let bench = try await Bench("ntag215")
    try await bench.write("Good morning")
    let memory = bench.tag.memory
    let report = try await bench.found().report(including: .memory)
    #expect(report.product?.name == "NTAG215" && report.maker == "NXP")
    #expect(report.originality == .genuine)
    #expect(report.message == NDEFMessage(.text("Good morning")) && report.messageProblem == nil)
    #expect(Self.value("locked pages", report) == "none")
    #expect(report.facts.first { $0.name == "originality" }?.judgment == .good)
    #expect(report.memory.count == 135 && report.memory[4].contains("03"))
    #expect(report.json.hasPrefix(#"{"type":"miFare","protocol":"iso14443a","uid":""#))
    #expect(report.json.contains(#""originality":"genuine""#))
    #expect(bench.tag.memory == memory)
  }

  /// What the kinds of tags report apart from what all have, with the names for people and for programs.
  @Test(arguments: [
    ("classic-1k", "directory", #""sectors":["#),
    ("icode-slix2", "locked blocks", #""lockedBlocks":["#),
    ("suica", "service", #""services":["#), ("desfire", "free memory", #""applications":["#),
    ("topaz512", "lock bits", #""locks":{"#), ("ultralight-ev1", "counter 0", #""counters":["#),
    ("type4", "application", #""applications":["#),
  ])
  func ofEachKind(_ name: String, _ fact: String, _ member: String) async throws {
    try await Self.expect(fact, member, in: try await Bench(name).found())
  }

  /// These are found by libnfc only.
  @Test(arguments: [
    ("barcode", "link", #""uri":""#), ("srix4k", "kind", #""protocol":"iso14443b2sr""#),
  ])
  func ofATagOfAnotherTechnology(_ name: String, _ fact: String, _ member: String) async throws {
    try await withLibNFC(name) { try await Self.expect(fact, member, in: $0) }
  }

  private static func expect(
    _ fact: String, _ member: String, in tag: DetectedTag
  ) async throws {
    let report = try await tag.report()
    #expect(value(fact, report) != nil, "\(report.facts.map(\.name))")
    #expect(report.json.contains(member), "\(report.json)")
    #expect(report.memory.isEmpty)
    #expect(report.facts.allSatisfy { !$0.name.isEmpty && !$0.value.contains("\n") })
  }

  /// A message that is broken or closed is a fact, not an error.
  @Test func aMessageThatCannotBeReadIsReported() async throws {
    let bench = try await Bench("ntag213")
    try await bench.write("closed")
    let tag = try await bench.found()
    guard case .miFare(let card) = tag, let ultralight = card.ultralight else {
      throw NFCError(.wrongTag, "not an NTAG")
    }
    let plan = try await ultralight.protectionPlan(
      UltralightProtection(
        password: [1, 2, 3, 4], passwordAcknowledge: [0, 0], firstPage: 4, protectsReading: true))
    try await ultralight.perform(plan, accepting: Set(plan.effects))
    let report = try await bench.found().report()
    #expect(report.message == nil && report.messageProblem != nil)
    #expect(report.json.contains(#""ndefError":{"message":""#))
    #expect(Self.value("password", report)?.hasPrefix("needed to read") == true)
    let open = try await bench.found().report(password: SecretKey([1, 2, 3, 4]))
    #expect(open.message == NDEFMessage(.text("closed")) && open.messageProblem == nil)
    let found = try await bench.found()
    let error = await #expect(throws: NFCError.self) {
      try await found.report(password: SecretKey([9, 9, 9, 9]))
    }
    #expect(error?.code == .authenticationFailed)
  }

  @Test func nothingPersonalIsReadUnasked() async throws {
    let plain = try await Bench("suica").found().report()
    #expect(!plain.json.contains(#""personal""#) && Self.value("balance", plain) == nil)
    let personal = try await Bench("suica").found().report(including: .personal)
    #expect(personal.json.contains(#""personal":{"balance":"#))
    #expect(Self.value("balance", personal)?.hasSuffix("JPY") == true)
  }

  @Test func aSecretThatTheTagCannotHaveIsRefused() async throws {
    let tag = try await Bench("suica").found()
    let error = await #expect(throws: TagSecretError.self) {
      try await tag.report(keys: TagKeys([SecretKey([1, 2, 3, 4, 5, 6])]))
    }
    #expect(error?.problem == .noKeys)
  }

  @Test func aTagThatIsRemovedEarlyIsAnError() async throws {
    let bench = try await Bench("ntag213")
    let tag = try await bench.found()
    bench.direct.setFaults([Fault(.tagLeaves, at: .exchange(4))])
    let error = await #expect(throws: NFCError.self) { try await tag.report() }
    #expect(error?.group == .connection)
  }
}
