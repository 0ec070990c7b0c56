import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCChipBook
@testable import SwiftNFCCore

/// AUTH0, AUTH1 and the key of a MIFARE Ultralight C.
@Suite(.replayed) struct UltralightCProtectionTests {
  typealias Plan = UltralightCProtectionPlan

  private static let factoryKey = Array("IEMKAERB!NACUOYF".utf8)
  private static let newKey = (0..<16).map { UInt8($0 * 2 + 1) }
  private static let auth0 = 42 * 4
  private static let auth1 = 43 * 4

  private static let settings = Type2Chip.TripleDESSettings(
    firstProtectedPage: 42, readProtectionPage: 43, keyPages: 44..<48)

  private static func steps(_ plan: Plan) -> [ChangePlan.Step] { plan.planned.map(\.step) }

  /// As delivered: AUTH0 30h, AUTH1 0 (MF0ICU2 data sheet, 7.5.8).
  @Test func namesEveryPageAndNothingElse() throws {
    let plan = try Plan(
      UltralightCProtection(key: Self.newKey, firstPage: 4), Self.settings,
      configuration: [0x30, 1, 2, 3, 0x00, 4, 5, 6])
    #expect(
      Self.steps(plan).map(\.description) == [
        "page 44: a part of the new key, not shown", "page 45: a part of the new key, not shown",
        "page 46: a part of the new key, not shown", "page 47: a part of the new key, not shown",
        "the tag proves the new key", "page 43: 00040506 → 01040506",
        "page 42: 30010203 → 04010203",
      ])
    #expect(plan.effects == [.forgetsKey])
    let opened = try Plan(
      UltralightCProtection(key: Self.newKey, firstPage: 4, protectsReading: true), Self.settings,
      configuration: [0x08, 0, 0, 0, 0x01, 0, 0, 0])
    #expect(Self.steps(opened).first == .write(.page(42), [8, 0, 0, 0], [0x30, 0, 0, 0]))
    #expect(
      Self.steps(opened).suffix(2) == [
        .write(.page(43), [1, 0, 0, 0], [0, 0, 0, 0]),
        .write(.page(42), [0x30, 0, 0, 0], [4, 0, 0, 0]),
      ])
    let away = try Plan(nil, Self.settings, configuration: [8, 0, 0, 0, 1, 0, 0, 0])
    #expect(Self.steps(away) == [.write(.page(42), [8, 0, 0, 0], [0x30, 0, 0, 0])])
    #expect(away.effects.isEmpty)
    #expect(
      try Plan(nil, Self.settings, configuration: [0x30, 0, 0, 0, 1, 0, 0, 0]).planned.isEmpty)
  }

  @Test(arguments: [(16, 2), (16, 43), (15, 4), (0, 4)])
  func refusesWhatCannotBe(_ keySize: Int, _ page: Int) {
    #expect(throws: NFCError.self) {
      try UltralightCProtection(key: [UInt8](repeating: 1, count: keySize), firstPage: page)
    }
  }

  @Test func showsNoKey() throws {
    let protection = try UltralightCProtection(key: Self.newKey, firstPage: 4)
    let plan = try Plan(
      protection, Self.settings, configuration: [0x30, 0, 0, 0, 0, 0, 0, 0])
    for text in [
      "\(protection)", String(reflecting: protection), "\(Self.steps(plan))",
    ] {
      #expect(!text.contains("0103") && !text.contains("[1, 3"))
    }
  }

  @Test(arguments: [false, true]) func protectsAndOpens(_ reading: Bool) async throws {
    let tag = VirtualTag.ultralightC()
    let bench = try await Bench(tag)
    let commands = try await UltralightDumpTests.commands(bench)
    let before = tag.memory
    let protection = try UltralightCProtection(
      key: Self.newKey, firstPage: 10, protectsReading: reading)
    let plan = try await commands.protectionPlan(protection, key: nil)
    let unwanted = await #expect(throws: NFCError.self) {
      try await commands.perform(plan)
    }
    #expect(unwanted?.code == .invalidParameter)
    #expect(tag.memory == before)
    try await commands.perform(plan, accepting: [.forgetsKey])
    #expect(tag.memory[Self.auth0] == 10 && tag.memory[Self.auth1] == (reading ? 0 : 1))
    #expect(Array(tag.memory[..<Self.auth0]) == Array(before[..<Self.auth0]))
    // The same plan is of another time.
    let stale = await #expect(throws: NFCError.self) {
      try await commands.perform(plan, accepting: [.forgetsKey])
    }
    #expect(stale?.code == .invalidParameter)

    let again = try await UltralightDumpTests.commands(bench)
    await #expect { try await again.writePage(12, [1, 2, 3, 4]) } throws: {
      ($0 as? NFCError)?.code == .readOnly
    }
    await #expect { try await again.authenticate(key: Self.factoryKey) } throws: {
      ($0 as? NFCError)?.code == .authenticationFailed
    }
    let last = try await UltralightDumpTests.commands(bench)
    let away = try await last.protectionPlan(nil as UltralightCProtection?, key: Self.newKey)
    #expect(tag.memory[Self.auth0] == 10)
    try await last.perform(away)
    #expect(tag.memory[Self.auth0] == 0x30)
    try await UltralightDumpTests.commands(bench).writePage(12, [1, 2, 3, 4])
  }

  /// Pages are closed only by a key that somebody knows.
  @Test func keepsAKeyThatItProves() async throws {
    let tag = VirtualTag.ultralightC()
    let bench = try await Bench(tag)
    let commands = try await UltralightDumpTests.commands(bench)
    let protection = try UltralightCProtection(key: nil, firstPage: 4)
    let error = await #expect(throws: NFCError.self) {
      _ = try await commands.protectionPlan(protection, key: nil)
    }
    #expect(error?.code == .invalidParameter)
    await #expect {
      _ = try await commands.protectionPlan(protection, key: Self.newKey)
    } throws: {
      ($0 as? NFCError)?.code == .authenticationFailed
    }
    #expect(tag.memory[Self.auth0] == 0x30)
    try await commands.perform(
      try await commands.protectionPlan(protection, key: Self.factoryKey))
    #expect(tag.memory[Self.auth0] == 4)
  }

  @Test func lockedPagesAreRefusedFirst() async throws {
    let tag = VirtualTag.ultralightC()
    // Lock byte 3, bit 7: the key.
    tag.memory[0x28 * 4 + 1] = 0x80
    let image = tag.memory
    let bench = try await Bench(tag)
    let commands = try await UltralightDumpTests.commands(bench)
    let error = await #expect(throws: NFCError.self) {
      _ = try await commands.protectionPlan(
        try UltralightCProtection(key: Self.newKey, firstPage: 4), key: nil)
    }
    #expect(error?.code == .readOnly)
    #expect(error?.place == .page(44))
    #expect(tag.memory == image)
  }

  @Test func otherChipsAreRefused() async throws {
    let bench = try await Bench(VirtualTag.ntag213())
    let commands = try await UltralightDumpTests.commands(bench)
    let error = await #expect(throws: NFCError.self) {
      _ = try await commands.protectionPlan(
        try UltralightCProtection(key: Self.newKey, firstPage: 4), key: nil)
    }
    #expect(error?.code == .unsupported)
  }

  /// Torn away at every exchange: the tag has the new key, or can be given one again.
  @Test func anInterruptedTagIsNeverClosedWithoutAKey() async throws {
    let tag = VirtualTag.ultralightC()
    tag.memory[Self.auth0] = 8
    let image = tag.memory
    let bench = try await Bench(tag)
    let protection = try UltralightCProtection(key: Self.newKey, firstPage: 4)
    let first = try await UltralightDumpTests.commands(bench)
    let plan = try await first.protectionPlan(protection, key: Self.factoryKey)
    let count = try await bench.counting {
      try await first.perform(plan, accepting: [.forgetsKey])
    }.exchanges
    for moment in 0..<count {
      tag.memory = image
      let torn = try await UltralightDumpTests.commands(bench)
      let plan = try await torn.protectionPlan(protection, key: Self.factoryKey)
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      await #expect(throws: NFCError.self) {
        try await torn.perform(plan, accepting: [.forgetsKey])
      }
      bench.virtual.setFaults([])
      bench.field.place(tag)
      // Open, or closed by the old or the new key.
      for key in [nil, Self.factoryKey, Self.newKey] {
        let back = try await UltralightDumpTests.commands(bench)
        guard let plan = try? await back.protectionPlan(protection, key: key) else { continue }
        _ = try? await back.perform(plan, accepting: [.forgetsKey])
      }
      #expect(tag.memory[Self.auth0] == 4, "exchange \(moment)")
      try await UltralightDumpTests.commands(bench).authenticate(key: Self.newKey)
    }
  }
}
