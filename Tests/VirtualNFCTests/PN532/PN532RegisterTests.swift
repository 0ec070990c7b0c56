import Testing

@testable import VirtualNFC

/// Tests ReadRegister and WriteRegister with special function registers (libnfc, `test_register_endianness.c`).
@Suite struct PN532RegisterTests {
  @Test(arguments: ["FFF0", "FF00", "FFFF", "FFB1"]) func thereIsNoSuchRegister(_ address: String) {
    var bench = PN532Bench()
    #expect(bench.send("06\(address)") == nil)
    #expect(bench.send("066302\(address)") == nil)
    #expect(bench.send("08\(address)00") == nil)
  }

  @Test(arguments: ["F0FF", "6302", "FFB0", "FFF4", "FFF5", "FFF7", "FFFC", "FFFD"])
  func itIsRead(_ address: String) {
    var bench = PN532Bench()
    #expect(bench.send("06\(address)") != nil)
  }
}
