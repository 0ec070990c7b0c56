/// The order in which a reader polls for tags, and the record of tags that have come and gone: a
/// value without a reader or a clock.
///
/// A cycle asks the known tags whether they are still there, and then looks for others as ``SearchSchedule``
/// says. The carrier stays on: what a tag holds is not lost, and nothing that counts power-ups counts. A tag
/// that misses once is searched for after the carrier was switched off and on, together with all others; it has
/// left when it has missed ``missesUntilLeft`` times and for ``absenceUntilLeft``: a tag at the edge of the field
/// is easily missed once.
///
/// A reader whose driver does not find tags one by one, because a service polls for it, is polled in rounds: each
/// switches the carrier off and on once and lists each technology.
package struct PollCycle: Sendable {
  /// The next step.
  enum Step: Hashable, Sendable {
    /// A new cycle: tags found before are out of reach from now on.
    case beginCycle
    /// Switch the carrier off and on, at the beginning of a cycle or in it.
    case resetField
    /// Ask a known tag whether it is still there.
    case check(Target)
    /// Search for tags of a technology in addition to these.
    case search(TagTechnology, excluding: [Target])
    /// The cycle is over; the next one begins when it has lasted this long.
    case pause(atLeast: Duration)
  }

  /// How a reader is polled.
  enum Manner: Sendable {
    /// The carrier stays on.
    case continuously
    /// Each round switches the carrier off and on.
    case inRounds
  }

  /// A tag's stay in the field, from its coming to its going.
  struct ArrivalID: Hashable, Sendable {
    fileprivate let number: Int
  }

  /// An event that a step has shown.
  enum Event: Hashable, Sendable {
    case arrived(ArrivalID, Target)
    case left(ArrivalID)
  }

  static let missesUntilLeft = 3
  /// The number of misses in rounds, which are longer.
  static let missingRoundsUntilLeft = 2
  /// The number of misses for FeliCa cards, which cannot be put to sleep: next to other cards, one
  /// is found only occasionally.
  static let missesUntilLeftInCompany = 8
  /// The number of misses for FeliCa cards that lie together when none of them is found: their answers may have met in
  /// one time slot, again and again.
  static let missesOfAllUntilLeft = 5
  /// The minimum time from the first miss until a tag has left.
  static let absenceUntilLeft = Duration.milliseconds(150)

  /// The minimum durations of a cycle. Most readers take longer for one in an empty field; those that do not would
  /// only keep the processor busy.
  private static let emptyCycle = Duration.milliseconds(50)
  /// While frames for phones are sent: they decide within a loop of 100 to 250 ms, and about 5 ms between polls is best
  /// (kormax, apple-enhanced-contactless-polling).
  static let broadcastCycle = Duration.milliseconds(20)
  private static let doubtfulCycle = Duration.milliseconds(60)
  /// The interval between two checks of a known tag. Android checks every 125 ms; much more often disturbs slow cards.
  private static let checkInterval = Duration.milliseconds(100)
  /// The pause between two rounds.
  private static let roundPause = Duration.milliseconds(100)
  /// Whether frames for phones are sent after unanswered searches.
  var broadcasts = false
  /// The number of cycles between two searches that make a card of ISO/IEC 14443-4 start again: about a second.
  private static let cyclesBetweenInterruptions = 10
  /// The number of cycles between two searches for a FeliCa card next to a known one.
  private static let cyclesBetweenSlots = 4

  private struct Known: Sendable {
    let arrival: ArrivalID
    var target: Target
    var misses = 0
    /// The time of the first of the misses.
    var missedSince: Duration?
    /// The number of resets when it was seen last.
    var resets: Int
    /// It has had the same number before and after a reset, and so will not draw another.
    var isFixed = false
    /// It has drawn another number at a reset.
    var hasDrawnAgain = false
  }

  private let manner: Manner
  /// Whether the first cycle searches for all technologies, and is not over yet.
  private(set) var isSweeping: Bool
  private let technologies: [TagTechnology]
  private var schedule: SearchSchedule
  private var plan: [Step] = []
  private var cycles = 0
  private var resets = 0
  /// Whether a reset is to precede the next cycle, because a tag has missed.
  private var needsReset = true
  private var known: [Known] = []
  private var arrivals = 0

  /// - Parameter sweepsFirst: whether the first cycle searches for all technologies, the rare ones among them.
  init(
    technologies: [TagTechnology], manner: Manner = .continuously, phase: Int = 0,
    sweepsFirst: Bool = false
  ) {
    isSweeping = sweepsFirst
    self.technologies = technologies
    self.manner = manner
    schedule = SearchSchedule(technologies: technologies, phase: phase)
  }

  /// The tags that are known to be in the field, in the order in which they arrived.
  var present: [Target] { known.map(\.target) }

  /// A tag that was found had gone again before it could be reported: it is news when it is found again.
  mutating func forget(_ arrival: ArrivalID) { known.removeAll { $0.arrival == arrival } }

  /// As ``forget(_:)-(ArrivalID)``, for the tag that is known by this target.
  mutating func forget(_ target: Target) { known.removeAll { $0.target.isSame(as: target) } }

  /// The reader was lost, and every tag with it: the next step begins a cycle.
  mutating func startOver() -> [Event] {
    defer {
      known = []
      plan = []
      needsReset = true
    }
    return known.map { .left($0.arrival) }
  }

  /// A step has failed between host and reader: the next one switches the carrier off and on, which also reaches a
  /// lost reader again.
  mutating func stepFailed() {
    guard manner == .continuously else { return }
    plan = []
    needsReset = true
  }

  /// The carrier was switched off after the cycle.
  mutating func fieldWasOff() { needsReset = true }

  /// An empty cycle has lasted so long.
  mutating func cycleLasted(_ duration: Duration) {
    if known.isEmpty { schedule.cycleLasted(duration) }
  }

  // MARK: Steps

  mutating func next() -> Step {
    if plan.isEmpty { plan = manner == .inRounds ? round : cycle() }
    let step = plan.removeFirst()
    switch step {
    case .resetField: resets += 1
    case .search(let technology, _):
      let excluded = confirmed(technology)
      // A barcode speaks when the carrier is switched on.
      if technology == .barcode { resets += 1 }
      return .search(technology, excluding: excluded)
    case .pause: isSweeping = false
    default: break
    }
    return step
  }

  private var round: [Step] {
    [.beginCycle, .resetField] + technologies.map { .search($0, excluding: []) }
      + [.pause(atLeast: Self.roundPause)]
  }

  /// The tags of a technology that have answered since the carrier was switched off.
  private func confirmed(_ technology: TagTechnology) -> [Target] {
    guard manner == .continuously, isChecked(technology) else { return [] }
    return known.filter {
      $0.target.technology == technology && $0.misses == 0 && $0.resets == resets
    }.map(\.target)
  }

  /// Whether tags of a technology are asked one by one. The others are there if their search finds them: it loses
  /// nothing in them. Cards of FeliCa disturb each other in a search, and not when each is asked by its number.
  private func isChecked(_ technology: TagTechnology) -> Bool {
    switch technology {
    case .iso14443a, .feliCa: true
    // A PN53x cannot wake the second of two cards.
    case .iso14443b: known.count { $0.target.technology == technology } < 2
    default: false
    }
  }

  private mutating func cycle() -> [Step] {
    cycles += 1
    let isDoubtful = known.contains { $0.misses > 0 }
    let mustReset = needsReset || known.contains(where: needsToProveItsNumber) || hasSeveralTypeB
    needsReset = false
    // Only its technology's search shows whether a tag of which a reset has just made a new one is still there.
    let checks =
      mustReset
      ? [] : known.filter { isChecked($0.target.technology) && $0.misses == 0 }.map(\.target)
    let holdsCard = !mustReset && known.contains { $0.misses == 0 && $0.target.losesStateOnSelect }
    let interrupts =
      !holdsCard || isDoubtful || cycles % Self.cyclesBetweenInterruptions == 0
    var steps: [Step] = [.beginCycle]
    if mustReset { steps.append(.resetField) }
    steps += checks.map { .check($0) }
    var searched = Set<TagTechnology>()
    let scheduled = schedule.nextCycle(
      keepsField: holdsCard || mustReset, broadcasts: broadcasts)
    for step in isSweeping
      ? SearchSchedule.sweep(technologies).map(SearchSchedule.Step.search) : scheduled
    {
      switch step {
      case .resetField: steps.insert(.resetField, at: 1)
      case .search(let technology):
        searched.insert(technology)
        if isSearched(technology, interrupts, mustReset) {
          steps.append(.search(technology, excluding: []))
        }
      }
    }
    // A known tag that no check asks is searched for in every cycle, whatever its turn.
    for technology in technologies
    where !searched.contains(technology) && !isChecked(technology)
      && known.contains(where: { $0.target.technology == technology })
    {
      steps.append(.search(technology, excluding: []))
    }
    if steps.contains(.resetField) {
      steps.removeAll { if case .check = $0 { true } else { false } }
    }
    steps.append(
      .pause(
        atLeast: known.isEmpty
          ? broadcasts ? Self.broadcastCycle : Self.emptyCycle
          : isDoubtful || mustReset ? Self.doubtfulCycle : Self.checkInterval))
    return steps
  }

  private func isSearched(
    _ technology: TagTechnology, _ interrupts: Bool, _ mustReset: Bool
  ) -> Bool {
    switch technology {
    case .iso14443a, .iso14443b: return interrupts || mustReset
    case .feliCa:
      let isKnown = known.contains { $0.target.technology == .feliCa && $0.misses == 0 }
      let isDoubtful = known.contains { $0.target.technology == .feliCa && $0.misses > 0 }
      return !isKnown || mustReset || isDoubtful || cycles % Self.cyclesBetweenSlots == 0
    default: return true
    }
  }

  private var hasSeveralTypeB: Bool {
    known.count { $0.target.technology == .iso14443b && $0.misses == 0 } > 1
  }

  /// A card of type B does not indicate whether its number is random: one reset shows it. Before, the next passenger's
  /// card would be taken for the last one's, since all cards of one issuer have the same application data.
  private func needsToProveItsNumber(_ entry: Known) -> Bool {
    entry.target.technology == .iso14443b && entry.misses == 0 && !entry.isFixed
      && !entry.hasDrawnAgain
  }

  // MARK: Results

  /// Processes the result of a check, `nil` if it failed, which proves nothing.
  mutating func checked(_ target: Target, isPresent: Bool?, at time: Duration) -> [Event] {
    guard let isPresent,
      let index = known.firstIndex(where: { $0.target.isSame(as: target) })
    else { return [] }
    guard !isPresent else {
      sight(index)
      return []
    }
    miss(index, at: time)
    // It may only have been missed, or sleep: all tags start again, and are searched for at once.
    plan = []
    needsReset = true
    return []
  }

  private mutating func sight(_ index: Int) {
    known[index].misses = 0
    known[index].missedSince = nil
    known[index].resets = resets
  }

  private mutating func miss(_ index: Int, at time: Duration) {
    known[index].misses += 1
    known[index].missedSince = known[index].missedSince ?? time
  }

  /// Processes the result of a search, `nil` if it failed, which proves nothing.
  ///
  /// - Parameter targets: all tags of the technology that are there, those that the search excluded among them.
  mutating func found(
    _ targets: [Target]?, of technology: TagTechnology, at time: Duration
  ) -> [Event] {
    guard let targets else { return [] }
    var events: [Event] = []
    var news = targets.filter { target in !known.contains { $0.target.isSame(as: target) } }
    for index in known.indices where known[index].target.technology == technology {
      if targets.contains(where: { $0.isSame(as: known[index].target) }) {
        if manner == .inRounds || known[index].resets != resets { known[index].isFixed = true }
        sight(index)
      } else if !known[index].isFixed,
        let same = news.firstIndex(where: { $0.isLikely(known[index].target) })
      {
        // It has drawn a new number at the last power-on.
        known[index].target = news.remove(at: same)
        known[index].hasDrawnAgain = true
        sight(index)
      } else {
        if known[index].misses == 0, !hasCompany(technology, targets) { needsReset = true }
        miss(index, at: time)
      }
    }
    let limit = limit(technology, targets)
    let least = manner == .inRounds ? Duration.zero : Self.absenceUntilLeft
    known.removeAll { entry in
      guard entry.target.technology == technology, entry.misses >= limit,
        time - (entry.missedSince ?? time) >= least
      else { return false }
      events.append(.left(entry.arrival))
      return true
    }
    for target in news {
      let arrival = ArrivalID(number: arrivals)
      arrivals += 1
      known.append(Known(arrival: arrival, target: target, resets: resets))
      events.append(.arrived(arrival, target))
    }
    return events
  }

  private func hasCompany(_ technology: TagTechnology, _ targets: [Target]) -> Bool {
    technology == .feliCa && !targets.isEmpty
  }

  private func limit(_ technology: TagTechnology, _ targets: [Target]) -> Int {
    if hasCompany(technology, targets) { return Self.missesUntilLeftInCompany }
    if technology == .feliCa, known.count(where: { $0.target.technology == .feliCa }) > 1 {
      return Self.missesOfAllUntilLeft
    }
    return manner == .inRounds ? Self.missingRoundsUntilLeft : Self.missesUntilLeft
  }
}

extension Target {
  /// Returns whether two targets can be one tag that draws its UID or PUPI again at each power-on.
  package func isLikely(_ other: Target) -> Bool {
    switch (self, other) {
    case (.iso14443a(let one), .iso14443a(let two)):
      one.hasRandomUID && two.hasRandomUID && one.sak == two.sak && one.ats == two.ats
    case (.iso14443b(let one), .iso14443b(let two)):
      // A card does not indicate whether its PUPI is random. All cards of one issuer have the same
      // application data: only a card whose PUPI was never the same in two rounds can be this one.
      one.applicationData == two.applicationData && one.protocolInfo == two.protocolInfo
    default:
      false
    }
  }
}
