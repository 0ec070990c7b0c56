import NFC
import SecureTags
import TestSupport
import Testing
import VirtualNFC

@Suite(.replayed) struct ICODETagTests {
  private static let new = SecretKey([0x11, 0x22, 0x33, 0x44])
  private static let wrong = SecretKey([0x99, 0x99, 0x99, 0x99])

  private static func code(_ body: () async throws -> Void) async -> NFCError.Code? {
    do {
      try await body()
      return nil
    } catch { return (error as? NFCError)?.code }
  }

  @Test(arguments: [VirtualTag.icodeSLIX(), .icodeSLIX2()])
  func surveillanceIsTurnedOnAndOff(_ placed: VirtualTag) async throws {
    let bench = try await VicinityBench(placed)
    let label = try await ICODETag(bench.tag())
    #expect(try await !label.isSurveillanceActive())
    try await label.setSurveillance(true)
    #expect(try await label.isSurveillanceActive())
    let later = try await ICODETag(bench.again())
    #expect(try await later.isSurveillanceActive())
    try await later.setSurveillance(false)
    #expect(try await !later.isSurveillanceActive())
  }

  @Test func surveillanceBehindAPassword() async throws {
    let bench = try await VicinityBench(.icodeSLIX())
    var label = try await ICODETag(bench.tag())
    let old = ICODETag.factoryPassword(.surveillance)
    try await label.writePassword(.surveillance, from: old, to: Self.new)
    try await label.protect(.surveillance, password: Self.new)
    label = try await ICODETag(bench.again())
    #expect(await Self.code { try await label.setSurveillance(true) } == .notAuthenticated)
    #expect(try await !label.isSurveillanceActive())
    #expect(
      await Self.code { try await label.setSurveillance(true, password: old) }
        == .authenticationFailed)
    // The wrong password has made it silent.
    try await label.wake()
    try await label.setSurveillance(true, password: Self.new)
    #expect(try await label.isSurveillanceActive())
    try await label.lockSurveillance(password: Self.new)
    #expect(
      await Self.code { try await label.setSurveillance(false, password: Self.new) } == .readOnly)
    #expect(try await label.isSurveillanceActive())
    #expect(placedChanges(bench) == [.configurationLock])
  }

  private func placedChanges(_ bench: VicinityBench) -> Set<IrreversibleChange.Kind> {
    Set(bench.placed.irreversibleChanges.map(\.kind))
  }

  @Test func passwordsOfEachChip() async throws {
    let slix = try await ICODETag(VicinityBench(.icodeSLIX()).tag())
    #expect(slix.passwords == [.surveillance])
    #expect(await Self.code { try await slix.authenticate(.read, Self.new) } == .unsupported)
    #expect(await Self.code { _ = try await slix.protectionPlan(nil) } == .unsupported)
    let slix2 = try await ICODETag(VicinityBench(.icodeSLIX2()).tag())
    #expect(slix2.passwords == Set(ICODETag.Password.allCases))
    #expect(
      await Self.code { try await slix2.authenticate(.read, SecretKey([1, 2])) }
        == .invalidParameter)
    let other = try await VicinityBench(.st25dv04K()).tag()
    #expect(await Self.code { _ = try await ICODETag(other) } == .wrongTag)
  }

  @Test(arguments: ICODETag.Password.allCases)
  func aPasswordIsReplaced(_ use: ICODETag.Password) async throws {
    let bench = try await VicinityBench(.icodeSLIX2())
    let old = ICODETag.factoryPassword(use)
    var label = try await ICODETag(bench.tag())
    #expect(
      await Self.code { try await label.writePassword(use, from: Self.wrong, to: Self.new) }
        == .authenticationFailed)
    label = try await ICODETag(bench.again())
    try await label.writePassword(use, from: old, to: Self.new)
    label = try await ICODETag(bench.again())
    #expect(await Self.code { try await label.authenticate(use, old) } == .authenticationFailed)
    label = try await ICODETag(bench.again())
    try await label.authenticate(use, Self.new)
    #expect(placedChanges(bench).isEmpty)
    try await label.lockPassword(use, current: Self.new)
    #expect(placedChanges(bench) == [.configurationLock])
    #expect(
      await Self.code { try await label.writePassword(use, from: Self.new, to: old) } == .readOnly)
  }

  private static func protection(
    from block: Int = 8, locks: Bool = false, both: Bool = false
  ) -> ICODEProtection {
    ICODEProtection(
      passwords: ICODEPasswords(Self.new), firstBlock: block, protectsReading: true,
      locksProtection: locks, needsBothPasswords: both)
  }

  /// A lock must be requested twice: in the protection, and by the name of the effect.
  @Test func whatIsFinalIsAskedForByName() async throws {
    let bench = try await VicinityBench(.icodeSLIX2())
    let label = try await ICODETag(bench.tag())
    let plan = try await label.protectionPlan(Self.protection(locks: true, both: true))
    #expect(plan.effects == [.locksConfiguration, .requiresBothPasswords, .forgetsPassword])
    #expect(!"\(plan)".contains("11223344"))
    for effects in [[], [.forgetsPassword], [.forgetsPassword, .locksConfiguration]]
      as [Set<IrreversibleEffect>]
    {
      #expect(
        await Self.code { try await label.perform(plan, accepting: effects) } == .invalidParameter)
    }
    #expect(placedChanges(bench).isEmpty)
    #expect(try await label.information().division.isOpen)
    try await label.perform(plan, accepting: Set(plan.effects))
    #expect(placedChanges(bench) == [.configurationLock])
    let closed = try await ICODETag(bench.again())
    #expect(await Self.code { _ = try await closed.protectionPlan(nil) } == .readOnly)
    // A single password opens nothing.
    try await closed.authenticate(.read, Self.new)
    #expect(await Self.code { _ = try await closed.tag.readBlocks(8..<9) } != nil)
    try await closed.authenticate(.write, Self.new)
    #expect(try await closed.tag.readBlocks(8..<9).count == 1)
  }

  @Test func aPlanIsForTheTagAsItWas() async throws {
    let bench = try await VicinityBench(.icodeSLIX2())
    let label = try await ICODETag(bench.tag())
    let plan = try await label.protectionPlan(Self.protection())
    try await label.perform(plan, accepting: [.forgetsPassword])
    #expect(
      await Self.code {
        try await label.perform(plan, accepting: [.forgetsPassword])
      } == .invalidParameter)
    #expect(
      await Self.code { _ = try await label.protectionPlan(Self.protection(from: 79)) }
        == .invalidParameter)
  }

  private static func protect(_ tag: any ISO15693Tag) async throws {
    let label = try await ICODETag(tag)
    try await label.perform(
      try await label.protectionPlan(protection()), accepting: [.forgetsPassword])
  }

  /// A tag that was removed at any exchange is protected by the same call, even if only one of its
  /// passwords was replaced.
  @Test func aTornProtectionIsCompleted() async throws {
    var torn = 0
    for exchange in 0..<40 {
      let bench = try await VicinityBench(.icodeSLIX2())
      let tag = try await bench.tag()
      let isTorn = await bench.tearing(at: exchange) { try await Self.protect(tag) }
      try await Self.protect(bench.again())
      let closed = try await ICODETag(bench.again())
      #expect(await Self.code { _ = try await closed.tag.readBlocks(8..<9) } != nil)
      try await closed.authenticate(.read, Self.new)
      try await closed.authenticate(.write, Self.new)
      try await closed.tag.writeBlocks(at: 8, [1, 2, 3, 4])
      guard isTorn else { break }
      torn += 1
    }
    #expect(torn > 10)
  }
}
