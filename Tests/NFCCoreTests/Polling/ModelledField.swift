import SwiftNFCSeededRandom
@testable import SwiftNFCCore

/// A reader at 115 200 baud and its field, in modelled time: what a search lasts with and without a tag, tries, the time
/// that a tag needs after the carrier was switched on. The figures are those that were measured on a virtual chip.
struct ModelledField {
  /// When the tag is there, and how well it is heard.
  struct Visitor {
    let target: Target
    var arrives = Duration.zero
    var leaves = Duration.seconds(1_000_000)
    /// Called for each try: whether it is heard.
    var isHeard: (Int) -> Bool = { _ in true }
    /// The time that it needs after the carrier was switched on.
    var start = Duration.milliseconds(5)
    /// The number of times that it was tried.
    var tries = 0
    /// Whether it has answered a REQA that was meant for others and takes the next one for an error.
    var isReady = false
  }

  var cycle: PollCycle
  var visitors: [Visitor]
  private(set) var time = Duration.zero
  private(set) var carrierSince = Duration.zero
  private(set) var resets = 0
  private(set) var arrivals: [(target: Target, time: Duration)] = []
  private(set) var departures: [Duration] = []
  /// Draws the time slots of FeliCa cards.
  private var generator = SplitMix64(seed: 7)

  init(_ technologies: [TagTechnology], phase: Int, _ visitors: [Visitor] = []) {
    cycle = PollCycle(technologies: technologies, phase: phase)
    self.visitors = visitors
  }

  /// The duration of one try without an answer, of the rest of the command, and of a search that finds.
  private static func cost(
    _ technology: TagTechnology
  ) -> (attempts: Int, attempt: Duration, rest: Duration, found: Duration) {
    switch technology {
    case .iso14443a, .jewel:
      (2, .microseconds(5200), .microseconds(3200), .microseconds(8600))
    case .iso14443b: (2, .microseconds(5700), .microseconds(3400), .milliseconds(10))
    case .feliCa: (2, .microseconds(4300), .microseconds(3700), .milliseconds(8))
    case .barcode: (1, .microseconds(12_800), .milliseconds(14), .milliseconds(14))
    case .iClass: (1, .milliseconds(26), .milliseconds(17), .milliseconds(40))
    default: (1, .microseconds(12_800), .milliseconds(8), .milliseconds(12))
    }
  }

  private mutating func switchCarrier() {
    time += .microseconds(6400)
    carrierSince = time
    resets += 1
    for index in visitors.indices { visitors[index].isReady = false }
  }

  /// Whether a visitor answers a try that begins now.
  private mutating func answers(_ index: Int) -> Bool {
    let visitor = visitors[index]
    guard time >= max(visitor.arrives, carrierSince) + visitor.start || visitor.arrives == .zero,
      time >= visitor.arrives + visitor.start, time < visitor.leaves
    else { return false }
    visitors[index].tries += 1
    return visitor.isHeard(visitors[index].tries)
  }

  private mutating func search(_ technology: TagTechnology) -> [Target] {
    if technology == .barcode { switchCarrier() }
    let cost = Self.cost(technology)
    for _ in 0..<cost.attempts {
      var found: [Target] = []
      for index in visitors.indices {
        let own = visitors[index].target.technology
        if own == technology {
          guard !(visitors[index].isReady) else {
            // An error, and back to IDLE.
            visitors[index].isReady = false
            continue
          }
          if answers(index) { found.append(visitors[index].target) }
        } else if technology == .jewel, own == .iso14443a, time >= visitors[index].arrives {
          visitors[index].isReady.toggle()
        }
      }
      if !found.isEmpty {
        time += cost.found * found.count
        return found
      }
      time += cost.attempt
    }
    time += cost.rest
    return []
  }

  /// Lists the FeliCa cards as a PN53x does: Polling with four time slots, of which each card draws one again each time,
  /// finds the first card that has a slot of its own; three more look for another.
  private mutating func listFeliCa(_ excluded: [Target]) -> [Target] {
    let present = visitors.indices.filter {
      visitors[$0].target.technology == .feliCa && answers($0)
    }
    guard present.count > 1 else {
      return search(.feliCa).filter { new in !excluded.contains { $0.isSame(as: new) } }
    }
    var found = excluded
    while true {
      var other: Target?
      for _ in 0..<(found.isEmpty ? 1 : 3) {
        let slots = present.map { _ in Int.random(in: 0..<4, using: &generator) }
        let alone = present.indices.filter { index in slots.count { $0 == slots[index] } == 1 }
        time += .milliseconds(8)
        guard let first = alone.min(by: { slots[$0] < slots[$1] }) else { break }
        let target = visitors[present[first]].target
        guard found.contains(where: { $0.isSame(as: target) }) else {
          other = target
          break
        }
      }
      guard let other else { return Array(found.dropFirst(excluded.count)) }
      found.append(other)
    }
  }

  private mutating func note(_ events: [PollCycle.Event]) {
    for event in events {
      switch event {
      case .arrived(_, let target): arrivals.append((target, time))
      case .left: departures.append(time)
      }
    }
  }

  /// Polls until the time has come, or something is true.
  mutating func run(until end: Duration, or isOver: (ModelledField) -> Bool = { _ in false }) {
    var start = time
    while time < end, !isOver(self) {
      switch cycle.next() {
      case .beginCycle: start = time
      case .resetField: switchCarrier()
      case .check(let target):
        let index = visitors.firstIndex { $0.target.isSame(as: target) }
        // Woken, or asked by a command of its own: once more if it was missed.
        let isPresent = index.map { answers($0) || answers($0) } ?? false
        time += isPresent ? .milliseconds(5) : .milliseconds(18)
        note(cycle.checked(target, isPresent: isPresent, at: time))
      case .search(let technology, let excluded):
        let hasSeveral = visitors.count { $0.target.technology == .feliCa } > 1
        let found =
          technology == .feliCa && hasSeveral
          ? listFeliCa(excluded)
          : search(technology).filter { new in !excluded.contains { $0.isSame(as: new) } }
        note(cycle.found(excluded + found, of: technology, at: time))
      case .pause(let least):
        cycle.cycleLasted(time - start)
        time = max(time, start + least)
      }
    }
  }
}
