import TestSupport
import Testing
import VirtualNFC

/// Tests that a wrong password or key uses one attempt, whatever the command, and that the message contains
/// the number of attempts if the tag reports it.
@Suite struct WrongSecretTests {
  struct Tag: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let right: String
    let wrong: String
    /// The options of the protection.
    let options: String
    /// The expected text for the first and the second wrong password.
    let said: [String]
  }

  static let tags = [
    Tag(
      testDescription: "ntag213", right: "11223344", wrong: "99999999", options: "--attempts 3",
      said: Array(repeating: "the tag is permanently closed after 3 wrong attempts", count: 2)),
    Tag(
      testDescription: "ultralight-ev1", right: "11223344", wrong: "99999999",
      options: "--attempts 3",
      said: Array(repeating: "the tag is permanently closed after 3 wrong attempts", count: 2)),
    Tag(
      testDescription: "ultralight-aes", right: "00112233445566778899AABBCCDDEEFF",
      wrong: "99999999999999999999999999999999", options: "--attempts 3",
      said: Array(repeating: "the tag is permanently closed after 3 wrong attempts", count: 2)),
    // Each command is a separate session with three attempts.
    Tag(
      testDescription: "st25ta", right: "00112233445566778899AABBCCDDEEFF",
      wrong: "99999999999999999999999999999999", options: "",
      said: Array(repeating: "2 attempts are left", count: 2)),
    // These tags do not report the number of attempts.
    Tag(
      testDescription: "ultralight-c", right: "00112233445566778899AABBCCDDEEFF",
      wrong: "99999999999999999999999999999999", options: "", said: ["", ""]),
  ]

  @Test(arguments: tags) func eachCostsOneAttempt(_ tag: Tag) async throws {
    try await Tool.with(tag.testDescription) { nfc in
      func run(_ line: String) async throws -> Tool.Result {
        try await nfc(line.split(separator: " ").map(String.init))
      }
      let protected = try await run("protect --password \(tag.right) \(tag.options)")
      #expect(protected.status == 0, "\(protected.errors)")
      for said in tag.said {
        let refused = try await run("write text hello --password \(tag.wrong)")
        #expect(refused.status == 77 && refused.errorLines.count == 1, "\(refused.errors)")
        if !said.isEmpty { #expect(refused.errors.contains(said), "\(refused.errors)") }
        #expect(!refused.errors.contains(tag.wrong))
      }
      // A third would be one too many for some of them: the right one still opens the tag.
      let written = try await run("write text hello --password \(tag.right)")
      #expect(written.status == 0, "\(written.errors)")
    }
  }

  /// The attempts of these may be limited, and what limits them cannot be read once reading requires the password.
  private static let maybeLimited = ["ntag213", "ultralight-ev1", "ultralight-aes"]

  /// A tag that is protected asks for its current password, and names the option that takes it. Where a wrong one costs
  /// nothing, the new one is tried as the current one: the same command again completes one that was interrupted.
  @Test(arguments: tags) func theOptionIsNamed(_ tag: Tag) async throws {
    try await Tool.with(tag.testDescription) { nfc in
      func run(_ line: String) async throws -> Tool.Result {
        try await nfc(line.split(separator: " ").map(String.init))
      }
      _ = try await run("protect --password \(tag.right) --read")
      let again = try await run("protect --password \(tag.right)")
      if Self.maybeLimited.contains(tag.testDescription) {
        #expect(again.status == 77 && again.errors.contains("with --current-password"))
      } else {
        #expect(again.status == 0, "\(again.errors)")
      }
      let without = try await run("unprotect")
      #expect(without.status == 77 && without.errors.contains("with --tag-password"))
      _ = try await run("protect --password \(tag.right) --current-password \(tag.right)")
      let writable = try await run("protect --password \(tag.right)")
      #expect(writable.status == 0, "\(writable.errors)")
    }
  }
}
