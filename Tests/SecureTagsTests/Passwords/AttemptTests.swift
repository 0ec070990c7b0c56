import NFC
import SwiftNFCCore
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests the number of remaining attempts in errors, through libnfc and a virtual PN532.
@Suite(.replayed) struct AttemptTests {
  private static let password: [UInt8] = [1, 2, 3, 4]

  private static func error(_ body: () async throws -> Void) async -> NFCError? {
    do {
      try await body()
      return nil
    } catch { return error as? NFCError }
  }

  /// AUTHLIM is reported if the settings can be read; a permanently closed tag is distinguished.
  @Test(
    arguments: [(3, false, .limit(3)), (1, false, .limit(1)), (3, true, nil), (0, false, nil)]
      as [(Int, Bool, NFCError.Attempts?)])
  func theLimitOfAnNTAG(
    _ limit: Int, _ reading: Bool, _ expected: NFCError.Attempts?
  ) async throws {
    let field = VirtualField()
    field.place(.ntag213())
    let virtual = try VirtualReader(field)
    ReplayedReaders.begin()
    let reader = try await Reader.open(virtual.connectionString)
    func tag() async throws -> UltralightCommands {
      let found = try #require(try await reader.tagsInField().first)
      try await found.connect()
      guard case .miFare(let tag) = found else { throw NFCError(.wrongTag, "no MIFARE") }
      return try #require(tag.ultralight)
    }
    let commands = try await tag()
    let plan = try await commands.protectionPlan(
      UltralightProtection(
        password: Self.password, passwordAcknowledge: [0, 0], firstPage: 4,
        protectsReading: reading, attemptLimit: limit == 0 ? nil : limit))
    try await commands.perform(plan, accepting: Set(plan.effects))
    let closed = try await tag()
    let failed = await Self.error { try await closed.authenticate(password: [9, 9, 9, 9]) }
    #expect(failed?.code == .authenticationFailed)
    #expect(failed?.attempts == expected)
    // Reading the limit has not used an attempt, and the tag has not changed.
    if limit != 1 {
      let acknowledge = try await closed.authenticate(password: Self.password)
      #expect(acknowledge == [0, 0])
    } else {
      _ = await Self.error { try await closed.authenticate(password: [9, 9, 9, 9]) }
      let last = await Self.error { try await closed.authenticate(password: Self.password) }
      #expect(last?.attempts == .left(0))
    }
    await reader.close()
    virtual.close()
  }

  @Test(arguments: [(5, .limit(5)), (0, nil)] as [(UInt8, NFCError.Attempts?)])
  func theLimitOfAnUltralightAES(_ limit: UInt8, _ expected: NFCError.Attempts?) async throws {
    // AUTH_LIM is in bytes 2 and 3 of page 2Ah.
    let bench = try await UltralightAESBench([6: limit])
    let chip = try await bench.chip()
    let failed = await Self.error {
      try await chip.authenticate(.dataProtection, UltralightAESBench.newKey)
    }
    #expect(failed?.code == .authenticationFailed)
    #expect(failed?.attempts == expected)
    try await chip.authenticate(.dataProtection, UltralightAESBench.factoryKey)
    await bench.close()
  }

  @Test func aDESFireThatWaitsSaysSo() {
    #expect(DESFireStatus.authenticationDelay.error.attempts == .delayed)
    #expect(DESFireStatus.authenticationError.error.attempts == nil)
  }

  @Test(
    arguments: [
      (0x63C0, 0), (0x63C3, 3), (0x63CF, 15), (0x6300, nil), (0x6383, nil), (0x9000, nil),
      (0x61C3, nil),
    ] as [(UInt16, Int?)])
  func statusWordsWithACounter(_ word: UInt16, _ count: Int?) {
    #expect(StatusWord(rawValue: word).attemptsLeft == count)
  }

  @Test(
    arguments: [
      (.left(0), "no attempt is left"), (.left(1), "1 attempt is left"),
      (.left(2), "2 attempts are left"),
      (.limit(1), "the tag is permanently closed after 1 wrong attempt"),
      (.limit(7), "the tag is permanently closed after 7 wrong attempts"),
      (.delayed, "the tag accepts no attempt for some time"),
    ] as [(NFCError.Attempts, String)])
  func inWords(_ attempts: NFCError.Attempts, _ text: String) {
    let error = NFCError(
      .authenticationFailed, "the password is wrong", cause: .statusWord(0x63C2),
      attempts: attempts)
    #expect(error.description.hasPrefix("the password is wrong, \(text): status word"))
  }
}
