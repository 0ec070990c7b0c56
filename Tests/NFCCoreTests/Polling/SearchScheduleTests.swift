import Testing

@testable import SwiftNFCCore

@Suite struct SearchScheduleTests {
  private typealias Step = SearchSchedule.Step

  private static let all: [TagTechnology] = [
    .iso14443a, .iso14443b, .feliCa, .jewel, .barcode, .iso14443bPrime, .iso14443b2sr,
    .iso14443b2ct, .iClass,
  ]

  private static func searches(_ technologies: TagTechnology...) -> [Step] {
    technologies.map { .search($0) }
  }

  /// Phones decide in one cycle and answer in the next; FeliCa comes first only where its carrier has been on already.
  @Test func theCommonTechnologiesHaveTheirOrder() {
    var schedule = SearchSchedule(technologies: Self.all)
    #expect(
      Array(schedule.nextCycle().prefix(4))
        == Self.searches(.iso14443a, .feliCa, .iso14443b, .jewel))
    for _ in 0..<20 {
      #expect(
        Array(schedule.nextCycle().prefix(4))
          == Self.searches(.iso14443a, .iso14443b, .feliCa, .jewel))
    }
  }

  @Test(arguments: 0..<12) func theRareOnesComeInTurn(_ phase: Int) {
    var schedule = SearchSchedule(technologies: Self.all, phase: phase)
    let turn = (0..<6).flatMap { _ in schedule.nextCycle().dropFirst(4) }
    #expect(Set(turn) == Set(Self.all.dropFirst(4).map { .search($0) }))
    #expect(turn.count == 5)
    // The same again.
    #expect((0..<6).flatMap { _ in schedule.nextCycle().dropFirst(4) } == turn)
  }

  @Test func twoReadersBeginAtDifferentPlaces() {
    let first = (0..<6).map { phase in
      var schedule = SearchSchedule(technologies: Self.all, phase: phase)
      return schedule.nextCycle().last
    }
    #expect(Set(first).count > 4)
  }

  /// A reader without NFC Barcode switches its carrier once in a turn all the same, which wakes a tag that has lost its
  /// way.
  @Test(arguments: [[.iso14443a], [.feliCa, .iso14443b], Array(all.filter { $0 != .barcode })])
  func theCarrierIsSwitchedOnceInATurn(_ technologies: [TagTechnology]) {
    var schedule = SearchSchedule(technologies: technologies)
    _ = (0..<6).map { _ in schedule.nextCycle() }
    let turns = (0..<12).map { _ in schedule.nextCycle() }
    #expect(turns.count { $0.contains(.resetField) } == 2)
    #expect(turns.allSatisfy { !$0.dropFirst().contains(.resetField) })
  }

  @Test func nothingSwitchesTheCarrierWhereItIsKept() {
    for technologies in [Self.all, [.iso14443a]] {
      var schedule = SearchSchedule(technologies: technologies)
      for _ in 0..<20 {
        let steps = schedule.nextCycle(keepsField: true)
        #expect(!steps.contains(.resetField) && !steps.contains(.search(.barcode)))
      }
    }
  }

  /// One rare search per cycle from 38 400 baud up, two at 19 200, three at 9600.
  @Test(arguments: [(80, 1), (140, 1), (200, 2), (450, 3), (5000, 3)])
  func aSlowLineHasSeveralRareSearchesInACycle(_ milliseconds: Int, _ count: Int) {
    var schedule = SearchSchedule(technologies: Self.all, phase: 0)
    _ = schedule.nextCycle()
    schedule.cycleLasted(.milliseconds(milliseconds))
    #expect(schedule.nextCycle().count == 4 + count)
  }

  @Test func onlyRareTechnologies() {
    var schedule = SearchSchedule(technologies: [.barcode, .iClass])
    #expect(schedule.nextCycle() == Self.searches(.barcode, .iClass))
    #expect(schedule.nextCycle() == Self.searches(.barcode, .iClass))
  }

  @Test func aSweepHasAllOfThem() {
    let sweep = SearchSchedule.sweep(Self.all + [.iso15693])
    #expect(sweep.prefix(5) == [.iso14443a, .feliCa, .iso14443b, .jewel, .iso15693])
    #expect(Set(sweep) == Set(Self.all + [.iso15693]))
    #expect(sweep.count == Self.all.count + 1)
  }

  /// Phones should see few gaps, and a tag that has answered the REQA of the search for Jewel must be found by the next
  /// search but one.
  @Test func whileFramesAreSent() {
    var schedule = SearchSchedule(technologies: [.iso14443a])
    let cycles = (0..<48).map { _ in schedule.nextCycle(broadcasts: true) }
    #expect(cycles.allSatisfy { $0.contains(.search(.iso14443a)) })
    #expect(cycles.count { $0.contains(.resetField) } <= 2)
    var all = SearchSchedule(technologies: TagTechnology.allCases)
    let searches = (0..<9).map { _ in all.nextCycle(broadcasts: true).contains(.search(.jewel)) }
    #expect(searches == [false, false, true, false, false, true, false, false, true])
    #expect(all.nextCycle().contains(.search(.jewel)))
  }
}
