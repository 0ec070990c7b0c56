extension Reader {
  /// Searches once for a tag, one technology after the other, and stops at the first tag that fits. That
  /// tag is connected.
  ///
  /// Tags that were found before can no longer be used afterwards.
  ///
  /// - Parameters:
  ///   - technologies: the technologies to poll, in this order; the reader supports each of them.
  ///   - requestsVersion: whether a card that may be a DESFire is asked for its version; a card that is
  ///     not one counts as ISO 7816.
  ///   - fits: returns whether a tag is suitable.
  /// - Returns: the tag, `nil` if there is none; and the unsuitable tags that were found before it.
  /// - Throws: `readerUnavailable` if the search could not be finished, which may be tried again;
  ///   `readerLost`; `CancellationError`.
  package nonisolated func search(
    for technologies: [TagTechnology], requestsVersion: Bool = true,
    where fits: @Sendable (DetectedTag) -> Bool
  ) async throws -> (tag: DetectedTag?, unsuitableTags: [DetectedTag]) {
    try await perform { reader, operation in
      let found = try reader.findFirst(
        of: SearchSchedule.sweep(technologies), requestsVersion: requestsVersion, operation,
        where: fits)
      return (found.tag, found.others)
    }
  }

  /// Switches the carrier off until the next search, so that a phone ends what it shows.
  package nonisolated func switchOff() async throws {
    try await perform { reader, _ in try reader.switchFieldOff() }
  }

  /// Makes the next search of a wait, up to the first technology that has tags.
  ///
  /// Tags that were found before can no longer be used afterwards.
  ///
  /// - Returns: the tags, and the technologies that were searched for.
  /// - Throws: as ``search(for:requestsVersion:where:)``.
  package nonisolated func firstTags(
    _ search: inout WaitingSearch
  ) async throws -> (tags: [DetectedTag], searched: [TagTechnology]) {
    let (technologies, resets) = search.next(isLast: false)
    let result = try await firstTags(of: technologies, resets: resets)
    if !result.tags.isEmpty, let last = result.searched.last { search.ended(with: last) }
    return result
  }

  private nonisolated func firstTags(
    of technologies: [TagTechnology], resets: Bool
  ) async throws -> (tags: [DetectedTag], searched: [TagTechnology]) {
    try await perform { reader, operation in
      if resets { reader.fieldState = .used }
      try reader.resetField()
      for (index, technology) in technologies.enumerated() {
        try operation.checkCancellation()
        let (targets, first, hasMore) = try reader.find(technology, operation)
        var tags = [first].compactMap(\.self)
        let others =
          hasMore ? try reader.list(technology, excluding: targets) : first == nil ? targets : []
        for target in others {
          if let tag = try reader.detectIfPresent(target, operation) { tags.append(tag) }
        }
        if !tags.isEmpty { return (tags, Array(technologies.prefix(index + 1))) }
      }
      return ([], technologies)
    }
  }

  /// Returns the tags of these technologies as they come and go; see
  /// ``events(polling:period:survivesReaderLoss:onCardInUse:)``.
  ///
  /// - Parameter technologies: the technologies to poll; the reader supports each of them.
  package nonisolated func events(
    for technologies: [TagTechnology], period: Duration? = nil, survivesReaderLoss: Bool,
    onCardInUse: (@Sendable (NFCError) -> Void)?
  ) -> TagEvents {
    TagEvents(
      reader: self, technologies: technologies, period: period, refusal: nil,
      survivesReaderLoss: survivesReaderLoss, onCardInUse: onCardInUse)
  }
}

extension Reader {
  /// The number of tags of one technology after which a search ends, where tags are found one by one: more do not get
  /// enough power from one field.
  package static let maximumTagsAtOnce = 16
}
