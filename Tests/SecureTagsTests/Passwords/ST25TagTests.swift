import NFC
import SecureTags
import TestSupport
import Testing
import VirtualNFC

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
      try await chip.protect(
        try await chip.protectionPlan(protection), accepting: [.forgetsPasswords], current: current)
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
  ]

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
    #expect(plan.irreversibleEffects == [.forgetsPasswords])
    #expect(!"\(plan)".contains("11223344"))
    try await test.protect(bench.tag())
    try await Self.check(bench, test)
    let areas = try await ST25Tag(bench.again()).areas()
    #expect(areas.last?.blocks.lowerBound == test.from)
    #expect(areas.last?.needsPasswordToWrite == true)
    #expect(areas.last?.needsPasswordToRead == test.read)

    var chip = try await ST25Tag(bench.again())
    let opening = try await chip.protectionPlan(nil)
    #expect(opening.irreversibleEffects.isEmpty)
    #expect(
      await Self.code { try await chip.protect(opening, accepting: [], current: Self.wrong) }
        == .authenticationFailed)
    try await Self.check(bench, test)
    chip = try await ST25Tag(bench.again())
    try await chip.protect(
      try await chip.protectionPlan(nil), accepting: [], current: test.password)
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
      let plan = try await chip.protectionPlan(protection)
      #expect(
        await Self.code {
          try await chip.protect(plan, accepting: [.forgetsPasswords], current: current)
        } == .authenticationFailed)
    }
    try await Self.check(bench, test)
    try await test.protect(bench.again(), current: test.password)
    try await Self.check(bench, test)
  }

  /// A tag that was removed at any exchange is protected by the same call.
  @Test(arguments: [cases[0], cases[2], cases[5], cases[6]])
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

  @Test(.notReplayed("cancelled at any moment"), arguments: 0..<6)
  func aCancelledProtectionIsWholeOrNot(_ yields: Int) async throws {
    let test = Self.cases[5]
    let bench = try await VicinityBench(test.make())
    let tag = try await bench.tag()
    await cancelling(after: yields * 7) { try await test.protect(tag) }
    let chip = try await ST25Tag(bench.again())
    let isProtected = try await chip.areas().contains { $0.access != .open }
    try await chip.authenticate(
      isProtected ? Self.long : SecretKey([UInt8](repeating: 0, count: 8)))
  }

  @Test(
    arguments: [
      (cases[0], 4, false, 8), (cases[0], 0, true, 8), (cases[0], 128, false, 8),
      (cases[0], 0, false, 4), (cases[4], 8, false, 8), (cases[4], 0, false, 4),
      (cases[4], 32, false, 8),
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

  @Test func otherTagsAreRefused() async throws {
    let tag = try await VicinityBench(.icodeSLIX2()).tag()
    #expect(await Self.code { _ = try await ST25Tag(tag) } == .wrongTag)
  }
}
