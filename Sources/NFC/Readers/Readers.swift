import SwiftNFCCore
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

  /// A named reader that could not be opened yet.
  struct MissingReader: Sendable {
    let address: ReaderAddress
    let error: NFCError
  }

  /// What happens if a named reader cannot be opened. More may be added.
  @nonexhaustive
  public enum MissingReaderBehavior: Hashable, Sendable {
    /// The reader's error is thrown, and no reader stays open.
    case fail
    /// The group begins with the other readers. While the events of the group are polled, it waits for the missing
    /// one; see ``ReadersEvent/readerMissing(_:_:)``.
    case wait
  }

  private struct State {
    var first: Member
    var others: [Member]
    var missing: [MissingReader] = []
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

  private init(_ first: Member, _ others: [Member], missing: [MissingReader] = []) {
    state = Mutex(State(first: first, others: others, missing: missing))
  }

  /// The open readers, at least one.
  public var all: [Reader] { members.map(\.reader) }

  /// The first reader, for a program that uses only one.
  public var first: Reader { state.withLock { $0.first.reader } }

  /// The named readers that could not be opened yet.
  public var missing: [ReaderAddress] { missingReaders.map(\.address) }

  var members: [Member] { state.withLock { [$0.first] + $0.others } }
  var missingReaders: [MissingReader] { state.withLock(\.missing) }

  /// Opens readers.
  ///
  /// - Parameters:
  ///   - addresses: the readers to open; empty for all readers that are found. Readers of the PC/SC
  ///     service are then opened for the technologies that no other reader supports, and in place
  ///     of a reader that only the service can open.
  ///   - options: the technologies that will be polled.
  ///   - behavior: what happens if some of the named readers cannot be opened. A program that starts with the
  ///     system, before every reader is there, waits for them.
  /// - Throws: ``NFCError`` as in ``Reader/open(_:)-(String?)``, for the first of the named readers that cannot be
  ///   opened, or if none can be opened; with ``MissingReaderBehavior/wait`` also for an address that no reader can
  ///   have.
  public static func open(
    _ addresses: [ReaderAddress] = [], polling options: PollingOptions = .all,
    ifMissing behavior: MissingReaderBehavior = .fail
  ) async throws -> Readers {
    guard !addresses.isEmpty else { return try await openAll(options.technologies) }
    return try await openNamed(addresses, behavior)
  }

  /// Opens the readers with these connection strings, at least one, as the call with addresses does.
  ///
  /// - Throws: ``NFCError``, as the call with addresses does.
  @_disfavoredOverload
  public static func open(
    _ connectionStrings: [String], polling options: PollingOptions = .all,
    ifMissing behavior: MissingReaderBehavior = .fail
  ) async throws -> Readers {
    try await open(
      connectionStrings.map { ReaderAddress($0) }, polling: options, ifMissing: behavior)
  }

  private static func openNamed(
    _ addresses: [ReaderAddress], _ behavior: MissingReaderBehavior
  ) async throws -> Readers {
    var opened: [Member] = []
    var missing: [MissingReader] = []
    do {
      for address in addresses {
        do {
          opened.append(try await Member(Reader.open(address), at: address))
        } catch let error as NFCError
          where behavior == .wait && error.group == .reader
          && ReaderSources.source(of: address) != nil
        {
          missing.append(MissingReader(address: address, error: error))
        }
      }
    } catch {
      for member in opened { await member.reader.close() }
      throw error
    }
    let hasOwn = opened.contains { !$0.reader.isShared }
    let members = opened.map { $0.asSupplement(if: hasOwn) }
    guard let first = members.first else {
      throw missing.first?.error ?? NFCError(.readerNotFound, "no reader was named")
    }
    return Readers(first, Array(members.dropFirst()), missing: missing)
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

  /// Adds a reader that was missing and has been opened.
  ///
  /// - Returns: the technologies that it polls, which may be none; `nil` if the group was closed meanwhile.
  func add(
    _ opened: Member, at address: ReaderAddress, polling technologies: [TagTechnology]
  ) -> [TagTechnology]? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      let members = [state.first] + state.others
      let member = opened.asSupplement(if: members.contains { !$0.reader.isShared })
      state.missing.removeAll { $0.address == address }
      state.others.append(member)
      return ReaderShare.share(of: technologies, for: member, among: members)
    }
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
  /// Creates a member of a reader that the group has opened.
  init(_ reader: Reader, at address: ReaderAddress) async throws {
    self.init(reader: reader, addresses: try await ReaderSearch.aliases(of: address) + [address])
  }

  fileprivate func with(_ reader: Reader) -> Self {
    Self(reader: reader, addresses: addresses, isSupplement: isSupplement)
  }

  /// If this program has readers of its own, a shared reader is supplementary.
  fileprivate func asSupplement(if hasOwn: Bool) -> Self {
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
