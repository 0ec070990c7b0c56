extension Reader {
  /// Waits for the first tag in the field and connects to it, so that it accepts commands at once.
  ///
  /// Only the requested technologies are polled, and the search ends with the first tag: others may
  /// be in the field, see ``otherTags(like:)``. The cost is the activation of the tag, and
  /// switching the carrier off and on if the reader has found a tag before; tags that were found then
  /// can no longer be used. The first look makes one attempt for each technology, later ones two. The technologies
  /// that few tags have are looked for in turn, each at least once a second.
  ///
  /// ```swift
  /// let tag = try await reader.firstTag(polling: .iso14443a, within: .seconds(5))
  /// ```
  ///
  /// - Parameters:
  ///   - options: the technologies to look for, as in ``tags(polling:survivesReaderLoss:)``.
  ///   - limit: the maximum time to wait; zero for one round through the technologies, `nil` until
  ///     the task is cancelled.
  ///   - fits: returns whether a tag is suitable; other tags are skipped. It runs on the reader's
  ///     thread.
  /// - Throws: ``NFCError/Code/noTag`` if none came in time; ``NFCError/Code/wrongTag`` if only
  ///   unsuitable tags were found in the last round; ``NFCError/Code/readerUnavailable`` if another
  ///   program uses the card; ``NFCError/Code/unsupported`` for a technology that the reader does
  ///   not support; ``NFCError/Code/readerLost``.
  public nonisolated func firstTag(
    polling options: PollingOptions = .all, within limit: Duration? = nil,
    where fits: @escaping @Sendable (DetectedTag) -> Bool = { _ in true }
  ) async throws -> DetectedTag {
    let criteria = TagCriteria(technologies: try technologies(for: options), fits: fits)
    return try await firstTag(criteria, within: limit)
  }

  /// Returns the other tags in the field that have the same technology as a tag from
  /// ``firstTag(polling:within:where:)`` or polling: for a program that is about to change the tag,
  /// and must be sure that it is the right one.
  ///
  /// The tag is put to sleep and woken again; it is connected afterwards. A card of ISO/IEC 14443-4
  /// loses what is selected and unlocked in it, so call this first.
  ///
  /// - Returns: the other tags.
  /// - Throws: ``NFCError/Code/tagConnectionLost`` if the tag has left, or was found before polling
  ///   was restarted.
  public nonisolated func otherTags(like tag: DetectedTag) async throws -> [Target] {
    guard let tag = tag.tag as? any ConnectedTag, tag.handle.reader === self else {
      throw NFCError(.invalidParameter, "the tag was found by another reader")
    }
    let handle = tag.handle
    return try await perform { reader, operation in try reader.findOthers(than: handle, operation) }
  }

  /// Returns the technologies to poll, in their order.
  ///
  /// - Throws: `unsupported` for a technology that this reader does not support, `invalidParameter`
  ///   for none.
  nonisolated func technologies(
    for options: PollingOptions
  ) throws(NFCError) -> [TagTechnology] {
    if let missing = options.neededTechnologies.first(where: {
      !capabilities.technologies.contains($0)
    }) {
      throw NFCError(.unsupported, Self.refusal(missing, name))
    }
    let technologies = options.technologies.filter { capabilities.technologies.contains($0) }
    guard !technologies.isEmpty else {
      throw NFCError(.invalidParameter, "no technology to poll for was named")
    }
    return technologies
  }

  private static func refusal(_ technology: TagTechnology, _ reader: String) -> String {
    switch technology {
    case .iso15693:
      "\(reader) does not support ISO 15693: PN53x chips cannot, but some PC/SC readers can"
    default:
      "\(reader) cannot poll \(technology.rawValue)"
    }
  }
}
