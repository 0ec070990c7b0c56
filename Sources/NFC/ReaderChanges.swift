import SwiftNFCCore
import ReaderThread
import Synchronization

/// A reader that was plugged in or unplugged. More may be added: a `switch` needs an `@unknown default`.
@nonexhaustive
public enum ReaderChange: Hashable, Sendable {
  /// A reader was found.
  case appeared(FoundReader)
  /// A reader has been removed.
  case disappeared(FoundReader)
}

/// A sequence of the readers that are plugged in and unplugged, until the task is cancelled.
/// Readers that are present at the start come first.
///
/// Each source is watched on its own thread, so that a source that does not answer does not delay
/// the others. libusb reports USB readers when this login has its rights to them. The PC/SC service
/// reports its readers; if it stops, this waits for it to start again. Changes that nothing
/// reports, as in a container without udev, are noticed within a second.
public struct ReaderChanges: AsyncSequence, Sendable {
  public typealias Element = ReaderChange

  let addresses: [ReaderAddress]

  public func makeAsyncIterator() -> Iterator { Iterator(addresses: addresses) }

  /// Waits for the next change.
  public struct Iterator: AsyncIteratorProtocol {
    let addresses: [ReaderAddress]
    private var watch: ReaderWatch?
    private var known: [FoundReader] = []
    private var queue: [ReaderChange] = []

    init(addresses: [ReaderAddress]) { self.addresses = addresses }

    /// Waits until a reader is plugged in or unplugged. It never returns `nil`.
    ///
    /// - Throws: `CancellationError`; ``NFCError/Code/readerUnavailable`` if the system cannot
    ///   create a thread.
    public mutating func next() async throws -> ReaderChange? {
      let watch = try self.watch ?? ReaderWatch(addresses)
      self.watch = watch
      while queue.isEmpty {
        try Task.checkCancellation()
        guard let found = await watch.next() else { throw CancellationError() }
        queue = Self.changes(from: known, to: found)
        known = found
      }
      return queue.removeFirst()
    }

    /// Returns the changes between two lists. Readers that disappeared come first, so that a reader
    /// that returns under the same name is not missed.
    static func changes(from old: [FoundReader], to new: [FoundReader]) -> [ReaderChange] {
      old.filter { !new.contains($0) }.map { .disappeared($0) }
        + new.filter { !old.contains($0) }.map { .appeared($0) }
    }
  }
}

extension Reader {
  /// Returns the readers of ``list()`` as they are plugged in and unplugged.
  ///
  /// ```swift
  /// for try await change in Reader.changes() {
  ///   if case .appeared(let found) = change { print(found.address) }
  /// }
  /// ```
  ///
  /// - Parameter addresses: readers that are found only by name, such as those on a serial port:
  ///   such a reader is present as long as its port is. The reader in the environment variable
  ///   `NFC_READER` is included.
  public static func changes(naming addresses: [ReaderAddress] = []) -> ReaderChanges {
    let own = nameInEnvironment.map { [ReaderAddress($0)] } ?? []
    return ReaderChanges(addresses: addresses + own)
  }
}

/// Watches all sources, each on its own thread; ends that when it is released.
private final class ReaderWatch: Sendable {
  /// The interval at which a source that cannot wait is asked again.
  private static let period = Duration.seconds(1)

  private let state: Mutex<[[FoundReader]?]>
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation
  private let tasks = Mutex<[Task<Void, Never>]>([])

  init(_ addresses: [ReaderAddress]) throws {
    let sources = ReaderSources.all
    state = Mutex(Array(repeating: nil, count: sources.count))
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    for (index, source) in sources.enumerated() {
      let named = addresses.filter { source.schemes.contains($0.scheme) }
      let thread = try ReaderThread.forReader()
      let report: @Sendable ([FoundReader]) -> Void = { [weak self] in self?.set($0, index) }
      let task = Task(executorPreference: thread) { await Self.watch(source, named, report) }
      tasks.withLock { $0.append(task) }
    }
  }

  deinit {
    for task in tasks.withLock({ $0 }) { task.cancel() }
    changed.finish()
  }

  /// Returns all readers after a change; `nil` if the task was cancelled.
  func next() async -> [FoundReader]? {
    for await _ in changes {
      let lists = state.withLock { $0 }
      // A source that has not reported anything yet may be one that does not answer.
      return lists.reduce(into: []) { $0 = ReaderSearch.merged($0, $1 ?? []) }
    }
    return nil
  }

  private func set(_ found: [FoundReader], _ index: Int) {
    let isNew = state.withLock { lists in
      defer { lists[index] = found }
      return lists[index] != found
    }
    if isNew { changed.yield() }
  }

  private static func watch(
    _ source: any ReaderSource, _ named: [ReaderAddress],
    _ report: @Sendable ([FoundReader]) -> Void
  ) async {
    let watch = source.watch(naming: named)
    let cancel = watch.cancel
    while !Task.isCancelled {
      report(watch.readers())
      let isWaiting = await withTaskCancellationHandler {
        watch.wait(atMost: period)
      } onCancel: {
        cancel()
      }
      if !isWaiting { try? await Task.sleep(for: period) }
    }
  }
}
