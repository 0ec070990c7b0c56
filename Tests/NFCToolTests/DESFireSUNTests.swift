import Foundation
import TestSupport
import Testing

/// Tests `nfc sun setup` with a file of a DESFire EV3.
@Suite struct DESFireSUNTests {
  private static let zero = "00000000000000000000000000000000"
  private static let secret = "F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF01"
  private static let template = "https://a.example/?p={picc}&c={mac}"

  private static func prepare(
    _ nfc: ([String]) async throws -> Tool.Result, _ options: [String] = ["--dynamic"],
    _ keys: String = "5"
  ) async throws {
    for words in [
      ["create-app", "F00001", "--keys", keys, "--crypto", "aes"],
      ["create-file", "--app", "F00001", "--file", "2", "--size", "256", "--read", "everyone"]
        + options,
    ] {
      let result = try await nfc(["desfire"] + words)
      #expect(result.status == 0, "\(words): \(result.errors)")
    }
  }

  private static let setup = [
    "sun", "setup", template, "--app", "F00001", "--file", "2", "--key", "0:" + zero,
  ]

  @Test func aLinkIsSetUpAndVerified() async throws {
    try await Tool.with("blank-desfire-ev3") { nfc async throws in
      try await Self.prepare(nfc)
      let plan = try await nfc(Self.setup + ["--new-key", "1:" + Self.secret, "--plan"])
      #expect(plan.status == 0 && plan.lines.first == "key 1: a new one, version 1")
      #expect(plan.lines.count == 4 && !plan.output.contains(Self.secret))
      let options = ["--new-key", "1:" + Self.secret, "--verify", "--json"]
      let done = try await nfc(Self.setup + options)
      #expect(done.status == 0 && done.errors == "", "\(done.errors)")
      #expect(done.output.contains(#""steps":4"#), "\(done.output)")
      let again = try await nfc(Self.setup + options)
      #expect(again.output.contains(#""steps":0"#))
      // The file, read without a key, has a link that the server verifies.
      let read = try await nfc(["desfire", "read", "--app", "F00001", "--file", "2", "--json"])
      let hexadecimal = try #require(read.output.firstMatch(of: /"data":"([0-9A-F]+)"/)?.output.1)
      let bytes = try #require([UInt8](hexadecimal: String(hexadecimal)))
      // Two bytes of length, and the header of the record with the code of "https://".
      let length = Int(bytes[0]) << 8 | Int(bytes[1])
      let link = "https://" + String(decoding: bytes[7..<2 + length], as: UTF8.self)
      let verified = try await Tool.run(
        "sun", "verify", link, "--key", Self.zero, "--file-key", Self.secret)
      #expect(verified.status == 0, "\(link) \(verified.errors)")
    }
  }

  @Test func refusals() async throws {
    try await Tool.with("blank-desfire-ev3") { nfc async throws in
      try await Self.prepare(nfc, [])
      for (words, status, text) in [
        (Self.setup, 66, "--dynamic"),
        (Self.setup + ["--mac-key", "4", "--new-key", "3:0011"], 64, "16"),
        (Array(Self.setup.dropLast(2)) + ["--key", "0:" + Self.secret], 77, "key 0"),
        (Array(Self.setup.prefix(5)), 64, "require each other"),
        (["sun", "setup", Self.template, "--plan"], 66, "--app and --file"),
        (
          ["sun", "setup", Self.template, "--app", "F00002", "--file", "2", "--plan"], 66,
          "no application F00002: status A0 (tag 04448BD2DB6B80); nfc desfire info shows"
        ),
      ] as [([String], Int32, String)] {
        let result = try await nfc(words)
        #expect(result.status == status, "\(words): \(result.output)\(result.errors)")
        #expect(result.errors.contains(text), "\(result.errors)")
        #expect(result.output == "")
        if status != 64 { #expect(result.errorLines.count == 1) }
      }
    }
    let other = try await Tool.run(Self.setup + ["--virtual", "desfire-ev2"])
    #expect(other.status == 66 && other.errorLines.count == 1, "\(other.errors)")
    let type = try await Tool.run(
      "desfire", "create-file", "--app", "F00001", "--file", "1", "--type", "value", "--dynamic",
      "--virtual", "desfire-ev3")
    #expect(type.status == 64 && type.errors.contains("--type standard"))
  }
}
