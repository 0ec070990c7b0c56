import SwiftNFCCore
import Synchronization

extension Readers {
  /// Waits for a tag, and stops at the first one that any reader finds. The tag accepts commands at
  /// once.
  ///
  /// - Parameters:
  ///   - options: the technologies to look for, in the order of ``PollingOptions/technologies``.
  ///     `.all` means all that the readers support; a named technology that none of them supports
  ///     throws `unsupported`.
  ///   - limit: the maximum time to wait; `nil` for no limit.
  ///   - fits: returns whether a tag is suitable; other tags are skipped.
  /// - Throws: ``NFCError/Code/noTag`` if none came in time, ``NFCError/Code/wrongTag`` if only unsuitable tags were
  ///   found in the last search; ``NFCError/Code/unsupported``;
  ///   ``NFCError/Code/readerLost`` if no reader is left; `CancellationError`.
  public func firstTag(
    polling options: PollingOptions = .all, within limit: Duration? = nil,
    where fits: @escaping @Sendable (DetectedTag) -> Bool = { _ in true }
  ) async throws -> DetectedTag {
    try check(options)
    return try await firstTag(
      TagCriteria(technologies: options.technologies, fits: fits), within: limit
    ).tag
  }

  /// A tag, and the reader that found it.
  package struct FoundTag: Sendable {
    package let tag: DetectedTag
    package let reader: Reader
  }

  package func firstTag(
    _ criteria: TagCriteria, within limit: Duration?
  ) async throws -> FoundTag {
    let shares = shares(of: criteria.technologies)
    guard !shares.isEmpty else { throw Self.refusal(criteria.technologies, all) }
    let others = self.shares(of: criteria.otherTechnologies)
    let report = UnsuitableTagReport(of: shares.count, criteria.onUnsuitableTags)
    @Sendable func search(_ share: ReaderShare) async throws -> FoundTag {
      let reader = share.reader
      var own = criteria
      own.technologies = share.technologies
      own.otherTechnologies = others.first { $0.reader === reader }?.technologies ?? []
      own.onUnsuitableTags = { try report.add($0, from: reader) }
      return FoundTag(tag: try await reader.firstTag(own, within: limit), reader: reader)
    }
    guard shares.count > 1 else { return try await search(shares[0]) }
    return try await withThrowingTaskGroup(of: Result<FoundTag, NFCError>.self) { group in
      for share in shares {
        group.addTask {
          do {
            return .success(try await search(share))
          } catch let error as NFCError {
            return .failure(error)
          }
        }
      }
      // The first tag ends the others' search; a reader that fails leaves the others.
      defer { group.cancelAll() }
      var problems: [NFCError] = []
      while let result = try await group.next() {
        switch result {
        case .success(let found): return found
        case .failure(let error): problems.append(error)
        }
      }
      // The expected card may be the one that another program uses.
      throw problems.first(where: \.isCardInUse) ?? problems.first { $0.code == .wrongTag }
        ?? problems.first { $0.code == .noTag } ?? problems.first
        ?? NFCError(.noTag, "no tag came in time")
    }
  }

  /// Returns the identifiers of other tags of the same technology that are in the field of any
  /// reader now.
  ///
  /// The tag is connected again afterwards.
  package func otherTags(than found: FoundTag) async throws -> [[UInt8]] {
    let technology = found.tag.technology
    let others = shares(of: [technology]).map(\.reader).filter { $0 !== found.reader }
    return try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
      group.addTask { try await found.reader.otherTags(like: found.tag).map(\.identifier) }
      for reader in others {
        // If another reader cannot answer now, that is no reason to refuse.
        group.addTask { [await Self.identifier(of: technology, on: reader)].compactMap(\.self) }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// The time that another reader has to say whether it has a tag.
  private static let patienceWithOthers = Duration.seconds(1)

  /// Returns the identifier of a tag that a reader finds now; `nil` if it finds none in time.
  private static func identifier(
    of technology: TagTechnology, on reader: Reader
  ) async -> [UInt8]? {
    await withTaskGroup(of: [UInt8]?.self) { group in
      group.addTask {
        let found = try? await reader.search(for: [technology]) { _ in true }
        return found?.tag?.identifier
      }
      group.addTask {
        try? await Task.sleep(for: patienceWithOthers)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  /// Refuses options that name a technology which no reader supports. A missing reader may support any.
  func check(_ options: PollingOptions) throws {
    guard !options.isSuperset(of: .all), missing.isEmpty || options.isEmpty else { return }
    // `.other` covers several technologies; no reader need have them all.
    let needed = options.isSuperset(of: .other) ? options.subtracting(.other) : options
    if let missing = missing(of: needed.technologies).first {
      throw Self.refusal([missing], all)
    }
    guard !options.isEmpty else {
      throw NFCError(.invalidParameter, "no technology to poll for was named")
    }
  }

  /// Returns those of some technologies that no reader supports.
  package func missing(of technologies: [TagTechnology]) -> [TagTechnology] {
    let readers = all
    return technologies.filter { technology in
      !readers.contains { $0.capabilities.technologies.contains(technology) }
    }
  }

  package static func refusal(_ technologies: [TagTechnology], _ readers: [Reader]) -> NFCError {
    let names = readers.map(\.name).joined(separator: ", ")
    guard technologies != [.iso15693] else {
      return NFCError(
        .unsupported,
        "\(names) does not support ISO 15693: PN53x chips cannot, but some PC/SC readers can")
    }
    let wanted = technologies.map(\.rawValue).joined(separator: ", ")
    return NFCError(.unsupported, "\(names) cannot poll \(wanted)")
  }
}

/// Collects the unsuitable tags of all readers: one reader may have the wanted tag while another
/// has an unsuitable one.
private final class UnsuitableTagReport: Sendable {
  private struct State {
    var unsuitableTags: [ObjectIdentifier: [DetectedTag]] = [:]
  }

  /// A reader that takes longer does not delay the report.
  private static let patience = Duration.seconds(1)

  private let readers: Int
  private let onUnsuitableTags: @Sendable ([DetectedTag]) throws -> Void
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  init(of readers: Int, _ onUnsuitableTags: @escaping @Sendable ([DetectedTag]) throws -> Void) {
    self.readers = readers
    self.onUnsuitableTags = onUnsuitableTags
  }

  func add(_ tags: [DetectedTag], from reader: Reader) throws {
    let unsuitableTags = state.withLock { state -> [DetectedTag]? in
      state.unsuitableTags[ObjectIdentifier(reader)] = tags
      guard state.unsuitableTags.count == readers || ContinuousClock.now - start > Self.patience
      else {
        return nil
      }
      return state.unsuitableTags.values.flatMap(\.self)
    }
    if let unsuitableTags { try onUnsuitableTags(unsuitableTags) }
  }
}
