import Foundation
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCTool

/// `nfc pass`, and the frame that makes phones answer, with virtual phones.
@Suite struct PassCommandTests {
  /// The key of `pass.com.example.card` of the virtual phone; the published keys of two demonstrations
  /// (kormax/android-universal-reader; google-wallet/smart-tap-sample-app).
  private static let keys = [
    "example":
      "30310201010420"
      + "1F2E3D4C5B6A79880796A5B4C3D2E1F00112233445566778899AABBCCDDEEFF0"
      + "A00A06082A8648CE3D030107",
    "demo":
      "30310201010420"
      + "3D1547F23CD78AD052A58860F1219E8FB791EC4DFE33769F5B9BFA627A656CA1"
      + "A00A06082A8648CE3D030107",
    "google":
      "30310201010420"
      + "826D17E50767B165B0E4D9E332F8D1D1E20224284FB4DAF1E50A03246E70797D"
      + "A00A06082A8648CE3D030107",
  ]

  /// A folder with the keys as DER files.
  private func with(_ body: (_ file: (String) -> String) async throws -> Void) async throws {
    try await TemporaryDirectory.with { directory async throws in
      for (name, text) in Self.keys {
        let digits = Array(text)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
          UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        try Data(bytes).write(to: directory.appending(path: name))
      }
      try await body { directory.appending(path: $0).path }
    }
  }

  private func json(_ line: String?) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data((line ?? "").utf8))
    return try #require(object as? [String: Any])
  }

  private static let passType = ["--pass-type", "pass.com.example.card"]

  @Test func aPassOfApple() async throws {
    try await with { file in
      let arguments = ["pass", "read"] + Self.passType + ["--key", file("example")]
      let result = try await Tool.run(arguments + ["--json", "--virtual", "wallet-apple"])
      #expect(result.status == 0 && result.errors == "", "\(result.errors)")
      let object = try json(result.lines.first)
      #expect(object["event"] as? String == "pass" && object["wallet"] as? String == "apple")
      #expect(object["passType"] as? String == "pass.com.example.card")
      #expect(object["message"] as? String == "4711")
      #expect(object["keyID"] as? String == "8be590bc")
      #expect(try #require(object["age"] as? Double) < 10)
      let time = try #require(object["time"] as? String)
      #expect(time.count == 20 && time.hasSuffix("Z"))
      // Several pass types, in pairs with their keys.
      let both = try await Tool.run(
        [
          "pass", "read", "--pass-type", "pass.none", "--key", file("demo"), "--virtual",
          "wallet-apple",
        ] + Self.passType + ["--key", file("example")])
      #expect(both.status == 0 && both.output.hasPrefix("4711  pass.com.example.card  "))
      let chosen = try await Tool.run(
        arguments + ["--chosen", "--virtual", "wallet-apple-chosen"])
      #expect(chosen.status == 0)
      let two = try await Tool.run(
        arguments + ["--count", "2", "--json", "--virtual", "wallet-apple"])
      #expect(two.status == 0 && two.lines.count == 2, "\(two.errors)")
    }
  }

  @Test func aPassOfGoogle() async throws {
    try await with { file in
      let result = try await Tool.run(
        "pass", "read", "--collector", "20180608", "--key", file("google"), "--key-version", "1",
        "--json", "--virtual", "wallet-google")
      #expect(result.status == 0, "\(result.errors)")
      let object = try json(result.lines.first)
      #expect(object["wallet"] as? String == "google" && object["message"] as? String == "2018")
    }
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let status: Int32
    var text = ""
    var testDescription: String { arguments.joined(separator: " ") }
  }

  /// Names of keys begin with @.
  static let wrong = [
    Wrong(arguments: ["--virtual", "wallet-apple"], status: 64, text: "--pass-type"),
    Wrong(arguments: passType + ["--virtual", "wallet-apple"], status: 64, text: "--key"),
    Wrong(
      arguments: passType + ["--key", "@example", "--key", "@demo", "--virtual", "wallet-apple"],
      status: 64, text: "1 in all"),
    Wrong(
      arguments: passType + [
        "--key", "@example", "--key-version", "1", "--virtual", "wallet-apple",
      ],
      status: 64, text: "--collector"),
    Wrong(
      arguments: ["--collector", "0133EE80", "--key", "@google", "--virtual", "wallet-google"],
      status: 64, text: "decimal"),
    Wrong(
      arguments: passType + ["--key", "@example", "--max-age", "-1", "--virtual", "wallet-apple"],
      status: 64, text: "number of seconds"),
    Wrong(
      arguments: passType + ["--key", "/dev/null", "--virtual", "wallet-apple"], status: 64,
      text: "not a private key"),
    Wrong(
      arguments: passType + ["--key", "@demo", "--virtual", "wallet-apple"], status: 65,
      text: "8be590bc"),
    Wrong(
      arguments: ["--pass-type", "pass.none", "--key", "@demo", "--virtual", "wallet-apple"],
      status: 66, text: "no such pass"),
    // It does not answer without the frame.
    Wrong(
      arguments: passType + [
        "--key", "@example", "--chosen", "--timeout", "1", "--virtual", "wallet-apple",
      ],
      status: 66, text: "no phone"),
    Wrong(
      arguments: passType + ["--key", "@example", "--timeout", "1", "--virtual", "ntag215"],
      status: 66, text: "no phone has answered within 1 s, only 04"),
    // A card of ISO/IEC 14443-4 that is asked, and has no wallet.
    Wrong(
      arguments: passType + ["--key", "@example", "--timeout", "1", "--virtual", "type4"],
      status: 66, text: "no phone has answered within 1 s, only 0"),
    Wrong(
      arguments: passType + ["--key", "@example", "--virtual", "icode-slix2"], status: 69,
      text: "--chosen"),
    Wrong(
      arguments: ["--collector", "7", "--key", "@google", "--virtual", "wallet-google"], status: 65,
      text: "9500"),
  ]

  @Test(arguments: wrong) func aRefusal(_ wrong: Wrong) async throws {
    try await with { file in
      let result = try await Tool.run(
        ["pass", "read"]
          + wrong.arguments.map { $0.hasPrefix("@") ? file(String($0.dropFirst())) : $0 })
      #expect(result.status == wrong.status, "\(result.errors)")
      #expect(result.output == "" && result.errors.contains(wrong.text), "\(result.errors)")
    }
  }

  /// Phones with other behavior, on a reader of this process.
  @Test func phonesThatDoOtherwise() async throws {
    func phone(_ change: (inout AppleWallet.Behavior) -> Void) -> VirtualTag {
      var behavior = AppleWallet.Behavior()
      change(&behavior)
      return VirtualTag(WalletPhone.apple(behavior: behavior))
    }
    try await with { file in
      let arguments = ["pass", "read"] + Self.passType + ["--key", file("example")]
      for (tag, status, text) in [
        (phone { $0.forgesTag = true }, 65, "changed"),
        (phone { $0.clockDifference = -30 }, 77, "too old"),
        (phone { $0.clockDifference = 90 }, 77, "ahead"),
        (phone { $0.statusWords = [0x6A80] }, 65, "6A80"),
        (phone { $0.statusWords = Array(repeating: 0x6287, count: 99) }, 77, "confirmed"),
      ] as [(VirtualTag, Int32, String)] {
        try await Tool.with([tag]) { nfc in
          let result = try await nfc(arguments + ["--timeout", "2"])
          #expect(result.status == status, "\(text): \(result.errors)")
          #expect(result.errors.contains(text) && !result.errors.contains("4711"))
        }
      }
      try await Tool.with([phone { $0.clockDifference = -30 }]) { nfc in
        let result = try await nfc(arguments + ["--max-age", "60"])
        #expect(result.status == 0, "\(result.errors)")
      }
      try await Tool.with([phone { $0.repeatsItself = true }]) { nfc in
        let result = try await nfc(arguments + ["--count", "2"])
        #expect(result.status == 77 && result.lines.count == 1, "\(result.errors)")
        #expect(result.errors.contains("there before"))
      }
      try await Tool.with([phone { $0.statusWords = [0x6984, 0x6984] }]) { nfc in
        let result = try await nfc(arguments + ["--json"])
        #expect(result.status == 0 && result.lines.count == 2, "\(result.output)")
        #expect(result.lines.first == #"{"event":"waiting","reason":"choose"}"#)
        #expect(result.errorLines.count == 1)
      }
    }
  }

  /// A PC/SC reader sends no frame; a pass that its owner has chosen is read all the same.
  @Test func aReaderWithoutTheFrameReadsAChosenPass() async throws {
    let daemon = try PrivatePCSCD(name: "Virtual PCD")
    let virtual = try RunningTool(
      ["virtual", "wallet-apple-chosen", "--pcsc", "--port", "\(daemon.port)"],
      environment: daemon.environment)
    let reader = try #require(try await virtual.waitForLines(1).first)
    try await with { file in
      let arguments =
        ["pass", "read"] + Self.passType + ["--key", file("example"), "--reader", reader]
      let refused = try await Tool.run(arguments, environment: daemon.environment)
      #expect(refused.status == 69, "\(refused.errors)")
      #expect(refused.errors.contains("; with --chosen, a pass is read that its owner has chosen"))
      let read = try await Tool.run(arguments + ["--chosen"], environment: daemon.environment)
      #expect(read.status == 0 && read.output.hasPrefix("4711"), "\(read.errors)")
    }
    virtual.interrupt()
    #expect(try await virtual.end().status == 0)
  }

  @Test func keys() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let path = directory.appending(path: "private.pem").path
      let result = try await Tool.run("pass", "key", "--output", path)
      #expect(result.status == 0 && result.errors == "")
      #expect(result.lines.first?.hasPrefix("MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgA") ?? false)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.hasPrefix("-----BEGIN EC PRIVATE KEY-----\n"))
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let again = try await Tool.run("pass", "key", "--output", path, "--json")
      #expect(again.status == 64 && again.errors.contains("exists"))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
      // It is a key for reading.
      let read = try await Tool.run(
        ["pass", "read"] + Self.passType + ["--key", path, "--virtual", "wallet-apple"])
      #expect(read.status == 65 && !read.errors.contains(text.split(separator: "\n")[1]))
      // Keys of another curve, and one with a passphrase.
      for command in [
        "openssl ecparam -name secp384r1 -genkey -noout -out \"$KEY\"",
        "openssl genpkey -algorithm ed25519 -out \"$KEY\"",
        "openssl ecparam -name prime256v1 -genkey -noout | openssl ec -aes128 -passout pass:abcd -out \"$KEY\"",
      ] {
        let script =
          command
          + " 2>/dev/null && \"$NFC\" pass read --pass-type a --key \"$KEY\" --virtual wallet-apple"
        let result = try await Tool.shell(
          script, environment: ["KEY": directory.appending(path: "other.pem").path])
        #expect(result.status == 64, "\(result.errors)")
      }
    }
  }

  @Test func decryption() async throws {
    let content =
      "c0b77375d3f37956d84a538f28ac2a04b38ddc1a67d3647a4dd30abd736ea1cea8038388692e89db99e4746d872de782395640c536e79a75c47a9343da0af3937f06eeca7a865c4ad05a2c543ad2"
    let demo = ["pass", "decrypt", "--pass-type", "pass.com.passkit.pksamples.nfcdemo", "--key"]
    try await with { file in
      let result = try await Tool.run(demo + [file("demo"), content])
      #expect(result.lines == ["6d1UlFpnOc50iVKRaboDOK", "2023-07-09T16:35:58Z"])
      let object = try json(
        try await Tool.run(
          demo + [file("demo"), "70549F2A009F274E" + content + "9000", "--json"]
        ).output)
      #expect(object["message"] as? String == "6d1UlFpnOc50iVKRaboDOK")
      #expect(object["keyID"] as? String == "c0b77375")
      for (key, text, status) in [
        ("example", content, 65), ("demo", String(content.dropLast(2)) + "00", 65),
        ("demo", "00", 65), ("demo", "xyz", 64),
      ] as [(String, String, Int32)] {
        #expect(try await Tool.run(demo + [file(key), text]).status == status)
      }
    }
  }

  @Test func pollingFrames() async throws {
    let none = try await Tool.run("poll", "--once", "--timeout", "1", "--virtual", "wallet-apple")
    #expect(none.status == 66)
    let found = try await Tool.run(
      "poll", "--once", "--json", "--polling-frame", "6a:01:00:00:02", "--virtual", "wallet-apple")
    #expect(found.status == 0 && found.output.contains("08A971E5"), "\(found.errors)")
    let answer = try await Tool.run(
      "apdu", "--polling-frame", "a:6A01000002", "--aid", "4F53452E5641532E3031", "--virtual",
      "wallet-apple")
    #expect(answer.status == 0 && answer.output.contains("4170706C65506179"), "\(answer.errors)")
    // Another technology, and other frames, wake no phone; tags are found.
    for frame in ["b:6A01000002", "6A01000003", "48656C6C6F"] {
      let result = try await Tool.run(
        "poll", "--once", "--timeout", "1", "--polling-frame", frame, "--virtual", "wallet-apple")
      #expect(result.status == 66)
      let tag = try await Tool.run(
        "poll", "--once", "--polling-frame", frame, "--virtual", "ntag215")
      #expect(tag.status == 0)
    }
    for (frame, text) in [
      ("6A0100000", "hexadecimal"), ("6A0100", "5 bytes"), ("6A01000002E4D2", "check bytes"),
      ("6A02C8010003000279000000000000", "has 13 bytes"),
      ("6A02C80100030002790000000 0".replacing(" ", with: ""), "public transport"),
    ] {
      let result = try await Tool.run(
        "poll", "--once", "--polling-frame", frame, "--virtual", "ntag215")
      #expect(result.status == 64 && result.errors.contains(text), "\(frame): \(result.errors)")
    }
    let refused = try await Tool.run(
      "poll", "--once", "--polling-frame", "6A01000002", "--virtual", "icode-slix2")
    #expect(refused.status == 69, "\(refused.errors)")
  }
}
