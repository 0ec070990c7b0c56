import NFCCore
import Testing

@testable import VirtualNFC

/// What goes wrong in the air, as the chip reports it.
@Suite struct PN532FaultTests {
  private func bench(_ tag: VirtualTag, _ effect: Fault.Effect, at exchange: Int = 0) -> PN532Bench
  {
    var bench = PN532Bench(tag)
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
    bench.chip.faults.faults = [Fault(effect, at: .exchange(exchange))]
    return bench
  }

  /// UM0701-02, table 15.
  static let statuses: [(Fault.Effect, String)] = [
    (.answerParityBroken, "4303"), (.answerBroken, "4302"), (.answerCut(7), "4302"),
    (.answerCut(0), "4301"), (.answerLate(.milliseconds(60)), "4301"), (.answerLost, "4301"),
    (.frameLost, "4301"), (.tagReplaced(.ntag216()), "4301"),
  ]

  @Test(arguments: statuses.indices) func statusOfAFault(_ index: Int) {
    let (effect, status) = Self.statuses[index]
    var bench = bench(.ntag213(), effect)
    #expect(bench.send("423004") == status, "\(effect)")
  }

  @Test func anAnswerThatIsALittleLateIsHeard() {
    var bench = bench(.ntag213(), .answerLate(.milliseconds(40)))
    #expect(bench.send("423004")?.hasPrefix("4300") == true)
  }

  /// Half a page has been written; the tag has left, and comes back so.
  @Test(arguments: [0, 2, 4]) func aWriteIsTorn(_ count: Int) {
    let tag = VirtualTag.ntag213(formatted: false)
    var bench = bench(tag, .writeTorn(count))
    #expect(bench.send("42A20601020304") == "4301")
    #expect(bench.field.tags.isEmpty)
    let written: [UInt8] = [1, 2, 3, 4]
    #expect(Array(tag.memory[24..<28]) == written.prefix(count) + [0, 0, 0, 0].suffix(4 - count))
  }

  @Test func noiseComesAgainAndAgain() {
    var bench = PN532Bench(.ntag213())
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
    bench.chip.faults.faults = [Fault(.answerBroken, at: .everyExchange(3))]
    let statuses = (0..<9).compactMap { _ in bench.send("423004")?.prefix(4) }
    #expect(statuses == ["4300", "4300", "4302", "4300", "4300", "4302", "4300", "4300", "4302"])
  }
}
