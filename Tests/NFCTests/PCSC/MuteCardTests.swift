import NFC
import TestSupport
import Testing
import VirtualNFC

@testable import SwiftNFCPCSC

/// Cards that do not answer when their power is switched on, as when a person puts them down slowly: the service has no
/// answer to reset for them, and tries again only for a program that connects.
@Suite(.replayed) struct MuteCardTests {
  /// The service's own attempt and the first of the driver belong to the first round.
  @Test(arguments: [(1, 1), (2, 2), (4, 4)])
  func isFoundInTheRoundInWhichItAnswers(_ unanswered: Int, _ round: Int) async throws {
    for tag in [VirtualTag.ntag213(), .icodeSLIX2(), .type4()] {
      let bench = try await PCSCBench(tag)
      bench.virtual.setUnansweredPowerOns(unanswered)
      var rounds = 1
      while try await bench.reader.tagsInField().isEmpty, rounds < 20 { rounds += 1 }
      #expect(rounds == round, "\(tag.name)")
      let found = try #require(try await bench.reader.tagsInField().first)
      try await found.connect()
      #expect(try await found.ndef?.readNDEFBytes() == nil)
    }
  }

  /// A card that never answers is not powered in each round for ever.
  @Test func isTriedLessOftenAfterSomeRounds() async throws {
    let field = VirtualField()
    field.place(.ntag213())
    let virtual = VirtualPCSCReader(field)
    virtual.setUnansweredPowerOns(.max)
    let service = InterposedService(virtual.service())
    let driver = try PCSCDriver("", over: service)
    for _ in 0..<100 {
      try driver.resetField()
      for technology in [TagTechnology.iso14443a, .iso14443b, .feliCa] {
        #expect(try driver.list(technology).isEmpty)
      }
    }
    #expect(service.connections == 19)
  }
}
