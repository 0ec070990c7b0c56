import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests the protection of an ICODE SLIX-S and SLI-S, page by page.
@Suite(.replayed) struct ICODEPageTests {
  private static let new = SecretKey([0x11, 0x22, 0x33, 0x44])

  /// The two chips, and both readings of their question for the protection of blocks.
  private static let chips: [@Sendable () -> VirtualTag] = [
    { .icodeSLIXS() }, { .icodeSLIS() },
    {
      var chip = ICODESLIXS()
      chip.takesNumberOfBlocks = true
      return VirtualTag(chip)
    },
  ]

  private static func code(_ body: () async throws -> Void) async -> NFCError.Code? {
    do {
      try await body()
      return nil
    } catch { return (error as? NFCError)?.code }
  }

  private static func protection(
    from block: Int, read: Bool = true, locks: Bool = false
  ) -> ICODEProtection {
    ICODEProtection(
      passwords: ICODEPasswords(new), firstBlock: block, protectsReading: read,
      locksProtection: locks)
  }

  private static func protect(
    _ label: ICODETag, _ protection: ICODEProtection?, current: ICODEPasswords = .factory
  ) async throws {
    let plan = try await label.protectionPlan(protection, current: current)
    try await label.perform(plan, accepting: Set(plan.effects))
  }

  @Test(arguments: chips)
  func pagesAreProtectedAndOpened(_ chip: @Sendable () -> VirtualTag) async throws {
    let bench = try await VicinityBench(chip())
    var label = try await ICODETag(bench.tag())
    let open = try await label.memoryProtection()
    #expect(open.isOpen && "\(open)" == "none")
    guard case .pages(let pages) = open else {
      Issue.record("\(open)")
      return
    }
    #expect(pages.map(\.blocks) == (0..<10).map { $0 * 4..<$0 * 4 + 4 })
    try await Self.protect(label, Self.protection(from: 8))
    label = try await ICODETag(bench.again())
    #expect("\(try await label.memoryProtection())" == "to read and write from block 8 on")
    #expect(try await label.tag.readBlocks(0..<8).count == 8)
    #expect(await Self.code { _ = try await label.tag.readBlocks(8..<9) } != nil)
    #expect(await Self.code { try await label.tag.writeBlocks(at: 39, [1, 2, 3, 4]) } != nil)
    try await label.authenticate(.read, Self.new)
    try await label.authenticate(.write, Self.new)
    try await label.tag.writeBlocks(at: 39, [1, 2, 3, 4])
    #expect(try await label.tag.readBlocks(39..<40).first?.data == [1, 2, 3, 4])
    // Of those pages some are opened, and others closed in another way.
    label = try await ICODETag(bench.again())
    try await Self.protect(
      label, Self.protection(from: 16, read: false), current: ICODEPasswords(Self.new))
    label = try await ICODETag(bench.again())
    #expect("\(try await label.memoryProtection())" == "to write from block 16 on")
    #expect(try await label.tag.readBlocks(8..<40).count == 32)
    try await label.tag.writeBlocks(at: 15, [1, 2, 3, 4])
    try await Self.protect(label, nil, current: ICODEPasswords(Self.new))
    #expect(try await label.memoryProtection().isOpen)
    #expect(bench.placed.irreversibleChanges.isEmpty)
  }

  /// A page that another program has protected is shown, and is part of the plan.
  @Test func aSinglePageIsShown() async throws {
    let bench = try await VicinityBench(.icodeSLIXS())
    let label = try await ICODETag(bench.tag())
    _ = try await label.run { try $0.send(ICODECommandCode.protectPage, [2, 0x01]) }
    let state = try await label.memoryProtection()
    #expect("\(state)" == "to read and write blocks 8 to 11" && !state.isOpen)
    let plan = try await label.protectionPlan(Self.protection(from: 36))
    #expect(
      plan.lines == [
        "the tag receives its current read password, not shown",
        "the tag receives its current write password, not shown",
        "page 2: password protection to read and write → none",
        "the new read password, not shown", "the new write password, not shown",
        "page 9: password protection none → to read and write",
        "cannot be undone: the password that the tag has now is overwritten",
      ])
    #expect(!"\(plan)".contains("11223344"))
  }

  @Test(arguments: [-4, 1, 6, 37, 38, 40])
  func protectionBeginsWithAPage(_ block: Int) async throws {
    let bench = try await VicinityBench(.icodeSLIXS())
    let label = try await ICODETag(bench.tag())
    #expect(
      await Self.code { _ = try await label.protectionPlan(Self.protection(from: block)) }
        == .invalidParameter)
  }

  /// Locks are asked for by name, page by page; what is locked is never opened or closed by a plan.
  @Test(.asking(.configurationLock)) func lockedPages() async throws {
    let bench = try await VicinityBench(.icodeSLIXS())
    var label = try await ICODETag(bench.tag())
    let plan = try await label.protectionPlan(Self.protection(from: 32, locks: true))
    #expect(
      plan.steps.suffix(2).map(\.description) == [
        "page 8: the protection is locked", "page 9: the protection is locked",
      ])
    #expect(plan.effects == [.locksConfiguration, .forgetsPassword])
    #expect(
      await Self.code { try await label.perform(plan, accepting: [.forgetsPassword]) }
        == .invalidParameter)
    #expect(bench.placed.irreversibleChanges.isEmpty)
    try await label.perform(plan, accepting: Set(plan.effects))
    label = try await ICODETag(bench.again())
    #expect(await Self.code { _ = try await label.protectionPlan(nil) } == .readOnly)
    #expect(
      await Self.code { _ = try await label.protectionPlan(Self.protection(from: 36)) } == .readOnly
    )
    // The open pages can still be protected, with the locked ones as they are.
    let more = try await label.protectionPlan(Self.protection(from: 28))
    #expect(
      more.steps.last?.description == "page 7: password protection none → to read and write")
  }

  /// Ends of the answer that do not reach the last page.
  @Test(arguments: [0, 1, 36])
  func aShortAnswerIsAnError(_ count: Int) {
    #expect(ICODEPage.pages([UInt8](repeating: 0, count: count), count: 10) == nil)
    #expect(ICODEPage.pages([UInt8](repeating: 0, count: 37), count: 10)?.count == 10)
  }
}
