import NFCCore
import ReaderThread

/// Looks for readers, one source after the other.
package enum ReaderSearch {
  /// The readers of one source, looked for on a thread of its own.
  static func readers(of source: any ReaderSource) async throws -> [FoundReader] {
    try await onOwnThread { source.readers() }
  }

  /// The readers of all sources, each once: one that two sources have found is the first one's.
  static func allReaders() async throws -> [FoundReader] {
    var found: [FoundReader] = []
    for source in ReaderSources.all {
      found = merged(found, try await readers(of: source))
    }
    return found
  }

  /// As ``allReaders()``, for callers that cannot wait asynchronously.
  static func allReadersBlocking() -> [FoundReader] {
    ReaderSources.all.reduce(into: []) { $0 = merged($0, $1.readers()) }
  }

  /// - Parameter found: what earlier sources have found.
  static func merged(_ found: [FoundReader], _ more: [FoundReader]) -> [FoundReader] {
    found
      + more.filter { reader in
        !found.contains { $0.mayBe(reader) || $0.isSame(as: reader) }
      }
  }

  /// An attempt to open a reader.
  package struct Attempt: Sendable {
    package let found: FoundReader
    package let result: Result<Reader, NFCError>
    /// Whether the reader belongs to other programs as well.
    let isShared: Bool
    /// How long it took.
    package let duration: Duration

    package var reader: Reader? { try? result.get() }
    package var problem: NFCError? {
      if case .failure(let problem) = result { problem } else { nil }
    }
  }

  /// Opens readers, source by source; those of one source at the same time, so that one that does not answer
  /// holds up no other.
  ///
  /// A reader that an earlier source has found and opened is not opened again by a later one. One that the
  /// earlier source could not open is tried by the later one.
  ///
  /// - Parameters:
  ///   - names: the addresses of readers that are not found without being named, opened first.
  ///   - asks: whether a source is to be asked for its readers, by what was opened before.
  /// - Returns: all attempts, in the order of the sources.
  package static func open(
    naming names: [String] = [],
    asking asks: (any ReaderSource, [Attempt]) -> Bool = { _, _ in true }
  ) async throws -> [Attempt] {
    var attempts: [Attempt] = []
    for name in names {
      let address = ReaderAddress(name)
      let isShared = ReaderSources.source(of: address)?.isShared ?? false
      let found = FoundReader(address, aliases: try await aliases(of: address))
      attempts.append(await attempt(found, isShared: isShared))
    }
    for source in ReaderSources.all where asks(source, attempts) {
      let opened = attempts.filter { $0.reader != nil }
      let found = try await readers(of: source).filter { reader in
        !attempts.contains { $0.found.isSame(as: reader) }
          && !opened.contains { $0.found.mayBe(reader) }
      }
      attempts += await open(found, isShared: source.isShared)
    }
    try await checkCancellation(attempts)
    return attempts
  }

  private static func open(_ found: [FoundReader], isShared: Bool) async -> [Attempt] {
    await withTaskGroup(of: (Int, Attempt).self) { group in
      for (index, reader) in found.enumerated() {
        group.addTask { (index, await attempt(reader, isShared: isShared)) }
      }
      var attempts: [Int: Attempt] = [:]
      for await (index, attempt) in group { attempts[index] = attempt }
      return found.indices.compactMap { attempts[$0] }
    }
  }

  private static func attempt(_ found: FoundReader, isShared: Bool) async -> Attempt {
    let start = ContinuousClock.now
    let result: Result<Reader, NFCError>
    do {
      result = .success(try await Reader.open(found.address))
    } catch let error as NFCError {
      result = .failure(error)
    } catch {
      result = .failure(NFCError(.readerUnavailable, "\(error)"))
    }
    return Attempt(
      found: found, result: result, isShared: isShared, duration: ContinuousClock.now - start)
  }

  private static func checkCancellation(_ attempts: [Attempt]) async throws {
    guard Task.isCancelled else { return }
    for attempt in attempts { await attempt.reader?.close() }
    throw CancellationError()
  }

  /// Opens the first reader that can be opened.
  static func openFirst() async throws -> (FoundReader, Reader) {
    var problem: NFCError?
    for source in ReaderSources.all {
      for found in try await readers(of: source) {
        try Task.checkCancellation()
        do {
          return (found, try await Reader.open(found.address))
        } catch let error as NFCError {
          problem = problem ?? error
        }
      }
    }
    if let problem { throw problem }
    throw try await nothingFound()
  }

  /// The readers of later sources that may be a reader which its own source cannot open.
  package static func standIns(for found: FoundReader) async throws -> [FoundReader] {
    var standIns: [FoundReader] = []
    for source in ReaderSources.all where !source.schemes.contains(found.address.scheme) {
      guard !found.namesElsewhere.isEmpty else { return [] }
      standIns += try await readers(of: source).filter { found.mayBe($0) }
    }
    return standIns
  }

  /// Why no reader was found.
  package static func nothingFound() async throws -> NFCError {
    for source in ReaderSources.all {
      if let obstacle = try await onOwnThread({ source.obstacle() }) {
        let cause = obstacle.cause.map { ", and \($0)" } ?? ""
        return NFCError(
          .readerNotFound, "no reader was found\(cause); \(obstacle.reason)",
          cause: obstacle.cause)
      }
    }
    let names = ReaderSources.all.map(\.name)
    return NFCError(
      .readerNotFound, "no reader was found, neither by \(names.joined(separator: " nor by "))")
  }

  /// Further addresses of the reader at an address.
  static func aliases(of address: ReaderAddress) async throws -> [ReaderAddress] {
    guard let source = ReaderSources.source(of: address) else { return [] }
    return try await onOwnThread { source.aliases(of: address) }
  }

  private static func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async throws -> Result {
    let thread = try Reader.makeThread()
    return await Task(executorPreference: thread) { body() }.value
  }
}

extension Reader {
  /// All readers that can be found without being named: first libnfc's, which are USB readers and what its
  /// configuration and environment name, then those of the PC/SC service. A PN532 on a serial port is found
  /// only by being named.
  ///
  /// A reader that both can drive is listed once, as libnfc's, which gets more out of it: an ACR122U or an
  /// SCL3711 is left out of the PC/SC readers while libnfc lists such a one. `pcsc:` and its name open it all
  /// the same, unless libnfc has it open. PC/SC slots for SAM cards are left out.
  ///
  /// Nothing is opened, and nothing is written to a reader that is in use.
  ///
  /// - Throws: ``NFCError/Code/readerUnavailable`` if the system gives no thread.
  public static func list() async throws -> [FoundReader] {
    try await ReaderSearch.allReaders()
  }

  /// As ``list()``, for callers that cannot wait asynchronously: it blocks while all sources look.
  package static func connectionStrings() -> [String] {
    ReaderSearch.allReadersBlocking().map(\.address.description)
  }
}
