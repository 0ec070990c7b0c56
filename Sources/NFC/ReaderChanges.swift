import NFCCore
import ReaderThread
import Synchronization

/// A reader that has been plugged in or unplugged.
public enum ReaderChange: Hashable, Sendable {
  /// A reader is there.
  case appeared(FoundReader)
  /// A reader is no longer there.
  case disappeared(FoundReader)
}

/// Readers as they come and go, until the task is cancelled; those that are there come first.
///
/// Each source is watched on a thread of its own, so that one that does not answer holds up no other. libusb
/// reports USB readers once this login has its rights to them, and the PC/SC service its own; it is waited for
/// again after it has stopped. What nothing reports, as in a container without udev, is noticed within a second.
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
    /// - Throws: `CancellationError`; ``NFCError/Code/readerUnavailable`` if the system gives no thread.
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

    /// Those that have gone first, so that one that comes back under its name is not missed.
    static func changes(from old: [FoundReader], to new: [FoundReader]) -> [ReaderChange] {
      old.filter { !new.contains($0) }.map { .disappeared($0) }
        + new.filter { !old.contains($0) }.map { .appeared($0) }
    }
  }
}

extension Reader {
  /// Readers as they are plugged in and unplugged, as ``list()`` gives them.
  ///
  /// ```swift
  /// for try await change in Reader.changes() {
  ///   if case .appeared(let found) = change { print(found.address) }
  /// }
  /// ```
  ///
  /// - Parameter addresses: readers that are not found without being named, as those on a serial port: such a
  ///   reader is there as long as its port is. The one that the environment variable `NFC_READER` names is among
  ///   them.
  public static func changes(naming addresses: [ReaderAddress] = []) -> ReaderChanges {
    let own = nameInEnvironment.map { [ReaderAddress($0)] } ?? []
    return ReaderChanges(addresses: addresses + own)
  }
}

/// Watches all sources, each on a thread of its own; ends that when it goes.
private final class ReaderWatch: Sendable {
  /// How soon a source that has no way to wait is asked again.
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
      let thread = try Reader.makeThread()
      let report: @Sendable ([FoundReader]) -> Void = { [weak self] in self?.set($0, index) }
      let task = Task(executorPreference: thread) { await Self.watch(source, named, report) }
      tasks.withLock { $0.append(task) }
    }
  }

  deinit {
    for task in tasks.withLock({ $0 }) { task.cancel() }
    changed.finish()
  }

  /// All readers, once something about them has changed; `nil` if the task was cancelled.
  func next() async -> [FoundReader]? {
    for await _ in changes {
      let lists = state.withLock { $0 }
      // A source that has not said anything yet may be one that does not answer.
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
