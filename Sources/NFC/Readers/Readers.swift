import NFCCore
import Synchronization

/// Several readers that work as one: they search for tags concurrently, without waiting for each
/// other.
///
/// ```swift
/// let readers = try await Readers.open()
/// let tag = try await readers.firstTag(within: .seconds(10))
/// print(try await tag.ndef?.readNDEF() as Any)
/// await readers.close()
/// ```
///
/// The technologies of each reader are decided once. A reader that fails or does not answer does
/// not affect the others: a call throws only when no reader is left.
public final class Readers: Sendable {
  /// One reader of a group.
  struct Member: Sendable {
    let reader: Reader
    /// The addresses for opening the reader again after it was lost, best first; empty for a reader
    /// that the program has opened.
    let addresses: [ReaderAddress]
    /// Whether it polls only what the others lack, because other programs use its cards.
    var isSupplement = false
  }

  private struct State {
    var first: Member
    var others: [Member]
    var isClosed = false
  }

  private let state: Mutex<State>

  /// Creates a group of readers that the program has opened.
  ///
  /// If there are other readers too, those of the PC/SC service poll only what the others lack. The
  /// group waits for a lost reader if its driver can reach it again.
  public init(_ first: Reader, _ others: [Reader] = []) {
    let readers = [first] + others
    let hasOwn = readers.contains { !$0.isShared }
    func member(_ reader: Reader) -> Member {
      Member(reader: reader, addresses: [], isSupplement: hasOwn && reader.isShared)
    }
    state = Mutex(State(first: member(first), others: others.map(member)))
  }

  /// Creates a group of one reader that has just been opened.
  package convenience init(_ reader: Reader, at address: ReaderAddress) {
    self.init(Member(reader: reader, addresses: [address]), [])
  }

  private init(_ first: Member, _ others: [Member]) {
    state = Mutex(State(first: first, others: others))
  }

  /// The open readers, at least one.
  public var all: [Reader] { members.map(\.reader) }

  /// The first reader, for a program that uses only one.
  public var first: Reader { state.withLock { $0.first.reader } }

  var members: [Member] { state.withLock { [$0.first] + $0.others } }

  /// Opens readers.
  ///
  /// - Parameters:
  ///   - addresses: the readers to open; empty for all readers that are found. Readers of the PC/SC
  ///     service are then opened for the technologies that no other reader supports, and in place
  ///     of a reader that only the service can open.
  ///   - options: the technologies that will be polled.
  /// - Throws: ``NFCError`` as in ``Reader/open(_:)-(String?)``, for the first of the named readers
  ///   that cannot be opened, or if none that is found can be opened.
  public static func open(
    _ addresses: [ReaderAddress] = [], polling options: PollingOptions = .all
  ) async throws -> Readers {
    guard let first = addresses.first else { return try await openAll(options.technologies) }
    return try await openNamed(first, Array(addresses.dropFirst()))
  }

  private static func openNamed(
    _ first: ReaderAddress, _ others: [ReaderAddress]
  ) async throws -> Readers {
    var opened: [Member] = []
    func member(_ address: ReaderAddress) async throws -> Member {
      let reader = try await Reader.open(address)
      let member = Member(
        reader: reader, addresses: try await ReaderSearch.aliases(of: address) + [address])
      opened.append(member)
      return member
    }
    do {
      let first = try await member(first)
      for address in others { _ = try await member(address) }
      let hasOwn = opened.contains { !$0.reader.isShared }
      return Readers(
        first.asSupplement(hasOwn), opened.dropFirst().map { $0.asSupplement(hasOwn) })
    } catch {
      for member in opened { await member.reader.close() }
      throw error
    }
  }

  private static func openAll(_ technologies: [TagTechnology]) async throws -> Readers {
    let attempts = try await ReaderSearch.open { source, attempts in
      // A source that shares its readers with other programs is asked only for technologies that
      // are still missing.
      !source.isShared || !attempts.hasAll(technologies)
    }
    var members: [Member] = []
    for attempt in attempts {
      guard let reader = attempt.reader else { continue }
      let hasOwn = members.contains { !$0.reader.isShared }
      let isSubstitute = attempts.contains { $0.reader == nil && $0.found.mayBe(attempt.found) }
      let isSupplement = attempt.isShared && hasOwn && !isSubstitute
      if isSupplement, !reader.hasMore(of: technologies, than: members) {
        await reader.close()
        continue
      }
      members.append(
        Member(
          reader: reader, addresses: attempt.found.aliases + [attempt.found.address],
          isSupplement: isSupplement))
    }
    if let first = members.first { return Readers(first, Array(members.dropFirst())) }
    for attempt in attempts { _ = try attempt.result.get() }
    throw try await ReaderSearch.noReaderFound()
  }

  /// Switches off all carriers and releases the readers.
  public func close() async {
    let members = state.withLock { state in
      state.isClosed = true
      return [state.first] + state.others
    }
    await withTaskGroup(of: Void.self) { group in
      for member in members { group.addTask { await member.reader.close() } }
    }
  }

  /// Returns the technologies for each reader; together, they cover everything requested.
  package func shares(of technologies: [TagTechnology]) -> [ReaderShare] {
    ReaderShare.shares(of: technologies, among: members)
  }

  /// Replaces a lost reader by the same reader opened again; `false` if the group was closed
  /// meanwhile.
  func replace(_ old: Reader, by new: Reader) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      if state.first.reader === old {
        state.first = state.first.with(new)
      } else if let index = state.others.firstIndex(where: { $0.reader === old }) {
        state.others[index] = state.others[index].with(new)
      }
      return true
    }
  }
}

extension Readers.Member {
  fileprivate func with(_ reader: Reader) -> Self {
    Self(reader: reader, addresses: addresses, isSupplement: isSupplement)
  }

  /// If this program has readers of its own, a shared reader is supplementary.
  fileprivate func asSupplement(_ hasOwn: Bool) -> Self {
    Self(reader: reader, addresses: addresses, isSupplement: hasOwn && reader.isShared)
  }
}

extension [ReaderSearch.Attempt] {
  fileprivate func hasAll(_ technologies: [TagTechnology]) -> Bool {
    let present = compactMap(\.reader).reduce(into: Set()) {
      $0.formUnion($1.capabilities.technologies)
    }
    return !isEmpty && allSatisfy { $0.reader != nil } && present.isSuperset(of: technologies)
  }
}

extension Reader {
  /// Whether the reader supports one of some technologies that none of the others supports.
  fileprivate nonisolated func hasMore(
    of technologies: [TagTechnology], than members: [Readers.Member]
  ) -> Bool {
    technologies.contains { technology in
      capabilities.technologies.contains(technology)
        && !members.contains { $0.reader.capabilities.technologies.contains(technology) }
    }
  }
}
