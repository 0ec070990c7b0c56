import NDEF
import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests a MIFARE Ultralight AES through the real libnfc.
@Suite(.replayed) struct UltralightAESTagTests {
  typealias Bench = UltralightAESBench
  typealias Plan = UltralightAESProtectionPlan

  private static let wrongKey = SecretKey([UInt8](repeating: 9, count: 16))
  private static let auth0 = 0x29 * 4 + 3

  /// The tests run with and without MACs, and with settings that cannot be read without the key.
  @Test(arguments: [false, true], [false, true])
  func opensWhatIsProtected(_ hasCodes: Bool, _ hidesSettings: Bool) async throws {
    let bench = try await Bench([0: hasCodes ? 2 : 0, 3: 8, 4: hidesSettings ? 0x8C : 0x0C])
    let chip = try await bench.chip()
    let refused = await #expect(throws: NFCError.self) {
      try await chip.commands.writePage(10, [1, 2, 3, 4])
    }
    #expect(refused?.code == .readOnly)
    try await chip.authenticate(.dataProtection, Bench.factoryKey)
    try await chip.commands.writePage(10, [1, 2, 3, 4])
    #expect(try await chip.commands.readPage(10) == [1, 2, 3, 4])
    #expect(try await chip.commands.readPages(4..<40).count == 144)
    try await chip.commands.incrementCounter(2, by: 7)
    #expect(try await chip.commands.readCounter(2) == 7)
    // A refusal ends the tag's authentication, which is repeated.
    await #expect(throws: NFCError.self) { try await chip.commands.readFourPages(from: 0x3C) }
    try await chip.commands.writePage(11, [5, 6, 7, 8])
    #expect(Array(bench.tag.memory[40..<48]) == [1, 2, 3, 4, 5, 6, 7, 8])
    let settings = try await chip.configuration()
    #expect(settings.securesMessages == hasCodes && settings.firstProtectedPage == 8)
    await bench.close()
  }

  /// NDEF is read and written with MACs, too.
  @Test func messages() async throws {
    let bench = try await Bench([0: 2, 3: 4])
    let found = try await bench.found()
    let chip = try await UltralightAESTag(found)
    let message = NDEFMessage(URIRecord("https://example.com/1").record)
    await #expect(throws: NFCError.self) { try await found.writeNDEF(message) }
    try await chip.authenticate(.dataProtection, Bench.factoryKey, needsCodes: true)
    try await found.writeNDEF(message, verify: true)
    #expect(try await found.readNDEF() == message)
    await bench.close()
  }

  @Test func refusesATagWithoutCodes() async throws {
    let bench = try await Bench()
    let chip = try await bench.chip()
    let error = await #expect(throws: NFCError.self) {
      try await chip.authenticate(.dataProtection, Bench.factoryKey, needsCodes: true)
    }
    #expect(error?.code == .notAuthenticated)
    await bench.close()
  }

  @Test func wrongKeys() async throws {
    let bench = try await Bench([3: 8, 6: 2])
    let chip = try await bench.chip()
    for attempt in 0..<4 {
      let error = await #expect(throws: NFCError.self) {
        try await chip.authenticate(.dataProtection, Self.wrongKey)
      }
      #expect(error?.code == .authenticationFailed)
      #expect(error?.reason.contains("0909") == false)
      #expect(error?.cause == .negativeAcknowledge(attempt < 2 ? 0 : 4))
    }
    await bench.close()
  }

  @Test func otherTags() async throws {
    let field = VirtualField()
    field.place(.ultralightC())
    let virtual = try VirtualReader(field)
    ReplayedReaders.begin()
    let reader = try await Reader.open(virtual.connectionString)
    for try await tag in reader.tags(polling: .iso14443a) {
      try await tag.connect()
      guard case .miFare(let tag) = tag else { break }
      let error = await #expect(throws: NFCError.self) { _ = try await UltralightAESTag(tag) }
      #expect(error?.code == .wrongTag)
      break
    }
    await reader.close()
    virtual.close()
  }

  /// The real UID of a chip that shows a random one.
  @Test(arguments: [false, true]) func hiddenIdentifier(_ hasCodes: Bool) async throws {
    let bench = try await Bench([0: hasCodes ? 3 : 1])
    let found = try await bench.found()
    #expect(found.identifier.count == 4 && found.identifier.first == 0x08)
    let chip = try await UltralightAESTag(found)
    #expect(try await chip.identifier(Bench.factoryKey) == bench.tag.identifier)
    await bench.close()
  }

  // MARK: Protection

  @Test func plansNameEveryPage() throws {
    let before = try #require(
      UltralightAESConfiguration([0, 0, 0, 0x3C, 0x8C, 5, 0, 0] + [UInt8](repeating: 0, count: 12)))
    let plan = try Plan(
      UltralightAESProtection(
        key: Bench.newKey, firstPage: 4, attemptLimit: 300, securesMessages: true,
        locksConfiguration: true), before: before)
    #expect(
      plan.planned.map(\.step.description) == [
        "page 48: a part of the new key, not shown", "page 49: a part of the new key, not shown",
        "page 50: a part of the new key, not shown", "page 51: a part of the new key, not shown",
        "the tag proves the new key 0", "page 42: 8C050000 → 0C052C01",
        "page 41: 0000003C → 02000004", "the tag proves key 0", "page 42: 0C052C01 → 4C052C01",
      ])
    #expect(plan.effects == [.locksConfiguration, .mayClosePermanently, .forgetsKey])
    #expect(try Plan(nil, before: before).planned.isEmpty)
  }

  @Test(arguments: [(15, 4, 1), (16, 2, 1), (16, 42, 1), (16, 4, 0), (16, 4, 1023)])
  func refusesWhatCannotBe(_ keySize: Int, _ page: Int, _ limit: Int) {
    #expect(throws: NFCError.self) {
      try UltralightAESProtection(
        key: SecretKey([UInt8](repeating: 1, count: keySize)), firstPage: page, attemptLimit: limit)
    }
  }

  @Test(arguments: [false, true], [false, true])
  func protectsAndOpens(_ reading: Bool, _ codes: Bool) async throws {
    let bench = try await Bench()
    let chip = try await bench.chip()
    let protection = try UltralightAESProtection(
      key: Bench.newKey, identifierKey: Self.wrongKey, firstPage: 10, protectsReading: reading,
      securesMessages: codes)
    let plan = try await chip.protectionPlan(protection, key: nil)
    let before = bench.tag.memory
    #expect("\(plan)\(String(reflecting: plan))".contains("010407") == false)
    await #expect(throws: NFCError.self) { try await chip.perform(plan) }
    #expect(bench.tag.memory == before)
    try await chip.perform(plan, accepting: [.forgetsKey])
    try await chip.commands.writePage(12, [1, 2, 3, 4])
    #expect(bench.tag.memory[Self.auth0] == 10 && bench.tag.memory[48] == 1)

    let again = try await bench.chip()
    await #expect(throws: NFCError.self) { try await again.commands.writePage(12, [0, 0, 0, 0]) }
    let refused = await #expect(throws: NFCError.self) {
      try await again.authenticate(.dataProtection, Bench.factoryKey)
    }
    #expect(refused?.code == .authenticationFailed)
    #expect(try await again.identifier(Self.wrongKey) == bench.tag.identifier)
    try await again.authenticate(.dataProtection, Bench.newKey, needsCodes: codes)
    try await again.commands.writePage(12, [4, 3, 2, 1])

    let last = try await bench.chip()
    try await last.perform(try await last.protectionPlan(nil, key: Bench.newKey))
    #expect(bench.tag.memory[Self.auth0] == 0x3C)
    try await bench.chip().commands.writePage(12, [0, 0, 0, 1])
    await bench.close()
  }

  @Test func lockedSettingsStay() async throws {
    let bench = try await Bench()
    let chip = try await bench.chip()
    let protection = try UltralightAESProtection(
      key: Bench.newKey, firstPage: 4, securesMessages: true, locksConfiguration: true)
    try await chip.perform(
      try await chip.protectionPlan(protection, key: nil),
      accepting: [.forgetsKey, .locksConfiguration])
    let error = await #expect(throws: NFCError.self) {
      _ = try await bench.chip().protectionPlan(nil, key: Bench.newKey)
    }
    #expect(error?.code == .readOnly)
    await bench.close()
  }

  /// Torn away at every exchange: the tag is open, or has the old key or the new one, and the change can be repeated.
  @Test(arguments: [false, true]) func aTornTagIsNeverClosedWithoutAKey(_ codes: Bool) async throws
  {
    let bench = try await Bench([0: codes ? 2 : 0, 3: 8])
    let image = bench.tag.memory
    let protection = try UltralightAESProtection(key: Bench.newKey, firstPage: 4)
    let first = try await bench.chip()
    let plan = try await first.protectionPlan(protection, key: Bench.factoryKey)
    let count = try await bench.counting {
      try await first.perform(plan, accepting: [.forgetsKey])
    }
    #expect(count > 10)
    for moment in 0..<count {
      bench.tag.memory = image
      let torn = try await bench.chip()
      let plan = try await torn.protectionPlan(protection, key: Bench.factoryKey)
      bench.virtual.setFaults([Fault(.tagLeaves, at: .exchange(moment))])
      await #expect(throws: NFCError.self) {
        try await torn.perform(plan, accepting: [.forgetsKey])
      }
      bench.virtual.setFaults([])
      bench.field.place(bench.tag)
      for key in [nil, Bench.factoryKey, Bench.newKey] {
        let back = try await bench.chip()
        guard let plan = try? await back.protectionPlan(protection, key: key) else { continue }
        _ = try? await back.perform(plan, accepting: [.forgetsKey])
      }
      #expect(bench.tag.memory[Self.auth0] == 4, "exchange \(moment)")
      try await bench.chip().authenticate(.dataProtection, Bench.newKey)
    }
    await bench.close()
  }

  /// A task that is cancelled meanwhile does not leave a change half done.
  @Test(.notReplayed("cancelled at any moment"))
  func aCancelledChangeIsWholeOrNone() async throws {
    let bench = try await Bench()
    let protection = try UltralightAESProtection(key: Bench.newKey, firstPage: 4)
    for delay in [0, 5, 20, 40] {
      bench.tag.memory = VirtualTag.ultralightAES().memory
      let chip = try await bench.chip()
      let plan = try await chip.protectionPlan(protection, key: nil)
      let task = Task { try await chip.perform(plan, accepting: [.forgetsKey]) }
      try await Task.sleep(for: .milliseconds(delay))
      task.cancel()
      _ = try? await task.value
      let auth0 = bench.tag.memory[Self.auth0]
      let keyByte = bench.tag.memory[51 * 4 + 3]
      #expect((auth0, keyByte) == (0x3C, 0) || (auth0, keyByte) == (4, 1), "\(delay) ms")
    }
    await bench.close()
  }
}
