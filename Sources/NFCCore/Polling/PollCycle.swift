/// The order in which a reader polls for tags, and the record of tags that have come and gone: a
/// value without a reader or a clock.
///
/// A round switches the carrier off and on once and then polls each technology. A tag has left when
/// it was not found in ``missesUntilLeft`` consecutive rounds: a tag at the edge of the field is
/// easily missed once.
package struct PollCycle: Sendable {
  /// The next step.
  enum Step: Hashable, Sendable {
    /// A new round: switch the carrier off and on.
    case resetField
    case list(TagTechnology)
    /// The round is over; wait a while before the next one.
    case pause
  }

  /// A tag's stay in the field, from its coming to its going.
  struct ArrivalID: Hashable, Sendable {
    fileprivate let number: Int
  }

  /// An event that a list has shown.
  enum Event: Hashable, Sendable {
    case arrived(ArrivalID, Target)
    case left(ArrivalID)
  }

  static let missesUntilLeft = 2
  /// The number of misses for FeliCa cards, which cannot be put to sleep: next to other cards, one
  /// is found only occasionally.
  static let missesUntilLeftInCompany = 8

  private struct Known: Sendable {
    let arrival: ArrivalID
    var target: Target
    var misses = 0
    /// It has had the same number in two rounds, and so will not draw another.
    var isFixed = false
  }

  private let round: [Step]
  private var position = 0
  private var known: [Known] = []
  private var arrivals = 0

  init(technologies: [TagTechnology]) {
    round = [.resetField] + technologies.map { .list($0) } + [.pause]
  }

  /// The tags that are known to be in the field, in the order in which they arrived.
  var present: [Target] { known.map(\.target) }

  /// A tag that was found had gone again before it could be reported: it is news when it is found again.
  mutating func forget(_ arrival: ArrivalID) { known.removeAll { $0.arrival == arrival } }

  /// As ``forget(_:)-(ArrivalID)``, for the tag that is known by this target.
  mutating func forget(_ target: Target) { known.removeAll { $0.target.isSame(as: target) } }

  /// The reader was lost, and every tag with it: the next step begins a round.
  mutating func startOver() -> [Event] {
    defer {
      known = []
      position = 0
    }
    return known.map { .left($0.arrival) }
  }

  mutating func next() -> Step {
    defer { position = (position + 1) % round.count }
    return round[position]
  }

  /// Processes the result of a list, `nil` if it failed, which proves nothing.
  mutating func found(_ targets: [Target]?, of technology: TagTechnology) -> [Event] {
    guard let targets else { return [] }
    var events: [Event] = []
    var news = targets.filter { target in !known.contains { $0.target.isSame(as: target) } }
    for index in known.indices where known[index].target.technology == technology {
      if targets.contains(where: { $0.isSame(as: known[index].target) }) {
        known[index].misses = 0
        known[index].isFixed = true
      } else if !known[index].isFixed,
        let same = news.firstIndex(where: { $0.isLikely(known[index].target) })
      {
        // It has drawn a new number at the last power-on.
        known[index].target = news.remove(at: same)
        known[index].misses = 0
      } else {
        known[index].misses += 1
      }
    }
    let limit =
      technology == .feliCa && !targets.isEmpty
      ? Self.missesUntilLeftInCompany : Self.missesUntilLeft
    known.removeAll { entry in
      guard entry.misses >= limit else { return false }
      events.append(.left(entry.arrival))
      return true
    }
    for target in news {
      let arrival = ArrivalID(number: arrivals)
      arrivals += 1
      known.append(Known(arrival: arrival, target: target))
      events.append(.arrived(arrival, target))
    }
    return events
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
