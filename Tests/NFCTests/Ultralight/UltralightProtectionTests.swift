import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCChipBook
@testable import SwiftNFCCore

@Suite(.replayed) struct UltralightProtectionTests {
  typealias Plan = UltralightProtectionPlan

  static let old: [UInt8] = [0x31, 0x32, 0x33, 0x34]
  static let new: [UInt8] = [0xC0, 0xFF, 0xEE, 0x01]
  static let acknowledge: [UInt8] = [0xAB, 0xCD]
  static let ntag213 = Type2Chip.ntag213

  static func protection(
    from page: Int = 8, reading: Bool = false, limit: Int? = nil, counter: Bool? = nil,
    locking: Bool = false
  ) throws -> UltralightProtection {
    try UltralightProtection(
      password: new, passwordAcknowledge: acknowledge, firstPage: page, protectsReading: reading,
      attemptLimit: limit, protectsCounter: counter, locksConfiguration: locking)
  }

  // MARK: The plan

  private static func steps(_ plan: Plan) -> [ChangePlan.Step] { plan.planned.map(\.step) }

  /// CFG0 and CFG1 as NXP delivers them, with a mirror, the counter and reserved bits, too: what is not
  /// protection stays (NTAG213/215/216 data sheet, 8.5.7).
  @Test func namesEveryPageAndNothingElse() throws {
    let plan = try Plan(
      Self.protection(reading: true, limit: 5, counter: true), chip: Self.ntag213,
      configuration: [0xC4, 0x11, 0x22, 0xFF, 0x30, 0x05, 0x33, 0x44])
    #expect(
      Self.steps(plan) == [
        .secret(.page(43), "the new password"), .secret(.page(44), "its acknowledge"),
        .action("the tag proves the new password"),
        .write(.page(42), [0x30, 0x05, 0x33, 0x44], [0xBD, 0x05, 0x33, 0x44]),
        .write(.page(41), [0xC4, 0x11, 0x22, 0xFF], [0xC4, 0x11, 0x22, 0x08]),
      ])
    #expect(plan.effects == [.mayClosePermanently, .forgetsPassword])
    #expect(
      Self.steps(plan).map(\.description) == [
        "page 43: the new password, not shown", "page 44: its acknowledge, not shown",
        "the tag proves the new password", "page 42: 30053344 → BD053344",
        "page 41: C41122FF → C4112208",
      ])
    for text in ["\(Self.steps(plan))", "\(try Self.protection())"] {
      #expect(!text.contains("C0FFEE") && !text.contains("192") && !text.contains("ABCD"))
    }
  }

  /// A tag that is protected is opened before its password changes.
  @Test func opensFirst() throws {
    let plan = try Plan(
      Self.protection(from: 4, locking: true), chip: Self.ntag213,
      configuration: [4, 0, 0, 8, 0x87, 5, 0, 0])
    #expect(Self.steps(plan).first == .write(.page(41), [4, 0, 0, 8], [4, 0, 0, 0xFF]))
    #expect(
      Self.steps(plan).suffix(3) == [
        .write(.page(42), [0x87, 5, 0, 0], [0x00, 5, 0, 0]),
        .write(.page(41), [4, 0, 0, 0xFF], [4, 0, 0, 4]),
        .write(.page(42), [0x00, 5, 0, 0], [0x40, 5, 0, 0]),
      ])
    #expect(plan.effects == [.locksConfiguration, .forgetsPassword])
    let away = try Plan(
      nil, chip: Self.ntag213, configuration: [4, 0, 0, 8, 0x9F, 5, 0, 0])
    #expect(
      Self.steps(away) == [
        .write(.page(41), [4, 0, 0, 8], [4, 0, 0, 0xFF]),
        .write(.page(42), [0x9F, 5, 0, 0], [0x18, 5, 0, 0]),
      ])
    #expect(away.effects.isEmpty)
  }

  @Test func refusesWhatCannotBe() throws {
    func code(_ body: () throws -> Plan) -> NFCError.Code? {
      do {
        _ = try body()
        return nil
      } catch {
        return (error as? NFCError)?.code
      }
    }
    let open: [UInt8] = [4, 0, 0, 0xFF, 0, 5, 0, 0]
    let locked: [UInt8] = [4, 0, 0, 8, 0x40, 5, 0, 0]
    #expect(
      code { try Plan(Self.protection(from: 42), chip: Self.ntag213, configuration: open) }
        == .invalidParameter)
    #expect(
      code { try Plan(Self.protection(from: -1), chip: Self.ntag213, configuration: open) }
        == .invalidParameter)
    #expect(
      code { try Plan(Self.protection(), chip: Self.ntag213, configuration: locked) }
        == .readOnly)
    #expect(code { try Plan(nil, chip: Self.ntag213, configuration: locked) } == .readOnly)
    #expect(
      code { try Plan(Self.protection(counter: true), chip: .ultralightEV1, configuration: open) }
        == .unsupported)
    #expect(
      code { try Plan(Self.protection(), chip: .ultralightC, configuration: open) }
        == .unsupported)
    for (password, acknowledge, limit) in [([1, 2, 3], [1, 2], 1), (Self.new, [1], 1)]
      + [(Self.new, [1, 2], 0), (Self.new, [1, 2], 8)] as [([UInt8], [UInt8], Int)]
    {
      #expect(throws: NFCError.self) {
        try UltralightProtection(
          password: password, passwordAcknowledge: acknowledge, firstPage: 4, attemptLimit: limit)
      }
    }
  }

  // MARK: Over libnfc

  @Test(arguments: ["ntag213", "ntag216", "ultralight-ev1", "ultralight-ev1-128", "ntag210"])
  func protectsAndOpens(_ name: String) async throws {
    let tag = UltralightDumpTests.chip(name)
    let bench = try await Bench(tag)
    let ultralight = try await UltralightDumpTests.commands(bench)
    let before = tag.memory
    let plan = try await ultralight.protectionPlan(try Self.protection(reading: true))
    #expect(tag.memory == before)
    #expect(!"\(plan)\(String(reflecting: plan))".contains("C0FFEE"))
    let unwanted = await #expect(throws: NFCError.self) {
      try await ultralight.perform(plan, accepting: [.locksConfiguration])
    }
    #expect(unwanted?.code == .invalidParameter)
    #expect(unwanted?.reason.contains("was not accepted: the password that") == true)
    #expect(tag.memory == before)
    let (_, _, exchanges) = try await bench.counting {
      try await ultralight.perform(plan, accepting: [.forgetsPassword])
    }
    #expect(exchanges == plan.steps.count + 1)
    // Only AUTH0, PROT, PWD and PACK have changed.
    let size = before.count
    #expect(Array(tag.memory.prefix(size - 16)) == Array(before.prefix(size - 16)))
    #expect(tag.memory[size - 13] == 8 && tag.memory[size - 12] == before[size - 12] | 0x80)
    #expect(Array(tag.memory[(size - 8)...]) == Self.new + Self.acknowledge + [0, 0])

    // It counts from the next selection on.
    let again = try await UltralightDumpTests.commands(bench)
    await #expect { try await again.readPage(8) } throws: {
      ($0 as? NFCError)?.code == .tagRefused
    }
    await #expect { try await again.protectionPlan(nil) } throws: {
      ($0 as? NFCError)?.code == .notAuthenticated
    }
    await #expect { try await again.protectionPlan(nil, password: Self.old) } throws: {
      ($0 as? NFCError)?.code == .authenticationFailed
    }
    let away = try await again.protectionPlan(nil, password: Self.new)
    try await again.perform(away)
    // The plan was made for the tag as it was.
    let stale = await #expect(throws: NFCError.self) {
      try await again.perform(away)
    }
    #expect(stale?.code == .invalidParameter)
    let opened = try await UltralightDumpTests.commands(bench)
    #expect(try await opened.readPage(8).count == 4)
    #expect(Array(tag.memory.prefix(size - 8)) == Array(before.prefix(size - 8)))
  }

  @Test func otherChips() async throws {
    for tag in [VirtualTag.ultralight(), .ultralightC(), .ntag203(), .ntagI2C1K()] {
      let bench = try await Bench(tag)
      let ultralight = try await UltralightDumpTests.commands(bench)
      let before = tag.memory
      await #expect { try await ultralight.protectionPlan(try Self.protection()) } throws: {
        ($0 as? NFCError)?.code == .unsupported
      }
      #expect(tag.memory == before)
    }
  }

  // MARK: Torn away

  /// At every exchange: what is found afterwards opens with no password, the old one or the new one, and
  /// protecting can be done again. A tag that had none is open until everything else is written.
  @Test(.asking(.configurationLock), arguments: [false, true], [false, true])
  func anInterruptedTagIsNotLockedOut(wasProtected: Bool, locking: Bool) throws {
    var chip = NTAG21x(.ntag213)
    if wasProtected {
      chip.memory.replaceSubrange(
        41 * 4..<45 * 4, with: [4, 0, 0, 4, 0x80, 5, 0, 0] + Self.old + [0x41, 0x42, 0, 0])
    }
    let password = wasProtected ? Self.old : nil
    let wanted = try Self.protection(from: 6, reading: true, limit: 3, locking: locking)
    func protect(_ driver: ChipDriver, _ password: [UInt8]?) throws {
      if let password {
        _ = try UltralightProcedure.authenticate(password: password, driver.link)
      }
      let settings = try #require(Self.ntag213.passwordSettings)
      let configuration = try Plan.configuration(Self.ntag213, settings, driver.link)
      try Plan(wanted, chip: Self.ntag213, configuration: configuration.bytes)
        .run(Self.ntag213, password: nil, driver.link)
    }
    let whole = ChipDriver(chip)
    try protect(whole, password)
    #expect(whole.exchanges > 5)
    for exchange in 0..<whole.exchanges {
      let torn = ChipDriver(chip, tear: exchange)
      #expect(throws: NFCError.self) { try protect(torn, password) }
      let passwords: [[UInt8]?] = [nil, Self.old, Self.new]
      let isOpen = passwords.contains { password in
        let back = ChipDriver(torn.chip)
        return (try? protect(back, password)) != nil && back.chip.memory == whole.chip.memory
      }
      #expect(isOpen, "exchange \(exchange)")
      guard !wasProtected, !locking else { continue }
      let back = ChipDriver(torn.chip)
      try protect(back, nil)
      #expect(back.chip.memory == whole.chip.memory, "exchange \(exchange)")
    }
  }

  @Test func tearsOverLibNFC() async throws {
    let start = VirtualTag.ntag213().memory
    var exchange = 0
    var isTorn = true
    while isTorn {
      let tag = VirtualTag.ntag213()
      let bench = try await Bench(tag)
      let ultralight = try await UltralightDumpTests.commands(bench)
      let plan = try await ultralight.protectionPlan(try Self.protection())
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(exchange))])
      do {
        try await ultralight.perform(plan, accepting: [.forgetsPassword])
        isTorn = false
      } catch let error as NFCError {
        #expect(error.code == .tagConnectionLost, "\(error)")
        #expect(exchange > 1 || tag.memory == start)
      }
      bench.virtual.setFaults([])
      bench.field.place(tag)
      let back = try await UltralightDumpTests.commands(bench)
      if (try? await back.authenticate(password: Self.new)) == nil {
        let again = try await UltralightDumpTests.commands(bench)
        try await again.writePage(8, [1, 2, 3, 4])
      }
      exchange += 1
    }
    #expect(exchange == 6)
  }
}
