import Foundation
import TestSupport
import Testing
import VirtualNFC

/// Hints are commands: what an error says after its last semicolon is done as it stands, and leads out.
@Suite struct HintTests {
  struct Situation: Sendable, CustomTestStringConvertible {
    /// The chip in the field; `nil` for a command line that reaches none.
    var tag: String?
    /// Command lines that lead into the situation.
    var before: [String] = []
    let line: String
    let status: Int32
    /// A part of the error that says what to do.
    let hint: String
    /// What it says, as command lines. `…` is the line that has failed. Each contains a word of the hint.
    let leads: [String]

    var testDescription: String { line }
  }

  private static let key = "00112233445566778899AABBCCDDEEFF"
  private static let zeros = "00000000000000000000000000000000"
  private static let fs = "FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"

  static let situations = [
    // Tags that are not NDEF, or whose message is broken.
    Situation(
      tag: "blank-ultralight", line: "write text a", status: 66,
      hint: "nfc format makes a blank tag an NDEF tag", leads: ["format"]),
    Situation(
      tag: "blank-ultralight", before: ["mifare send A20900000001"], line: "format", status: 66,
      hint: "use another tag, or insist with nfc format --force", leads: ["format --force"]),
    Situation(
      tag: "blank-ultralight-c", before: ["mifare send A20900000001"], line: "format", status: 66,
      hint: "or insist with nfc format --force", leads: ["format --force"]),
    Situation(
      tag: "ntag213", before: ["mifare send A2040304FFFF", "mifare send A205FFFFFE00"],
      line: "read", status: 65, hint: "nfc write or nfc erase replaces it", leads: ["write text a"]),
    Situation(
      tag: "ntag213", before: ["mifare send A2040304FFFF", "mifare send A205FFFFFE00"],
      line: "read", status: 65, hint: "nfc write or nfc erase replaces it", leads: ["erase", "…"]),
    // Messages.
    Situation(
      tag: "ntag213", line: "write uri example.com", status: 64,
      hint: "write https://example.com, or insist with --as-is",
      leads: ["write uri https://example.com", "… --as-is"]),
    Situation(
      tag: "ntag213", line: "write tel 12x", status: 64,
      hint: "it is like +441234567890; insist with --as-is",
      leads: ["write tel +441234567890", "… --as-is"]),
    Situation(
      tag: "ntag213", line: "write mail ada", status: 64,
      hint: "it is like ada@example.com; insist with --as-is",
      leads: ["write mail ada@example.com", "… --as-is"]),
    Situation(
      tag: "ntag213", line: "write wifi A --password x", status: 64,
      hint: "WPA2 requires 8 to 63 characters; insist with --as-is",
      leads: ["write wifi A --password 12345678", "… --as-is"]),
    Situation(
      tag: "ntag213", line: "write external ticket x", status: 64,
      hint: "it is like example.com:ticket; insist with --as-is",
      leads: ["write external example.com:ticket x", "… --as-is"]),
    Situation(
      tag: "ntag213", line: "write text a --lock", status: 64, hint: "add --permanently",
      leads: ["… --permanently"]),
    Situation(
      tag: "ntag213", line: "lock", status: 64, hint: "add --permanently; --plan shows the changes",
      leads: ["… --plan", "… --permanently"]),
    Situation(
      tag: "ntag213", line: "write text {nn} --each --count 1", status: 64,
      hint: "--as-is writes other braces as they are", leads: ["… --as-is"]),
    Situation(
      tag: "type4", before: ["write text a"], line: "write text b --append --timeout x", status: 64,
      hint: "--timeout is a number of seconds", leads: ["write text b --append --timeout 5"]),
    // Passwords and keys.
    Situation(
      tag: "ntag213", before: ["protect --password 11223344 --from 4"], line: "write text a",
      status: 77, hint: "give the tag's password with --password",
      leads: ["info", "… --password 11223344"]),
    Situation(
      tag: "ntag213", before: ["protect --password 11223344 --from 4 --read"], line: "read",
      status: 77, hint: "--password", leads: ["… --password 11223344"]),
    Situation(
      tag: "ntag213", before: ["protect --password 11223344 --from 4"],
      line: "protect --password 55667788", status: 77,
      hint: "give the password that the tag has now with --current-password",
      leads: ["… --current-password 11223344"]),
    Situation(
      tag: "ntag213", before: ["protect --password 11223344 --from 4 --attempts 3"],
      line: "protect --password 11223344 --from 4 --attempts 3", status: 77,
      hint: "if an earlier command has set the new one already, --current-password is the same",
      leads: ["… --current-password 11223344"]),
    Situation(
      tag: "ntag213", before: ["protect --password 11223344 --from 4 --read"],
      line: "dump {dump}.bin", status: 77,
      hint: "give its key or password, or save the rest with --partial",
      leads: ["… --partial", "dump {dump}2.bin --password 11223344"]),
    Situation(
      tag: "ultralight-aes", before: ["protect --password \(key)"],
      line: "protect --password \(fs)", status: 77, hint: "give it with --current-password",
      leads: ["… --current-password \(key)"]),
    Situation(
      tag: "st25ta", before: ["protect --password \(key)"], line: "protect --password \(fs)",
      status: 77, hint: "give it with --current-password", leads: ["… --current-password \(key)"]),
    Situation(
      tag: "classic-1k", line: "mifare read 1 --key AAAAAAAAAAAA --no-default-keys", status: 77,
      hint: "give its key with --key", leads: ["… --key FFFFFFFFFFFF"]),
    Situation(
      tag: "mifare-plus", line: "plus read 4", status: 77, hint: "give it with --key 1A:HEX",
      leads: ["… --key 1A:\(fs)"]),
    Situation(
      tag: "mifare-plus", line: "plus personalize", status: 64,
      hint: "give it with --key master:HEX",
      leads: []),
    // Smart cards.
    Situation(
      tag: "desfire", line: "desfire read --app F00009 --file 1", status: 66,
      hint: "nfc desfire info shows what is there", leads: ["desfire info"]),
    Situation(
      tag: "desfire", line: "desfire read --app 000001 --file 9", status: 65,
      hint: "nfc desfire info shows what is there", leads: ["desfire info"]),
    Situation(
      tag: "desfire", before: ["desfire create-app F00001 --keys 2 --crypto aes"],
      line: "desfire create-app F00001 --keys 2 --crypto aes", status: 65,
      hint: "nfc desfire delete-app deletes it",
      leads: ["desfire delete-app F00001 --key 0:0000000000000000", "…"]),
    Situation(
      tag: "desfire", before: ["desfire create-app F00001 --keys 2 --crypto aes"],
      line: "desfire change-key 1 --app F00001 --new-key \(key)", status: 77,
      hint: "give it with --key 0:HEX", leads: ["… --key 0:\(zeros) --key 1:\(zeros)"]),
    Situation(
      tag: "desfire", before: ["desfire create-app F00001 --keys 2 --crypto aes"],
      line: "desfire change-key 1 --app F00001 --new-key \(key) --key 0:\(zeros)", status: 77,
      hint: "give it with --key 1:HEX", leads: ["… --key 1:\(zeros)"]),
    Situation(
      tag: "suica", line: "felica read --service 1111 0", status: 65,
      hint: "nfc felica info shows its systems and services", leads: ["felica info"]),
    // Command lines.
    Situation(
      line: "read ntag213", status: 64, hint: "did you mean --virtual ntag213?",
      leads: ["read --virtual ntag213"]),
    Situation(line: "version", status: 64, hint: "it is nfc --version", leads: ["--version"]),
    Situation(
      tag: "ntag213", line: "wirte text a", status: 64, hint: "did you mean nfc write?",
      leads: ["write text a"]),
    Situation(
      tag: "ntag213", line: "read --jsn", status: 64, hint: "did you mean --json?",
      leads: ["read --json"]),
    Situation(
      line: "poll --once --virtual ntag999", status: 64, hint: "nfc virtual --list shows all",
      leads: ["virtual --list"]),
    Situation(
      line: "https://a.example --virtual ntag213", status: 64,
      hint: "nfc write uri https://a.example",
      leads: ["write uri https://a.example --virtual ntag213"]),
    Situation(
      line: "--virtual ntag213", status: 64, hint: "such as nfc --virtual ntag213 poll",
      leads: ["--virtual ntag213 poll --once"]),
    Situation(
      line: "write text hello world --virtual ntag213", status: 64,
      hint: "nfc write text --help shows the options", leads: ["write text --help"]),
    Situation(line: "desfire", status: 0, hint: "info", leads: ["desfire --help"]),
    Situation(
      line: "--reader poll", status: 64, hint: "nfc poll --help shows what --reader takes",
      leads: ["poll --help"]),
    Situation(
      line: "write text a --virtual ntag213 --virtual ntag215", status: 66,
      hint: "or name the one that is meant with --uid", leads: ["… --uid {uid}"]),
    Situation(
      line: "convert {broken} {dump}.nfc", status: 65, hint: "add --iso15693", leads: []),
    Situation(
      line: "--reader nonsense read", status: 69, hint: "nfc doctor --reader nonsense says more",
      leads: []),
    Situation(
      line: "sun verify https://a.example/?c=00", status: 65,
      hint: "--template shows where the parts are", leads: []),
  ]

  @Test(
    .asking(.configurationLock, .lockBits, .oneTimeBits, .lockout), arguments: situations)
  func theHintLeadsOut(_ situation: Situation) async throws {
    try await TemporaryDirectory.with { folder in
      let broken = folder.appending(path: "broken.bin")
      try Data([0xD1, 0x01, 0x20, 0x55]).write(to: broken)
      func words(_ line: String, _ uid: String = "") -> [String] {
        line.replacing("{broken}", with: broken.path).replacing("{uid}", with: uid)
          .replacing("{dump}", with: folder.appending(path: "dump").path)
          .split(separator: " ").map(String.init)
      }
      func walk(_ nfc: ([String]) async throws -> Tool.Result) async throws {
        for line in situation.before {
          let result = try await nfc(words(line))
          #expect(result.status == 0, "\(line): \(result.errors)")
        }
        let failed = try await nfc(words(situation.line))
        #expect(failed.status == situation.status, "\(failed.output)\(failed.errors)")
        let text = failed.errors + failed.output
        #expect(text.contains(situation.hint), "\(text)")
        let uid = text.firstMatch(of: #/field, ([0-9A-F]+) /#).map { String($0.1) } ?? ""
        for lead in situation.leads {
          let line = lead.replacing("…", with: situation.line)
          let result = try await nfc(words(line, uid))
          #expect(result.status == 0, "\(line): \(result.output)\(result.errors)")
        }
      }
      if let tag = situation.tag {
        try await Tool.with(tag) { nfc in try await walk(nfc) }
      } else {
        try await walk { try await Tool.run($0) }
      }
    }
  }

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
          refused.status == 77 && refused.errors.contains("; \(option); the rest was written"))
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
