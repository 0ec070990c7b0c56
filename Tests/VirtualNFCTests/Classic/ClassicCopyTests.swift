import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests copies of a MIFARE Classic, and the differences from a genuine one.
@Suite struct ClassicCopyTests {
  private func bench(_ quirks: MIFAREClassic.Quirks) -> (PN532Bench, VirtualTag) {
    let tag = VirtualTag.classic1K(formatted: false)
    _ = tag.withChip(MIFAREClassic.self) { $0.quirks = quirks }
    return (PN532Bench(tag), tag)
  }

  /// The commands of nfc-mfsetuid: 40 with 7 bits and 43, then WRITE of block 0.
  @Test(arguments: [false, true]) func theBackdoor(_ isThere: Bool) {
    var (bench, tag) = bench(isThere ? .backdoor : [])
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
    #expect(bench.send("086302006303" + "00633D07") == "09")
    #expect(bench.send("4240") == (isThere ? "43000A" : "4301"))
    guard isThere else { return }
    #expect(bench.send("08633D00") == "09")
    #expect(bench.send("4243") == "43000A")
    #expect(bench.send("086302806303" + "80") == "09")
    #expect(bench.send("423000")?.hasPrefix("4300" + tag.identifier.hexadecimal) == true)
    // The acknowledges have no check bytes.
    #expect(bench.send("42A001") == "4302")
    let block = "000102030405060708090A0B0C0D0E0F"
    #expect(bench.send("42" + block) == "4302")
    #expect(tag.memory[16..<32].elementsEqual(0..<16))
  }

  @Test(arguments: [false, true]) func theSameNonceEachTime(_ isConstant: Bool) {
    var (bench, _) = bench(isConstant ? .constantNonce : [])
    var nonces: Set<String> = []
    for _ in 0..<4 {
      #expect(bench.send("320100") == "33")
      bench.field.advance(by: .milliseconds(7))
      #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
      #expect(bench.send("08630300") == "09")
      bench.field.advance(by: .milliseconds(nonces.count + 1))
      if let answer = bench.send("426000") { nonces.insert(answer) }
    }
    #expect((nonces.count == 1) == isConstant)
  }
}
