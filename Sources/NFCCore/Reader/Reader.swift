import Synchronization

/// A reader that has been opened: it finds tags, and every command to a tag goes through it.
///
/// A reader is an actor on a thread of its own, because the libraries beneath it block: as many
/// readers as there are run side by side, and none of them holds up a thread of Swift's own.
///
/// Cancelling the task that waits for a tag or an answer stops the radio at once, throws
/// `CancellationError`, and leaves the reader ready for the next call.
///
/// The carrier is switched off by ``close()``, and when the last reference goes.
///
/// A reader that goes away in the middle ends what is running with `readerLost`. One of libnfc's
/// has to be opened anew when it is back. One of PC/SC's need not: each later call tries once to
/// reach it again, through a service that was stopped and started as well, and throws `readerLost`
/// as long as that fails. Tags that were found before are lost.
public actor Reader {
  /// What people call the reader, for instance `pn532_uart:/dev/ttyUSB0`.
  public nonisolated let name: String
  /// What ``Reader`` was opened by.
  public nonisolated let connectionString: String
  /// What it can do.
  public nonisolated let capabilities: ReaderCapabilities

  private nonisolated let executor: any SerialExecutor & TaskExecutor
  private nonisolated let abort: @Sendable () -> Void
  /// The work that the driver is busy with, so that a cancellation ends no other.
  private nonisolated let running = Mutex<Work?>(nil)
  private nonisolated let owner: DriverOwner
  private var isOpen = true
  /// Counts the carrier's interruptions: a tag belongs to the one in which it was found.
  private var epoch = 0
  /// The tag that commands go to. Weak, because a tag holds its reader.
  private weak var connected: TagHandle?
  /// The connected tag has to be woken before the next command.
  private var needsSelect = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// The reader's thread, for a task that does little but talk to the reader: preferring it, the task
  /// changes threads for no exchange. What else the task does holds the reader up.
  package nonisolated var taskExecutor: any TaskExecutor { executor }

  /// Makes a reader of a driver.
  ///
  /// - Parameters:
  ///   - driver: used on `executor` alone from now on.
  ///   - executor: runs one job at a time, on a thread that may block.
  public init(
    driver: sending any ReaderDriver, executor: any SerialExecutor & TaskExecutor
  ) {
    name = driver.name
    connectionString = driver.connectionString
    capabilities = driver.capabilities
    abort = driver.abort
    self.executor = executor
    owner = DriverOwner(driver)
  }

  deinit {
    // An isolated deinit would do, but Swift 6.3 cannot optimize a module that uses such an actor.
    let owner = owner
    let executor = executor
    // A preference does not keep the executor alive; the closure does.
    Task.detached(executorPreference: executor) { withExtendedLifetime(executor) { owner.close() } }
  }

  /// The driver, which this actor alone uses, on its executor, until its end.
  private var driver: any ReaderDriver { owner.driver }

  /// Takes the driver past the actor's end to the executor.
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

  // MARK: Work

  /// One piece of work on the driver, and whether its task has been cancelled.
  final class Work: Sendable {
    private let flag = Mutex(false)
    var isCancelled: Bool { flag.withLock { $0 } }
    func cancel() { flag.withLock { $0 = true } }
    func checkCancellation() throws {
      if isCancelled { throw CancellationError() }
    }
  }

  /// Runs `body` on the reader's thread, from its first to its last exchange without a hop.
  nonisolated func perform<Result: Sendable>(
    _ body: @Sendable (isolated Reader, Work) throws -> Result
  ) async throws -> Result {
    let work = Work()
    return try await withTaskCancellationHandler {
      try await run(work, body)
    } onCancel: {
      work.cancel()
      running.withLock { if $0 === work { abort() } }
    }
  }

  private func run<Result: Sendable>(
    _ work: Work, _ body: @Sendable (isolated Reader, Work) throws -> Result
  ) throws -> Result {
    try work.checkCancellation()
    guard isOpen else { throw NFCError(.readerLost, "the reader has been closed") }
    driver.begin()
    running.withLock { $0 = work }
    defer {
      running.withLock { $0 = nil }
      driver.end()
    }
    do {
      // Cancelled before it could be aborted, it has only been marked.
      try work.checkCancellation()
      return try body(self, work)
    } catch let error as NFCError {
      if work.isCancelled { throw CancellationError() }
      if error.code == .readerLost { lose() }
      throw error
    }
  }

  /// The reader has gone, and its tags with it: nothing more can be asked of it unless it may come
  /// back.
  private func lose() {
    guard isOpen else { return }
    epoch += 1
    connected = nil
    guard !driver.comesBack else { return }
    isOpen = false
    owner.close()
  }

  // MARK: Polling

  /// Switches the carrier off and on. Tags found before are out of reach from now on.
  func resetField() throws {
    epoch += 1
    connected = nil
    try driver.resetField()
  }

  /// Looks once for tags of a technology.
  func list(_ technology: TagTechnology) throws -> [Target] {
    connected = nil
    return try driver.list(technology)
  }

  /// Looks for tags of a technology none of which is known: as far as the first, where the driver
  /// finds them one by one, for that can be spoken to at once.
  ///
  /// - Returns: the tags, whether there may be more, and what the first of them is if so; `nil` if it
  ///   has gone again meanwhile.
  func find(
    _ technology: TagTechnology, _ work: Work
  ) throws -> (targets: [Target], first: DetectedTag?, hasMore: Bool) {
    connected = nil
    guard driver.findsOneByOne(technology) else {
      return (try driver.list(technology), nil, false)
    }
    guard let target = try driver.find(technology, besides: []) else { return ([], nil, false) }
    return ([target], try detectIfPresent(target, work), true)
  }

  /// Goes on with a search that has found some tags already.
  ///
  /// - Returns: those that it finds now.
  func list(_ technology: TagTechnology, besides found: [Target]) throws -> [Target] {
    if let handle = connected {
      // It is put to sleep. What a card loses by that a program must not lose unawares.
      if handle.target.losesStateOnSelect { connected = nil } else { needsSelect = true }
    }
    var targets = found
    while let target = try driver.find(technology, besides: targets) { targets.append(target) }
    return Array(targets.dropFirst(found.count))
  }

  /// Asks a tag what it is, where activation has not told, and makes it a tag of this connection.
  func detect(_ target: Target, _ work: Work) throws -> DetectedTag {
    let handle = TagHandle(reader: self, target: target, epoch: epoch)
    guard case .iso14443a(let found) = target, TypeAIdentification.needsVersion(found) else {
      return DetectedTag(handle, version: nil)
    }
    try driver.select(target)
    connected = handle
    needsSelect = false
    let link = TagLink(driver: driver, target: target, work: work)
    return DetectedTag(handle, version: try TypeAIdentification.desfireVersion(link))
  }

  /// As ``detect(_:_:)``; `nil` if the tag has gone again meanwhile.
  func detectIfPresent(_ target: Target, _ work: Work) throws -> DetectedTag? {
    do {
      return try detect(target, work)
    } catch let error as NFCError
      where [.tagConnectionLost, .tagResponseError].contains(error.code)
    {
      return nil
    }
  }

  // MARK: Tags

  func isAvailable(_ handle: TagHandle) -> Bool {
    isOpen && handle.epoch == epoch
  }

  /// Makes a tag the one that commands go to.
  func connect(_ handle: TagHandle, _ work: Work) throws {
    try checkEpoch(handle)
    if connected === handle, !needsSelect { return }
    connected = nil
    try driver.select(handle.target)
    connected = handle
    needsSelect = false
    handle.state.withLock { $0 = .connected }
    // Another tag has been connected in between: what was selected on this one no longer is.
    handle.knowledge.withLock { $0.mapping = nil }
  }

  private func checkEpoch(_ handle: TagHandle) throws {
    guard handle.epoch == epoch else {
      throw NFCError(
        .tagConnectionLost, "the tag was found before polling started again; it must be found anew")
    }
  }

  /// Runs a procedure with a tag, and finds out what has become of the tag if it fails.
  func command<Result>(
    _ handle: TagHandle, _ work: Work, _ body: (TagLink) throws -> Result
  ) throws -> Result {
    try checkEpoch(handle)
    guard connected === handle else {
      switch handle.state.withLock({ $0 }) {
      case .found:
        throw NFCError(.tagNotConnected, "connect to the tag before sending it a command")
      case .connected:
        throw NFCError(.tagNotConnected, "the reader has turned to another tag since")
      case .lost: throw NFCError(.tagConnectionLost, "the tag has left the field")
      }
    }
    if needsSelect { try wake(handle) }
    do {
      return try body(TagLink(driver: driver, target: handle.target, work: work))
    } catch is CancellationError {
      // What the tag has made of the broken command is not known: wake it anew.
      settle(handle)
      throw CancellationError()
    } catch let error as NFCError {
      switch error.code {
      case .tagRefused, .notAuthenticated, .authenticationFailed, .readOnly:
        needsSelect = needsSelect || handle.target.isMuteAfterRefusal
      case .tagResponseError:
        if work.isCancelled {
          settle(handle)
        } else {
          try examine(handle, error)
        }
      case .tagConnectionLost:
        forget(handle)
      case .readerUnavailable:
        throw losing(by: error)
      default: break
      }
      throw error
    }
  }

  /// After an exchange without a good answer: is the tag still there, and the reader?
  private func examine(_ handle: TagHandle, _ error: NFCError) throws {
    do {
      try wake(handle)
    } catch let failure as NFCError where failure.code == .tagConnectionLost {
      throw NFCError(.tagConnectionLost, "the tag has left the field", cause: error.cause)
    }
    guard handle.target.losesStateOnSelect else { return }
    forget(handle)
    throw NFCError(
      .tagConnectionLost, "the card has stopped answering; connect to it again to start anew",
      cause: error.cause)
  }

  /// Wakes the connected tag; finds out what has become of tag and reader if that fails.
  private func wake(_ handle: TagHandle) throws {
    do {
      try driver.select(handle.target)
      needsSelect = false
    } catch let error as NFCError where error.code == .tagConnectionLost {
      forget(handle)
      throw error
    } catch let error as NFCError where error.code == .readerUnavailable {
      throw losing(by: error)
    }
  }

  /// A reader that cannot be used any more has gone, as far as its tags are concerned.
  private func losing(by error: NFCError) -> NFCError {
    lose()
    return NFCError(.readerLost, error.reason, cause: error.cause)
  }

  private func settle(_ handle: TagHandle) {
    if handle.target.losesStateOnSelect {
      forget(handle)
    } else {
      needsSelect = true
    }
  }

  private func forget(_ handle: TagHandle) {
    connected = nil
    handle.state.withLock { $0 = .lost }
  }
}

extension Target {
  /// A type A tag below ISO/IEC 14443-4 falls back to IDLE or HALT after it has refused a command
  /// (ISO/IEC 14443-3, 6.4.4; NTAG21x data sheet, 8.4).
  var isMuteAfterRefusal: Bool {
    if case .iso14443a(let target) = self { return !target.supportsISO14443Part4 }
    return false
  }

  /// Whether waking the tag would throw away what a program has built up in it without its knowing:
  /// a selected application, a secure channel.
  var losesStateOnSelect: Bool {
    switch self {
    case .iso14443a(let target): target.supportsISO14443Part4
    case .iso14443b: true
    default: false
    }
  }
}
