import Foundation
import TestSupport
import Testing
import VirtualNFC

/// Hints are commands: what an error says after its last semicolon is done as it stands, and leads out.
@Suite struct HintTests {
  private static let key = "00112233445566778899AABBCCDDEEFF"

  @Test(
    .asking(.configurationLock, .lockBits, .oneTimeBits, .lockout, .accessBits),
    arguments: HintSituation.all)
  func theHintLeadsOut(_ situation: HintSituation) async throws { try await situation.walk() }

  /// A Classic whose trailer would be closed for ever names the option that closes it, in the plan, too.
  @Test(.asking(.accessBits)) func whatIsNotRestoredNamesItsOption() async throws {
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "c.mfd")
      try await Tool.with("classic-1k") { nfc in
        #expect(try await nfc(["dump", file.path]).status == 0)
        var bytes = try Data(contentsOf: file)
        // Access bits of sector 5 that no key can change again: conditions 111 of the trailer (MF1S50yyX, 8.7).
        bytes.replaceSubrange(374..<377, with: [0xF7, 0x8F, 0x00])
        try bytes.write(to: file)
        let option = "--include-locks writes it all the same"
        let refused = try await nfc(["restore", file.path])
        #expect(
          refused.status == 77 && refused.errors.contains("; \(option); nothing was written"))
        #expect(!refused.errors.contains("another key"))
        let plan = try await nfc(["restore", file.path, "--plan"])
        #expect(plan.status == 0 && plan.output.contains(option))
        #expect(try await nfc(["restore", file.path, "--include-locks"]).status == 0)
      }
    }
  }

  /// A command whose last answer was lost is repeated as it was.
  @Test(
    .asking(.lockout),
    arguments: [
      ("ntag213", "11223344", "--from 4"), ("ntag216", "11223344", ""),
      ("ultralight-ev1", "11223344", "--from 8"), ("ultralight-c", key, ""),
      ("ultralight-c", key, "--read"), ("ultralight-aes", key, ""), ("st25ta", key, ""),
      ("st25ta", key, "--read"),
    ])
  func protectionIsTakenUpAgain(_ tag: String, _ password: String, _ more: String) async throws {
    try await Tool.with(tag) { nfc in
      let options = more.split(separator: " ").map(String.init)
      for command in ["protect", "protect", "unprotect", "unprotect"] {
        let result = try await nfc(
          [command, "--password", password] + (command == "protect" ? options : []))
        #expect(result.status == 0, "\(command): \(result.errors)")
      }
    }
  }
}
