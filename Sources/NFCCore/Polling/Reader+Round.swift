extension Reader {
  /// Returns the tags that are in the field now: one round through all technologies, without
  /// waiting.
  ///
  /// Tags that were found before can no longer be used afterwards: the carrier is switched off and
  /// on, if any were.
  ///
  /// - Parameter options: the technologies to look for, as in
  ///   ``tags(polling:survivesReaderLoss:)``.
  /// - Throws: ``NFCError/Code/unsupported`` for a technology that the reader does not support;
  ///   ``NFCError/Code/readerUnavailable`` if the round failed, which can be repeated;
  ///   ``NFCError/Code/readerLost``.
  public nonisolated func tagsInField(
    polling options: PollingOptions = .all
  ) async throws -> [DetectedTag] {
    try await tagsInField(for: technologies(for: options))
  }

  /// As ``tagsInField(polling:)``.
  ///
  /// - Parameter technologies: the technologies to poll; the reader supports each of them.
  package nonisolated func tagsInField(
    for technologies: [TagTechnology]
  ) async throws -> [DetectedTag] {
    let tags = try await round(technologies)
    // The first round after opening makes only one attempt for each.
    return tags.isEmpty && pollsContinuously ? try await round(technologies) : tags
  }

  private nonisolated func round(_ technologies: [TagTechnology]) async throws -> [DetectedTag] {
    try await perform { reader, operation in
      try reader.resetField()
      var tags: [DetectedTag] = []
      for technology in SearchSchedule.sweep(technologies) {
        try operation.checkCancellation()
        for target in try reader.list(technology) {
          // A tag that has left meanwhile is not included.
          if let tag = try reader.detectIfPresent(target, operation) { tags.append(tag) }
        }
      }
      return tags
    }
  }
}
