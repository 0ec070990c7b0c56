extension Reader {
  /// Searches once for a tag, one technology after the other, and stops at the first tag that fits. That
  /// tag is connected.
  ///
  /// Tags that were found before can no longer be used afterwards.
  ///
  /// - Parameters:
  ///   - technologies: the technologies to poll, in this order; the reader supports each of them.
  ///   - asksVersion: whether a card that may be a DESFire is asked for its version; a card that is
  ///     not one counts as ISO 7816.
  ///   - fits: returns whether a tag is suitable.
  /// - Returns: the tag, `nil` if there is none; and the unsuitable tags that were found before it.
  /// - Throws: `readerUnavailable` if the search could not be finished, which may be tried again;
  ///   `readerLost`; `CancellationError`.
  package nonisolated func search(
    for technologies: [TagTechnology], asksVersion: Bool = true,
    where fits: @Sendable (DetectedTag) -> Bool
  ) async throws -> (tag: DetectedTag?, unsuitableTags: [DetectedTag]) {
    try await perform { reader, operation in
      let found = try reader.findFirst(
        of: technologies, asksVersion: asksVersion, operation, where: fits)
      return (found.tag, found.others)
    }
  }

  /// Returns the tags of these technologies as they come and go; see
  /// ``events(polling:pause:survivesReaderLoss:onCardInUse:)``.
  ///
  /// - Parameter technologies: the technologies to poll; the reader supports each of them.
  package nonisolated func events(
    for technologies: [TagTechnology], pause: Duration, survivesReaderLoss: Bool,
    onCardInUse: (@Sendable (NFCError) -> Void)?
  ) -> TagEvents {
    TagEvents(
      reader: self, technologies: technologies, pause: pause, refusal: nil,
      survivesReaderLoss: survivesReaderLoss, onCardInUse: onCardInUse)
  }
}
