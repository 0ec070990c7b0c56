import CLibNFC
import NFCCore
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// `LibNFC` has an `open` and a `close` of its own.
private let openFile: @Sendable (String, Int32) -> Int32 = { open($0, $1) }
private let closeFile: @Sendable (Int32) -> Int32 = { close($0) }

/// libnfc itself: the one file of this module that calls C.
///
/// Everything here is thin. What C would do wrong is refused before: libnfc copies a command into a
/// buffer of 264 bytes without looking at its length, and ends the process when it is longer.
enum LibNFC {
  /// The longest command that `nfc_initiator_transceive_bytes` bears; one more overflows a buffer of
  /// its own (`PN53x_EXTENDED_FRAME__DATA_MAX_LEN`, 264, less command code and target number).
  static let maximumCommandLength = 262
  /// The longest answer that its buffer holds behind the status byte.
  static let maximumResponseLength = 262
  /// `NFC_BUFSIZE_CONNSTRING`, the terminating zero counted.
  static let maximumConnectionStringLength = 1024

  /// What a call has failed with: `NFC_E…`, and libnfc's text.
  struct Failure: Error {
    let code: Int32
    let text: String
    /// The chip's own error code (UM0701-02, 7.1), if it could be asked.
    var chipStatus: UInt8?

    static let inputOutput = Int32(NFC_EIO)
    static let timeout = Int32(NFC_ETIMEOUT)
    static let aborted = Int32(NFC_EOPABORTED)
    static let targetReleased = Int32(NFC_ETGRELEASED)
    static let transmission = Int32(NFC_ERFTRANS)
    static let authentication = Int32(NFC_EMFCAUTHFAIL)
    static let invalidArgument = Int32(NFC_EINVARG)
    static let notSupported = Int32(NFC_EDEVNOTSUPP)
    static let chip = Int32(NFC_ECHIP)
  }

  /// The text that libnfc has for a code.
  private static func text(_ code: Int32) -> String {
    switch code {
    case Int32(NFC_EIO): "input/output error between host and reader"
    case Int32(NFC_EINVARG): "invalid argument"
    case Int32(NFC_EDEVNOTSUPP): "not supported by the reader"
    case Int32(NFC_ENOTSUCHDEV): "no such reader"
    case Int32(NFC_EOVFLOW): "buffer overflow"
    case Int32(NFC_ETIMEOUT): "the reader did not answer in time"
    case Int32(NFC_EOPABORTED): "aborted"
    case Int32(NFC_ENOTIMPL): "not implemented"
    case Int32(NFC_ETGRELEASED): "target released"
    case Int32(NFC_ERFTRANS): "transmission error"
    case Int32(NFC_EMFCAUTHFAIL): "authentication failed"
    case Int32(NFC_ESOFT): "software error"
    case Int32(NFC_ECHIP): "the reader's chip reports an error"
    default: "libnfc error \(code)"
    }
  }

  // MARK: What libnfc does not declare

  /// Sends a command to a PN53x itself and gives its answer without the response code.
  private typealias ChipCommand =
    @convention(c) @Sendable (
      OpaquePointer?, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?, Int, Int32
    ) -> Int32

  /// `pn53x_transceive`, which libnfc exports without declaring it in its public headers; `nil` where a
  /// build does not export it.
  private static let chipCommand: ChipCommand? = {
    guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, "pn53x_transceive")
    else { return nil }
    return unsafeBitCast(symbol, to: ChipCommand.self)
  }()

  // MARK: Context

  /// libnfc's context: one a process, made at the first use and never given back, because `nfc_exit`
  /// frees the list of drivers that all contexts share.
  ///
  /// Unchecked because it is a pointer that C only reads once it is made; the calls that take it are
  /// made one at a time, under ``lock``.
  private struct Context: @unchecked Sendable {
    let pointer: OpaquePointer?
  }

  private static let lock = Mutex(())

  private static let context: Context = {
    // Errors are thrown; libnfc would print them as well. A user who wants its log says so.
    setenv("LIBNFC_LOG_LEVEL", "0", 0)
    var pointer: OpaquePointer?
    nfc_init(&pointer)
    return Context(pointer: pointer)
  }()

  /// Every reader that libnfc finds by itself or in its configuration, doubles dropped.
  ///
  /// An intrusive scan is made only where the user's configuration asks for it.
  static func list() -> [String] {
    lock.withLock { _ in
      guard let context = context.pointer else { return [] }
      let capacity = 16
      let buffer = UnsafeMutablePointer<nfc_connstring>.allocate(capacity: capacity)
      defer { buffer.deallocate() }
      let count = min(nfc_list_devices(context, buffer, capacity), capacity)
      var found: [String] = []
      for index in 0..<count {
        let text = withUnsafeBytes(of: &buffer[index]) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !found.contains(text) { found.append(text) }
      }
      return found
    }
  }

  /// libnfc waits by select(2) and puts descriptors into its sets unseen; one of 1024 or more ends the
  /// process. Below this there is room for what a reader takes, and for what other threads open
  /// meanwhile.
  private static let safeDescriptors = Int32(FD_SETSIZE) - 128

  /// Whether the next descriptor that the process is given is one that libnfc bears.
  fileprivate static var hasSafeDescriptors: Bool {
    let descriptor = dup(STDIN_FILENO)
    let probe = descriptor >= 0 ? descriptor : openFile("/dev/null", O_RDONLY | O_CLOEXEC)
    guard probe >= 0 else { return false }
    _ = closeFile(probe)
    return probe < safeDescriptors
  }

  /// Opens a reader; `nil` if libnfc cannot. It has no code and no text for why.
  ///
  /// - Throws: `readerUnavailable` if the process has more files open than libnfc bears.
  static func open(_ connectionString: String) throws -> Device? {
    guard connectionString.utf8.count < maximumConnectionStringLength,
      !connectionString.utf8.contains(0)
    else { return nil }
    return try lock.withLock { _ in
      guard hasSafeDescriptors else {
        throw NFCError(.readerUnavailable, "this program has too many files open for libnfc")
      }
      guard let context = context.pointer else { return nil }
      return connectionString.withCString { nfc_open(context, $0) }.map(Device.init)
    }
  }

  // MARK: Device

  /// An open reader. Its calls block, and are made from one thread.
  final class Device {
    /// The largest answer of any call, with room for a status byte.
    private static let bufferSize = 264

    private let device: OpaquePointer
    private let buffer: UnsafeMutablePointer<UInt8>
    /// Guards ``abort`` against a device that is closed meanwhile.
    let aborter: Aborter
    private var isClosed = false

    /// Ends a call from another thread.
    ///
    /// Unchecked because the pointer is used only under the lock, and taken out before it is freed;
    /// `nfc_abort_command` may be called from any thread.
    final class Aborter: @unchecked Sendable {
      private let device: Mutex<UInt>

      fileprivate init(_ device: OpaquePointer) {
        self.device = Mutex(UInt(bitPattern: device))
      }

      func abort() {
        device.withLock { address in
          // It makes a new pipe, whose ends must be within select's reach.
          guard let device = OpaquePointer(bitPattern: address), LibNFC.hasSafeDescriptors else {
            return
          }
          nfc_abort_command(device)
        }
      }

      fileprivate func retire() { device.withLock { $0 = 0 } }
    }

    fileprivate init(_ device: OpaquePointer) {
      self.device = device
      aborter = Aborter(device)
      buffer = .allocate(capacity: Self.bufferSize)
      buffer.initialize(repeating: 0, count: Self.bufferSize)
    }

    deinit {
      close()
      buffer.deallocate()
    }

    /// Releases targets, switches the carrier off, puts the chip to sleep, closes the line.
    func close() {
      guard !isClosed else { return }
      isClosed = true
      aborter.retire()
      nfc_close(device)
    }

    var name: String { nfc_device_get_name(device).map { String(cString: $0) } ?? "" }
    var connectionString: String {
      nfc_device_get_connstring(device).map { String(cString: $0) } ?? ""
    }

    @discardableResult
    private func check(_ result: Int32) throws(Failure) -> Int32 {
      guard result < 0 else { return result }
      throw Failure(code: result, text: LibNFC.text(result))
    }

    func initializeInitiator() throws(Failure) {
      try check(nfc_initiator_init(device))
    }

    func set(_ property: nfc_property, _ value: Bool) throws(Failure) {
      try check(nfc_device_set_property_bool(device, property, value))
    }

    func set(_ property: nfc_property, _ value: Int32) throws(Failure) {
      try check(nfc_device_set_property_int(device, property, value))
    }

    /// The modulations that the reader has as an initiator, with their bit rates in kilobits a second.
    func modulations() throws(Failure) -> [(nfc_modulation_type, [Int])] {
      var types: UnsafePointer<nfc_modulation_type>?
      try check(nfc_device_get_supported_modulation(device, N_INITIATOR, &types))
      var list: [(nfc_modulation_type, [Int])] = []
      // Both lists end with a zero.
      while let type = types?.pointee, type.rawValue != 0, list.count < 32 {
        var rates: UnsafePointer<nfc_baud_rate>?
        var values: [Int] = []
        if nfc_device_get_supported_baud_rate(device, type, &rates) >= 0 {
          while let rate = rates?.pointee, rate.rawValue != 0, values.count < 8 {
            if let value = Self.kilobits(rate) { values.append(value) }
            rates = rates?.advanced(by: 1)
          }
        }
        list.append((type, values.sorted()))
        types = types?.advanced(by: 1)
      }
      return list
    }

    private static func kilobits(_ rate: nfc_baud_rate) -> Int? {
      switch rate {
      case NBR_106: 106
      case NBR_212: 212
      case NBR_424: 424
      case NBR_847: 848
      default: nil
      }
    }

    /// Looks for one target; `nil` if there is none.
    ///
    /// - Parameter initiatorData: what libnfc takes for the modulation, `nil` for its default.
    func select(
      _ type: nfc_modulation_type, _ rate: nfc_baud_rate, initiatorData: [UInt8]? = nil
    ) throws(Failure) -> nfc_target? {
      var target = nfc_target()
      let modulation = nfc_modulation(nmt: type, nbr: rate)
      let count: Int32
      if let initiatorData {
        count = nfc_initiator_select_passive_target(
          device, modulation, initiatorData, initiatorData.count, &target)
      } else {
        count = nfc_initiator_select_passive_target(device, modulation, nil, 0, &target)
      }
      return try check(count) > 0 ? target : nil
    }

    func deselect() throws(Failure) {
      try check(nfc_initiator_deselect_target(device))
    }

    /// One exchange. A failure has the chip's own code with it, where the chip can be asked for it.
    ///
    /// - Parameter timeout: in milliseconds, at least 1: 0 would wait for ever.
    func transceive(_ command: [UInt8], timeout: Int32) throws(Failure) -> [UInt8] {
      try checkLength(command)
      let result = nfc_initiator_transceive_bytes(
        device, command, command.count, buffer, Self.bufferSize, max(1, timeout))
      do {
        return answer(of: try check(result))
      } catch {
        var failure = error
        if [Failure.transmission, Failure.chip].contains(failure.code) {
          failure.chipStatus = chipStatus()
        }
        throw failure
      }
    }

    private func checkLength(_ command: [UInt8]) throws(Failure) {
      guard (1...LibNFC.maximumCommandLength).contains(command.count) else {
        throw Failure(code: Failure.invalidArgument, text: LibNFC.text(Failure.invalidArgument))
      }
    }

    private func answer(of count: Int32) -> [UInt8] {
      Array(UnsafeBufferPointer(start: buffer, count: min(Int(count), Self.bufferSize)))
    }

    // MARK: The chip

    /// Whether ``chipCommand(_:timeout:)`` works here: the chip is a PN53x, and libnfc has the way.
    private(set) lazy var takesChipCommands =
      LibNFC.chipCommand != nil && ConnectionString(connectionString).isForPN53x

    /// Sends a command of the chip's own (UM0701-02, 7.2) and gives what follows the response code.
    ///
    /// - Parameter timeout: in milliseconds, at least 1.
    func chipCommand(_ command: [UInt8], timeout: Int32) throws(Failure) -> [UInt8] {
      try checkLength(command)
      guard takesChipCommands, let call = LibNFC.chipCommand else {
        throw Failure(code: Failure.notSupported, text: LibNFC.text(Failure.notSupported))
      }
      let result = call(
        device, command, command.count, buffer, Self.bufferSize, max(1, timeout))
      return answer(of: try check(result))
    }

    /// GetGeneralStatus (UM0701-02, 7.2.3), whose first byte is the error that the chip met last.
    private static let getGeneralStatus: UInt8 = 0x04
    private static let statusTimeout: Int32 = 100

    private func chipStatus() -> UInt8? {
      guard takesChipCommands else { return nil }
      let answer = try? chipCommand([Self.getGeneralStatus], timeout: Self.statusTimeout)
      return answer?.first.map { $0 & 0x3F }
    }
  }
}
