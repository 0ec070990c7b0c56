import NFC
import Testing
import VirtualNFC

@Suite struct PollingTests {
  @Test func findsATagAndTalksToIt() async throws {
    let bench = try await Bench(.ntag216())
    guard case .miFare(let tag) = try await bench.tag() else {
      Issue.record("not a MIFARE tag")
      return
    }
    #expect(try await tag.product()?.name == "NTAG216")
    let (answer, commands, exchanges) = try await bench.counting {
      try await tag.sendMiFareCommand([0x30, 0x03])
    }
    #expect(answer.starts(with: [0xE1, 0x10, 0x6D, 0x00]))
    #expect(exchanges == 1)
    #expect(commands == 1)
    await bench.reader.close()
    #expect(!bench.field.isPowered)
  }
}
