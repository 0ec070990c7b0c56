import Testing

@testable import SUNMessage

@Suite struct DiversificationTests {
  /// NXP AN10922, 2.2.1; AN10957, pages 13 and 14, as libfreefare publishes it.
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
