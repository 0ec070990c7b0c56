extension Reader {
  /// Waits for the first suitable tag, and connects to it: the one loop of everything that waits for a tag.
  ///
  /// - Parameter limit: the maximum time to wait; zero for one look at all technologies, `nil` for no limit.
  /// - Throws: `noTag`, `wrongTag` if the last search has found only unsuitable tags, or the error for a card in use,
  ///   if none came in time; `readerLost`; `CancellationError`; what ``TagCriteria/onUnsuitableTags`` throws.
  package nonisolated func firstTag(
    _ criteria: TagCriteria, within limit: Duration?
  ) async throws -> DetectedTag {
    let clock = ContinuousClock()
    let end = limit.map { clock.now + $0 }
    var search = WaitingSearch(criteria.technologies, of: self)
    var failures = ReaderFailures()
    var lastSearchForOthers: ContinuousClock.Instant?
    while true {
      let start = clock.now
      var obstacle = NFCError(.noTag, "no tag came in time")
      do {
        let isLast = end.map { start >= $0 } ?? false
        var found = try await self.search(search.next(isLast: isLast), criteria)
        if found.tag == nil, found.unsuitableTags.isEmpty, !criteria.otherTechnologies.isEmpty,
          lastSearchForOthers.map({ clock.now - $0 > Self.periodOfOthers }) ?? true
        {
          found = try await self.search((criteria.otherTechnologies, false), criteria)
          lastSearchForOthers = clock.now
        }
        failures.reset()
        if let tag = found.tag { return tag }
        if let other = found.unsuitableTags.first { obstacle = NFCError(unsuitable: other) }
        try criteria.onUnsuitableTags(found.unsuitableTags)
        if found.unsuitableTags.isEmpty { search.cycleLasted(clock.now - start) }
      } catch let error as NFCError where error.isCardInUse {
        obstacle = error
      } catch let error as NFCError where error.code == .readerUnavailable {
        do {
          try failures.add(error)
        } catch {
          await treatAsLost()
          throw error
        }
        obstacle = error
      }
      if let end, clock.now >= end, search.isComplete { throw obstacle }
      let pause = search.cycleDuration - (clock.now - start)
      if pause > .zero {
        try await clock.sleep(for: end.map { min(pause, clock.now.duration(to: $0)) } ?? pause)
      } else {
        try Task.checkCancellation()
      }
    }
  }

  /// The interval for polling other technologies.
  private static let periodOfOthers = Duration.seconds(2)

  /// Searches once for a suitable tag.
  private nonisolated func search(
    _ step: (technologies: [TagTechnology], resets: Bool), _ criteria: TagCriteria
  ) async throws -> (tag: DetectedTag?, unsuitableTags: [DetectedTag]) {
    try await perform { reader, operation in
      let found = try reader.findFirst(
        of: step.technologies, resets: step.resets, requestsVersion: criteria.requestsVersion,
        operation,
        where: criteria.fits)
      return (found.tag, found.others)
    }
  }

  /// The position in the turn of rare technologies at which this reader begins: the same for each program that uses it,
  /// so that a recording can be played back, and another one for most readers beside it.
  nonisolated var phase: Int {
    Int(
      connectionString.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 } % 60)
  }
}

extension NFCError {
  fileprivate init(unsuitable tag: DetectedTag) {
    let name = tag.identifier.isEmpty ? "without UID" : tag.identifier.hexadecimal
    self.init(.wrongTag, "the tag \(name) is not of the kind that was requested")
  }
}
