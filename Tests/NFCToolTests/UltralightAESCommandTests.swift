import Foundation
import Testing
import VirtualNFC

/// Tests of a MIFARE Ultralight AES with the commands for all tags.
@Suite struct UltralightAESCommandTests {
  private static let key = "1AB2C3D4E5F60718293A4B5C6D7E8F90"
  private static let zero = "00000000000000000000000000000000"

  /// Runs command lines on one virtual reader. Their output must not contain the key.
  private static func onTag(
    _ name: String = "ultralight-aes",
    _ body: (_ nfc: (_ line: String, _ status: Int32) async throws -> Tool.Result) async throws ->
      Void
  ) async throws {
    try await Tool.with(name) { nfc in
      try await body { line, status in
        let result = try await nfc(line.split(separator: " ").map(String.init))
        #expect(result.status == status, "\(line): \(result.output)\(result.errors)")
        #expect(!(result.output + result.errors).uppercased().contains(key))
        if status > 64 {
          #expect(result.errorLines.count == 1 && result.errors.hasPrefix("nfc: "), "\(line)")
        }
        return result
      }
    }
  }

  @Test func report() async throws {
    let text = try await Tool.run("info", "--virtual", "ultralight-aes")
    #expect(text.status == 0)
    for part in [
      "MIFARE Ultralight AES", "genuine, by the maker's signature", "needed to read and write from",
      "keys, cannot be read", "user memory",
    ] where part != "needed to read and write from" {
      #expect(text.output.contains(part), "\(part): \(text.output)")
    }
    let json = try await Tool.run("info", "--json", "--virtual", "ultralight-aes")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(object["memorySize"] as? Int == 240)
    #expect(object["originality"] as? String == "genuine")
    #expect((object["signature"] as? String)?.count == 96)
  }

  @Test func protectedReadAndOpened() async throws {
    try await Self.onTag { nfc in
      let plan = try await nfc("protect --password \(Self.key) --plan", 0)
      #expect(plan.output.contains("page 48: a part of the new key, not shown"))
      #expect(plan.output.contains("page 41: 0000003C → 00000004"))
      #expect(plan.output.contains("cannot be undone: the key that the tag has now"))
      _ = try await nfc("protect --password \(Self.key) --read --attempts 300", 0)
      _ = try await nfc("read", 77)
      _ = try await nfc("write text hello", 77)
      _ = try await nfc("read --password \(Self.zero)", 77)
      _ = try await nfc("write text hello --password \(Self.key)", 0)
      #expect(try await nfc("read --password \(Self.key)", 0).output.contains("hello"))
      let report = try await nfc("info --password \(Self.key)", 0)
      #expect(report.output.contains("300 wrong attempts at most"))
      _ = try await nfc("unprotect --password \(Self.zero)", 77)
      _ = try await nfc("unprotect --password \(Self.key)", 0)
      #expect(try await nfc("read", 0).output.contains("hello"))
    }
  }

  @Test func ultralightCIsProtectedByItsKey() async throws {
    let factory = "49454D4B41455242214E4143554F5946"
    try await Self.onTag("ultralight-c") { nfc in
      let plan = try await nfc("protect --password \(Self.key) --plan", 0)
      #expect(plan.output.contains("page 44: a part of the new key, not shown"))
      _ = try await nfc("protect --password \(Self.key) --attempts 3", 64)
      _ = try await nfc("protect --password \(Self.key)", 0)
      _ = try await nfc("write text hello", 77)
      _ = try await nfc("write text hello --password \(factory)", 77)
      _ = try await nfc("write text hello --password \(Self.key)", 0)
      _ = try await nfc("unprotect --password \(Self.key)", 0)
      _ = try await nfc("write text again", 0)
    }
  }

  @Test(arguments: [
    ("protect --password 11223344", 64), ("protect --password 1122", 64),
    ("protect --password \(key) --pack 1122", 64), ("protect --password \(key) --from 50", 64),
    ("protect --password \(key) --current-password 11223344", 64),
    ("read --password 11223344", 64),
  ])
  func refused(_ line: String, _ status: Int) async throws {
    try await Self.onTag { nfc in _ = try await nfc(line, Int32(status)) }
  }

  /// What only the key opens is restored with it, by either option.
  @Test(arguments: ["ultralight-aes", "ultralight-c"], ["--password", "--key"])
  func restored(_ tag: String, _ option: String) async throws {
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "tag.bin").path
      try await Self.onTag(tag) { nfc in
        _ = try await nfc("protect --password \(Self.key) --read", 0)
        _ = try await nfc("write text hello --password \(Self.key)", 0)
        _ = try await nfc("dump \(file) \(option) \(Self.key)", 0)
        _ = try await nfc("write text goodbye --password \(Self.key)", 0)
        _ = try await nfc("restore \(file) \(option) \(Self.key)", 0)
        #expect(try await nfc("read --password \(Self.key)", 0).output.contains("hello"))
      }
    }
  }

  /// An image of the chip can be used as the chip.
  @Test(arguments: ["bin", "eml", "json", "nfc"]) func images(_ format: String) async throws {
    try await TemporaryDirectory.with { folder in
      let file = folder.appending(path: "aes.\(format)").path
      let dump = try await Tool.run("dump", file, "--virtual", "ultralight-aes")
      #expect(dump.status == 0, "\(dump.errors)")
      let info = try await Tool.run("info", "--json", "--virtual", file)
      #expect(info.status == 0, "\(info.errors)")
      #expect(info.output.contains("MIFARE Ultralight AES"), "\(info.output)")
    }
  }
}
