import Testing

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

  /// Of each chip what `info --json` has to say besides what polling tells. The virtual chips carry
  /// published pairs of UID and signature.
  @Test(arguments: [
    (
      "ntag215",
      [
        #""memorySize":540"#, #""originality":"genuine""#,
        #""locks":{"static":"0000","dynamic":"000000","lockedPages":[]}"#,
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
  func tells(_ tag: String, _ facts: [String]) async throws {
    let result = try await Tool.run("info", "--json", "--virtual", tag)
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.lines.count == 1)
    for fact in facts { #expect(result.output.contains(fact)) }
  }

  @Test func lockBitsAreSaid() async throws {
    try await Tool.with("ntag213") { nfc async throws in
      // Page 4's lock bit (NTAG21x data sheet, 8.5.2).
      #expect(try await nfc(["mifare", "send", "A20200001000"]).status == 0)
      let result = try await nfc(["info"])
      #expect(result.lines.contains { $0.hasSuffix("static 1000, dynamic 000000, closes pages 4") })
    }
  }
}
