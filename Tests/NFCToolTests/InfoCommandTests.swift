import Foundation
import Testing
import VirtualNFC

@Suite struct InfoCommandTests {
  @Test func isOneObject() async throws {
    let result = try await Tool.run("info", "--json", "--virtual", "ntag216")
    #expect(result.lines.count == 1)
    #expect(
      result.output.hasPrefix(
        #"{"type":"miFare","protocol":"iso14443a","uid":"04A78B62C21B90","family":"ultralight","product":"NTAG216","atqa":"0044","sak":"00","maker":"NXP","memorySize":924,"ndef":{"uid":"#
      ))
    #expect(result.output.contains(#""originality":""#))
    #expect(result.status == 0)
  }

  /// For each chip, the facts in `info --json` that polling does not report. The virtual chips have published
  /// pairs of UID and signature.
  @Test(arguments: [
    (
      "ntag215",
      [
        #""memorySize":540"#, #""originality":"genuine""#,
        #""locks":{"static":"0000","dynamic":"000000"}"#, #""lockedPages":[]"#,
        #""protection":{"password":false,"read":false,"attempts":0}"#,
        #"{"unit":"page","first":4,"last":129,"use":"user memory"}"#,
      ]
    ),
    (
      "ultralight-ev1",
      [
        #""originality":"genuine""#,
        #""counters":[{"number":0,"value":0},{"number":1,"value":0},{"number":2,"value":0}]"#,
      ]
    ),
    ("ultralight-c", [#""originality":"unknown""#, #""first":44,"last":47"#]),
    ("desfire-ev3", [#""product":"MIFARE DESFire EV3""#, #""originality":"genuine""#]),
    ("ntag424", [#""product":"NTAG 424 DNA","#, #""originality":"genuine""#]),
    (
      "classic-4k",
      [
        #""originality":"unknown""#, #"{"unit":"sector","first":0,"last":31,"#,
        #"{"unit":"sector","first":32,"last":39,"#,
      ]
    ),
    ("suica", [#""maker":"Sony""#, #""originality":"unknown""#]),
    ("topaz512", [#""product":"Topaz 512""#, #""memorySize":512"#]),
    ("bprime", [#""protocol":"iso14443bPrime""#, #""status":"notSupported""#]),
    ("srix4k", [#""protocol":"iso14443b2sr""#]), ("ask-ctx", [#""protocol":"iso14443b2ct""#]),
    ("iclass", [#""protocol":"iclass""#]),
    ("barcode", [#""status":"notSupported""#, #""originality":"unknown""#]),
  ])
  func reportsFacts(_ tag: String, _ facts: [String]) async throws {
    let result = try await Tool.run("info", "--json", "--virtual", tag)
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.lines.count == 1)
    for fact in facts { #expect(result.output.contains(fact)) }
  }

  /// The size is reported where the chip fixes it, and left out where a card is divided when it is issued.
  @Test(
    arguments: [
      ("felica-lite", 240), ("felica-lite-s", 240), ("srix4k", 512), ("ntag413", 160),
      ("ntag424", 416), ("desfire-light", 640), ("topaz96", 120), ("ultralight", 64),
      ("suica", nil), ("type4b", nil), ("emrtd", nil),
    ] as [(String, Int?)])
  func reportsTheSizeOfTheMemory(_ name: String, _ size: Int?) async throws {
    let result = try await Tool.run("info", "--json", "--virtual", name)
    #expect(result.status == 0)
    let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
    #expect(object?["memorySize"] as? Int == size)
  }

  @Test(.asking(.lockBits)) func lockBitsAreReported() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      // This is the lock bit of page 4 (NTAG21x data sheet, 8.5.2).
      #expect(try await nfc(["mifare", "send", "A20200001000"]).status == 0)
      let result = try await nfc(["info"])
      #expect(result.output.contains(/\nlocked pages +4\n/))
    }
  }

  /// The dynamic bits lock all pages after page 15 (NTAG21x data sheet, 8.5.3).
  @Test(
    .asking(.lockBits, .oneTimeBits),
    arguments: [
      ("ntag213", 39), ("ntag215", 129), ("ntag216", 225), ("ultralight-ev1-128", 35),
    ])
  func dynamicLocksAreDecoded(_ name: String, _ last: Int) async throws {
    try await Tool.with(name) { nfc async throws in
      try await #require(nfc(["format"]).status == 0)
      #expect(try await nfc(["lock", "--permanently"]).status == 0)
      let text = try await nfc(["info"])
      #expect(text.output.contains("locked pages"))
      #expect(text.output.contains("3-\(last)\n"))
    }
  }

  /// Single bits of the dynamic lock bytes, and the pages that each of them locks: NTAG213/215/216 data
  /// sheet, 8.5.3, figures 9 to 11; MF0ICU2 data sheet, 7.5.3, of which bits 0 and 4 freeze other bits and
  /// lock no pages.
  @Test(arguments: [
    ("ntag213", 0x28, "8108", "[16,17,30,31,38,39]"),
    ("ntag213", 0x28, "000001", "[]"),
    ("ntag215", 0x82, "80", "[128,129]"),
    ("ntag216", 0xE2, "0020", "[224,225]"),
    ("ultralight-c", 0x28, "22", "[16,17,18,19,28,29,30,31]"),
    ("ultralight-c", 0x28, "11", "[]"),
  ])
  func eachDynamicLockBitIsDecoded(
    _ name: String, _ page: Int, _ bits: String, _ pages: String
  ) async throws {
    let tag = try VirtualTag.named(name)
    var memory = tag.memory
    let bytes = try #require([UInt8](hexadecimal: bits))
    memory.replaceSubrange(page * 4..<page * 4 + bytes.count, with: bytes)
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.bin")
      try Data(memory).write(to: file)
      let result = try await Tool.run("info", "--json", "--virtual", file.path)
      #expect(result.status == 0)
      #expect(result.output.contains(#""lockedPages":"# + pages))
    }
  }

  /// The command supports every tag that can be named, in both output formats and with its memory.
  @Test(arguments: VirtualTag.names)
  func isForEveryTag(_ name: String) async throws {
    for more in [["--json"], ["--memory"], ["--memory", "--json"]] {
      let result = try await Tool.run(["info", "--virtual", name] + more)
      #expect(result.status == 0)
      #expect(result.errors == "")
      if more.contains("--json") {
        #expect(result.lines.count == 1)
        #expect(result.output.contains(#""ndef":"#))
        #expect(result.output.contains(#""originality":"#))
        #expect(!result.output.contains(#"":"","#))
      } else {
        #expect(!result.output.contains("miFare"))
      }
    }
  }

  @Test func passwordsAreReported() async throws {
    try await Tool.with("ntag216") { nfc async throws in
      #expect(
        try await nfc(["protect", "--password", "11223344", "--attempts", "3", "--from", "8"])
          .status
          == 0)
      let json = try await nfc(["info", "--json"])
      #expect(
        json.output.contains(
          #""protection":{"password":true,"from":8,"read":false,"attempts":3}"#))
      let text = try await nfc(["info"])
      #expect(text.output.contains("needed to write from page 8 on, 3 wrong attempts at most"))
      #expect(
        try await nfc([
          "protect", "--password", "11223344", "--read", "--current-password", "11223344",
        ]).status == 0)
      let closed = try await nfc(["info", "--json"])
      #expect(closed.status == 0)
      #expect(closed.output.contains(#""password":true"#))
      let opened = try await nfc(["info", "--json", "--password", "11223344"])
      #expect(opened.output.contains(#""from":4,"read":true"#))
    }
  }

  /// The output for people contains words instead of the names of cases.
  @Test(arguments: [
    ("ntag213", "0 of 137 bytes used, can be written"), ("barcode", "kind         NFC Barcode"),
    ("topaz96", "kind           Jewel or Topaz tag"), ("bprime", "B' card (Innovatron, Calypso)"),
    ("classic-1k", "sectors 1-15  key A D3F7D3F7D3F7"),
    ("icode-slix2", "article surveillance  off"),
    ("desfire-ev2", "hardware            version 2.0"),
    ("st25dv04k", "blocks 0-127, read and write"),
  ])
  func saysInWords(_ name: String, _ words: String) async throws {
    let result = try await Tool.run("info", "--virtual", name)
    #expect(result.output.contains(words))
    #expect(!result.output.contains("readWrite"))
    #expect(!result.output.contains(/\bother\n/))
  }

  /// Unusual access conditions are described in full.
  @Test func accessConditionsAreSpelledOut() async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "card.mfd").path
      try #require(
        try await Tool.run("dump", file, "--virtual", "blank-classic-1k").status == 0)
      var bytes = try [UInt8](Data(contentsOf: URL(filePath: file)))
      // The access bits of sector 1 are 100, 000 and 000 for the blocks, and 011 for the trailer (MF1S50YYX
      // data sheet, tables 7 and 8).
      bytes.replaceSubrange(118..<121, with: [0x7E, 0x17, 0x88])
      try Data(bytes).write(to: URL(filePath: file))
      let result = try await Tool.run("info", "--virtual", file)
      #expect(result.status == 0)
      #expect(
        result.output.contains("block 0: read A or B, write B; block 1: read A or B, write A or B"))
    }
  }

  @Test func theMemoryIsHexadecimalAndText() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      #expect(try await nfc(["write", "uri", "https://swift.org"]).status == 0)
      let result = try await nfc(["info", "--memory"])
      #expect(result.lines.contains { $0.contains("73 77 69 66  swif") })
    }
  }

  @Test(arguments: [
    ("classic-1k", #""sectors":[{"sector":0,"keyA":"A0A1A2A3A4A5""#), ("emrtd", "passport"),
    ("suica", #""service":"090F","withoutKey":true"#), ("icode-slix2", #""lockedBlocks":[]"#),
    ("desfire", #""applications":["#), ("tmoney", "T-money"), ("ntag216", #""version":"0004"#),
    ("ntag216", #""signature":""#), ("type4", #""aid":"D2760000850101""#),
    ("icode-slix2", #""originality":"genuine""#), ("icode-slix2", #""eas":false"#),
    ("icode-slix2", #""protection":{"password":false,"read":false,"attempts":0}"#),
    ("ntag-i2c-plus-2k", #""protection":{"password":false,"read":false,"attempts":0}"#),
    ("st25dv04k", #""areas":[{"first":0,"last":127,"readPassword":false,"writePassword":false}]"#),
    ("barcode", #""uri":"https://box.dev/nfc""#), ("topaz96", #""locks":{"static":"0160"}"#),
    ("st25ta02kb", #""originality":"genuine""#), ("st25tv02kc", #""originality":"genuine""#),
    ("st25tv02kc", #""signature":"FE458A550ACD30B4"#), ("st25ta", #""originality":"unknown""#),
    ("desfire-ev2", #""version":"0401"#), ("felica-lite-s", #""lockedBlocks":[]"#),
  ])
  func reports(_ name: String, _ part: String) async throws {
    let result = try await Tool.run("info", "--json", "--virtual", name)
    #expect(result.status == 0)
    #expect(result.output.contains(part))
  }

  /// A link of a barcode is whatever its maker has burned in.
  @Test func aTagsTextDoesNotControlTheTerminal() async throws {
    let payload = Array("a.b/\u{1B}]0;x\u{7}\u{202E}".utf8)
    let tag = VirtualTag(NFCBarcode(format: .https, payload: payload))
    try await Tool.with([tag]) { nfc async throws in
      let result = try await nfc(["info"])
      #expect(result.status == 0)
      #expect(result.output.contains("https://a.b/ ]0;x"))
      let controls: [Unicode.Scalar] = ["\u{1B}", "\u{7}", "\u{202E}"]
      #expect(!result.output.unicodeScalars.contains { controls.contains($0) })
    }
  }

  /// Tests a signature of another UID, one with an unknown key, and other data in its place.
  @Test(arguments: [
    ("E00208000A227AAA", "E00208000A17DB6E", #""originality":"notGenuine""#, true),
    ("\(Array("K04S".utf8).hexadecimal)", Array("K05S".utf8).hexadecimal, "unknown", true),
    (Array("K04S".utf8).hexadecimal, "00000000", "unknown", false),
  ])
  func aSignatureInTheMemory(
    _ text: String, _ other: String, _ verdict: String, _ hasSignature: Bool
  ) async throws {
    try await TemporaryDirectory.with { directory async throws in
      let file = directory.appending(path: "tag.json")
      #expect(try await Tool.run("dump", file.path, "--virtual", "st25tv02kc").status == 0)
      let content = try String(contentsOf: file, encoding: .utf8)
      // UIDs are stored with the least significant byte first.
      func stored(_ text: String) -> String {
        guard text.hasPrefix("E0"), let bytes = [UInt8](hexadecimal: text) else { return text }
        return Array(bytes.reversed()).hexadecimal
      }
      let changed = content.replacing(stored(text), with: stored(other)).replacing(
        text, with: other)
      #expect(changed != content)
      try Data(changed.utf8).write(to: file)
      let result = try await Tool.run("info", "--json", "--virtual", file.path)
      #expect(result.status == 0)
      #expect(result.output.contains(verdict), "\(result.output)")
      #expect(result.output.contains(#""signature":"#) == hasSignature)
    }
  }

  /// A password for reading also protects the signature. A signature that cannot be read gives no verdict.
  @Test func aSignatureProtectedByAPassword() async throws {
    try await Tool.with("st25ta02kb") { nfc async throws in
      let password = "00112233445566778899AABBCCDDEEFF"
      #expect(try await nfc(["protect", "--read", "--password", password]).status == 0)
      let closed = try await nfc(["info", "--json"])
      #expect(closed.status == 0)
      #expect(closed.output.contains(#""originality":"unknown""#))
      #expect(!closed.output.contains(#""signature":"#))
    }
  }
}
