import CPCSCLite
import NFCCore
import Synchronization

/// pcsc-lite: the one file of this module that calls C.
final class PCSCLite: SmartCardService {
  // pcsclite.h.
  private static let scopeSystem: DWORD = 2
  private static let shareExclusive: DWORD = 1
  private static let protocolT0: DWORD = 1
  private static let protocolT1: DWORD = 2
  private static let leaveCard: DWORD = 0
  private static let statePresent: DWORD = 0x20
  private static let stateUnknown: DWORD = 0x04
  private static let stateUnavailable: DWORD = 0x08
  /// An extended APDU, the largest that the service moves (MAX_BUFFER_SIZE_EXTENDED).
  private static let bufferSize = 4 + 3 + 65536 + 3 + 2
  private static let largestATR = 33

  private let context: SCARDCONTEXT
  private var card: SCARDHANDLE?
  private var transmission = SCARD_IO_REQUEST()
  private var buffer = [UInt8](repeating: 0, count: bufferSize)
  /// The context while it may be used, so that a late cancel does no harm.
  private let cancellable: Cancellable

  /// The context for ``cancel``, which may be called from any thread.
  private final class Cancellable: Sendable {
    let context: Mutex<SCARDCONTEXT?>
    init(_ context: SCARDCONTEXT) { self.context = Mutex(context) }
  }

  /// Connects to the PC/SC service.
  init() throws(SmartCardFailure) {
    var context = SCARDCONTEXT()
    try Self.check(SCardEstablishContext(Self.scopeSystem, nil, nil, &context))
    self.context = context
    cancellable = Cancellable(context)
  }

  deinit { close() }

  private static func check(_ result: LONG) throws(SmartCardFailure) {
    guard result != 0 else { return }
    throw SmartCardFailure(code: UInt32(truncatingIfNeeded: result))
  }

  var cancel: @Sendable () -> Void {
    let cancellable = cancellable
    return {
      cancellable.context.withLock { if let context = $0 { _ = SCardCancel(context) } }
    }
  }

  func readers() throws(SmartCardFailure) -> [String] {
    var length = DWORD(0)
    do {
      try Self.check(SCardListReaders(context, nil, nil, &length))
      // One that is plugged in meanwhile makes the list longer.
      length += 1024
      var names = [CChar](repeating: 0, count: Int(length))
      try Self.check(SCardListReaders(context, nil, &names, &length))
      return names.prefix(Int(length)).split(separator: 0).map { name in
        String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    } catch  where error == .noReaders {
      return []
    }
  }

  func status(of reader: String) throws(SmartCardFailure) -> SmartCardStatus {
    try change(of: reader, from: 0, milliseconds: 0)
  }

  func wait(
    forChangeOf reader: String, from status: SmartCardStatus, atMost timeout: Duration
  ) throws(SmartCardFailure) {
    let (seconds, attoseconds) = timeout.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    let known = DWORD(status.eventCount) << 16 | (status.isCardPresent ? Self.statePresent : 0x10)
    do {
      _ = try change(
        of: reader, from: known, milliseconds: DWORD(clamping: max(0, min(milliseconds, 60000))))
    } catch  where error == .timeout || error == .cancelled {}
  }

  private func change(
    of reader: String, from known: DWORD, milliseconds: DWORD
  ) throws(SmartCardFailure) -> SmartCardStatus {
    var state = SCARD_READERSTATE()
    let result = reader.withCString { name in
      state.szReader = name
      state.dwCurrentState = known
      let result = SCardGetStatusChange(context, milliseconds, &state, 1)
      state.szReader = nil
      return result
    }
    try Self.check(result)
    guard state.dwEventState & (Self.stateUnknown | Self.stateUnavailable) == 0 else {
      throw .readerUnavailable
    }
    let atr = withUnsafeBytes(of: state.rgbAtr) {
      Array($0.prefix(min(Int(state.cbAtr), Self.largestATR)))
    }
    return SmartCardStatus(
      isCardPresent: state.dwEventState & Self.statePresent != 0,
      eventCount: Int(state.dwEventState >> 16 & 0xFFFF), atr: atr)
  }

  func connect(to reader: String) throws(SmartCardFailure) {
    disconnect()
    var card = SCARDHANDLE()
    var activeProtocol = DWORD(0)
    try Self.check(
      SCardConnect(
        context, reader, Self.shareExclusive, Self.protocolT0 | Self.protocolT1, &card,
        &activeProtocol))
    self.card = card
    transmission = SCARD_IO_REQUEST(
      dwProtocol: UInt(activeProtocol), cbPciLength: UInt(MemoryLayout<SCARD_IO_REQUEST>.size))
  }

  func transmit(_ command: [UInt8]) throws(SmartCardFailure) -> [UInt8] {
    guard let card else { throw .noSmartCard }
    var length = DWORD(buffer.count)
    try Self.check(
      SCardTransmit(
        card, &transmission, command, DWORD(command.count), nil, &buffer, &length))
    // Success without a status word: the card went in the middle of the command.
    guard length >= 2 else { throw .removedCard }
    return Array(buffer.prefix(Int(length)))
  }

  func disconnect() {
    guard let card else { return }
    self.card = nil
    _ = SCardDisconnect(card, Self.leaveCard)
  }

  func close() {
    disconnect()
    let isOpen = cancellable.context.withLock { context in
      defer { context = nil }
      return context != nil
    }
    if isOpen { _ = SCardReleaseContext(context) }
  }
}
