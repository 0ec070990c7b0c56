import Foundation
import TestSupport
import Testing

@Suite struct SUNSetupTests {
  private static let zero = "00000000000000000000000000000000"
  private static let secret = "F1F2F3F4F5F6F7F8F9FAFBFCFDFEFF01"
  private static let template = "https://a.example/?p={picc}&c={mac}"

  /// The link and the settings are those of NXP AN12196, 5.8 and 5.9.
  @Test func plan() async throws {
    let arguments = [
      "sun", "setup", "https://choose.url.com/ntag424?e={picc}&c={mac}", "--key", "0:" + Self.zero,
      "--new-key", "1:" + Self.secret, "--plan", "--virtual", "ntag424",
    ]
    let data =
      "D1014D550463686F6F73652E75726C2E636F6D2F6E7461673432343F653D"
      + String(repeating: "30", count: 32) + "26633D" + String(repeating: "30", count: 16)
    let result = try await Tool.run(arguments)
    #expect(
      result.output == """
        key 1: a new one, version 1
        NDEF file, bytes 2 to 82: \(data)
        NDEF file, settings: 00E0EE → 4000E0C1F121200000430000430000
        NDEF file, bytes 0 to 1: 0051

        """)
    #expect(result.status == 0)
    #expect(result.errors == "")
    let json = try await Tool.run(arguments + ["--json"])
    #expect(
      json.lines == [
        #"{"key":1,"action":"a new one, version 1"}"#,
        #"{"file":"NDEF file","offset":2,"after":"\#(data)"}"#,
        #"{"file":"NDEF file, settings","before":"00E0EE","after":"4000E0C1F121200000430000430000"}"#,
        #"{"file":"NDEF file","offset":0,"after":"0051"}"#,
      ])
  }

  /// A tag that was switched to LRP gets the longer link, which can be verified.
  @Test(.asking(.configurationLock)) func withLRP() async throws {
    try await Tool.with("ntag424") { nfc in
      let key = ["--key", "0:" + Self.zero]
      // The second time changes nothing: the answer to the first could have been lost.
      for _ in 0..<2 {
        let switched = try await nfc(["desfire", "lrp", "--permanently"] + key)
        #expect(switched.status == 0, "\(switched.errors)")
      }
      let setup = try await nfc(
        ["sun", "setup", Self.template, "--new-key", "1:" + Self.secret, "--verify"] + key)
      #expect(setup.status == 0, "\(setup.errors)")
      let read = try await nfc(["read", "--json"])
      let object = try JSONSerialization.jsonObject(with: Data(read.output.utf8))
      let records = (object as? [String: Any])?["records"] as? [[String: Any]]
      let link = try #require(records?.first?["uri"] as? String)
      let verified = try await Tool.run(
        "sun", "verify", link, "--key", Self.zero, "--file-key", Self.secret)
      #expect(verified.status == 0 && verified.output.contains("right, LRP"), "\(verified.output)")
    }
  }

  /// The server can verify the link that a phone reads from the tag.
  @Test func fromSetupToVerification() async throws {
    try await Tool.with("ntag424") { nfc in
      let setup = [
        "sun", "setup", "https://a.example/?p={picc}&enc={enc}&cmac={mac}", "--file-data", "hello",
        "--new-key", "1:" + Self.secret, "--new-key", "0:" + Self.secret, "--verify", "--json",
      ]
      let first = try await nfc(setup + ["--key", "0:" + Self.zero])
      #expect(first.errors == "")
      #expect(first.status == 0)
      #expect(first.output.hasPrefix(#"{"uid":"0463474AA26A80","link":"https:"#))
      var counters: [Int] = []
      for _ in 0..<2 {
        let read = try await nfc(["read", "--json"])
        let object = try JSONSerialization.jsonObject(with: Data(read.output.utf8))
        let records = (object as? [String: Any])?["records"] as? [[String: Any]]
        let link = try #require(records?.first?["uri"] as? String)
        let verified = try await Tool.run(
          "sun", "verify", link, "--key", Self.zero, "--file-key", Self.secret, "--json")
        #expect(verified.status == 0, "\(link) \(verified.errors)")
        let reading =
          try JSONSerialization.jsonObject(with: Data(verified.output.utf8)) as? [String: Any]
        #expect(reading?["uid"] as? String == "0463474AA26A80")
        #expect((reading?["fileData"] as? String)?.hasPrefix("68656C6C6F30") == true)
        counters.append(try #require(reading?["counter"] as? Int))
        let wrong = try await Tool.run("sun", "verify", link, "--key", Self.zero)
        #expect(wrong.status == 77)
      }
      #expect(counters[1] > counters[0])
      // A repetition of the setup changes nothing. The old key 0 is tried first.
      let again = try await nfc(setup + ["--key", "0:" + Self.zero])
      #expect(again.output.contains(#""steps":0"#))
      #expect(again.status == 0)
      // From here on, only key 0 permits writing.
      let write = try await nfc(["write", "uri", "https://b.example"])
      #expect(write.status != 0)
      let wrong = try await nfc(["sun", "setup", Self.template, "--key", "0:" + Self.zero])
      #expect(wrong.status == 77)
      #expect(wrong.errorLines.count == 1)
      #expect(wrong.errors.contains("key 0") && wrong.errors.contains("counted"))
    }
  }

  /// `--verify` checks what the options say that the MAC covers.
  @Test(arguments: ["none", "first", "link", "10"])
  func verifiesWhatTheMACCovers(_ input: String) async throws {
    try await Tool.with("ntag424") { nfc in
      let setup = try await nfc(["sun", "setup", Self.template, "--mac-input", input, "--verify"])
      #expect(setup.errors == "" && setup.status == 0)
      let link = try await nfc(["read"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
      let verified = try await Tool.run(
        "sun", "verify", link, "--key", Self.zero, "--mac-input", input)
      #expect(verified.status == 0, "\(verified.errors)")
    }
  }

  /// No phone opens a link without a scheme.
  @Test(arguments: [
    ("a.example/?p={picc}&c={mac}", "write 'https://a.example/?p={picc}&c={mac}'"),
    ("{picc}{mac}", "a link is like https://example.com"),
    ("https://a.example/ ?p={picc}&c={mac}", "blank"),
  ])
  func templatesAreLinks(_ template: String, _ advice: String) async throws {
    let result = try await Tool.run("sun", "setup", template, "--plan", "--virtual", "ntag424")
    #expect(result.status == 64 && result.output == "")
    #expect(result.errors.contains(advice), "\(result.errors)")
  }

  /// A chip with keys has no password to give.
  @Test func adviceForAClosedLink() async throws {
    try await Tool.with("ntag424") { nfc in
      _ = try await nfc(["sun", "setup", Self.template])
      for words in [["write", "uri", "https://b.example"], ["erase"]] {
        let refused = try await nfc(words)
        #expect(refused.status == 77 && !refused.errors.contains("--password"))
        #expect(refused.errors.contains("nfc sun setup"), "\(refused.errors)")
      }
    }
  }

  /// The tag's own keys are derived from master keys. Key 2 is the same for all tags.
  @Test func diversifiedKeys() async throws {
    try await Tool.with("ntag424") { nfc in
      let keys = (1...2).flatMap { ["--new-key", "\($0):" + Self.secret] }
      let setup = try await nfc(
        ["sun", "setup", Self.template, "--diversify", "3042F5", "--new-key", "0:" + Self.secret]
          + keys)
      #expect(setup.errors == "")
      let link = try await nfc(["read"]).output.split(whereSeparator: \.isWhitespace)
        .first { $0.hasPrefix("https:") }.map(String.init)
      let verify = ["sun", "verify", try #require(link), "--key", Self.secret]
      #expect(try await Tool.run(verify + ["--diversify", "3042F5"]).status == 0)
      #expect(try await Tool.run(verify + ["--diversify", "3042F6"]).status == 77)
      #expect(try await Tool.run(verify).status == 77)
      // With its own keys, the tag can be set up again.
      let again = try await nfc(
        ["sun", "setup", "https://b.example/{picc}{mac}", "--diversify", "3042F5", "--key"]
          + [
            "0:" + Self.secret, "--verify", "--key", "1:" + Self.secret, "--key",
            "2:" + Self.secret,
          ])
      #expect(again.errors == "")
      #expect(again.status == 0)
    }
  }

  struct Case: Sendable {
    let arguments: [String]
    let status: Int32
    let error: String
    var environment: [String: String] = [:]
  }

  @Test(arguments: [
    Case(arguments: [template, "--key", "0:" + secret], status: 77, error: "key 0"),
    Case(
      arguments: [
        template, "--new-key", "3:" + secret, "--key", "3:" + secret, "--key", "0:" + zero,
      ],
      status: 77, error: "key 3"),
    Case(
      arguments: [template], status: 77, error: "key 0", environment: ["NFC_KEYS": "0:" + secret]),
    Case(arguments: ["https://a.example/?c={mac}"], status: 64, error: "{picc}"),
    Case(arguments: ["https://a.example/{pick}{mac}"], status: 64, error: "byte 18"),
    Case(
      arguments: ["https://a.example/{picc}{mac}" + String(repeating: "x", count: 200)], status: 65,
      error: "256"),
    Case(arguments: [template, "--mac-input", "enc"], status: 64, error: "{enc}"),
    Case(
      arguments: [template, "--file-data", "hello"], status: 64,
      error: "{enc}, which the template does not have"),
    Case(arguments: [template, "--counter-limit", "0"], status: 64, error: "--counter-limit"),
    Case(arguments: [template, "--key", "0:F1F2F3"], status: 64, error: "16 bytes"),
    Case(arguments: [template, "--key", "F1F2F3"], status: 64, error: "number, a colon"),
    Case(arguments: [template, "--key", "0:F1F2F3G"], status: 64, error: "hexadecimal"),
    Case(arguments: [template, "--key", "7:" + secret], status: 64, error: "from 0 to 4"),
    Case(
      arguments: [template, "--key", "0:" + secret, "--key", "0:" + zero], status: 64,
      error: "twice"),
    Case(
      arguments: [template, "--new-key", "0:" + secret, "--new-key", "0:" + zero], status: 64,
      error: "twice"),
    Case(arguments: [template, "--plan", "--verify"], status: 64, error: "--plan"),
    Case(arguments: [template, "--keys", "/nonexistent"], status: 66, error: "/nonexistent"),
    Case(arguments: [template], status: 64, error: "NFC_KEYS", environment: ["NFC_KEYS": "F1F2F3"]),
    Case(
      arguments: [template, "--virtual", "ntag216"], status: 66, error: "two tags"),
  ])
  func refused(_ test: Case) async throws {
    let result = try await Tool.run(
      ["sun", "setup"] + test.arguments + ["--virtual", "ntag424"], environment: test.environment)
    #expect(result.status == test.status)
    #expect(result.output == "")
    #expect(result.errors.contains(test.error), "\(result.errors)")
    #expect(!result.errors.contains("F1F2F3"))
    if test.status > 64 { #expect(result.errorLines.count == 1) }
  }

  @Test(arguments: ["desfire-ev3", "ntag216", "type4"])
  func otherTags(name: String) async throws {
    let result = try await Tool.run("sun", "setup", Self.template, "--virtual", name)
    #expect(result.status == 66)
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("NTAG 424 DNA"))
  }

  @Test func keysInAFile() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "keys")
      try Data("# the factory's\n0: \(Self.zero) # master\n\n1:\(Self.zero)\n".utf8).write(to: file)
      let good = try await Tool.run(
        "sun", "setup", Self.template, "--keys", file.path, "--plan", "--virtual", "ntag424")
      #expect(good.status == 0)
      try Data("0:\(Self.zero)\nF1F2F3\n".utf8).write(to: file)
      let bad = try await Tool.run(
        "sun", "setup", Self.template, "--keys", file.path, "--plan", "--virtual", "ntag424")
      #expect(bad.status == 65)
      #expect(bad.errors.contains("line 2"))
      #expect(!bad.errors.contains("F1F2F3"))
    }
  }
}
