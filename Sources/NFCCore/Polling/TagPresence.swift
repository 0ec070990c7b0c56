/// Which of the tags that one reader finds in round after round have just come: a value without a reader or a
/// clock, for a program that makes the rounds itself.
///
/// A tag that one round has missed has not left, and one that draws a new number at each power-on is still the
/// same; see ``PollCycle``.
package struct TagPresence: Sendable {
  private let technologies: [TagTechnology]
  private var cycle: PollCycle

  /// - Parameter technologies: what each round looks for.
  package init(technologies: [TagTechnology]) {
    self.technologies = technologies
    cycle = PollCycle(technologies: technologies)
  }

  /// Takes in all that a round has found. A round that could not be carried out says nothing, and is left out.
  ///
  /// - Returns: for each of the tags whether it has come since the rounds before.
  package mutating func arrivals(among tags: [DetectedTag]) -> [Bool] {
    let targets = tags.map(\.target)
    var arrived: [Target] = []
    for technology in technologies {
      let found = targets.compactMap(\.self).filter { $0.technology == technology }
      for case .arrived(_, let target) in cycle.found(found, of: technology) {
        arrived.append(target)
      }
    }
    return targets.map { target in
      guard let target else { return true }
      return arrived.contains { $0.isSame(as: target) }
    }
  }

  /// Makes a tag one that has just come when it is found again.
  package mutating func forget(_ tag: any Tag) {
    if let target = (tag as? any HandleTag)?.handle.target { cycle.forget(target) }
  }
}

extension DetectedTag {
  /// What activation has told of it; `nil` for a tag of no reader.
  fileprivate var target: Target? { (tag as? any HandleTag)?.handle.target }
}
