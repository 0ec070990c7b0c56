import SwiftNFCCore
import Testing

@testable import VirtualNFC

/// Tests the chip's reports of faults on the air.
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
    (.frameLost, "4301"), (.tagReplaced(.ntag216()), "4301"), (.answerBitsLost(3), "4302"),
    (.answerCollides(bit: 5), "4306"), (.answerContinues(300), "4307"),
    (.answerStartBroken, "430B"), (.chipOverheats, "430D"), (.antennaOverloads, "432D"),
  ]

  @Test(arguments: statuses.indices) func statusOfAFault(_ index: Int) {
    let (effect, status) = Self.statuses[index]
    var bench = bench(.ntag213(), effect)
    #expect(bench.send("423004") == status, "\(effect)")
  }

  /// In operations of MIFARE the firmware counts the bits of data and acknowledgements.
  @Test(arguments: ["40013004", "4001A20401020304"]) func framingOfMIFARE(_ command: String) {
    var bench = bench(.ntag213(), .answerBitsLost(2))
    #expect(bench.send(command) == "4105")
    #expect(bench.send("04")?.hasPrefix("0505") == true)
  }

  /// A tag is woken again: WUPA, and one SELECT for each level of its UID.
  @Test(arguments: [1, 2]) func bitsThatAreMissingInASelect(_ exchange: Int) {
    var bench = PN532Bench(.ntag213())
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
    #expect(bench.send("4401") == "4500")
    bench.chip.faults.faults = [Fault(.answerBitsLost(4), at: .exchange(exchange))]
    #expect(bench.send("5401") == "5504")
    #expect(bench.send("04")?.hasPrefix("0504") == true)
  }

  /// A search reports the number of tags, and no faults.
  @Test(arguments: [0, 1, 2, 3, 4]) func aSearchHasNoStatus(_ exchange: Int) {
    for effect in [Fault.Effect.answerBitsLost(4), .answerStartBroken, .chipOverheats] {
      var bench = PN532Bench(.ntag213())
      bench.chip.faults.faults = [Fault(effect, at: .exchange(exchange))]
      let first = bench.send("4A0100")
      #expect(first == "4B00" || first?.hasPrefix("4B01") == true, "\(effect)")
      #expect(bench.send("4A0100")?.hasPrefix("4B01") == true, "\(effect)")
    }
  }

  /// The tag loses its power with the antenna, and is found again after the antenna has been switched on.
  @Test(arguments: [Fault.Effect.chipOverheats, .antennaOverloads].indices)
  func theAntennaIsSwitchedOff(_ index: Int) {
    var bench = bench(.ntag213(), [Fault.Effect.chipOverheats, .antennaOverloads][index])
    _ = bench.send("423004")
    #expect(!bench.field.isPowered)
    #expect(bench.send("423004") == "4301")
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
    #expect(bench.send("423004")?.hasPrefix("4300") == true)
  }

  @Test func anAnswerThatIsALittleLateIsHeard() {
    var bench = bench(.ntag213(), .answerLate(.milliseconds(40)))
    #expect(bench.send("423004")?.hasPrefix("4300") == true)
  }

  /// Half a page has been written; the tag has been removed, and returns in this state.
  @Test(arguments: [0, 2, 4]) func aWriteIsInterrupted(_ count: Int) {
    let tag = VirtualTag.ntag213(formatted: false)
    var bench = bench(tag, .writeTorn(count))
    #expect(bench.send("42A20601020304") == "4301")
    #expect(bench.field.tags.isEmpty)
    var page: [UInt8] = [1, 2, 3, 4]
    for index in count..<4 { page[index] = 0 }
    #expect(Array(tag.memory[24..<28]) == page)
  }

  @Test func noiseComesAgainAndAgain() {
    var bench = PN532Bench(.ntag213())
    #expect(bench.send("4A0100")?.hasPrefix("4B01") == true)
    bench.chip.faults.faults = [Fault(.answerBroken, at: .everyExchange(3))]
    let statuses = (0..<9).compactMap { _ in bench.send("423004")?.prefix(4) }
    #expect(statuses == ["4300", "4300", "4302", "4300", "4300", "4302", "4300", "4300", "4302"])
  }
}
