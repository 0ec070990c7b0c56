/// The order in which a reader looks into an empty field: a value without a reader or a clock.
///
/// In each cycle, it searches for types A and B, FeliCa and Jewel, and for one of the rare technologies, in
/// turn, so that none waits for the searches of all the others. The carrier stays on. Once in a turn, it is
/// switched off and on, which wakes a tag that sleeps or has lost its way: the search for NFC Barcode does so
/// anyway.
///
/// The order of the first three is always the same, because phones decide in one cycle and answer in the next
/// (kormax, apple-enhanced-contactless-polling). Type A comes long enough before Jewel, whose search begins
/// with the same REQA: a tag of type A that has answered it takes the next REQA for an error (ISO/IEC 14443-3,
/// 6.3).
struct SearchSchedule: Sendable {
  /// The next step.
  enum Step: Hashable, Sendable {
    /// Switch the carrier off and on.
    case resetField
    case search(TagTechnology)
  }

  /// The technologies of every cycle, in their order.
  private static let common: [TagTechnology] = [.iso14443a, .iso14443b, .feliCa, .jewel, .iso15693]
  /// The rare technologies, in their order.
  private static let rare: [TagTechnology] = [
    .barcode, .iso14443bPrime, .iso14443b2sr, .iso14443b2ct, .iClass,
  ]
  /// The number of cycles between two times that the carrier is switched off, if nothing else determines it.
  private static let cyclesBetweenResets = 6
  /// The time within which each rare technology is searched for.
  private static let longestTurn = Duration.milliseconds(900)
  /// The maximum number of rare searches in a cycle: with more, the common ones would wait too long on a slow line.
  private static let maximumRareSearches = 3

  private let common: [TagTechnology]
  /// The rare searches of a turn; `nil` for a cycle without one.
  private let turn: [Step?]
  private let technologies: [TagTechnology]
  private var position: Int
  private var rareSearches = 1
  private var isFirstCycle = true
  /// The number of cycles in which frames were sent.
  private var broadcastCycles = 0
  /// While frames are sent for phones, a cycle is short, and they should see few gaps: the carrier is switched off once in
  /// this number of turns.
  private static let turnsBetweenResets = 4
  /// A search for Jewel begins with the REQA of type A. A tag that has answered it takes the next one for an error, and
  /// while frames are sent, there is no second attempt: the search for Jewel must not come between all others.
  private static let cyclesBetweenJewel = 3

  /// - Parameters:
  ///   - technologies: the technologies to look for.
  ///   - phase: the position in the turn at which to begin. Two readers side by side should differ.
  init(technologies: [TagTechnology], phase: Int = 0) {
    self.technologies = technologies
    common = Self.common.filter(technologies.contains)
    var turn: [Step?] = Self.rare.filter(technologies.contains).map { .search($0) }
    if !technologies.contains(.barcode) { turn.insert(.resetField, at: 0) }
    // Only rare technologies: they are all there is to do.
    let length = common.isEmpty ? turn.count : max(turn.count, Self.cyclesBetweenResets)
    turn += Array(repeating: nil, count: length - turn.count)
    self.turn = turn
    position = Int(phase.magnitude % UInt(turn.count))
  }

  /// Returns all technologies in the order of the first cycle, the rare ones last: for one look into the field.
  static func sweep(_ technologies: [TagTechnology]) -> [TagTechnology] {
    let known = firstOrder + rare
    return known.filter(technologies.contains) + technologies.filter { !known.contains($0) }
  }

  /// In the first cycle, FeliCa comes before type B: since the reader was opened, the carrier has been on for
  /// longer than FeliCa requires (NFC Forum Digital Protocol 2.0, 8.7.4.1: 20 ms), and type B costs the reader a
  /// setting of its own.
  private static let firstOrder: [TagTechnology] = [
    .iso14443a, .feliCa, .iso14443b, .jewel, .iso15693,
  ]

  /// Returns the steps of the next cycle.
  ///
  /// - Parameters:
  ///   - keepsField: whether to leave out what switches the carrier off.
  ///   - broadcasts: whether frames for phones are sent after unanswered searches.
  mutating func nextCycle(keepsField: Bool = false, broadcasts: Bool = false) -> [Step] {
    defer { isFirstCycle = false }
    guard broadcasts else {
      broadcastCycles = 0
      return cycle(keepsField)
    }
    defer { broadcastCycles += 1 }
    let hasReset = broadcastCycles % (turn.count * Self.turnsBetweenResets) < turn.count
    let hasJewel =
      !technologies.contains(.iso14443a)
      || broadcastCycles % Self.cyclesBetweenJewel == Self.cyclesBetweenJewel - 1
    return cycle(keepsField).filter { step in
      switch step {
      case .resetField: hasReset
      case .search(.jewel): hasJewel
      case .search: true
      }
    }
  }

  private mutating func cycle(_ keepsField: Bool) -> [Step] {
    var steps: [Step] =
      isFirstCycle
      ? Self.firstOrder.filter(common.contains).map { .search($0) }
      : common.map { .search($0) }
    for _ in 0..<(common.isEmpty ? turn.count : rareSearches) {
      let step = turn[position]
      position = (position + 1) % turn.count
      guard let step, !(keepsField && step.switchesFieldOff) else { continue }
      // In the first cycle, the carrier was switched on just before.
      guard !(isFirstCycle && step == .resetField) else { continue }
      if step == .resetField { steps.insert(step, at: 0) } else { steps.append(step) }
    }
    return steps
  }

  /// Takes into account the duration of a cycle that has found nothing: on a slow line, a cycle has several rare
  /// searches.
  mutating func cycleLasted(_ duration: Duration) {
    let turns = turn.compactMap(\.self).count
    let needed = duration * max(turns, 1)
    let count = Int((needed / Self.longestTurn).rounded(.up))
    rareSearches = min(max(count, 1), Self.maximumRareSearches)
  }
}

extension SearchSchedule.Step {
  /// Whether the carrier is switched off for the step. NFC Barcode begins to speak when it is switched on.
  fileprivate var switchesFieldOff: Bool { self == .resetField || self == .search(.barcode) }
}
