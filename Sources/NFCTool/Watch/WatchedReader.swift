import Dispatch
import NFC
import SwiftNFCBackground
import Synchronization

/// Watches one reader while the task is running: opens it, opens it again when it returns, and runs commands
/// between two steps of polling.
final class WatchedReader: Sendable {
  /// The name by which the reader was specified, or its address when it was first found. It is in all reports,
  /// and does not change when the reader returns under another address.
  let name: String
  private let open: @Sendable (FoundReader) async throws -> Reader
  private let watcher: Watcher
  private let polling: PollingOptions
  private let period: Duration?
  /// Whether other programs can open the reader while this program has closed it.
  private let isLendable: Bool
  private let state: Mutex<State>

  private struct State {
    /// The reader as it was found last.
    var found: FoundReader
    /// Whether the reader has been found and has not been removed since.
    var isPresent = true
    /// Ends the wait for the next event.
    var interrupt: (@Sendable () -> Void)?
    var commands: [Command] = []
    var borrowers: [Borrower] = []
    /// Whether the reader was reported as away, and has not been reported as back since.
    var isAway = false
    /// Whether it is not known yet what lies on the reader at the start.
    var isFirstLook = true
  }

  /// A program that is using the reader or waiting for it.
  private struct Borrower {
    let socket: LocalSocket
    var isGranted = false
  }

  /// An operation on the open reader that is performed between two steps of polling.
  struct Command: Sendable {
    /// The time after which the operation is no longer wanted if the reader was not open until then.
    let deadline: ContinuousClock.Instant
    let perform: @Sendable (Reader) async -> Void
    /// Called instead of `perform` after the deadline.
    let expire: @Sendable () -> Void
  }

  /// The interval at which a reader is tried again after a failure.
  private static let pause = Duration.milliseconds(500)

  /// - Parameter open: opens the reader at its present address.
  init(
    _ name: String, _ found: FoundReader, polling: PollingOptions, period: Duration?,
    watcher: Watcher, isLendable: Bool,
    open: @escaping @Sendable (FoundReader) async throws -> Reader
  ) {
    self.name = name
    state = Mutex(State(found: found))
    self.polling = polling
    self.period = period
    self.isLendable = isLendable
    self.watcher = watcher
    self.open = open
  }

  /// The address at which the reader can be opened now.
  var address: ReaderAddress { state.withLock(\.found.address) }

  /// Takes note of a reader that has been removed, if it is this one.
  func disappears(_ found: FoundReader) {
    state.withLock { if $0.found.address == found.address { $0.isPresent = false } }
  }

  /// Takes note of a reader that has been found.
  ///
  /// - Returns: whether it is this one, which has returned, possibly under another address. A reader that is
  ///   present is not another one, even with the same serial number: not all makers assign different numbers. One
  ///   with another serial number or product name is another one, even on the same port.
  func returns(as found: FoundReader) -> Bool {
    state.withLock { state in
      guard !state.isPresent, state.found.isSame(as: found),
        state.found.address.scheme == found.address.scheme,
        !state.found.isAnotherDevice(than: found)
      else { return false }
      let last = state.found
      state.found = found
      // Of a reader that is being unplugged, the system may list nothing but its address.
      if last.address == found.address {
        if found.aliases.isEmpty { state.found.aliases = last.aliases }
        state.found.serialNumber = found.serialNumber ?? last.serialNumber
        state.found.name = found.name ?? last.name
      }
      state.isPresent = true
      return true
    }
  }

  /// Runs a command on the reader as soon as the reader is present, at the latest at the command's deadline.
  func enqueue(_ command: Command) {
    let interrupt = state.withLock { state in
      state.commands.append(command)
      return state.interrupt
    }
    interrupt?()
  }

  /// Gives up the commands for which the reader was closed or absent for too long.
  private func expireCommands() {
    let now = ContinuousClock.now
    let expired = state.withLock { state in
      defer { state.commands.removeAll { $0.deadline <= now } }
      return state.commands.filter { $0.deadline <= now }
    }
    for command in expired { command.expire() }
  }

  /// Lends the reader to a program until the program closes the connection.
  private func grantReader(to borrower: LocalSocket) {
    let interrupt = state.withLock { state in
      state.borrowers.append(Borrower(socket: borrower))
      return state.interrupt
    }
    interrupt?()
  }

  /// Listens for programs that request the reader. Returns `nil` if that is not possible.
  private func listenForBorrowers() -> (socket: LocalSocket, source: any DispatchSourceRead)? {
    guard isLendable, let socket = try? ReaderLease.listen(for: MQTTTopic.level(of: name)) else {
      return nil
    }
    let source = DispatchSource.makeReadSource(
      fileDescriptor: socket.descriptor, queue: DispatchQueue(label: "nfc.lease"))
    source.setEventHandler { [weak self] in
      if let borrower = socket.accept() { self?.grantReader(to: borrower) }
    }
    source.resume()
    return (socket, source)
  }

  /// The interval at which the return of the reader is checked.
  private static let leasePause = Duration.milliseconds(50)

  private var hasBorrowers: Bool { state.withLock { !$0.borrowers.isEmpty } }

  /// Waits until no program uses the closed reader.
  private func waitForBorrowers() async throws {
    while true {
      let (isFree, waiting) = state.withLock { state in
        state.borrowers.removeAll(where: \.socket.isClosed)
        let waiting = state.borrowers.filter { !$0.isGranted }.map(\.socket)
        for index in state.borrowers.indices { state.borrowers[index].isGranted = true }
        return (state.borrowers.isEmpty, waiting)
      }
      guard !isFree else { return }
      for borrower in waiting { _ = ReaderLease.grant(borrower) }
      expireCommands()
      try await Task.sleep(for: Self.leasePause)
    }
  }

  /// Watches until the task is cancelled. Waits for a reader that is absent.
  ///
  /// - Throws: a ``Failure`` if a tap cannot be reported.
  func run() async throws {
    let listener = listenForBorrowers()
    defer {
      listener?.socket.removeName()
      listener?.source.cancel()
    }
    await watcher.begins(name)
    // This is kept until the next reader is open, so that no other device gets the name of its
    // pseudo-terminal.
    var last: Reader?
    defer { withExtendedLifetime(last) {} }
    while true {
      try Task.checkCancellation()
      do {
        try await waitForBorrowers()
        let reader = try await open(state.withLock(\.found))
        last = reader
        expireCommands()
        let proof = Task {
          try await Task.sleep(for: Self.probation)
          reportReturn()
        }
        defer { proof.cancel() }
        do {
          try await watch(reader)
          await reader.close()
          await watcher.loses(name)
        } catch {
          await reader.close()
          await watcher.loses(name)
          throw error
        }
      } catch let error as NFCError {
        reportAbsence(error)
        expireCommands()
        try await Task.sleep(for: Self.pause)
      }
    }
  }

  /// The time after which a reader that was opened is reported as back. One with a bad cable or too little power may
  /// fail again as soon as it polls.
  private static let probation = Duration.seconds(2)

  private func reportAbsence(_ error: NFCError) {
    let isNews = state.withLock { state in
      defer { state.isAway = true }
      return !state.isAway
    }
    guard isNews else { return }
    Output.printError("nfc: the reader \(name) is away: \(error.description); waiting for it")
  }

  private func reportReturn() {
    let isNews = state.withLock { state in
      defer { state.isAway = false }
      return state.isAway
    }
    if isNews { Output.printError("nfc: the reader \(name) is back") }
  }

  /// Returns the events of a reader. The first time, one look for all technologies shows the tags that lie on it: after a
  /// restart of the service, they are not taps.
  private func events(of reader: Reader) -> TagEvents.Iterator {
    let isFirst = state.withLock { state in
      defer { state.isFirstLook = false }
      return state.isFirstLook
    }
    let events = reader.events(polling: polling, period: period)
    return (isFirst ? events.sweepingFirst() : events).makeAsyncIterator()
  }

  /// Polls an open reader and runs commands between two steps, until another program requests the reader.
  ///
  /// The record of the tags that are there goes on through a command: what the command does with a tag, which it may
  /// leave selected, asleep or without power, is not another tap.
  private func watch(_ reader: Reader) async throws {
    var events = events(of: reader)
    while true {
      let outcome: Result<TagEvent?, any Error>
      (events, outcome) = await next(events, of: reader)
      do {
        guard let event = try outcome.get() else { return }
        try await handle(event, of: reader, isInitial: events.isSweeping)
      } catch is CancellationError {
        try Task.checkCancellation()
      }
      let commands = state.withLock { state in
        defer { state.commands = [] }
        return state.commands
      }
      for command in commands { await command.perform(reader) }
      if hasBorrowers { return }
    }
  }

  private func handle(
    _ event: TagEvent, of reader: Reader, isInitial: Bool
  ) async throws {
    switch event {
    case .arrived(let tag):
      reportReturn()
      // A named reader may have been found again by another address.
      let opened =
        reader.address.scheme == self.address.scheme
        ? reader.address : ReaderSources.underlying(reader.address)
      let address = opened.scheme == self.address.scheme ? opened : self.address
      try await watcher.arrived(
        tag, on: name, at: address.description, isInitial: isInitial)
    case .left(let tag): await watcher.left(tag, on: name)
    default: break
    }
  }

  /// Waits for the next event, until there is something else to do.
  ///
  /// - Returns: the events after it; a `CancellationError` in place of an event if there is something to do.
  private func next(
    _ events: TagEvents.Iterator, of reader: Reader
  ) async -> (TagEvents.Iterator, Result<TagEvent?, any Error>) {
    // On the reader's own thread, so that exchanges need not change threads.
    let wait = Task(executorPreference: reader.taskExecutor) {
      () -> (TagEvents.Iterator, Result<TagEvent?, any Error>) in
      var events = events
      do {
        let event = try await events.next()
        return (events, .success(event))
      } catch {
        return (events, .failure(error))
      }
    }
    let hasWork = state.withLock { state in
      state.interrupt = { wait.cancel() }
      return !state.commands.isEmpty || !state.borrowers.isEmpty
    }
    if hasWork { wait.cancel() }
    defer { state.withLock { $0.interrupt = nil } }
    return await withTaskCancellationHandler {
      await wait.value
    } onCancel: {
      wait.cancel()
    }
  }
}
