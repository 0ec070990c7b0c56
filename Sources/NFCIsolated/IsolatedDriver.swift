import SwiftNFCCore
import SwiftNFCLibNFC
import Synchronization

/// A reader that libnfc drives in its own process.
///
/// Every call is a request to that process. A process that does not answer in time is killed, and
/// the reader is lost; the next round of polling, or opening the reader again, starts another.
final class IsolatedDriver: ReaderDriver {
  let name: String
  let connectionString: String
  let firmware: String?
  let capabilities: ReaderCapabilities
  let canReconnect = true

  private let program: HelperProgram
  /// What libnfc has to open.
  private let address: ReaderAddress
  let limits: IsolationLimits
  private let foundOneByOne: Set<TagTechnology>
  private let operation = Operation()
  /// Whether the last command to a tag was given up between two frames.
  private var isCommandCut = false
  /// Whether frames for phones are sent, and whether the helper knows it.
  private var isBroadcasting = false
  private var knowsBroadcasting = false
  /// `nil` once it has ended.
  private(set) var helper: HelperProcess?
  /// Why it has.
  private var ending: NFCError?

  /// - Parameters:
  ///   - address: with the scheme of isolated readers.
  ///   - inner: without it.
  init(
    _ address: ReaderAddress, leadingTo inner: ReaderAddress, _ program: HelperProgram,
    _ limits: IsolationLimits
  ) throws {
    let (helper, opened) = try Self.start(program, inner, limits)
    self.program = program
    self.address = inner
    self.limits = limits
    self.helper = helper
    connectionString = address.description
    name = opened.name
    firmware = opened.firmware
    capabilities = opened.capabilities
    foundOneByOne = Set(opened.foundOneByOne)
    operation.use(helper.aborts)
  }

  private static func start(
    _ program: HelperProgram, _ address: ReaderAddress, _ limits: IsolationLimits
  ) throws -> (HelperProcess, HelperResponse.Opened) {
    let helper = try HelperProcess(program)
    let deadline = ContinuousClock.now + limits.opening
    let response = try helper.call(
      .open(address), bound: limits.opening, within: { deadline - ContinuousClock.now },
      failingWith: .readerUnavailable)
    switch response {
    case .opened(let reader): return (helper, reader)
    case .failure(let error):
      helper.leave()
      throw error
    default:
      helper.kill()
      throw Self.malformedResponse(.readerUnavailable)
    }
  }

  private static func malformedResponse(_ code: NFCError.Code) -> NFCError {
    NFCError(code, "the process that drives the reader gave an answer that makes no sense")
  }

  // MARK: Operation

  /// The operation that is running, and the request that an abort of it concerns.
  private final class Operation: Sendable {
    private struct State {
      var aborts: HelperProcess.Aborts?
      var isWorking = false
      var abortedSince: ContinuousClock.Instant?
      /// The request that the helper is busy with.
      var request: UInt64?
    }

    private let state = Mutex(State())

    func use(_ aborts: HelperProcess.Aborts?) { state.withLock { $0.aborts = aborts } }

    func begin() {
      state.withLock {
        $0.isWorking = true
        $0.abortedSince = nil
      }
    }

    func end() { state.withLock { $0.isWorking = false } }

    func abort() {
      state.withLock { state in
        guard state.isWorking, state.abortedSince == nil else { return }
        state.abortedSince = ContinuousClock.now
        if let request = state.request { state.aborts?.abort(request) }
      }
    }

    /// A request is about to be made.
    ///
    /// - Parameter isAbortable: whether the request must not be sent any more once the work was
    ///   aborted.
    func enter(_ request: UInt64, isAbortable: Bool) throws {
      try state.withLock { state in
        guard isAbortable else { return }
        if state.isWorking, state.abortedSince != nil { throw CancellationError() }
        state.request = request
      }
    }

    func leave() { state.withLock { $0.request = nil } }

    /// When an abort was sent into the request that is running.
    var abortedSince: ContinuousClock.Instant? {
      state.withLock { $0.isWorking && $0.request != nil ? $0.abortedSince : nil }
    }
  }

  var abort: @Sendable () -> Void {
    let operation = operation
    return { operation.abort() }
  }

  func begin() { operation.begin() }
  func end() { operation.end() }

  /// Sends a request to the helper.
  ///
  /// - Parameters:
  ///   - limit: after which the helper is ended.
  ///   - isAbortable: `false` for requests that are sent although the work was cancelled.
  func call(
    _ request: HelperRequest, atMost limit: Duration? = nil, isAbortable: Bool = true
  ) throws -> HelperResponse {
    guard let helper else { throw ending ?? NFCError(.readerLost, "the reader was closed") }
    try operation.enter(helper.nextNumber, isAbortable: isAbortable)
    defer { operation.leave() }
    let bound = limit ?? limits.call
    let deadline = ContinuousClock.now + bound
    do {
      let response = try helper.call(
        request, bound: bound,
        within: { [operation, limits] in
          let end = operation.abortedSince.map { min(deadline, $0 + limits.abort) } ?? deadline
          return end - ContinuousClock.now
        }, failingWith: .readerLost)
      switch response {
      case .failure(let error): throw error
      case .cancelled: throw CancellationError()
      default: return response
      }
    } catch let error as NFCError {
      guard helper.hasEnded else { throw error }
      // The tags of this reader are lost, whatever the program was told.
      let isAborted = operation.abortedSince != nil
      markLost(error)
      if isAborted { throw CancellationError() }
      throw error
    }
  }

  private func markLost(_ error: NFCError) {
    helper = nil
    operation.use(nil)
    ending = error
  }

  func confirm(_ request: HelperRequest) throws {
    guard case .done = try call(request) else { throw unexpectedResponse() }
  }

  /// Handles an answer that does not belong to the request.
  func unexpectedResponse() -> NFCError {
    helper?.kill()
    let error = Self.malformedResponse(.readerLost)
    markLost(error)
    return error
  }

  // MARK: ReaderDriver

  func findsOneByOne(_ technology: TagTechnology) -> Bool { foundOneByOne.contains(technology) }

  func resetField() throws {
    guard helper == nil else { return try confirm(.resetField) }
    do {
      let (helper, _) = try Self.start(program, address, limits)
      self.helper = helper
      operation.use(helper.aborts)
      ending = nil
      knowsBroadcasting = false
    } catch let error as NFCError {
      throw NFCError(.readerLost, error.reason, cause: error.cause)
    }
  }

  func switchFieldOff() throws {
    if helper != nil { try confirm(.switchFieldOff) }
  }

  /// Sent with the next search.
  func setBroadcasting(_ isOn: Bool) { isBroadcasting = isOn }

  func broadcast(_ frame: PollingFrame) throws { try confirm(.broadcast(frame)) }

  private func announceBroadcasting() throws {
    guard knowsBroadcasting != isBroadcasting else { return }
    try confirm(.setBroadcasting(isBroadcasting))
    knowsBroadcasting = isBroadcasting
  }

  func list(_ technology: TagTechnology) throws -> [Target] {
    try announceBroadcasting()
    guard case .targets(let targets) = try call(.list(technology)) else {
      throw unexpectedResponse()
    }
    return targets
  }

  func find(_ technology: TagTechnology, excluding found: [Target]) throws -> Target? {
    try announceBroadcasting()
    guard case .targets(let targets) = try call(.find(technology, excluding: found)),
      targets.count < 2
    else { throw unexpectedResponse() }
    return targets.first
  }

  func select(_ target: Target) throws {
    if isCommandCut {
      isCommandCut = false
      try confirm(.commandWasInterrupted)
    }
    try confirm(.select(target))
  }

  /// Sent with the next request: the work that is ending now was cancelled.
  func commandWasInterrupted() { isCommandCut = true }

  func isPresent(_ target: Target) throws -> Bool {
    guard case .decision(let isPresent) = try call(.isPresent(target)) else {
      throw unexpectedResponse()
    }
    return isPresent
  }

  func exchange(_ command: [UInt8], framing: Framing, timeout: Duration) throws -> [UInt8] {
    let longest = capabilities.maximumCommandLength
    guard command.count <= longest else {
      throw NFCError(
        .commandTooLong,
        "a command has at most \(longest) bytes on this reader, not \(command.count)")
    }
    // libnfc counts milliseconds in 32 bits.
    let timeout = min(max(timeout, .zero), .milliseconds(Int32.max))
    let response = try call(
      .exchange(command, framing, timeout: timeout), atMost: limits.call + timeout)
    guard case .answer(let answer) = response else { throw unexpectedResponse() }
    return answer
  }

  func authenticate(
    block: UInt8, keyType: MiFareClassicKeyType, key: [UInt8], uid: [UInt8]
  ) throws {
    try confirm(.authenticate(block: block, keyType, key: key, uid: uid))
  }

  func disconnect() {
    guard helper != nil else { return }
    _ = try? call(.disconnect, atMost: limits.closing, isAbortable: false)
  }

  func close() {
    // Whoever opens the reader again waits until it is closed, also if the helper has ended before.
    defer { if isCloseAnnounced.isSet { ClosingPorts.remove(connectionString) } }
    guard helper != nil else { return }
    _ = try? call(.close, atMost: limits.closing, isAbortable: false)
    helper?.leave()
    markLost(NFCError(.readerLost, "the reader was closed"))
  }

  // MARK: Closing

  private let isCloseAnnounced = OnceFlag()

  var announceClose: @Sendable () -> Void {
    let (flag, name) = (isCloseAnnounced, connectionString)
    return { if flag.set() { ClosingPorts.add(name) } }
  }
}

/// The time limits of a helper, after which it is killed.
struct IsolationLimits: Sendable {
  /// Opening takes libnfc at most seven seconds, and twice that with a USB reader that is reset in
  /// between.
  var opening = Duration.seconds(20)
  /// An ordinary call, without the time-out of an exchange. libnfc's driver itself ends what takes
  /// longer than 15 s, and knows more about the cause.
  var call = Duration.seconds(18)
  /// The time after an abort. The driver abandons a call after 1.2 s.
  var abort = Duration.milliseconds(1800)
  /// Releasing the reader, for which the driver has three seconds and a margin.
  var closing = Duration.seconds(5)
}
