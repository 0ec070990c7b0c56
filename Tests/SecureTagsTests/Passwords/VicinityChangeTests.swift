import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SecureTags

/// Tests each change of an ISO 15693 chip's passwords and protection with a fault at each exchange, through
/// PC/SC. A change that is reported as done is done, and a repeated change completes it.
@Suite struct VicinityChangeTests {
  private static let new = SecretKey([0x11, 0x22, 0x33, 0x44])
  private static let long = SecretKey([0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88])

  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let tag: @Sendable () -> VirtualTag
    /// Performs the change, or completes it.
    let run: @Sendable (any ISO15693Tag) async throws -> Void
    /// Throws, or records an issue, unless the change has been made.
    let check: @Sendable (any ISO15693Tag) async throws -> Void
  }

  private static func password(_ use: ICODETag.Password) -> Change {
    Change(
      testDescription: "\(use) password of an ICODE", tag: { .icodeSLIX2() },
      run: { tag in
        let label = try await ICODETag(tag)
        do {
          try await label.writePassword(use, from: ICODETag.factoryPassword(use), to: new)
        } catch let error as NFCError where error.code == .authenticationFailed {
          try await label.wake()
          try await label.authenticate(use, new)
        }
      }, check: { try await ICODETag($0).authenticate(use, new) })
  }

  private static func protection(
    _ name: String, _ protection: ST25Protection, _ tag: @escaping @Sendable () -> VirtualTag
  ) -> Change {
    Change(
      testDescription: name, tag: tag,
      run: { tag in
        let chip = try await ST25Tag(tag)
        try await chip.protect(
          try await chip.protectionPlan(protection), accepting: [.forgetsPasswords])
      },
      check: { tag in
        let block = protection.firstBlock + 3
        #expect(await failure { try await tag.writeBlocks(at: block, [1, 2, 3, 4]) } != nil)
        try await ST25Tag(tag).authenticate(protection.password)
        try await tag.writeBlocks(at: block, [1, 2, 3, 4])
      })
  }

  static let changes =
    [ICODETag.Password.read, .write, .surveillance].map(password) + [
      Change(
        testDescription: "protection of an ICODE", tag: { .icodeSLIX2() },
        run: { tag in
          let label = try await ICODETag(tag)
          let plan = try await label.protectionPlan(
            ICODEProtection(passwords: ICODEPasswords(new), firstBlock: 8, protectsReading: true))
          try await label.protect(plan, accepting: [.forgetsPasswords])
        },
        check: { tag in
          #expect(await failure { _ = try await tag.readBlocks(8..<9) } != nil)
          let label = try await ICODETag(tag)
          try await label.authenticate(.read, new)
          try await label.authenticate(.write, new)
          try await tag.writeBlocks(at: 8, [1, 2, 3, 4])
        }),
      Change(
        testDescription: "article surveillance", tag: { .icodeSLIX2() },
        run: { try await ICODETag($0).setSurveillance(true) },
        check: { tag in
          let sounds = try await ICODETag(tag).soundsAlarm()
          #expect(sounds)
        }),
      protection("ST25DV", ST25Protection(password: long, firstBlock: 32, protectsReading: true)) {
        .st25dv04K()
      },
      protection("ST25TV", ST25Protection(password: long, protectsReading: true)) { .st25tv() },
    ]

  @Test(arguments: changes) func everyFault(_ change: Change) async throws {
    let first = try await VicinityBench(change.tag())
    let tag = try await first.tag()
    first.virtual.setFaults([])
    try await change.run(tag)
    let count = first.virtual.statistics.exchanges
    try await change.check(first.again())
    await first.reader.close()
    #expect(count >= 1)
    let effects: [VirtualPCSCReader.Fault.Effect] = [
      .frameLost, .answerLost, .answerBroken, .tagLeaves,
    ]
    for effect in effects {
      for moment in 0..<count {
        let bench = try await VicinityBench(change.tag())
        let tag = try await bench.tag()
        bench.virtual.setFaults([.init(effect, at: moment)])
        let error = await failure { try await change.run(tag) }
        let text = error.map { "\($0)" } ?? "nothing"
        #expect(!text.contains("112233"))
        do {
          if error != nil { try await change.run(bench.again()) }
          try await change.check(bench.again())
        } catch {
          Issue.record(error, "\(effect) at \(moment): \(text)")
        }
        await bench.reader.close()
      }
    }
  }
}
