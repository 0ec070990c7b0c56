import SwiftNFCCore
import ReaderThread

/// Searches for readers, one source after the other.
package enum ReaderSearch {
  /// Returns the readers of one source, searched for on its own thread.
  static func readers(of source: any ReaderSource) async throws -> [FoundReader] {
    try await onOwnThread { source.readers() }
  }

  /// Returns the readers of all sources, each once: a reader that two sources find belongs to the
  /// first one.
  static func allReaders() async throws -> [FoundReader] {
    var found: [FoundReader] = []
    for source in ReaderSources.all {
      found = merged(found, try await readers(of: source))
    }
    return found
  }

  /// Returns ``allReaders()``, for callers that cannot wait asynchronously.
  static func allReadersBlocking() -> [FoundReader] {
    ReaderSources.all.reduce(into: []) { $0 = merged($0, $1.readers()) }
  }

  /// - Parameter found: the readers that earlier sources have found.
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
    /// Whether other programs use the reader as well.
    let isShared: Bool
    /// The duration of the attempt.
    package let duration: Duration

    package var reader: Reader? { try? result.get() }
    package var problem: NFCError? {
      if case .failure(let problem) = result { problem } else { nil }
    }
  }

  /// Opens readers, source by source; those of one source concurrently, so that one that does not
  /// answer does not delay the others.
  ///
  /// A reader that an earlier source has found and opened is not opened again by a later one. A
  /// reader that the earlier source could not open is tried by the later one.
  ///
  /// - Parameters:
  ///   - names: the addresses of readers that are found only by name, which are opened first.
  ///   - asks: returns whether a source is to be searched, given what was opened before.
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
        group.addTask {
          // As in the search of several readers, the call is not written inside the tuple.
          let attempt = await attempt(reader, isShared: isShared)
          return (index, attempt)
        }
      }
      var attempts = [Attempt?](repeating: nil, count: found.count)
      for await (index, attempt) in group { attempts[index] = attempt }
      return attempts.compactMap(\.self)
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
    throw try await noReaderFound()
  }

  /// Returns the readers of later sources that may be the same as a reader which its own source
  /// cannot open.
  package static func substitutes(for found: FoundReader) async throws -> [FoundReader] {
    var substitutes: [FoundReader] = []
    for source in ReaderSources.all where !source.schemes.contains(found.address.scheme) {
      guard !found.alternativeNames.isEmpty else { return [] }
      substitutes += try await readers(of: source).filter { found.mayBe($0) }
    }
    return substitutes
  }

  /// Returns the reason why no reader was found.
  package static func noReaderFound() async throws -> NFCError {
    for source in ReaderSources.all {
      if let obstacle = try await onOwnThread({ source.availabilityError() }) {
        // What to do about a source is said by its diagnosis: a reader may be one of another source.
        let cause = obstacle.cause.map { "and \($0)" } ?? obstacle.reason
        return NFCError(
          .readerNotFound, "no reader was found, \(cause)", cause: obstacle.cause)
      }
    }
    return NFCError(.readerNotFound, "no reader was found")
  }

  /// Returns further addresses of the reader at an address.
  static func aliases(of address: ReaderAddress) async throws -> [ReaderAddress] {
    guard let source = ReaderSources.source(of: address) else { return [] }
    return try await onOwnThread { source.aliases(of: address) }
  }

  private static func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () -> Result
  ) async throws -> Result {
    let thread = try ReaderThread.forReader()
    return await Task(executorPreference: thread) { body() }.value
  }
}

extension Reader {
  /// Returns all readers that can be found without a name: first libnfc's, which are USB readers
  /// and those that its configuration and environment name, then those of the PC/SC service. A
  /// PN532 on a serial port is found only by name.
  ///
  /// A reader that both can drive is listed once, as libnfc's, which supports more of it: an
  /// ACR122U or an SCL3711 is left out of the PC/SC readers while libnfc lists such a reader.
  /// `pcsc:` and its name open it anyway, unless libnfc has it open. PC/SC slots for chip cards and
  /// SAM cards are left out, as far as their names identify them.
  ///
  /// No reader is opened, and nothing is written to a reader that is in use.
  ///
  /// - Throws: ``NFCError/Code/readerUnavailable`` if the system cannot create a thread.
  public static func list() async throws -> [FoundReader] {
    try await ReaderSearch.allReaders()
  }

  /// Returns the addresses of ``list()``, for callers that cannot wait asynchronously: it blocks
  /// while all sources are searched.
  package static func connectionStrings() -> [String] {
    ReaderSearch.allReadersBlocking().map(\.address.description)
  }
}
