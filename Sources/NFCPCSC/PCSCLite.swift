import CSwiftNFCPCSCLite
import Dispatch
import SwiftNFCCore
import Synchronization

/// pcsc-lite: the only file of this module that calls its functions.
///
/// When a service stops or restarts, a connection to it becomes invalid. Such a connection is
/// closed and replaced: at once for a request that does not concern a card, otherwise at the next
/// one.
///
/// A service that does not answer does not block threads of the caller: every call of pcsc-lite,
/// even one that only cancels or releases, is made on another thread and abandoned after a time.
/// The threads that the service may block until it answers again are one per process for creating
/// connections, and for each object two for its connection, which are its calls and its cancellation, and one for a
/// connection that it has abandoned.
final class PCSCLite: SmartCardService {
  // pcsclite.h.
  private static let scopeSystem: DWORD = 2
  private static let shareExclusive: DWORD = 1
  private static let shareDirect: DWORD = 3
  private static let protocolT0: DWORD = 1
  private static let protocolT1: DWORD = 2
  private static let leaveCard: DWORD = 0
  private static let unpowerCard: DWORD = 2
  private static let stateEmpty: DWORD = 0x10
  private static let statePresent: DWORD = 0x20
  private static let stateUnknown: DWORD = 0x04
  private static let stateUnavailable: DWORD = 0x08
  private static let stateExclusive: DWORD = 0x80
  private static let stateInUse: DWORD = 0x100
  /// The name for waiting for readers that come and go.
  private static let readerNotification = "\\\\?PnP?\\Notification"
  /// An extended APDU, the largest that the service moves (MAX_BUFFER_SIZE_EXTENDED).
  private static let bufferSize = 4 + 3 + 65536 + 3 + 2
  private static let largestATR = 33
  /// Longer than any poll waits, and the service's own unit fits.
  private static let longestWait = Duration.seconds(60)
  /// The time limit for answers of the service itself: usually one millisecond, and longer if the
  /// request starts the service.
  private static let serviceTimeout = Duration.seconds(2)
  /// The time limit for a call that powers a card, which may wait for its answer to reset.
  private static let powerTimeout = Duration.seconds(4)

  /// A connection to the service, and to a card.
  ///
  /// Unchecked because the mutable state is used by one call at a time, on the thread of ``calls``;
  /// only the context is also used elsewhere, by calls for which pcsc-lite allows it.
  private final class Connection: @unchecked Sendable {
    let context: SCARDCONTEXT
    let calls = BoundedCalls()
    var card: SCARDHANDLE?
    var transmission = SCARD_IO_REQUEST()
    var buffer = [UInt8](repeating: 0, count: PCSCLite.bufferSize)

    /// Asks the reader's driver; `nil` if it does not answer.
    func control(_ card: SCARDHANDLE, _ code: DWORD) -> [UInt8]? {
      var length = DWORD(0)
      guard
        SCardControl(card, code, nil, 0, &buffer, DWORD(buffer.count), &length) == 0,
        length <= DWORD(buffer.count)
      else { return nil }
      return Array(buffer.prefix(Int(length)))
    }

    /// Waits for the service: to be called on a thread that may be held.
    init() throws(SmartCardFailure) {
      var context = SCARDCONTEXT()
      try PCSCLite.check(SCardEstablishContext(PCSCLite.scopeSystem, nil, nil, &context))
      self.context = context
    }

    deinit {
      let (card, context) = (card, context)
      calls.add {
        // The connection was given up in the middle of a call.
        if let card { _ = SCardDisconnect(card, PCSCLite.unpowerCard) }
        _ = SCardReleaseContext(context)
      }
    }
  }

  /// Creates the connections of this process; pcsc-lite creates only one at a time anyway.
  private static let connecting = BoundedCalls(label: "PC/SC connections")

  private var connection: Connection?
  /// Counts the connections: the service counts events from its own start.
  private var generation = 0
  /// A connection that was abandoned in the middle of a call that has not returned yet.
  private weak var stuck: Connection?
  private let cancellation = Cancellation()
  private let start = ContinuousClock.now
  private var overlooked = OverlookedCard()
  /// The time that a reader has in addition to that of an exchange.
  private let grace: Duration

  /// Cancels calls over the connection while it exists, from any thread.
  private final class Cancellation: Sendable {
    let connection = Mutex<(context: SCARDCONTEXT, calls: BoundedCalls)?>(nil)
    private let queue = DispatchQueue(label: "PC/SC cancellation")
    private let isRunning = Mutex(false)

    func cancel() {
      guard let (context, calls) = connection.withLock({ $0 }) else { return }
      calls.expedite()
      let isFirst = isRunning.withLock { isRunning in
        defer { isRunning = true }
        return !isRunning
      }
      guard isFirst else { return }
      // Cancelling calls the service, too. If it arrives late, it ends a later wait early, which
      // does no harm.
      queue.async { [self] in
        CallGate.pass { _ = SCardCancel(context) }
        isRunning.withLock { $0 = false }
      }
    }
  }

  /// Connects to the PC/SC service.
  ///
  /// - Parameter grace: the time in addition to that of an exchange. The driver of the readers
  ///   abandons a silent reader after 3 s (libccid, DEFAULT_COM_READ_TIMEOUT), and its error comes
  ///   first.
  init(grace: Duration = .seconds(4)) throws(SmartCardFailure) {
    self.grace = grace
    _ = try connected()
  }

  deinit { close() }

  private static func check(_ result: LONG) throws(SmartCardFailure) {
    guard result != 0 else { return }
    throw SmartCardFailure(code: UInt32(truncatingIfNeeded: result))
  }

  var cancel: @Sendable () -> Void {
    let cancellation = cancellation
    return { cancellation.cancel() }
  }

  // MARK: Connection

  private func connected() throws(SmartCardFailure) -> Connection {
    if let connection { return connection }
    let outcome = Self.connecting.run(atMost: Self.serviceTimeout) {
      Swift.Result { () throws(SmartCardFailure) in try Connection() }
    }
    guard let outcome else { throw .communication }
    let new = try outcome.get()
    generation += 1
    connection = new
    cancellation.connection.withLock { $0 = (new.context, new.calls) }
    return new
  }

  func close() {
    let calls = connection?.calls
    abandon()
    // The connection is released after its calls, and this after that: another program, or this one, can
    // have the card at once.
    _ = calls?.run(atMost: Self.serviceTimeout) {}
  }

  /// Drops the connection, which is released when its last call has returned.
  private func abandon() {
    cancellation.connection.withLock { $0 = nil }
    connection = nil
  }

  /// Makes a call, and abandons the connection if it takes too long.
  ///
  /// - Returns: `nil` if it was abandoned.
  private func attempt<Result: Sendable>(
    _ current: Connection, atMost timeout: Duration,
    _ body: @escaping @Sendable (Connection) throws(SmartCardFailure) -> Result
  ) throws(SmartCardFailure) -> Result? {
    let outcome = current.calls.run(atMost: timeout) {
      Swift.Result { () throws(SmartCardFailure) in try body(current) }
    }
    guard let outcome else {
      stuck = current
      abandon()
      return nil
    }
    do {
      return try outcome.get()
    } catch {
      if error.endsConnection { close() }
      throw error
    }
  }

  /// Asks what concerns no card, once more over a new connection if the old one is no longer valid.
  ///
  /// - Throws: `communication` if the service does not answer.
  private func ask<Result: Sendable>(
    atMost timeout: Duration = serviceTimeout,
    _ body: @escaping @Sendable (SCARDCONTEXT) throws(SmartCardFailure) -> Result
  ) throws(SmartCardFailure) -> Result {
    func once() throws(SmartCardFailure) -> Result {
      let answer = try attempt(connected(), atMost: timeout) {
        current throws(SmartCardFailure) in try body(current.context)
      }
      guard let answer else { throw .communication }
      return answer
    }
    let isNew = connection == nil
    do {
      return try once()
    } catch {
      // A service that does not answer is not asked again.
      guard error.endsConnection, !isNew, error != .communication else { throw error }
    }
    return try once()
  }

  /// Makes a call whose duration depends on a card or a reader.
  ///
  /// - Throws: `timeout` if it is abandoned.
  private func call<Result: Sendable>(
    _ current: Connection, atMost timeout: Duration,
    _ body: @escaping @Sendable (Connection) throws(SmartCardFailure) -> Result
  ) throws(SmartCardFailure) -> Result {
    guard let result = try attempt(current, atMost: timeout, body) else { throw .timeout }
    return result
  }

  // MARK: Readers

  func readers() throws(SmartCardFailure) -> [String] {
    do {
      return try ask { context throws(SmartCardFailure) in
        var length = DWORD(0)
        try Self.check(SCardListReaders(context, nil, nil, &length))
        // A reader that is plugged in meanwhile makes the list longer.
        length += 1024
        var names = [CChar](repeating: 0, count: Int(length))
        try Self.check(SCardListReaders(context, nil, &names, &length))
        return names.prefix(Int(length)).split(separator: 0).map { name in
          String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
      }
    } catch  where error == .noReaders {
      return []
    }
  }

  func waitForReaders(atMost timeout: Duration) throws(SmartCardFailure) {
    try wait(Self.readerNotification, 0, timeout)
  }

  /// The service's report about a reader: the flags of its state, and the answer to reset.
  private struct ReaderState: Sendable {
    let flags: DWORD
    let atr: [UInt8]
  }

  func status(of reader: String) throws(SmartCardFailure) -> SmartCardStatus {
    let (status, isInUse) = try shownStatus(of: reader)
    switch overlooked.decide(status, isInUse: isInUse, at: ContinuousClock.now - start) {
    case .accept: return status
    case .hide: return SmartCardStatus(isCardPresent: false, eventCount: status.eventCount, atr: [])
    case .look:
      let isSure = overlooked.isSure
      guard (try? look(at: reader)) != nil, isSure else { return status }
      // The service has not counted the card that it has found, which may be another one.
      generation += 1
      return try shownStatus(of: reader).status
    }
  }

  private func shownStatus(
    of reader: String
  ) throws(SmartCardFailure) -> (status: SmartCardStatus, isInUse: Bool) {
    let state = try ask { context throws(SmartCardFailure) in
      try Self.change(context, of: reader, from: 0, milliseconds: 0)
    }
    guard state.flags & (Self.stateUnknown | Self.stateUnavailable) == 0 else {
      throw .readerUnavailable
    }
    let status = SmartCardStatus(
      isCardPresent: state.flags & Self.statePresent != 0,
      eventCount: generation << 16 | Int(state.flags >> 16 & 0xFFFF), atr: state.atr)
    return (status, state.flags & (Self.stateInUse | Self.stateExclusive) != 0)
  }

  /// Makes the service switch on the card that it may have overlooked. It asks the reader first whether there is one
  /// (`IFDPowerICC`).
  ///
  /// - Throws: `noSmartCard` if there is none.
  private func look(at reader: String) throws(SmartCardFailure) {
    guard stuck == nil else { throw .sharingViolation }
    try call(connected(), atMost: Self.powerTimeout) { current throws(SmartCardFailure) in
      var card = SCARDHANDLE()
      var activeProtocol = DWORD(0)
      // The only way to connect to a reader without a card.
      try Self.check(
        SCardConnect(current.context, reader, Self.shareDirect, 0, &card, &activeProtocol))
      let result = SCardReconnect(card, Self.shareDirect, 0, Self.unpowerCard, &activeProtocol)
      _ = SCardDisconnect(card, Self.leaveCard)
      try Self.check(result)
    }
  }

  func wait(
    forChangeOf reader: String, from status: SmartCardStatus, atMost timeout: Duration
  ) throws(SmartCardFailure) {
    let known =
      DWORD(status.eventCount & 0xFFFF) << 16
      | (status.isCardPresent ? Self.statePresent : Self.stateEmpty)
    try wait(reader, known, timeout)
  }

  private func wait(
    _ reader: String, _ known: DWORD, _ timeout: Duration
  ) throws(SmartCardFailure) {
    let timeout = min(max(timeout, .zero), Self.longestWait)
    let (seconds, attoseconds) = timeout.components
    let milliseconds = DWORD(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    do {
      _ = try ask(atMost: timeout + Self.serviceTimeout) { context throws(SmartCardFailure) in
        try Self.change(context, of: reader, from: known, milliseconds: milliseconds)
      }
    } catch  where error == .timeout || error == .cancelled {}
  }

  private static func change(
    _ context: SCARDCONTEXT, of reader: String, from known: DWORD, milliseconds: DWORD
  ) throws(SmartCardFailure) -> ReaderState {
    var state = SCARD_READERSTATE()
    let result = reader.withCString { name in
      state.szReader = name
      state.dwCurrentState = known
      let result = SCardGetStatusChange(context, milliseconds, &state, 1)
      state.szReader = nil
      return result
    }
    try check(result)
    let atr = withUnsafeBytes(of: state.rgbAtr) {
      Array($0.prefix(min(Int(state.cbAtr), largestATR)))
    }
    return ReaderState(flags: state.dwEventState, atr: atr)
  }

  // MARK: Card

  /// - Throws: `sharingViolation` as well if an earlier call of this program still waits for the card or the reader:
  ///   each further one would wait with it, on a thread of its own.
  func connect(to reader: String) throws(SmartCardFailure) {
    disconnect()
    guard stuck == nil else { throw .sharingViolation }
    try call(connected(), atMost: Self.powerTimeout) { current throws(SmartCardFailure) in
      var card = SCARDHANDLE()
      var activeProtocol = DWORD(0)
      try Self.check(
        SCardConnect(
          current.context, reader, Self.shareExclusive, Self.protocolT0 | Self.protocolT1, &card,
          &activeProtocol))
      current.card = card
      current.transmission = SCARD_IO_REQUEST(
        dwProtocol: UInt(activeProtocol), cbPciLength: UInt(MemoryLayout<SCARD_IO_REQUEST>.size))
    }
  }

  func transmit(
    _ command: [UInt8], atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    guard let connection else { throw .noSmartCard }
    return try call(connection, atMost: timeout + grace) { current throws(SmartCardFailure) in
      guard let card = current.card else { throw .noSmartCard }
      var length = DWORD(current.buffer.count)
      try Self.check(
        SCardTransmit(
          card, &current.transmission, command, DWORD(command.count), nil, &current.buffer,
          &length))
      return Array(current.buffer.prefix(Int(length)))
    }
  }

  /// `SCARD_CTL_CODE` of pcsc-lite (reader.h).
  private static let controlCodes: DWORD = 0x4200_0000
  /// `CM_IOCTL_GET_FEATURE_REQUEST` (PC/SC part 10, 2.2).
  private static let featureRequest = controlCodes + 3400
  /// The features of the properties, and of commands to the reader itself (`FEATURE_CCID_ESC_COMMAND`), whose values are
  /// the control codes for them (PC/SC part 10, 2.3 and 2.6).
  private static let propertiesFeature: UInt8 = 0x12
  private static let escapeFeature: UInt8 = 0x13
  private static let dataSizeProperty: UInt8 = 0x0A

  /// The driver lists the control codes of its features, one of which returns the properties.
  func maximumCommandData() throws(SmartCardFailure) -> Int? {
    guard let connection else { throw .noSmartCard }
    return try call(connection, atMost: Self.serviceTimeout) {
      current throws(SmartCardFailure) -> Int? in
      guard let card = current.card,
        let features = current.control(card, Self.featureRequest),
        let code = ReaderProperties.value(of: Self.propertiesFeature, in: features),
        let properties = current.control(
          card, DWORD(code.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }))
      else { return nil }
      // A control code has its most significant byte first, the value of a property last.
      return ReaderProperties.value(of: Self.dataSizeProperty, in: properties)?
        .reversed().reduce(0) { $0 << 8 | Int($1) }
    }
  }

  // MARK: Reader

  /// libccid's own code for it (`IOCTL_SMARTCARD_VENDOR_IFD_EXCHANGE`).
  private static let libccidEscape = controlCodes + 1

  func control(
    _ command: [UInt8], of reader: String, atMost timeout: Duration
  ) throws(SmartCardFailure) -> [UInt8] {
    guard stuck == nil else { throw .sharingViolation }
    return try call(connected(), atMost: timeout + grace) { current throws(SmartCardFailure) in
      if let card = current.card { return try Self.escape(command, by: card, of: current) }
      var card = SCARDHANDLE()
      var activeProtocol = DWORD(0)
      try Self.check(
        SCardConnect(current.context, reader, Self.shareDirect, 0, &card, &activeProtocol))
      defer { _ = SCardDisconnect(card, Self.leaveCard) }
      return try Self.escape(command, by: card, of: current)
    }
  }

  private static func escape(
    _ command: [UInt8], by card: SCARDHANDLE, of current: Connection
  ) throws(SmartCardFailure) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 512)
    var length = DWORD(0)
    // A driver names no code if its settings forbid such commands, which the one that libccid always has then says.
    let code = current.control(card, featureRequest).flatMap(code(inFeatures:))
    try check(
      SCardControl(
        card, code ?? libccidEscape, command, DWORD(command.count), &buffer, DWORD(buffer.count),
        &length))
    return Array(buffer.prefix(Int(clamping: length)))
  }

  /// Returns the control code for commands to the reader itself in a list of features.
  static func code(inFeatures list: [UInt8]) -> DWORD? {
    // The most significant byte is first.
    ReaderProperties.value(of: escapeFeature, in: list)?.reduce(0) { $0 << 8 | DWORD($1) }
  }

  func reset() throws(SmartCardFailure) {
    guard let connection else { throw .noSmartCard }
    try call(connection, atMost: Self.powerTimeout) { current throws(SmartCardFailure) in
      guard let card = current.card else { throw .noSmartCard }
      var activeProtocol = DWORD(0)
      try Self.check(
        SCardReconnect(
          card, Self.shareExclusive, Self.protocolT0 | Self.protocolT1, Self.unpowerCard,
          &activeProtocol))
      current.transmission.dwProtocol = UInt(activeProtocol)
    }
  }

  func disconnect() { release(Self.leaveCard, atMost: Self.serviceTimeout) }

  /// The service leaves the card without power until the next connection, which is what ``reset()`` does to a tag
  /// (pcsc-lite, `SCardDisconnect` and `SCardConnect`). `SCARD_RESET_CARD` would be a warm reset, which a reader need
  /// not carry out by switching off its carrier.
  func powerOff() { release(Self.unpowerCard, atMost: Self.powerTimeout) }

  private func release(_ disposition: DWORD, atMost timeout: Duration) {
    guard let connection else { return }
    try? call(connection, atMost: timeout) { current throws(SmartCardFailure) in
      guard let card = current.card else { return }
      current.card = nil
      try Self.check(SCardDisconnect(card, disposition))
    }
  }
}
