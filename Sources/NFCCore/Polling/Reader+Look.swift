extension Reader {
  /// Looks once for a tag, one technology after the other, and stops at the first tag that fits. That
  /// tag is connected.
  ///
  /// Tags that were found before are out of reach afterwards.
  ///
  /// - Parameters:
  ///   - technologies: what to look for, in this order; each is one that the reader has.
  ///   - asksVersion: whether a card that may be a DESFire is asked; one that is not is taken for a card of
  ///     ISO 7816.
  ///   - fits: whether a tag is one that is wanted.
  /// - Returns: the tag, `nil` if there is none; and the tags that were found before it and do not fit.
  /// - Throws: `readerUnavailable` if the look could not be finished, which may be tried again;
  ///   `readerLost`; `CancellationError`.
  package nonisolated func look(
    for technologies: [TagTechnology], asksVersion: Bool = true,
    where fits: @Sendable (DetectedTag) -> Bool
  ) async throws -> (tag: DetectedTag?, misfits: [DetectedTag]) {
    try await perform { reader, work in
      let found = try reader.findFirst(
        of: technologies, asksVersion: asksVersion, work, where: fits)
      return (found.tag, found.others)
    }
  }

  /// Tags of these technologies as they come and go, as
  /// ``events(polling:pause:survivesReaderLoss:onCardInUse:)`` reports them.
  ///
  /// - Parameter technologies: each is one that the reader has.
  package nonisolated func events(
    for technologies: [TagTechnology], pause: Duration, survivesReaderLoss: Bool,
    onCardInUse: (@Sendable (NFCError) -> Void)?
  ) -> TagEvents {
    TagEvents(
      reader: self, technologies: technologies, pause: pause, refusal: nil,
      survivesReaderLoss: survivesReaderLoss, onCardInUse: onCardInUse)
  }
}
