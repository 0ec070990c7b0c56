/// Distinguishes the tags that have just arrived among those that one reader finds in consecutive
/// rounds: a value without a reader or a clock, for a program that makes the rounds itself.
///
/// A tag that one round has missed has not left, and one with a random UID is still the same; see
/// ``PollCycle``.
package struct TagPresence: Sendable {
  private let technologies: [TagTechnology]
  private var cycle: PollCycle

  /// - Parameter technologies: the technologies that each round polls.
  package init(technologies: [TagTechnology]) {
    self.technologies = technologies
    cycle = PollCycle(technologies: technologies, manner: .inRounds)
  }

  /// Processes the result of a round. A round that failed proves nothing, and is left out.
  ///
  /// - Parameter searched: the technologies that the round has searched for; `nil` for all.
  /// - Returns: for each of the tags, whether it has arrived since the previous rounds.
  package mutating func arrivals(
    among tags: [DetectedTag], searched: [TagTechnology]? = nil
  ) -> [Bool] {
    let targets = tags.map(\.target)
    var arrived: [Target] = []
    for technology in searched ?? technologies {
      let found = targets.compactMap(\.self).filter { $0.technology == technology }
      for case .arrived(_, let target) in cycle.found(found, of: technology, at: .zero) {
        arrived.append(target)
      }
    }
    return targets.map { target in
      guard let target else { return true }
      return arrived.contains { $0.isSame(as: target) }
    }
  }

  /// Forgets a tag, so that it is reported as new when it is found again.
  package mutating func forget(_ tag: any Tag) {
    if let target = (tag as? any ConnectedTag)?.handle.target { cycle.forget(target) }
  }
}

extension DetectedTag {
  /// The activation data of the tag; `nil` for a tag without a reader.
  fileprivate var target: Target? { (tag as? any ConnectedTag)?.handle.target }
}
