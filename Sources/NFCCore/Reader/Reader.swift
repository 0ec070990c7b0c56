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

  private nonisolated let executor: any SerialExecutor & TaskExecutor
  private nonisolated let abort: @Sendable () -> Void
  private nonisolated let announceClose: @Sendable () -> Void
  /// The operation that the driver is busy with, so that a cancellation ends no other.
  private nonisolated let running = Mutex<Operation?>(nil)
  private nonisolated let owner: DriverOwner
  private var isOpen = true
  /// The number of times that the carrier was switched off: a tag belongs to the period in which it
  /// was found.
  private var epoch = 0
  /// The tag that commands go to. Weak, because a tag holds its reader.
  private weak var connected: TagHandle?
  /// The connected tag has to be woken before the next command.
  private var needsSelect = false
  /// Nothing has been looked for since the reader was opened: its carrier was switched on just then.
  private var isFieldFresh = true

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

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
    abort = driver.abort
    announceClose = driver.announceClose
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
  private var driver: any ReaderDriver { owner.driver }

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
  nonisolated func perform<Result: Sendable>(
    _ body: @Sendable (isolated Reader, Operation) throws -> Result
  ) async throws -> Result {
    let operation = Operation()
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
      return try body(self, operation)
    } catch let error as NFCError {
      if operation.isCancelled { throw CancellationError() }
      if error.code == .readerLost { markReaderLost() }
      throw error
    }
  }

  /// Marks the reader and its tags as lost: it can be used again only if it returns.
  private func markReaderLost() {
    guard isOpen else { return }
    epoch += 1
    connected = nil
    isFieldFresh = false
    guard !driver.canReconnect else { return driver.disconnect() }
    isOpen = false
    owner.close()
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
      try resetField()
      // It was opened again: the following round need not switch the carrier once more.
      isFieldFresh = true
    } catch let error as NFCError where error.code == .readerUnavailable {
      throw readerLost(causedBy: error)
    }
  }

  // MARK: Polling

  /// Begins a round of polling: switches the carrier off and on, unless the reader has only just been
  /// opened. Tags found before are out of reach from now on.
  func resetField() throws {
    epoch += 1
    connected = nil
    if isFieldFresh {
      isFieldFresh = false
    } else {
      try driver.resetField()
    }
  }

  /// Searches once for tags of a technology.
  func list(_ technology: TagTechnology) throws -> [Target] {
    connected = nil
    return try driver.list(technology)
  }

  /// Searches for tags of a technology, none of which is known: until the first one, if the driver
  /// finds them one by one, so that it can be used at once.
  ///
  /// - Returns: the tags, whether there may be more, and in this case the first tag; `nil` if it
  ///   has left meanwhile.
  func find(
    _ technology: TagTechnology, _ operation: Operation
  ) throws -> (targets: [Target], first: DetectedTag?, hasMore: Bool) {
    connected = nil
    guard driver.findsOneByOne(technology) else {
      return (try driver.list(technology), nil, false)
    }
    guard let target = try driver.find(technology, excluding: []) else { return ([], nil, false) }
    return ([target], try detectIfPresent(target, operation), true)
  }

  /// Continues a search that has already found some tags.
  ///
  /// - Returns: the tags that it finds now.
  func list(_ technology: TagTechnology, excluding found: [Target]) throws -> [Target] {
    if let handle = connected {
      // The tag is put to sleep. A program must notice what a card loses by that.
      if handle.target.losesStateOnSelect { connected = nil } else { needsSelect = true }
    }
    var targets = found
    while let target = try driver.find(technology, excluding: targets) { targets.append(target) }
    return Array(targets.dropFirst(found.count))
  }

  /// Looks for the first tag that fits, in one round, and connects to it. No other is looked for.
  ///
  /// - Parameter asksVersion: whether a tag is asked what it is, if the activation data does not
  ///   show it.
  /// - Returns: the tag; `nil` if there is none, and the unsuitable ones that were found.
  func findFirst(
    of technologies: [TagTechnology], asksVersion: Bool = true, _ operation: Operation,
    where fits: (DetectedTag) -> Bool
  ) throws -> (tag: DetectedTag?, others: [DetectedTag]) {
    try resetField()
    var others: [DetectedTag] = []
    for technology in technologies {
      try operation.checkCancellation()
      var found: [Target] = []
      var candidates: [Target]
      repeat {
        connected = nil
        candidates =
          driver.findsOneByOne(technology)
          ? try driver.find(technology, excluding: found).map { [$0] } ?? []
          : found.isEmpty ? try driver.list(technology) : []
        for target in candidates {
          guard let handle = try handleIfPresent(target, asksVersion: asksVersion, operation) else {
            continue
          }
          if fits(handle.tag), try connectIfPresent(handle.handle, operation) {
            return (handle.tag, others)
          }
          others.append(handle.tag)
        }
        found += candidates
      } while !candidates.isEmpty
    }
    return (nil, others)
  }

  /// Searches for further tags of a technology, and wakes the original tag again.
  func findOthers(than handle: TagHandle, _ operation: Operation) throws -> [Target] {
    try connect(handle, operation)
    let technology = handle.target.technology
    let others =
      driver.findsOneByOne(technology)
      ? try list(technology, excluding: [handle.target])
      : try driver.list(technology).filter { !$0.isSame(as: handle.target) }
    connected = nil
    try connect(handle, operation)
    return others
  }

  private func connectIfPresent(_ handle: TagHandle, _ operation: Operation) throws -> Bool {
    do {
      try connect(handle, operation)
      return true
    } catch let error as NFCError where error.code == .tagConnectionLost {
      return false
    }
  }

  /// Asks a tag what it is, if the activation data does not show it, and makes it a tag of this
  /// connection.
  func detect(_ target: Target, _ operation: Operation) throws -> DetectedTag {
    try identify(TagHandle(reader: self, target: target, epoch: epoch), operation)
  }

  private func identify(
    _ handle: TagHandle, asksVersion: Bool = true, _ operation: Operation
  ) throws -> DetectedTag {
    let target = handle.target
    guard asksVersion, case .iso14443a(let found) = target, TypeAIdentification.needsVersion(found)
    else {
      return DetectedTag(handle, version: nil)
    }
    try driver.select(target)
    connected = handle
    needsSelect = false
    let link = TagLink(driver: driver, target: target, operation: operation)
    if TypeAIdentification.mayBeEmulated(found), try Type4Mapping.hasApplication(link) {
      return DetectedTag(handle, version: nil)
    }
    let version = try TypeAIdentification.desfireVersion(link)
    handle.knowledge.withLock { $0.version = .some(version?.bytes) }
    return DetectedTag(handle, version: version)
  }

  /// Detects a tag like ``detect(_:_:)``; `nil` if it has left meanwhile.
  func detectIfPresent(_ target: Target, _ operation: Operation) throws -> DetectedTag? {
    try handleIfPresent(target, operation)?.tag
  }

  private func handleIfPresent(
    _ target: Target, asksVersion: Bool = true, _ operation: Operation
  ) throws -> (handle: TagHandle, tag: DetectedTag)? {
    let handle = TagHandle(reader: self, target: target, epoch: epoch)
    do {
      return (handle, try identify(handle, asksVersion: asksVersion, operation))
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

  /// Connects to a tag, which then receives the commands.
  func connect(_ handle: TagHandle, _ operation: Operation) throws {
    try checkEpoch(handle)
    if connected === handle, !needsSelect { return }
    connected = nil
    try driver.select(handle.target)
    connected = handle
    needsSelect = false
    handle.state.withLock { $0 = .connected }
    // Another tag was connected in between: what was selected on this one is lost.
    handle.knowledge.withLock {
      $0.wasSelected()
      $0.authentication = nil
    }
  }

  /// Asks the connected tag whether it is still present. If not, it is lost.
  func isPresent(_ handle: TagHandle) throws -> Bool {
    guard handle.epoch == epoch, handle.state.withLock({ $0 != .lost }) else { return false }
    guard connected === handle else {
      throw NFCError(.tagNotConnected, "only the tag that the reader is connected to can be used")
    }
    do {
      if needsSelect { try wake(handle) }
      if try driver.isPresent(handle.target) { return true }
      markTagLost(handle)
      return false
    } catch let error as NFCError {
      switch error.code {
      case .tagConnectionLost:
        markTagLost(handle)
        return false
      case .readerUnavailable: throw readerLost(causedBy: error)
      default: throw error
      }
    }
  }

  private func checkEpoch(_ handle: TagHandle) throws {
    guard handle.epoch == epoch else {
      throw NFCError(
        .tagConnectionLost, "the tag was found before polling started again; it must be found again"
      )
    }
  }

  /// Runs a procedure with a tag; if it fails, finds out the state of the tag.
  func command<Result>(
    _ handle: TagHandle, _ operation: Operation, _ body: (TagLink) throws -> Result
  ) throws -> Result {
    try checkEpoch(handle)
    guard connected === handle else {
      switch handle.state.withLock({ $0 }) {
      case .found:
        throw NFCError(.tagNotConnected, "connect to the tag before sending it a command")
      case .connected:
        throw NFCError(.tagNotConnected, "the reader has since connected to another tag")
      case .lost: throw NFCError(.tagConnectionLost, "the tag has left the field")
      }
    }
    let wasAsleep = needsSelect
    if wasAsleep { try wake(handle) }
    let link = TagLink(driver: driver, target: handle.target, operation: operation)
    let isEnded = handle.knowledge.withLock { $0.authentication?.channel?.isEnded ?? false }
    do {
      if wasAsleep || isEnded { try handle.proveAgain(link) }
      let channel = handle.knowledge.withLock { $0.authentication?.channel }
      return try body(link.reviving(handle.proveAgain).protected(by: channel))
    } catch is CancellationError {
      // The tag's reaction to the broken command is unknown: wake it again.
      requireSelection(handle)
      throw CancellationError()
    } catch let error as NFCError {
      switch error.code {
      case .tagRefused, .notAuthenticated, .authenticationFailed, .readOnly:
        needsSelect = needsSelect || handle.target.stopsRespondingAfterRefusal
      case .tagResponseError:
        if operation.isCancelled {
          requireSelection(handle)
        } else {
          // Its answer makes no sense, perhaps in the middle of a command.
          if handle.target.losesStateOnSelect { driver.tagHoldsState(true) }
          try checkPresence(handle, error)
        }
      case .tagConnectionLost:
        markTagLost(handle)
      case .readerUnavailable:
        throw readerLost(causedBy: error)
      default: break
      }
      throw error
    }
  }

  /// After an exchange without a good answer: is the tag still there, and the reader?
  private func checkPresence(_ handle: TagHandle, _ error: NFCError) throws {
    if handle.target.losesStateOnSelect, error.hasAnswer {
      // The card has answered, and its answer makes no sense: its state is unchanged, unless it has
      // left since.
      guard try hasStayed(handle) else {
        markTagLost(handle)
        throw lost("the tag has left the field", error)
      }
      return
    }
    do {
      try wake(handle)
    } catch let failure as NFCError where failure.code == .tagConnectionLost {
      throw lost("the tag has left the field", error)
    }
    guard handle.target.losesStateOnSelect else { return }
    markTagLost(handle)
    throw lost("the card has stopped answering; connect to it again to start over", error)
  }

  /// Returns the error for a tag that was lost, with what `error` reports about an unfinished change.
  private func lost(_ reason: String, _ error: NFCError) -> NFCError {
    var lost = NFCError(.tagConnectionLost, reason, cause: error.cause)
    lost.recovery = error.recovery
    return lost
  }

  /// Returns whether a card is still present, with a command that loses no state. A card that does
  /// not answer it properly has lost what was selected in it.
  private func hasStayed(_ handle: TagHandle) throws -> Bool {
    do {
      return try driver.isPresent(handle.target)
    } catch let error as NFCError {
      switch error.code {
      case .tagConnectionLost, .tagResponseError, .tagRefused: return false
      case .readerUnavailable: throw readerLost(causedBy: error)
      default: throw error
      }
    }
  }

  /// Wakes the connected tag; if that fails, finds out the state of tag and reader.
  private func wake(_ handle: TagHandle) throws {
    do {
      try driver.select(handle.target)
      needsSelect = false
      // It may have been away since, and has lost what was selected on it.
      handle.knowledge.withLock { $0.wasSelected() }
    } catch let error as NFCError where error.code == .tagConnectionLost {
      markTagLost(handle)
      throw error
    } catch let error as NFCError where error.code == .readerUnavailable {
      throw readerLost(causedBy: error)
    }
  }

  /// Marks a reader that cannot be used any more as lost, together with its tags.
  private func readerLost(causedBy error: NFCError) -> NFCError {
    markReaderLost()
    var lost = NFCError(.readerLost, error.reason, cause: error.cause)
    lost.recovery = error.recovery
    return lost
  }

  private func requireSelection(_ handle: TagHandle) {
    if handle.target.losesStateOnSelect {
      driver.commandWasCut()
      markTagLost(handle)
    } else {
      needsSelect = true
    }
  }

  private func markTagLost(_ handle: TagHandle) {
    connected = nil
    handle.state.withLock { $0 = .lost }
  }
}
