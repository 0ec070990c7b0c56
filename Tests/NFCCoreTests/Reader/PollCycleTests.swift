import Testing

@testable import NFCCore

@Suite struct PollCycleTests {
  private static func card(_ pupi: UInt8) -> Target {
    .iso14443b(
      ISO14443BTarget(
        pupi: [pupi, 2, 3, 4], applicationData: [0x20, 0x38, 0x19, 0x22],
        protocolInfo: [0x00, 0x21, 0x85]))
  }

  private static func round(_ cycle: inout PollCycle, _ targets: [Target]) -> [PollCycle.Event] {
    cycle.found(targets, of: .iso14443b)
  }

  /// Cards of one issuer have the same application data: the next passenger's is another card.
  @Test func cardsOfOneIssuerThatFollowEachOther() throws {
    var cycle = PollCycle(technologies: [.iso14443b])
    #expect(Self.round(&cycle, [Self.card(1)]).count == 1)
    #expect(Self.round(&cycle, [Self.card(1)]).isEmpty)
    var events = Self.round(&cycle, [Self.card(9)])
    #expect(events.count == 1)
    events += Self.round(&cycle, [Self.card(9)])
    #expect(events.count == 2)
    #expect(cycle.present == [Self.card(9)])
  }

  /// A card that draws its PUPI at each power-on stays the same card.
  @Test func aRandomPUPIIsOneCard() {
    var cycle = PollCycle(technologies: [.iso14443b])
    #expect(Self.round(&cycle, [Self.card(1)]).count == 1)
    for pupi: UInt8 in 2..<9 { #expect(Self.round(&cycle, [Self.card(pupi)]).isEmpty) }
    #expect(cycle.present == [Self.card(8)])
  }
}
