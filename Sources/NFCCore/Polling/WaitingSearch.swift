/// The searches of a wait for one tag: those of ``SearchSchedule``, or rounds.
package struct WaitingSearch: Sendable {
  private let technologies: [TagTechnology]
  private let isContinuous: Bool
  private let reader: Reader
  private var schedule: SearchSchedule
  private var cycles = 0
  /// The technologies that have been searched for.
  private var searched = Set<TagTechnology>()
  /// The technology whose tags the last search has found.
  private var lastFound: TagTechnology?

  package init(_ technologies: [TagTechnology], of reader: Reader) {
    self.technologies = technologies
    isContinuous = reader.pollsContinuously
    self.reader = reader
    schedule = SearchSchedule(technologies: technologies, phase: reader.phase)
  }

  /// Whether each technology has been searched for, and the common ones with more than one attempt.
  var isComplete: Bool { !isContinuous || cycles > 1 && searched.count == Set(technologies).count }

  /// The minimum time from one search to the next.
  package var cycleDuration: Duration {
    guard isContinuous else { return .milliseconds(100) }
    return reader.isBroadcasting ? PollCycle.broadcastCycle : .milliseconds(50)
  }

  /// Returns the technologies to search for next, and whether the carrier is switched off and on first.
  ///
  /// - Parameter isLast: whether time is up: what has not been searched for is searched for now.
  mutating func next(isLast: Bool) -> (technologies: [TagTechnology], resets: Bool) {
    defer { cycles += 1 }
    guard isContinuous else { return (technologies, false) }
    let steps = schedule.nextCycle(broadcasts: reader.isBroadcasting)
    var list = steps.compactMap { step -> TagTechnology? in
      if case .search(let technology) = step { technology } else { nil }
    }
    if isLast, cycles > 0 {
      list += SearchSchedule.sweep(technologies).filter {
        !searched.contains($0) && !list.contains($0)
      }
    }
    if let lastFound, let index = list.firstIndex(of: lastFound) {
      list = Array(list[(index + 1)...] + list[...index])
    }
    lastFound = nil
    searched.formUnion(list)
    return (list, steps.contains(.resetField))
  }

  /// The search has ended with tags of a technology: the next one comes to the others first, whose tags would never be
  /// found otherwise.
  mutating func ended(with technology: TagTechnology) { lastFound = technology }

  package mutating func cycleLasted(_ duration: Duration) { schedule.cycleLasted(duration) }
}
