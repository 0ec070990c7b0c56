import SwiftNFCCore

/// The tags in the fields of several readers, for programs that decide themselves
/// when each search takes place.
///
/// A reader that is lost does not affect the others: it is reported once and left out from then on.
package struct FieldRounds: Sendable {
  /// A tag that was found.
  package struct Found: Sendable {
    package let tag: DetectedTag
    /// Whether it is new since the previous searches.
    package let isNew: Bool
  }

  fileprivate struct Field: Sendable {
    let share: ReaderShare
    var presence: TagPresence
    var search: WaitingSearch

    init(_ share: ReaderShare) {
      self.share = share
      presence = TagPresence(technologies: share.technologies)
      search = WaitingSearch(share.technologies, of: share.reader)
    }
  }

  private var fields: [Field]
  /// The reader whose tags ended the last wait.
  private var lastFound: Reader?
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
    fields = shares.map(Field.init)
    self.onLoss = onLoss
  }

  /// Returns the tags that are in the fields now. Those of the previous search can no longer be
  /// used.
  ///
  /// A card that another program uses counts as absent until that program releases it.
  ///
  /// - Throws: the error that lost the last reader, when none is left; `CancellationError`.
  package mutating func next() async throws -> [Found] {
    let outcomes = try await fields.map(\.share).search()
    var found: [Found] = []
    var losses: [(Reader, NFCError)] = []
    for (index, outcome) in outcomes.enumerated() {
      switch outcome {
      case .success(let tags): found += fields[index].found(tags)
      case .failure(let error) where error.isCardInUse: break
      case .failure(let error): losses.append((fields[index].share.reader, error))
      }
    }
    try remove(losses)
    return found
  }

  /// Waits for tags, and returns those of the first reader and technology that has any: a tag does not wait for the
  /// rest of a search. Those of the previous search can no longer be used.
  ///
  /// - Parameters:
  ///   - isOver: returns whether nobody waits any more.
  ///   - sleep: waits for this long.
  /// - Returns: `nil` if nobody waits any more.
  /// - Throws: as ``next()``.
  package mutating func wait(
    until isOver: @escaping @Sendable () -> Bool,
    _ sleep: @escaping @Sendable (Duration) async throws -> Void
  ) async throws -> [Found]? {
    while !isOver() {
      let (fields, outcomes) = try await first(until: isOver, sleep)
      self.fields = fields
      var tags: [Found] = []
      var losses: [(Reader, NFCError)] = []
      for outcome in outcomes {
        switch outcome {
        case .found(let reader, let found):
          tags += found
          lastFound = reader
        case .lost(let reader, let error): losses.append((reader, error))
        }
      }
      try remove(losses)
      if !tags.isEmpty { return tags }
    }
    return nil
  }

  fileprivate enum Outcome: Sendable {
    case found(Reader, [Found])
    case lost(Reader, NFCError)
  }

  /// The time for which the reader whose tags ended the last wait lets the others search first.
  private static let headStart = Duration.milliseconds(500)

  /// Searches with all readers until one of them has found something or is lost.
  ///
  /// The reader whose tags ended the last wait begins after the others have searched once: if it is the quickest, the
  /// tags of the others would never be found otherwise.
  ///
  /// - Returns: the fields after the searches, and the results, none if nobody waits any more.
  private func first(
    until isOver: @escaping @Sendable () -> Bool,
    _ sleep: @escaping @Sendable (Duration) async throws -> Void
  ) async throws -> ([Field], [Outcome]) {
    guard fields.count > 1 else {
      var fields = fields
      var outcomes: [Outcome] = []
      for index in fields.indices {
        if let outcome = try await fields[index].wait(until: isOver, sleep) {
          outcomes.append(outcome)
        }
      }
      return (fields, outcomes)
    }
    let (searches, ended) = AsyncStream<Int>.makeStream()
    let last = fields.firstIndex { $0.share.reader === lastFound }
    let others = Set(fields.indices).subtracting([last].compactMap(\.self))
    return try await withThrowingTaskGroup(of: (Int, Field, Outcome?)?.self) { group in
      for (index, field) in fields.enumerated() {
        group.addTask {
          var field = field
          do {
            if index == last { await Self.wait(for: others, in: searches) }
            let outcome = try await field.wait(until: isOver, sleep) { ended.yield(index) }
            return (index, field, outcome)
          } catch is CancellationError {
            return nil
          }
        }
      }
      var fields = fields
      var outcomes: [Outcome] = []
      for try await result in group {
        guard let (index, field, outcome) = result else { continue }
        fields[index] = field
        guard let outcome else { continue }
        outcomes.append(outcome)
        group.cancelAll()
      }
      try Task.checkCancellation()
      return (fields, outcomes)
    }
  }

  /// Waits until some readers have searched, but not for one that is slow.
  private static func wait(for others: Set<Int>, in searches: AsyncStream<Int>) async {
    await withTaskGroup { group in
      group.addTask {
        var missing = others
        for await index in searches {
          missing.remove(index)
          if missing.isEmpty { return }
        }
      }
      group.addTask { try? await Task.sleep(for: headStart) }
      await group.next()
      group.cancelAll()
    }
  }

  private mutating func remove(_ losses: [(Reader, NFCError)]) throws {
    fields.removeAll { field in losses.contains { $0.0 === field.share.reader } }
    if fields.isEmpty, let (_, error) = losses.first { throw error }
    for (reader, error) in losses { onLoss(reader, error) }
  }

  /// Forgets a tag, so that the next search reports it as new.
  package mutating func forget(_ tag: any Tag) {
    for index in fields.indices { fields[index].presence.forget(tag) }
  }
}

extension FieldRounds.Field {
  fileprivate mutating func found(
    _ tags: [DetectedTag], searched: [TagTechnology]? = nil
  ) -> [FieldRounds.Found] {
    zip(tags, presence.arrivals(among: tags, searched: searched)).map {
      FieldRounds.Found(tag: $0, isNew: $1)
    }
  }

  /// Searches until a tag is found, the reader is lost, or nobody waits any more.
  ///
  /// - Parameter onSearch: called after each search that has found nothing.
  /// - Throws: `CancellationError`.
  fileprivate mutating func wait(
    until isOver: @Sendable () -> Bool, _ sleep: @Sendable (Duration) async throws -> Void,
    onSearch: @Sendable () -> Void = {}
  ) async throws -> FieldRounds.Outcome? {
    var failures = ReaderFailures()
    while !isOver() {
      let start = ContinuousClock.now
      do {
        let (tags, searched) = try await share.reader.firstTags(&search)
        failures.reset()
        let found = found(tags, searched: searched)
        if !found.isEmpty { return .found(share.reader, found) }
        search.cycleLasted(ContinuousClock.now - start)
      } catch let error as NFCError where error.isCardInUse {
        // It counts as absent.
      } catch let error as NFCError where error.code == .readerUnavailable {
        do throws(NFCError) { try failures.add(error) } catch { return .lost(share.reader, error) }
      } catch let error as NFCError {
        return .lost(share.reader, error)
      }
      onSearch()
      let pause = search.cycleDuration - (ContinuousClock.now - start)
      if pause > .zero { try await sleep(pause) }
    }
    return nil
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
