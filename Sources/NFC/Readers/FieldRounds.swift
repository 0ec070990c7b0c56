import NFCCore

/// The tags in the fields of several readers, found in rounds: for programs that decide themselves
/// when each round takes place.
///
/// A reader that is lost does not affect the others: it is reported once and left out from then on.
package struct FieldRounds: Sendable {
  /// A tag that a round has found.
  package struct Found: Sendable {
    package let tag: DetectedTag
    /// Whether it is new since the previous rounds.
    package let isNew: Bool
  }

  private struct Field: Sendable {
    let share: ReaderShare
    var presence: TagPresence
  }

  private var fields: [Field]
  private let onLoss: @Sendable (Reader, NFCError) -> Void

  /// - Parameters:
  ///   - technologies: the technologies to look for. Those that no reader supports are left out.
  ///   - onLoss: called when a reader is lost while others remain.
  /// - Throws: `unsupported` if no reader supports any of them.
  package init(
    _ readers: Readers, polling technologies: [TagTechnology],
    onLoss: @escaping @Sendable (Reader, NFCError) -> Void
  ) throws(NFCError) {
    let shares = readers.shares(of: technologies)
    guard !shares.isEmpty else { throw Readers.refusal(technologies, readers.all) }
    fields = shares.map {
      Field(share: $0, presence: TagPresence(technologies: $0.technologies))
    }
    self.onLoss = onLoss
  }

  /// Returns the tags that are in the fields now. Those of the previous round can no longer be
  /// used.
  ///
  /// A card that another program uses counts as absent until that program releases it.
  ///
  /// - Throws: the error that lost the last reader, when none is left; `CancellationError`.
  package mutating func next() async throws -> [Found] {
    let outcomes = try await fields.map(\.share).search()
    var found: [Found] = []
    var remaining: [Field] = []
    var losses: [(Reader, NFCError)] = []
    for (field, outcome) in zip(fields, outcomes) {
      var field = field
      switch outcome {
      case .success(let tags):
        found += zip(tags, field.presence.arrivals(among: tags)).map {
          Found(tag: $0, isNew: $1)
        }
        remaining.append(field)
      case .failure(let error) where error.isCardInUse:
        remaining.append(field)
      case .failure(let error):
        losses.append((field.share.reader, error))
      }
    }
    fields = remaining
    if fields.isEmpty, let (_, error) = losses.first { throw error }
    for (reader, error) in losses { onLoss(reader, error) }
    return found
  }

  /// Forgets a tag, so that the next round reports it as new.
  package mutating func forget(_ tag: any Tag) {
    for index in fields.indices { fields[index].presence.forget(tag) }
  }
}

extension [ReaderShare] {
  /// Searches once with each reader, concurrently.
  ///
  /// - Returns: an outcome for each reader, in their order.
  /// - Throws: `CancellationError`.
  func search() async throws -> [Result<[DetectedTag], NFCError>] {
    try await withThrowingTaskGroup(
      of: (Int, Result<[DetectedTag], NFCError>).self
    ) { group in
      for (index, share) in enumerated() {
        group.addTask {
          // With optimization, Swift 6.3.1 loses `index` if the call is written inside the tuple.
          let outcome = try await share.searchOutcome()
          return (index, outcome)
        }
      }
      var outcomes = [Result<[DetectedTag], NFCError>?](repeating: nil, count: count)
      for try await (index, outcome) in group { outcomes[index] = outcome }
      return outcomes.compactMap(\.self)
    }
  }
}

extension ReaderShare {
  /// Searches once.
  ///
  /// - Throws: `CancellationError`.
  fileprivate func searchOutcome() async throws -> Result<[DetectedTag], NFCError> {
    do {
      return .success(try await tagsInField())
    } catch let error as NFCError {
      return .failure(error)
    }
  }

  /// Returns the tags in the field of the reader now. A search that fails is repeated at once.
  private func tagsInField() async throws -> [DetectedTag] {
    var failures = ReaderFailures()
    while true {
      do {
        return try await reader.tagsInField(for: technologies)
      } catch let error as NFCError
        where error.code == .readerUnavailable && !error.isCardInUse
      {
        try failures.add(error)
      }
    }
  }
}
