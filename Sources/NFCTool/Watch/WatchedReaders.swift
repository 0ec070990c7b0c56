import NFC
import SwiftNFCBackground
import Synchronization

/// The readers of one watcher: those that were specified, or all readers that are present or arrive later.
final class WatchedReaders: Sendable {
  private let options: GlobalOptions
  private let period: Duration?
  /// Sent by each reader after unanswered searches.
  private let frames: [PollingFrame]
  private let watcher: Watcher
  private let readers = Mutex<[WatchedReader]>([])
  /// The addresses under which other sources have opened readers, by name, if a reader's own source cannot
  /// open it.
  private let substitutes = Mutex<[String: ReaderAddress]>([:])

  /// - Parameter period: the time from one look to the next, if the carrier is off in between.
  init(
    _ options: GlobalOptions, period: Duration?, frames: [PollingFrame] = [], watcher: Watcher
  ) {
    self.options = options
    self.frames = frames
    self.period = period
    self.watcher = watcher
  }

  /// Watches until the task is cancelled.
  func run() async throws {
    guard !options.hasOwnReaders else { return try await runOwn() }
    try await ExchangeFiles.keep(options.recording) { _ in try await runAttached() }
  }

  private func runAttached() async throws {
    RuntimeFolder.removeRemains()
    let named =
      options.readers.isEmpty ? [Reader.nameInEnvironment].compactMap(\.self) : options.readers
    guard named.isEmpty else { return try await run(named) }
    try await runAll()
  }

  /// Lets the reader that a topic names execute a command.
  func execute(_ message: MQTTPublisher.CommandMessage, publisher: MQTTPublisher) {
    let reader = readers.withLock { $0.first { MQTTTopic.level(of: $0.name) == message.level } }
    guard let reader else { return }
    let name = reader.name
    let command: RemoteCommand
    do {
      command = try RemoteCommand(message)
    } catch {
      let id = RemoteCommand.identifier(in: message.payload)
      return publisher.answer(RemoteCommand.answer(id, failure: error), from: name)
    }
    reader.enqueue(
      WatchedReader.Command(deadline: .now + command.timeout) { open in
        publisher.answer(await command.answer(with: open), from: name)
      } expire: {
        let failure = Failure(.noReader, "the reader \(name) is away")
        publisher.answer(RemoteCommand.answer(command.id, failure: failure), from: name)
      })
  }

  /// Watches named readers, and waits for those that are absent.
  ///
  /// - Throws: a ``Failure`` for a name that no reader can have. Waiting for it would never end.
  private func run(_ names: [String]) async throws {
    for name in names {
      do {
        try ReaderSources.check(ReaderAddress(name))
      } catch {
        let advice = AddressAdvice.advice(
          for: name, in: .init(isOption: !options.readers.isEmpty))
        throw Failure(
          .noReader, error.description, advice: advice ?? "nfc readers lists the readers")
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in Set(names) {
        let lock = try WatchLock(reader: name)
        let named = NamedReader(ReaderAddress(name))
        let reader = add(name, FoundReader(ReaderAddress(name))) { _ in try await named.open() }
        group.addTask {
          try await reader.run()
          _ = lock
        }
      }
      try await group.waitForAll()
    }
  }

  /// The time after which it is said that there is no reader. Those that are there are found at once.
  private static let patience = Duration.seconds(1)

  /// Watches all readers as they arrive and leave.
  private func runAll() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        try await Task.sleep(for: Self.patience)
        guard readers.withLock(\.isEmpty) else { return }
        Output.printError("nfc: no reader yet; waiting for one; nfc doctor says more")
      }
      group.addTask { [self] in
        try await withThrowingDiscardingTaskGroup { group in
          for try await change in Reader.changes() {
            guard let reader = follow(change) else { continue }
            group.addTask { try await reader.run() }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Takes note of a reader that has arrived or left. Returns a reader that was not watched before.
  ///
  /// A USB reader that is plugged in again has another address; it is recognized by those of its addresses
  /// that stay.
  private func follow(_ change: ReaderChange) -> WatchedReader? {
    let watched = readers.withLock { $0 }
    switch change {
    case .disappeared(let found):
      for reader in watched { reader.disappears(found) }
      return nil
    case .appeared(let found):
      // More may be found out about a reader that has stayed, and less about one that is being unplugged.
      let same = watched.filter { $0.address == found.address }
      guard !(same + watched).contains(where: { $0.returns(as: found) }), !isWatched(found.address)
      else { return nil }
      let name = newName(for: found)
      return add(name, found) { [self] found in try await open(found, for: name) }
    }
  }

  /// Returns an address of a reader that no other reader has as its name. Another reader may have had the same
  /// address before, when its name was chosen.
  private func newName(for found: FoundReader) -> String {
    let names = Set(readers.withLock { $0.map(\.name) })
    let addresses = ([found.address] + found.aliases).map(\.description)
    return addresses.first { !names.contains($0) } ?? found.address.description
  }

  /// Returns whether the reader with this address is watched, under any name.
  private func isWatched(_ address: ReaderAddress) -> Bool {
    readers.withLock { $0.contains { $0.address == address } }
      || substitutes.withLock { $0.values.contains(address) }
  }

  /// Assigns an address to a reader, unless it is watched already.
  private func take(_ address: ReaderAddress, for name: String) -> Bool {
    guard !readers.withLock({ $0.contains { $0.address == address } }) else { return false }
    return substitutes.withLock { substitutes in
      guard !substitutes.values.contains(address) else { return false }
      substitutes[name] = address
      return true
    }
  }

  /// Opens a reader that was not specified. If its own source cannot open it, the same reader is opened
  /// through another source, which the list hides. An example is an ACR122U that the PC/SC service uses.
  private func open(_ found: FoundReader, for name: String) async throws -> Reader {
    substitutes.withLock { $0[name] = nil }
    do {
      return try await Reader.openIsolated(found.address)
    } catch let error as NFCError where error.code == .readerUnavailable {
      for other in try await ReaderSearch.substitutes(for: found)
      where take(other.address, for: name) {
        if let reader = try? await Reader.openIsolated(other.address) { return reader }
        substitutes.withLock { $0[name] = nil }
      }
      throw error
    }
  }

  /// Watches virtual readers and the readers of a recording.
  private func runOwn() async throws {
    try await Session.run(options) { session in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (reader, polling) in session.shares(of: .all) {
          let found = FoundReader(ReaderAddress(reader.connectionString))
          let watched = self.add(reader.connectionString, found, polling) { _ in reader }
          group.addTask { try await watched.run() }
        }
        if let demo = session.demo {
          group.addTask { while true { try await demo.showAll() } }
        }
        try await group.waitForAll()
      }
    }
  }

  private func add(
    _ name: String, _ found: FoundReader, _ polling: PollingOptions = .all,
    _ open: @escaping @Sendable (FoundReader) async throws -> Reader
  ) -> WatchedReader {
    let reader = WatchedReader(
      name, found, polling: polling, period: period, watcher: watcher,
      isLendable: !options.hasOwnReaders,
      open: { [frames] found in
        let reader = try await open(found)
        do throws(NFCError) {
          try reader.setPollingFrames(frames)
        } catch {
          await reader.close()
          // It is not waited for: it will never be able to.
          throw Failure(error)
        }
        return reader
      })
    readers.withLock { $0.append(reader) }
    return reader
  }
}
