import Foundation
import NFC
import TestSupport
import Testing

@testable import SwiftNFCTool

/// Tests of `nfc lock --plan`, on every kind of tag that can be locked.
@Suite struct LockPlanTests {
  private struct Step: Decodable {
    let page: Int?
    let block: Int?
    let sector: Int?
    let before: String?
    let after: String?
    let action: String?
    let effect: String?
  }

  /// Returns the steps. What cannot be undone is the last line, in both forms.
  private static func steps(_ result: Tool.Result) throws -> [Step] {
    let lines = try result.lines.map { try JSONDecoder().decode(Step.self, from: Data($0.utf8)) }
    #expect(lines.last?.effect == "locksMemory")
    return Array(lines.dropLast())
  }

  private static let effect = "cannot be undone: what is locked can never be written again"

  /// The plan writes nothing, says what the lock then does, and is empty afterwards.
  @Test(
    .asking(.lockBits, .oneTimeBits, .memoryConfiguration),
    arguments: [
      ("ntag213", 4), ("ntag216", 4), ("ultralight", 4), ("ultralight-c", 4), ("ultralight-ev1", 4),
      ("felica-lite-s", 16), ("type3", 16),
    ])
  func showsWhatTheLockWrites(_ tag: String, _ unit: Int) async throws {
    try await Tool.with(tag) { nfc async throws in
      try await TemporaryDirectory.with { folder async throws in
        func memory() async throws -> [UInt8] {
          let file = folder.appending(path: "\(UUID().uuidString).bin")
          let result = try await nfc(["dump", file.path, "--partial"])
          #expect(result.status == 0, "\(result.errors)")
          return [UInt8](try Data(contentsOf: file))
        }
        let plan = try await nfc(["lock", "--plan", "--json"])
        #expect(plan.status == 0 && plan.errors == "", "\(plan.errors)")
        let steps = try Self.steps(plan)
        #expect(!steps.isEmpty)
        let isDumped = tag != "type3"
        let before = isDumped ? try await memory() : []
        #expect(try await nfc(["lock", "--plan", "--json"]).output == plan.output)
        let text = try await nfc(["lock", "--plan"])
        #expect(text.lines.count == steps.count + 1)
        #expect(text.lines.last == Self.effect)
        #expect(try await nfc(["lock", "--permanently"]).status == 0)
        let after = isDumped ? try await memory() : []
        for step in steps {
          let first = (try #require(step.page ?? step.block)) * unit
          guard first + unit <= before.count else { continue }
          #expect(before[first..<first + unit].hexadecimal == step.before)
          #expect(after[first..<first + unit].hexadecimal == step.after)
        }
        #expect(try await nfc(["lock", "--plan"]).output == "nothing to be changed\n")
        #expect(try await nfc(["lock", "--plan", "--json"]).output == "")
      }
    }
  }

  @Test(.asking(.accessBits)) func aClassicShowsItsSectors() async throws {
    try await Tool.with("blank-classic-1k") { nfc async throws in
      #expect(try await nfc(["format"]).status == 0)
      let plan = try await nfc(["lock", "--plan"])
      #expect(plan.lines.suffix(2) == ["sector 1: access rights 7F078840 → 078F0F43", Self.effect])
      #expect(plan.lines.count == 16)
      #expect(try await nfc(["write", "text", "a"]).status == 0, "nothing was locked")
      #expect(try await nfc(["lock", "--permanently"]).status == 0)
      #expect(try await nfc(["lock", "--plan"]).output == "nothing to be changed\n")
    }
  }

  @Test(.asking(.accessRights)) func aDESFireShowsItsFiles() async throws {
    try await Tool.with("blank-desfire") { nfc async throws in
      #expect(try await nfc(["format"]).status == 0)
      let plan = try await nfc(["lock", "--plan"])
      #expect(
        plan.lines == [
          "file E104: access rights EEEE → EFFF", "file E103: 00 → FF",
          "file E103: access rights EEEE → EFFF", Self.effect,
        ])
      #expect(try await nfc(["write", "text", "a"]).status == 0, "nothing was locked")
      #expect(try await nfc(["lock", "--permanently"]).status == 0)
      #expect(try await nfc(["lock", "--plan"]).output == "nothing to be changed\n")
    }
  }

  @Test func anICODEShowsItsBlocks() async throws {
    let plan = try await Tool.run("lock", "--plan", "--json", "--virtual", "icode-slix2")
    let steps = try Self.steps(plan)
    #expect(steps.first?.block == 0)
    #expect(steps.first?.before?.hasPrefix("E140") == true)
    #expect(steps.first?.after?.hasPrefix("E143") == true)
    // The last of the 80 blocks is the counter.
    #expect(steps.dropFirst().map(\.block) == (0..<79).reversed())
    #expect(steps.dropFirst().allSatisfy { $0.action == "lock" })
  }

  /// A tag that cannot be locked is refused by the plan, too.
  @Test(arguments: [
    ("st25dv", 77, "wired side"), ("desfire", 77, "application's key"),
    ("blank-classic-1k", 66, "NDEF"), ("suica", 66, "NDEF"),
  ])
  func aTagThatCannotBeLockedIsRefused(
    _ tag: String, _ status: Int32, _ reason: String
  ) async throws {
    let result = try await Tool.run("lock", "--plan", "--virtual", tag)
    #expect(result.status == status)
    #expect(result.output == "")
    #expect(result.errors.contains(reason), "\(result.errors)")
    #expect(result.errorLines.count == 1)
  }

  /// Most Topaz tags have locked the block of their lock bits, which is noticed only when it is written.
  @Test(arguments: ["topaz96", "topaz512"])
  func aTopazShowsItsLockBits(_ tag: String) async throws {
    let refusal = try await Tool.run("lock", "--permanently", "--virtual", tag)
    #expect(refusal.status == 77)
    #expect(refusal.errors.contains("nothing has been changed"))
    let plan = try await Tool.run("lock", "--plan", "--virtual", tag)
    #expect(plan.status == 0)
    // The first change is the one that is refused.
    #expect(plan.lines.map { $0.contains("most tags of this kind refuse") }.first == true)
    #expect(!plan.lines.dropFirst().contains { $0.contains("refuse") })
    let json = try await Tool.run("lock", "--plan", "--json", "--virtual", tag)
    #expect(json.lines.count == plan.lines.count)
    #expect(json.lines.map { $0.contains(#""mayBeRefused":true"#) }.first == true)
    #expect(!json.lines.dropFirst().contains { $0.contains("mayBeRefused") })
    #expect(plan.lines.dropLast().allSatisfy { $0.contains(" → ") })
    #expect(plan.lines.contains { $0.hasPrefix("block 1: E110") })
  }

  /// A tag whose lock bits were tried in vain need not be as it was, which only the error knows.
  @Test func saysThatATagIsUnchangedOnlyIfItIs() {
    let tried = NFCError(
      .unsupported, "the bits in the usual place do not lock it, and those that were set stay set",
      place: .page(16))
    #expect(Failure(notLockable: tried, tag: "04").advice == "use another tag")
    let notTried = NFCError(.unsupported, "which bits lock this chip is not known")
    #expect(Failure(notLockable: notTried, tag: "04").advice == "the tag was left as it was")
    #expect(Failure(notLockable: notTried, tag: "04").status == .notAllowed)
  }
}
