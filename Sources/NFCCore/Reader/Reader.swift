import Synchronization

/// An open reader: it finds tags, and every command to a tag goes through it.
///
/// A reader is an actor on its own thread, because the underlying libraries block: any number of
/// readers can work concurrently, and none of them blocks a thread of Swift's own.
///
/// Cancelling the task that waits for a tag or an answer stops the radio at once, throws
/// `CancellationError`, and leaves the reader ready for the next call.
///
/// The carrier is switched off by ``close()``, and when the last reference is released. Only ``close()`` can be
/// awaited: use it before you open the same reader again.
///
/// If the reader disappears, the running call ends with `readerLost`. Each later call tries once to
/// reach it again, and throws `readerLost` as long as that fails. A reader can return as a serial
/// port under the same name, as a USB reader that is plugged in again, or with a PC/SC service that
/// is restarted. Tags that were found before are lost.
public actor Reader {
  /// The name for people, for instance `pn532_uart:/dev/ttyUSB0`.
  public nonisolated let name: String
  /// The connection string that the reader was opened with.
  public nonisolated let connectionString: String
  /// The address that the reader was opened with, for instance to compare it with that of a ``FoundReader``.
  public nonisolated var address: ReaderAddress { ReaderAddress(connectionString) }
  /// What the reader supports.
  public nonisolated let capabilities: ReaderCapabilities
  /// The reader's chip and its firmware version, as the reader reports them; `nil` if it does not.
  package nonisolated let firmware: String?

  private nonisolated let executor: any SerialExecutor & TaskExecutor
  private nonisolated let abort: @Sendable () -> Void
  private nonisolated let announceClose: @Sendable () -> Void
  /// The operation that the driver is busy with, so that a cancellation ends no other.
  private nonisolated let running = Mutex<Operation?>(nil)
  private nonisolated let owner: DriverOwner
  private(set) var isOpen = true
  /// The number of times that the carrier was switched off: a tag belongs to the period in which it
  /// was found.
  var epoch = 0
  /// The tag that commands go to. Weak, because a tag holds its reader.
  weak var connected: TagHandle?
  /// The connected tag has to be woken before the next command.
  var needsSelect = false
  /// What is known of the tags in the field.
  var fieldState = FieldState.fresh

  enum FieldState {
    /// The carrier was switched on, and no tag has been found since: each is as it was when it got its power.
    case fresh
    /// Tags were found, and may be active or asleep.
    case used
    /// A call has failed or was aborted: the reader may be lost.
    case doubtful
  }

  /// Whether the carrier stays on while this reader polls. It does not with a driver that does not find tags one by
  /// one, because a service polls for it.
  nonisolated let pollsContinuously: Bool
  /// What makes the reader act as a card; nothing else can use it meanwhile.
  var emulation: EmulationToken?

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// What the chips of Ultralight and NTAG tags would answer to GET_VERSION, by the tags' identifiers, for those that do
  /// not answer: a program that has made such a tag may know its chip.
  package nonisolated let presumedVersions = Mutex<[[UInt8]: [UInt8]]>([:])

  /// What is sent after each unanswered search; see ``setPollingFrames(_:)``.
  nonisolated let broadcast = Mutex<[PollingFrame]>([])
  /// Whether the driver was told that frames are sent.
  var driverBroadcasts = false

  /// The reader's thread, for a task that does little except talk to the reader: a task that
  /// prefers it changes threads for no exchange. Everything else that the task does delays the
  /// reader.
  package nonisolated var taskExecutor: any TaskExecutor { executor }

  /// Creates a reader with a driver.
  ///
  /// - Parameters:
  ///   - driver: the driver; used only on `executor` from now on.
  ///   - executor: runs one job at a time, on a thread that may block.
  public init(
    driver: sending any ReaderDriver, executor: any SerialExecutor & TaskExecutor
  ) {
    name = driver.name
    connectionString = driver.connectionString
    capabilities = driver.capabilities
    firmware = driver.firmware
    abort = driver.abort
    announceClose = driver.announceClose
    pollsContinuously = TagTechnology.allCases.contains(where: driver.findsOneByOne)
    self.executor = executor
    owner = DriverOwner(driver)
  }

  deinit {
    // An isolated deinit would be sufficient, but Swift 6.3 cannot optimize a module that uses such
    // an actor.
    let owner = owner
    let executor = executor
    if isOpen { announceClose() }
    // A preference does not keep the executor alive; the closure does.
    Task.detached(executorPreference: executor) { withExtendedLifetime(executor) { owner.close() } }
  }

  /// The driver, which only this actor uses, on its executor, until its end.
  var driver: any ReaderDriver { owner.driver }

  /// Passes the driver to the executor at the actor's end.
  ///
  /// Unchecked because the driver is reached through the actor, which runs on the executor, and
  /// after the actor's end by one task on that executor.
  private final class DriverOwner: @unchecked Sendable {
    let driver: any ReaderDriver
    private var isClosed = false

    init(_ driver: any ReaderDriver) { self.driver = driver }

    func close() {
      guard !isClosed else { return }
      isClosed = true
      driver.close()
    }
  }

  /// Switches the carrier off and releases the reader. Every later call on it or its tags throws
  /// `readerLost`; closing it again does nothing.
  public func close() {
    guard isOpen else { return }
    isOpen = false
    connected = nil
    owner.close()
  }

  // MARK: Operations

  /// Runs `body` on the reader's thread, from its first to its last exchange without a hop.
  ///
  /// - Parameter emulation: what the operation belongs to, if it is one of a reader that acts as a card.
  nonisolated func perform<Result: Sendable>(
    for emulation: EmulationToken? = nil,
    _ body: @Sendable (isolated Reader, Operation) throws -> Result
  ) async throws -> Result {
    let operation = Operation(emulation)
    return try await withTaskCancellationHandler {
      try await run(operation, body)
    } onCancel: {
      guard operation.cancel() else { return }
      running.withLock { if $0 === operation { abort() } }
    }
  }

  private func run<Result: Sendable>(
    _ operation: Operation, _ body: @Sendable (isolated Reader, Operation) throws -> Result
  ) throws -> Result {
    try operation.checkCancellation()
    guard isOpen else { throw NFCError(.readerLost, "the reader has been closed") }
    driver.begin()
    running.withLock { $0 = operation }
    defer {
      running.withLock { $0 = nil }
      driver.end()
    }
    do {
      // Cancelled before it could be aborted, it has only been marked.
      try operation.checkCancellation()
      try leaveEmulation(for: operation)
      return try body(self, operation)
    } catch let error as NFCError {
      if operation.isCancelled || error.isReaderTrouble { fieldState = .doubtful }
      if operation.isCancelled { throw CancellationError() }
      if error.code == .readerLost { markReaderLost() }
      throw error
    } catch {
      fieldState = .doubtful
      throw error
    }
  }

  /// Marks the reader and its tags as lost: it can be used again only if it returns.
  private func markReaderLost() {
    guard isOpen else { return }
    epoch += 1
    connected = nil
    fieldState = .doubtful
    guard !driver.canReconnect else { return driver.disconnect() }
    isOpen = false
    owner.close()
  }

  /// Marks a reader that cannot be used any more as lost, together with its tags.
  func readerLost(causedBy error: NFCError) -> NFCError {
    markReaderLost()
    var lost = NFCError(.readerLost, error.reason, cause: error.cause)
    lost.recovery = error.recovery
    return lost
  }

  /// Whether a later call can reach a lost reader again.
  var canReconnect: Bool { isOpen && driver.canReconnect }

  /// Treats a reader that fails again and again as lost.
  func treatAsLost() { markReaderLost() }

  /// Tries to reach a reader again that has been lost.
  ///
  /// - Throws: `readerLost` as long as it has not returned.
  func reconnect() throws {
    do {
      fieldState = .doubtful
      // It is opened again: the following round need not switch the carrier once more.
      try resetField()
      fieldState = .fresh
    } catch let error as NFCError where error.code == .readerUnavailable {
      throw readerLost(causedBy: error)
    }
  }
}

extension NFCError {
  /// Whether the reader has failed, whatever the tag has done.
  fileprivate var isReaderTrouble: Bool { code == .readerUnavailable || code == .readerLost }
}
