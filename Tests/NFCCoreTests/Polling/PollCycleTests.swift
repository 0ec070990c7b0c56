import Testing

@testable import SwiftNFCCore

@Suite struct PollCycleTests {
  private typealias Step = PollCycle.Step
  private static let technologies: [TagTechnology] = [
    .iso14443a, .iso14443b, .feliCa, .jewel, .barcode, .iso14443bPrime, .iso14443b2sr,
    .iso14443b2ct, .iClass,
  ]

  private static func card(_ pupi: UInt8) -> Target {
    .iso14443b(
      ISO14443BTarget(
        pupi: [pupi, 2, 3, 4], applicationData: [0x20, 0x38, 0x19, 0x22],
        protocolInfo: [0x00, 0x21, 0x85]))
  }

  private static func ultralight(_ number: UInt8) -> Target {
    .iso14443a(ISO14443ATarget(uid: [4, 1, 2, 3, 4, 5, number], atqa: [0, 0x44], sak: 0))
  }

  private static let smartCard = Target.iso14443a(
    ISO14443ATarget(uid: [4, 9, 9, 9, 9, 9, 9], atqa: [0x03, 0x44], sak: 0x20, ats: [0x78]))
  private static let jewel = Target.jewel(sensRes: [0x0C, 0], uid: [1, 2, 3, 4])

  private static func feliCa(_ number: UInt8) -> Target {
    .feliCa(
      FeliCaTarget(
        idm: [1, 2, 3, 4, 5, 6, 7, number], pmm: [], systemCode: [0x12, 0xFC], bitRate: 212))
  }

  /// A field with tags, and a cycle that looks into it. A step takes a few milliseconds.
  private struct Field {
    var cycle: PollCycle
    var tags: [Target] = []
    var time = Duration.zero
    /// All steps but those of the type, by their cycles.
    var cycles: [[Step]] = []
    /// The number of times that the carrier was switched off.
    var resets = 0
    /// Whether the next attempt to hear a tag is in vain.
    var isDeaf: (Target) -> Bool = { _ in false }

    init(_ technologies: [TagTechnology] = PollCycleTests.technologies, phase: Int = 1) {
      cycle = PollCycle(technologies: technologies, phase: phase)
    }

    /// Performs one cycle and returns its events.
    mutating func run() -> [PollCycle.Event] {
      var events: [PollCycle.Event] = []
      var steps: [Step] = []
      while true {
        let step = cycle.next()
        steps.append(step)
        switch step {
        case .beginCycle: continue
        case .resetField:
          resets += 1
          time += .milliseconds(6)
        case .check(let target):
          time += .milliseconds(13)
          let isPresent = tags.contains { $0.isSame(as: target) } && !isDeaf(target)
          events += cycle.checked(target, isPresent: isPresent, at: time)
          // The cycle ends with a tag that was missed.
          if !isPresent {
            cycles.append(steps)
            return events
          }
        case .search(let technology, let excluded):
          time += .milliseconds(14)
          let found = tags.filter { tag in
            tag.technology == technology
              && (excluded.contains { $0.isSame(as: tag) } || !isDeaf(tag))
          }
          events += cycle.found(found, of: technology, at: time)
        case .pause(let least):
          time += max(.zero, least - .milliseconds(14 * steps.count))
          cycles.append(steps)
          return events
        }
      }
    }

    mutating func run(_ count: Int) -> [PollCycle.Event] { (0..<count).flatMap { _ in run() } }
  }

  // MARK: An empty field

  @Test func theFirstCycleBeginsWithAFieldWhoseTagsAreFresh() {
    var field = Field()
    #expect(field.run().isEmpty)
    #expect(field.cycles[0].prefix(2) == [.beginCycle, .resetField])
    #expect(field.run(5).isEmpty)
    #expect(field.resets == 1)
  }

  /// One look shows what is there: all technologies once, then the schedule.
  @Test func theFirstCycleMaySweep() {
    var cycle = PollCycle(technologies: Self.technologies, phase: 2, sweepsFirst: true)
    var searched: [TagTechnology] = []
    while true {
      let step = cycle.next()
      if case .search(let technology, _) = step {
        #expect(cycle.isSweeping)
        searched.append(technology)
        // A tag that has come is reported, and the sweep goes on.
        let found = technology == .iso14443a ? [Self.ultralight(1)] : []
        #expect(cycle.found(found, of: technology, at: .zero).count == found.count)
      }
      if case .pause = step { break }
    }
    #expect(!cycle.isSweeping)
    #expect(searched == SearchSchedule.sweep(Self.technologies))
    // A step that has failed does not end the look.
    var other = PollCycle(technologies: Self.technologies, sweepsFirst: true)
    for _ in 0..<4 { _ = other.next() }
    other.stepFailed()
    #expect(other.isSweeping)
  }

  // MARK: Coming and going

  @Test func aTagIsReportedAtOnceAndChecked() {
    var field = Field()
    _ = field.run(3)
    field.tags = [Self.ultralight(1)]
    #expect(field.run().count == 1)
    #expect(field.run(10).isEmpty)
    #expect(
      field.cycles.suffix(10).allSatisfy {
        $0.contains(.check(Self.ultralight(1)))
          && $0.contains(.search(.iso14443a, excluding: [Self.ultralight(1)]))
          || $0.contains(.resetField)
          || $0.contains { if case .search(.barcode, _) = $0 { true } else { false } }
      })
  }

  @Test(arguments: [ultralight(1), smartCard, card(1), feliCa(1), jewel])
  func aTagLeavesOnce(_ tag: Target) throws {
    var field = Field()
    field.tags = [tag]
    #expect(field.run(8).count == 1)
    field.tags = []
    let gone = field.time
    var left: [(PollCycle.Event, Duration)] = []
    for _ in 0..<12 { for event in field.run() { left.append((event, field.time - gone)) } }
    #expect(left.count == 1)
    let time = try #require(left.first).1
    #expect(time >= .milliseconds(150) && time <= .milliseconds(400), "\(time)")
    #expect(field.cycle.present.isEmpty)
  }

  /// A tag at the edge of the field that is missed now and then, but not three times in a row.
  @Test(arguments: [ultralight(1), smartCard, card(1), feliCa(1), jewel])
  func aTagThatIsMissedEverySecondTimeNeverLeaves(_ tag: Target) {
    var field = Field()
    field.tags = [tag]
    #expect(field.run(3).count == 1)
    var attempts = 0
    for _ in 0..<600 {
      let deaf = attempts.isMultiple(of: 2)
      field.isDeaf = { _ in deaf }
      #expect(field.run().isEmpty)
      attempts += 1
    }
  }

  @Test func aTagThatReplacesAnotherIsReportedAtOnce() {
    var field = Field()
    field.tags = [Self.ultralight(1)]
    #expect(field.run(3).count == 1)
    field.tags = [Self.ultralight(2)]
    let events = field.run(2)
    guard case .arrived(_, let found)? = events.first else {
      Issue.record("\(events)")
      return
    }
    #expect(found.isSame(as: Self.ultralight(2)))
    #expect(field.run(6).count == 1)
  }

  @Test func aTagThatReturnsBeforeItHasLeftIsTheSame() {
    var field = Field()
    field.tags = [Self.ultralight(1)]
    #expect(field.run(3).count == 1)
    field.tags = []
    #expect(field.run(2).isEmpty)
    field.tags = [Self.ultralight(1)]
    #expect(field.run(10).isEmpty)
  }

  // MARK: What tags hold

  /// Neither is the carrier switched off, nor is a card of ISO/IEC 14443-4 put to sleep more than once a second.
  @Test func aSmartCardIsLeftAlone() {
    var field = Field()
    field.tags = [Self.smartCard]
    #expect(field.run(1).count == 1)
    let resets = field.resets
    #expect(field.run(100).isEmpty)
    #expect(field.resets == resets)
    let cycles = field.cycles.suffix(100)
    #expect(cycles.allSatisfy { $0.contains(.check(Self.smartCard)) })
    let interruptions = cycles.count { steps in
      steps.contains { if case .search(.iso14443a, _) = $0 { true } else { false } }
    }
    #expect((9...11).contains(interruptions))
    #expect(
      !cycles.contains { $0.contains { if case .search(.barcode, _) = $0 { true } else { false } } }
    )
    // The others are looked for in each cycle.
    #expect(cycles.allSatisfy { $0.contains(.search(.jewel, excluding: [])) })
  }

  @Test func aTagNextToASmartCardLeavesInTime() {
    var field = Field()
    field.tags = [Self.smartCard, Self.ultralight(1)]
    #expect(field.run(12).count == 2)
    field.tags = [Self.smartCard]
    let gone = field.time
    var events: [PollCycle.Event] = []
    while events.isEmpty, field.time - gone < .seconds(2) { events += field.run() }
    #expect(events.count == 1)
    #expect(field.time - gone < .milliseconds(600))
    #expect(field.run(20).isEmpty)
  }

  // MARK: Numbers that are drawn again

  /// Cards of one issuer have the same application data: the next passenger's is another card.
  @Test func cardsOfOneIssuerThatFollowEachOther() throws {
    var field = Field()
    field.tags = [Self.card(1)]
    #expect(field.run(3).count == 1)
    field.tags = [Self.card(9)]
    #expect(field.run(8).count == 2)
    #expect(field.cycle.present == [Self.card(9)])
  }

  /// A card that draws its PUPI at each power-on stays the same card.
  @Test func aRandomPUPIIsOneCard() {
    var cycle = PollCycle(technologies: [.iso14443b])
    var now: UInt8 = 1
    var events = 0
    for _ in 0..<40 {
      switch cycle.next() {
      case .resetField: now += 1
      case .search: events += cycle.found([Self.card(now)], of: .iso14443b, at: .zero).count
      case .check(let target):
        #expect(cycle.checked(target, isPresent: target == Self.card(now), at: .zero).isEmpty)
      default: break
      }
    }
    #expect(events == 1)
    #expect(cycle.present == [Self.card(now)])
  }

  // MARK: Several tags

  @Test func severalTagsStay() {
    var field = Field()
    field.tags = [
      Self.ultralight(1), Self.ultralight(2), Self.feliCa(1), Self.card(1), Self.jewel,
    ]
    #expect(field.run(4).count == 5)
    #expect(field.run(100).isEmpty)
    #expect(field.cycle.present.count == 5)
  }

  /// Next to another card of FeliCa, one is heard only occasionally.
  @Test func twoCardsOfFeliCaThatAreHeardByTurns() {
    var field = Field([.feliCa])
    field.tags = [Self.feliCa(1), Self.feliCa(2)]
    #expect(field.run(2).count == 2)
    var number = 0
    for _ in 0..<100 {
      number += 1
      let heard = UInt8(1 + number / 5 % 2)
      field.isDeaf = { !$0.isSame(as: Self.feliCa(heard)) }
      #expect(field.run().isEmpty)
    }
  }

  // MARK: Failures

  @Test func aStepThatFailsProvesNothing() {
    var field = Field()
    field.tags = [Self.ultralight(1)]
    #expect(field.run(2).count == 1)
    for _ in 0..<20 {
      _ = field.cycle.next()
      #expect(field.cycle.checked(Self.ultralight(1), isPresent: nil, at: field.time).isEmpty)
      #expect(field.cycle.found(nil, of: .iso14443a, at: field.time).isEmpty)
      field.cycle.stepFailed()
    }
    #expect(field.cycle.present.count == 1)
    #expect(field.run(3).isEmpty)
  }

  @Test func aLostReaderLosesItsTags() {
    var field = Field()
    field.tags = [Self.ultralight(1), Self.jewel]
    #expect(field.run(2).count == 2)
    #expect(field.cycle.startOver().count == 2)
    #expect(field.run(2).count == 2)
  }

  // MARK: Rounds

  /// Where a service polls, nothing else is done than before.
  @Test func rounds() {
    var cycle = PollCycle(technologies: [.iso14443a, .iso15693], manner: .inRounds)
    for _ in 0..<3 {
      #expect(
        (0..<5).map { _ in cycle.next() } == [
          .beginCycle, .resetField, .search(.iso14443a, excluding: []),
          .search(.iso15693, excluding: []), .pause(atLeast: .milliseconds(100)),
        ])
    }
    #expect(cycle.found([Self.ultralight(1)], of: .iso14443a, at: .zero).count == 1)
    #expect(cycle.found([], of: .iso14443a, at: .zero).isEmpty)
    #expect(cycle.found([], of: .iso14443a, at: .zero).count == 1)
  }
}
