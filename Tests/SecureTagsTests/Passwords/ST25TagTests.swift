import NFC
import SecureTags
import TestSupport
import Testing

@testable import VirtualNFC

@Suite(.replayed) struct ST25TagTests {
  private static let long = SecretKey([0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88])
  private static let short = SecretKey([0x11, 0x22, 0x33, 0x44])
  private static let wrong = SecretKey([UInt8](repeating: 0x99, count: 8))

  /// A chip and the protected part of it.
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var make: @Sendable () -> VirtualTag
    var from = 0
    var read = false
    var isShort = false

    var testDescription: String { "\(name) from \(from)\(read ? ", reading too" : "")" }
    var password: SecretKey { isShort ? ST25TagTests.short : ST25TagTests.long }
    var protection: ST25Protection {
      ST25Protection(password: password, firstBlock: from, protectsReading: read)
    }

    func protect(_ tag: any ISO15693Tag, current: SecretKey? = nil) async throws {
      let chip = try await ST25Tag(tag)
      try await chip.perform(
        try await chip.protectionPlan(protection, current: current), accepting: [.forgetsPassword])
    }
  }

  static let cases = [
    Case(name: "ST25DV04K", make: { .st25dv04K() }),
    Case(name: "ST25DV04K", make: { .st25dv04K() }, from: 32),
    Case(name: "ST25DV04K", make: { .st25dv04K() }, from: 32, read: true),
    Case(name: "ST25DV64K", make: { .st25dv() }, from: 1024, read: true),
    Case(name: "ST25TV02K", make: { .st25tv() }),
    Case(name: "ST25TV02K", make: { .st25tv() }, read: true),
    Case(name: "ST25TV02K", make: { .st25tv() }, from: 32, read: true, isShort: true),
    Case(name: "ST25TV02K of two areas", make: { .st25tv(isDivided: true) }, read: true),
    Case(
      name: "ST25TV02K of two areas", make: { .st25tv(isDivided: true) }, from: 32, isShort: true),
    Case(name: "ST25TV02KC", make: { .st25tv02KC() }),
    Case(name: "ST25TV02KC", make: { .st25tv02KC() }, read: true),
    Case(name: "ST25TV02KC", make: { .st25tv02KC() }, from: 21, read: true, isShort: true),
    Case(
      name: "ST25TV02KC with whole passwords",
      make: { VirtualTag(ST25TV02KC(takesLongPassword: true)) }, read: true),
    Case(
      name: "ST25TV512C", make: { VirtualTag(ST25TV02KC(st25tv512C)) }, from: 8, isShort: true),
  ]

  /// Proxmark3 names product 08; the size is that of ST's library st25tags, `st25tvc.h`.
  private static let st25tv512C = VicinityModel(
    "st25tv512c", uid: [0xE0, 0x02, 0x08, 0x00, 0x12, 0x5A, 0x07, 0xC3], blockCount: 16,
    features: .readMultipleBlocks,
    profile: VicinityProfile(
      commands: VicinityProfile.usualCommands, icReference: 0x08, manufacturer: 0x02))

  private static func code(_ body: () async throws -> Void) async -> NFCError.Code? {
    do {
      try await body()
      return nil
    } catch { return (error as? NFCError)?.code }
  }

  /// Checks the access to a protected tag with and without the password.
  private static func check(_ bench: VicinityBench, _ test: Case) async throws {
    let closed = try await bench.again()
    let block = test.from + 3
    #expect(await code { try await closed.writeBlocks(at: block, [1, 2, 3, 4]) } == .readOnly)
    #expect((await code { _ = try await closed.readBlocks(block..<block + 1) } != nil) == test.read)
    if test.from > 0 { try await closed.writeBlocks(at: test.from - 1, [1, 2, 3, 4]) }
    let chip = try await ST25Tag(closed)
    #expect(
      await code { try await chip.authenticate(SecretKey([UInt8](repeating: 0, count: 8))) }
        != nil)
    try await chip.authenticate(test.password)
    try await closed.writeBlocks(at: block, [4, 3, 2, 1])
    #expect(try await closed.readBlocks(block..<block + 1).first?.data == [4, 3, 2, 1])
  }

  @Test(arguments: cases) func itIsClosedAndOpened(_ test: Case) async throws {
    let bench = try await VicinityBench(test.make())
    let plan = try await ST25Tag(bench.tag()).protectionPlan(test.protection)
    #expect(plan.effects == [.forgetsPassword])
    #expect(!"\(plan)".contains("11223344"))
    try await test.protect(bench.tag())
    try await Self.check(bench, test)
    let areas = try await ST25Tag(bench.again()).areas()
    #expect(areas.last?.blocks.lowerBound == test.from)
    #expect(areas.last?.needsPasswordToWrite == true)
    #expect(areas.last?.needsPasswordToRead == test.read)

    var chip = try await ST25Tag(bench.again())
    let opening = try await chip.protectionPlan(nil, current: Self.wrong)
    #expect(opening.effects.isEmpty)
    #expect(await Self.code { try await chip.perform(opening) } == .authenticationFailed)
    try await Self.check(bench, test)
    chip = try await ST25Tag(bench.again())
    try await chip.perform(try await chip.protectionPlan(nil, current: test.password))
    let open = try await bench.again()
    try await open.writeBlocks(at: test.from + 3, [9, 9, 9, 9])
    #expect(try await ST25Tag(open).protectionPlan(nil).steps.isEmpty)
  }

  @Test(arguments: cases) func aNewPasswordTakesTheOldOnesPlace(_ test: Case) async throws {
    let bench = try await VicinityBench(test.make())
    try await test.protect(bench.tag())
    // With the factory's password, and with a wrong one, nothing changes.
    let protection = ST25Protection(
      password: SecretKey([UInt8](repeating: 0x77, count: test.password.count)),
      firstBlock: test.from, protectsReading: test.read)
    for current in [nil, Self.wrong] {
      let chip = try await ST25Tag(bench.again())
      let plan = try await chip.protectionPlan(protection, current: current)
      #expect(
        await Self.code { try await chip.perform(plan, accepting: [.forgetsPassword]) }
          == .authenticationFailed)
    }
    try await Self.check(bench, test)
    try await test.protect(bench.again(), current: test.password)
    try await Self.check(bench, test)
  }

  /// A tag that was removed at any exchange is protected by the same call.
  @Test(arguments: [cases[0], cases[2], cases[5], cases[6]] + cases.suffix(5))
  func aTornProtectionIsCompleted(_ test: Case) async throws {
    var torn = 0
    for exchange in 0..<60 {
      let bench = try await VicinityBench(test.make())
      let tag = try await bench.tag()
      let isTorn = await bench.tearing(at: exchange) { try await test.protect(tag) }
      try await test.protect(bench.again())
      try await Self.check(bench, test)
      guard isTorn else { break }
      torn += 1
    }
    #expect(torn > 10)
  }

  @Test(
    arguments: [
      (cases[0], 4, false, 8), (cases[0], 0, true, 8), (cases[0], 128, false, 8),
      (cases[0], 0, false, 4), (cases[4], 8, false, 8), (cases[4], 0, false, 4),
      (cases[4], 32, false, 8), (cases[9], 80, false, 4), (cases[9], 21, false, 8),
      (cases[9], 0, false, 4),
    ] as [(Case, Int, Bool, Int)])
  func whatTheChipCannotDoIsRefused(
    _ test: Case, _ from: Int, _ read: Bool, _ size: Int
  ) async throws {
    let bench = try await VicinityBench(test.make())
    let chip = try await ST25Tag(bench.tag())
    let protection = ST25Protection(
      password: SecretKey([UInt8](repeating: 7, count: size)), firstBlock: from,
      protectsReading: read)
    #expect(
      await Self.code { _ = try await chip.protectionPlan(protection) } == .invalidParameter)
    #expect(
      await Self.code { try await chip.authenticate(SecretKey([1, 2, 3])) } == .invalidParameter)
  }

  /// A memory that is divided keeps its division, unless the whole of it is protected.
  @Test func theBoundaryOfAnST25TV02KC() async throws {
    let bench = try await VicinityBench(.st25tv02KC())
    try await Self.cases[11].protect(bench.tag())
    let chip = try await ST25Tag(bench.again())
    var protection = ST25Protection(password: Self.short, firstBlock: 40)
    let error = await #expect(throws: NFCError.self) {
      _ = try await chip.protectionPlan(protection)
    }
    #expect(error?.reason.contains("divided already, at blocks 21") == true)
    protection = ST25Protection(password: Self.long, firstBlock: 0)
    let plan = try await chip.protectionPlan(protection, current: Self.short)
    #expect(
      plan.lines.contains { $0.hasPrefix("area 1: blocks 0-20") && $0.contains("→ blocks 0-79") })
    try await chip.perform(plan, accepting: [.forgetsPassword])
    try await Self.check(bench, Self.cases[9])
  }

  /// Block 0 can always be read.
  @Test func theContainerStaysReadable() async throws {
    let bench = try await VicinityBench(.st25tv02KC())
    try await Self.cases[10].protect(bench.tag())
    let closed = try await bench.again()
    #expect(try await closed.readBlocks(0..<1).count == 1)
    #expect(await Self.code { _ = try await closed.readBlocks(1..<2) } == .notAuthenticated)
  }

  /// A protection costs the questions, the passwords, and one command for each change.
  @Test(arguments: [(cases[9], 20), (cases[12], 20), (cases[4], 19), (cases[0], 17)])
  func theNumberOfExchanges(_ test: Case, _ count: Int) async throws {
    let bench = try await VicinityBench(test.make())
    let chip = try await ST25Tag(bench.tag())
    let plan = try await chip.protectionPlan(test.protection)
    bench.virtual.setFaults([])
    try await chip.perform(plan, accepting: [.forgetsPassword])
    #expect(bench.virtual.statistics.exchanges == count)
  }

  /// LOCK_CFG of ST25DV is register 0F (DS10925, 5.6); WRITE CONFIGURATION is A1, PRESENT PASSWORD B3.
  private static func lock(_ tag: any ISO15693Tag) async throws {
    for (code, parameters) in [
      (0xB3, [UInt8](repeating: 0, count: 9)), (0xA1, [0x0F, 0x01]),
    ] as [(UInt8, [UInt8])] {
      _ = try await tag.sendCommand(.custom(code: code, manufacturer: 0x02, parameters: parameters))
    }
  }

  /// A locked configuration is refused before a password changes.
  @Test(.asking(.configurationLock), arguments: [false, true])
  func aLockedConfiguration(_ isTV: Bool) async throws {
    let bench = try await VicinityBench(
      isTV ? VirtualTag(ST25TV02KC(isConfigurationLocked: true)) : .st25dv04K())
    if !isTV { try await Self.lock(bench.tag()) }
    let chip = try await ST25Tag(bench.again())
    let plan = try await chip.protectionPlan(ST25Protection(password: Self.long))
    let error = await #expect(throws: NFCError.self) {
      try await chip.perform(plan, accepting: [.forgetsPassword])
    }
    #expect(error?.code == .readOnly && error?.recovery == nil)
    // The passwords are those of before.
    let after = try await ST25Tag(bench.again())
    try await after.authenticate(SecretKey([UInt8](repeating: 0, count: 8)))
    #expect(try await after.areas().allSatisfy { $0.access == .open })
  }

  @Test func otherTagsAreRefused() async throws {
    let tag = try await VicinityBench(.icodeSLIX2()).tag()
    #expect(await Self.code { _ = try await ST25Tag(tag) } == .wrongTag)
  }
}
