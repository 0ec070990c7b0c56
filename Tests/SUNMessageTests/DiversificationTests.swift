import Testing

@testable import SUNMessage

@Suite struct DiversificationTests {
  /// NXP AN10922, 2.2.1; AN10957, pages 13 and 14, as libfreefare publishes it.
  @Test func aUIDIsPrintedWithoutTheOtherModules() {
    let uid: [UInt8] = [0x04, 0xDE, 0x5F]
    #expect(uid.hexadecimal == "04DE5F")
    #expect([UInt8]().hexadecimal == "")
  }

  @Test(arguments: [
    (
      "00112233445566778899AABBCCDDEEFF", "04782E21801D803042F54E585020416275",
      "A8DD63A3B89D54B37CA802473FDA9175"
    ),
    (
      "F3F9377698707B688EAF84ABE39E3791", "04DEADBEEFFEED", "0BB408BAFF98B6EE9F2E1585777F6A51"
    ),
  ])
  func published(master: String, input: String, result: String) throws {
    let own = try #require(try key(master).diversified(by: hex(input)))
    #expect(try own == key(result))
  }

  @Test func lengths() throws {
    let master = try key("00112233445566778899AABBCCDDEEFF")
    var keys: [SUNKey] = []
    for count in 1...31 {
      let own = try #require(master.diversified(by: [UInt8](repeating: 0, count: count)))
      #expect(!keys.contains(own))
      keys.append(own)
    }
    #expect(master.diversified(by: []) == nil)
    #expect(master.diversified(by: [UInt8](repeating: 0, count: 32)) == nil)
  }
}

/// Tests the key of a server's settings.
@Suite struct SUNKeyTextTests {
  @Test(arguments: ["00112233445566778899AABBCCDDEEFF", "00112233445566778899aabbccddeeff"])
  func digits(_ text: String) throws {
    #expect(SUNKey(hexadecimal: text) == SUNKey((0..<16).map { UInt8($0 * 0x11) }))
    #expect(SUNKey(hexadecimal: text.dropFirst(0)) != nil)
  }

  @Test(arguments: [
    "", "0", "00112233445566778899AABBCCDDEEF", "00112233445566778899AABBCCDDEEFFF",
    "00112233445566778899AABBCCDDEEFG", "00 112233445566778899AABBCCDDEEF",
    "00112233445566778899AABBCCDDEE\u{E9}", "00112233445566778899AABBCCDDEEFF00",
  ])
  func everythingElse(_ text: String) {
    #expect(SUNKey(hexadecimal: text) == nil)
  }
}
