import CSwiftNFCLibNFC
import SwiftNFCCore
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

// `LibNFC` has its own `open` and `close`.
private let openFile: @Sendable (String, Int32) -> Int32 = { open($0, $1) }
private let closeFile: @Sendable (Int32) -> Int32 = { close($0) }

/// libnfc itself: the one file of this module that calls its functions.
///
/// Everything here is thin. What C would do wrong is refused before: libnfc copies a command into a
/// buffer of 264 bytes without looking at its length, and ends the process when it is longer.
enum LibNFC {
  /// The longest command that `nfc_initiator_transceive_bytes` accepts; one more overflows its own
  /// buffer (`PN53x_EXTENDED_FRAME__DATA_MAX_LEN`, 264, less command code and target number).
  static let maximumCommandLength = 262
  /// The longest answer that its buffer holds after the status byte.
  static let maximumResponseLength = 262
  /// libnfc's name and version; `nil` if it does not say.
  static var version: String? { nfc_version().map { "libnfc " + String(cString: $0) } }

  /// `NFC_BUFSIZE_CONNSTRING`, the terminating zero counted.
  static let maximumConnectionStringLength = 1024

  // MARK: What libnfc does not declare

  /// Sends a command to a PN53x itself and returns its answer without the response code.
  private typealias ChipCommand =
    @convention(c) @Sendable (
      OpaquePointer?, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>?, Int, Int32
    ) -> Int32

  /// `pn53x_transceive`, which libnfc exports without declaring it in its public headers; `nil` if
  /// a build does not export it.
  private static let chipCommand: ChipCommand? = {
    guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, "pn53x_transceive")
    else { return nil }
    return unsafeBitCast(symbol, to: ChipCommand.self)
  }()

  /// Puts the value of one of the chip's registers into libnfc's cache, from which the next command
  /// takes it.
  private typealias RegisterWrite =
    @convention(c) @Sendable (OpaquePointer?, UInt16, UInt8, UInt8) -> Int32

  /// `pn53x_write_register`, as ``chipCommand``.
  private static let registerWrite: RegisterWrite? = {
    guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, "pn53x_write_register")
    else { return nil }
    return unsafeBitCast(symbol, to: RegisterWrite.self)
  }()

  // MARK: Context

  /// libnfc's context: one per process, created at the first use and never released, because
  /// `nfc_exit` frees the list of drivers that all contexts share.
  ///
  /// Unchecked because it is a pointer to what C only reads once it is made.
  private struct Context: @unchecked Sendable {
    let pointer: OpaquePointer?
  }

  /// Calls that end in libusb 0.1, whose lists of buses and devices belong to the process, are made
  /// one at a time. Serial ports and buses share nothing: a silent one does not delay others.
  private static let usb = Mutex(())

  /// Prepared before libnfc first reads its settings, so that it does nothing harmful
  /// automatically: otherwise it would open each optional device in its configuration to see
  /// whether it is present, and in an intrusive scan each serial port, even if another program uses
  /// them. ``LibNFCDriver/list()`` does both with more care.
  ///
  /// The environment is changed only here and only once, as libnfc itself does (log.c). The level
  /// of its log must remain in it: libnfc reads it for every message.
  private static let context: Context = {
    // Errors are thrown; libnfc would print them as well. A user who wants its log has to set the
    // level.
    setenv("LIBNFC_LOG_LEVEL", "0", 0)
    let settings = [(deviceSetting, noDevice), (intrusiveScanSetting, "false")]
    let own = settings.map { name, _ in getenv(name).map { String(cString: $0) } }
    for (name, value) in settings { setenv(name, value, 1) }
    var pointer: OpaquePointer?
    nfc_init(&pointer)
    for ((name, _), value) in zip(settings, own) {
      if let value { setenv(name, value, 1) } else { unsetenv(name) }
    }
    return Context(pointer: pointer)
  }()

  /// Creates the context on the calling thread. This changes the environment, which no other thread may read meanwhile:
  /// `setenv` can free what `getenv` is reading.
  static func prepare() { _ = context }

  private static let deviceSetting = "LIBNFC_DEVICE"
  private static let intrusiveScanSetting = "LIBNFC_INTRUSIVE_SCAN"
  /// A device without a driver, which replaces those of the configuration in libnfc's list.
  private static let noDevice = "none:"

  /// Every USB reader that libnfc finds, doubles dropped. Nothing is written to any.
  static func usbReaders() -> [String] {
    usb.withLock { _ in
      guard let context = context.pointer, hasSafeDescriptors else { return [] }
      var capacity = 16
      while true {
        let buffer = UnsafeMutablePointer<nfc_connstring>.allocate(capacity: capacity)
        defer { buffer.deallocate() }
        let count = min(nfc_list_devices(context, buffer, capacity), capacity)
        if count == capacity, capacity < 1024 {
          // There may be more.
          capacity *= 4
          continue
        }
        var found: [String] = []
        for index in 0..<count {
          let text = withUnsafeBytes(of: &buffer[index]) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
          }
          if text != noDevice, !found.contains(text) { found.append(text) }
        }
        return found
      }
    }
  }

  /// libnfc waits with select(2) and does not check the descriptors that it puts into its sets; one
  /// of 1024 or more ends the process. Below this limit, there is room for the descriptors of a
  /// reader, and for those that other threads open meanwhile.
  private static let safeDescriptors = Int32(FD_SETSIZE) - 128

  /// Whether libnfc can use the next descriptor that the process gets.
  fileprivate static var hasSafeDescriptors: Bool {
    let descriptor = dup(STDIN_FILENO)
    let probe = descriptor >= 0 ? descriptor : openFile("/dev/null", O_RDONLY | O_CLOEXEC)
    guard probe >= 0 else { return false }
    _ = closeFile(probe)
    return probe < safeDescriptors
  }

  /// Why no reader can be listed or opened; `nil` if nothing is in the way.
  static var availabilityError: NFCError? {
    hasSafeDescriptors
      ? nil : NFCError(.readerUnavailable, "this program has too many files open for libnfc")
  }

  /// The drivers for serial ports and buses ignore whether the chip has answered the commands by which libnfc prepares
  /// it, GetFirmwareVersion and SetParameters (libnfc 1.8.0, `pn53x_init` in pn532_uart.c and the others). libnfc then
  /// has parameters from memory that nobody has written, and a later search sends them: with the flag that removes
  /// preambles, the chip answers no program that uses libnfc until its supply is cut.
  private static let openingAttempts = 3

  /// Returns whether a chip has answered the commands by which libnfc prepares it. What is left of a lost answer is the
  /// error of the last command, except over I2C and SPI, where silence is no error (`pn532_i2c_receive`): then libnfc
  /// does not know which modulations the chip has.
  private static func isPrepared(_ device: OpaquePointer) -> Bool {
    var types: UnsafePointer<nfc_modulation_type>?
    return nfc_device_get_last_error(device) >= 0
      && nfc_device_get_supported_modulation(device, N_INITIATOR, &types) >= 0 && types != nil
  }

  /// Opens a reader; `nil` if libnfc cannot. It has no code and no text for why.
  ///
  /// - Parameters:
  ///   - traits: the limits of the driver in the string.
  ///   - address: the location of the reader.
  ///   - lock: our own descriptor on the same port.
  ///   - isEnded: whether no further attempt may begin, because the one before was cut off: nothing would bound it.
  /// - Throws: `readerUnavailable` if the process has more files open than libnfc can cope with, or the descriptors of
  ///   the device are broken.
  static func open(
    _ connectionString: String, _ traits: DriverTraits, at address: ConnectionString.Address,
    lockedBy lock: Int32?, unless isEnded: @Sendable () -> Bool
  ) throws -> Device? {
    guard connectionString.utf8.count < maximumConnectionStringLength,
      !connectionString.utf8.contains(0)
    else { return nil }
    func open() throws -> Device? {
      for _ in 0..<openingAttempts {
        if let availabilityError { throw availabilityError }
        guard !isEnded() else { return nil }
        if traits.followsDescriptors { try USBDescriptors.check(connectionString, address.path) }
        guard let context = context.pointer,
          let pointer = connectionString.withCString({ nfc_open(context, $0) })
        else { return nil }
        if isPrepared(pointer) {
          let answers = nfc_device_get_name(pointer).flatMap {
            AnswerGuard.begin(
              pointer, in: context, name: $0, reportsSilence: traits.reportsSilenceAsAnswer)
          }
          return Device(
            pointer, traits, line: Line(to: address.path, excluding: lock), answers: answers)
        }
        nfc_close(pointer)
      }
      return nil
    }
    return traits.address == .usb ? try usb.withLock { _ in try open() } : try open()
  }

  /// Returns the beginning of a name, as far as it is printable ASCII.
  static func printable(_ name: String) -> String {
    var text = String(name.prefix { $0.isASCII && ("\u{20}"..."\u{7E}").contains($0) })
    while text.last == " " { text.removeLast() }
    return text
  }

  // MARK: Device

  /// An open reader. Its calls block, and are made from one thread.
  final class Device {
    /// The largest answer of any call, with room for a status byte.
    private static let bufferSize = 264

    let traits: DriverTraits
    /// The serial line; `nil` if it could not be found.
    let line: Line?
    private let device: OpaquePointer
    private let buffer: UnsafeMutablePointer<UInt8>
    /// Protects ``abort`` from a device that is closed meanwhile.
    let aborter: Aborter
    /// Checks what the chip answers before libnfc does; `nil` for a build of libnfc that it does not know.
    private let answers: AnswerGuard?
    var checksAnswers: Bool { answers != nil }
    private(set) var isClosed = false
    /// `NP_EASY_FRAMING`, which `nfc_initiator_init` sets.
    private var isEasyFraming = true
    /// The last command, if libnfc has not understood its answer.
    var unclearCommand: [UInt8]?

    /// Ends a call from another thread.
    ///
    /// Unchecked because the pointer is used only under the lock, and removed before it is freed;
    /// `nfc_abort_command` may be called from any thread.
    final class Aborter: @unchecked Sendable {
      private struct State {
        var device: UInt
        var pipe = AbortPipe()
        var orphans: [AbortPipe.Orphan] = []
      }

      private let state: Mutex<State>
      private let kind: DriverTraits.Abort

      fileprivate init(_ device: OpaquePointer, _ kind: DriverTraits.Abort) {
        state = Mutex(State(device: UInt(bitPattern: device)))
        self.kind = kind
      }

      func abort() {
        state.withLock { state in
          // It creates a new pipe, whose ends must be within select's range.
          guard let device = OpaquePointer(bitPattern: state.device), LibNFC.hasSafeDescriptors
          else { return }
          switch kind {
          // It would only close libnfc's descriptors.
          case .none: break
          case .flag: nfc_abort_command(device)
          case .pipe:
            if let orphan = state.pipe.watch({ nfc_abort_command(device) >= 0 }) {
              state.orphans.append(orphan)
            }
          }
        }
      }

      /// The number of times that the pipe is renewed if other pipes are created at the same moment.
      private static let renewals = 5

      /// Makes libnfc create a new pipe to replace the one from opening: one that programs do not
      /// inherit, and that is known. Called before any call waits.
      fileprivate func renewPipe() {
        state.withLock { state in
          guard kind == .pipe, let device = OpaquePointer(bitPattern: state.device) else { return }
          for _ in 0..<Self.renewals {
            var isReplaced = false
            let orphan = state.pipe.watch {
              isReplaced = nfc_abort_command(device) >= 0
              return isReplaced
            }
            orphan?.close()
            if state.pipe.isKnown || !isReplaced { return }
          }
        }
      }

      /// Closes what aborts have left open. To be called while libnfc does not wait.
      func closeOrphans() {
        state.withLock { state in
          for orphan in state.orphans { orphan.close() }
          state.orphans = []
        }
      }

      fileprivate func retire() { state.withLock { $0.device = 0 } }
    }

    fileprivate init(
      _ device: OpaquePointer, _ traits: DriverTraits, line: Line?, answers: AnswerGuard?
    ) {
      self.device = device
      self.answers = answers
      self.traits = traits
      self.line = line
      aborter = Aborter(device, traits.abort)
      buffer = .allocate(capacity: Self.bufferSize)
      buffer.initialize(repeating: 0, count: Self.bufferSize)
      aborter.renewPipe()
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
      // `nfc_close` ends at the first command that fails, and the carrier would stay on. After a success, it sends
      // none.
      if traits.isBareChip { nfc_idle(device) }
      nfc_close(device)
      AnswerGuard.end(device)
      line?.retire()
      aborter.closeOrphans()
    }

    /// libnfc's name of the reader. If an Arygon has not reported its version, memory that nobody has written follows
    /// (libnfc 1.8.0, `arygon_open`): the name ends before it.
    var name: String {
      LibNFC.printable(nfc_device_get_name(device).map { String(cString: $0) } ?? "")
    }

    /// The chip and its firmware: the first line of libnfc's device information, which its drivers
    /// for PN53x chips begin with `chip: ` (chips/pn53x.c, pn53x_get_information_about). Sends
    /// nothing to the device.
    var firmware: String? {
      guard !isClosed else { return nil }
      var text: UnsafeMutablePointer<CChar>?
      guard nfc_device_get_information_about(device, &text) >= 0, let text else { return nil }
      defer { nfc_free(text) }
      let line = String(cString: text).prefix { !$0.isNewline }
      let label = "chip: "
      return line.hasPrefix(label) ? String(line.dropFirst(label.count)) : nil
    }

    var connectionString: String {
      nfc_device_get_connstring(device).map { String(cString: $0) } ?? ""
    }

    /// Makes a call, unless the device has been closed.
    @discardableResult
    private func check(_ call: @autoclosure () -> Int32) throws(Failure) -> Int32 {
      guard !isClosed else { throw Failure(code: Failure.inputOutput) }
      let result = call()
      guard result < 0 else { return result }
      throw Failure(code: result)
    }

    func initializeInitiator() throws(Failure) {
      try check(nfc_initiator_init(device))
    }

    func set(_ property: nfc_property, _ value: Bool) throws(Failure) {
      if property == NP_EASY_FRAMING { isEasyFraming = value }
      try check(nfc_device_set_property_bool(device, property, value))
    }

    /// Makes the next command write the whole register. To write a part of it, libnfc would first
    /// ask the chip for the rest, with a separate command.
    func cache(_ value: UInt8, in register: UInt16) throws(Failure) {
      guard let call = LibNFC.registerWrite else { return }
      try check(call(device, register, 0xFF, value))
    }

    func set(_ property: nfc_property, _ value: Int32) throws(Failure) {
      try check(nfc_device_set_property_int(device, property, value))
    }

    /// Returns the modulations that the reader has as an initiator, with their bit rates in
    /// kilobits a second.
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

    /// Searches for one target; `nil` if there is none.
    ///
    /// - Parameter initiatorData: the data that libnfc expects for the modulation, `nil` for its
    ///   default.
    func select(
      _ type: nfc_modulation_type, _ rate: nfc_baud_rate, initiatorData: [UInt8]? = nil
    ) throws(Failure) -> nfc_target? {
      // Zero: what libnfc does not fill in is no memory of the process.
      var target = nfc_target()
      answers?.search = type
      defer { answers?.search = nil }
      let modulation = nfc_modulation(nmt: type, nbr: rate)
      let start = ContinuousClock.now
      let count: Int32
      if let initiatorData {
        count = try check(
          nfc_initiator_select_passive_target(
            device, modulation, initiatorData, initiatorData.count, &target))
      } else {
        count = try check(nfc_initiator_select_passive_target(device, modulation, nil, 0, &target))
      }
      // For a target that it has searched for by hand, libnfc 1.8.0 returns the first byte of its
      // number, which may be 0. It fills in the target only if there is one.
      if count > 0 || target.nm.nmt == type { return target }
      // Searches by hand take long without a fault.
      if [NMT_ISO14443A, NMT_ISO14443B, NMT_FELICA, NMT_JEWEL].contains(type) {
        try checkAnswer(since: start, within: Self.searchTimeout)
      }
      return nil
    }

    func deselect() throws(Failure) {
      try check(nfc_initiator_deselect_target(device))
    }

    /// Asks the target that was selected last whether it is still there, by libnfc's way for its kind.
    func checkPresence() throws(Failure) {
      try check(nfc_initiator_target_is_present(device, nil))
    }

    /// Exchanges a command for its answer. A failure includes the chip's own code, if the chip can
    /// be asked for it.
    ///
    /// - Parameter timeout: in milliseconds, at least 1: 0 would wait for ever.
    func transceive(_ command: [UInt8], timeout: Int32) throws(Failure) -> [UInt8] {
      try checkLength(command, traits.maximumCommandLength)
      let start = ContinuousClock.now
      do {
        guard !traits.reportsSilenceAsAnswer || !supportsChipCommands else {
          return try transceiveByChip(command, timeout: timeout)
        }
        let count = try check(
          nfc_initiator_transceive_bytes(
            device, command, command.count, buffer, Self.bufferSize, traits.timeout(timeout)))
        unclearCommand = nil
        return answer(of: count)
      } catch {
        var failure = error
        if [Failure.transmission, Failure.chip].contains(failure.code) {
          failure.chipStatus = chipStatus()
        } else if isEmptyAnswer(failure, to: command, since: start, timeout) {
          failure = Failure(code: Failure.transmission)
          failure.chipStatus = Self.silence
        }
        throw failure
      }
    }

    /// InDataExchange and InCommunicateThru (UM0701-02, 7.3.8 and 7.3.9).
    private static let (inDataExchange, inCommunicateThru): (UInt8, UInt8) = (0x40, 0x42)
    /// The number of the only target that libnfc makes the chip find.
    private static let target: UInt8 = 0x01

    /// An exchange like `nfc_initiator_transceive_bytes`, for drivers that report a missing answer
    /// as one of 0 bytes: libnfc would then treat the contents of its own buffer as the chip's
    /// status, and end the process if the highest bit is set.
    private func transceiveByChip(
      _ command: [UInt8], timeout: Int32
    ) throws(Failure) -> [UInt8] {
      let head = isEasyFraming ? [Self.inDataExchange, Self.target] : [Self.inCommunicateThru]
      // A successful status in place of a missing one.
      buffer[0] = 0
      let answer = try chipCommand(head + command, timeout: timeout)
      guard !answer.isEmpty else { throw Failure(code: Failure.timeout) }
      return Array(answer.dropFirst())
    }

    /// The time-out of libnfc's own searches, in milliseconds (`pn53x_initiator_select_passive_target`).
    private static let searchTimeout: Int32 = 300

    /// Distinguishes an answer of 0 bytes from a missing answer, by the time that it took.
    private func checkAnswer(
      since start: ContinuousClock.Instant, within timeout: Int32
    ) throws(Failure) {
      guard traits.reportsSilenceAsAnswer,
        ContinuousClock.now - start >= .milliseconds(Int(timeout))
      else { return }
      throw Failure(code: Failure.timeout)
    }

    private func checkLength(_ command: [UInt8], _ longest: Int) throws(Failure) {
      guard (1...longest).contains(command.count) else {
        throw Failure(code: Failure.invalidArgument)
      }
    }

    private func answer(of count: Int32) -> [UInt8] {
      Array(UnsafeBufferPointer(start: buffer, count: min(Int(count), Self.bufferSize)))
    }

    // MARK: The chip

    /// Whether ``chipCommand(_:timeout:)`` works here: libnfc has the way.
    let supportsChipCommands = LibNFC.chipCommand != nil

    /// Sends a command of the chip itself (UM0701-02, 7.2) and returns what follows the response
    /// code.
    ///
    /// - Parameter timeout: in milliseconds, at least 1.
    func chipCommand(
      _ command: [UInt8], timeout: Int32 = Device.chipTimeout
    ) throws(Failure) -> [UInt8] {
      try chipCommand(command, rawTimeout: traits.timeout(timeout))
    }

    /// Sends a command of a chip that acts as a card, and returns its answer with the status in front, whatever the status
    /// is: libnfc would return one code for several (1.8.0, `pn53x_transceive`).
    ///
    /// If the status says that more follows, libnfc asks for it by a command that the chip refuses; what has arrived
    /// until then is in the buffer, and is returned. The rest comes with the next call.
    ///
    /// - Parameter timeout: in milliseconds, at least 1.
    func cardCommand(_ command: [UInt8], timeout: Int32) throws(Failure) -> [UInt8] {
      try checkLength(command, LibNFC.maximumCommandLength)
      guard let call = LibNFC.chipCommand else { throw Failure(code: Failure.notSupported) }
      if traits.reportsSilenceAsAnswer { try set(NP_EASY_FRAMING, isEasyFraming) }
      // Nothing has this status: bit 7 ends the process before.
      let nothing: UInt8 = 0xFF
      buffer[0] = nothing
      let count: Int32
      do throws(Failure) {
        // libnfc reads one byte past a command of one byte to ask for more.
        count = try check(
          call(
            device, command + [0], command.count, buffer, Self.bufferSize, traits.timeout(timeout))
        )
      } catch {
        let status = buffer[0]
        guard status != nothing, error.code != Failure.aborted else { throw error }
        if error.code == Failure.inputOutput, status & Self.moreInformation != 0 {
          return answer(of: Int32(1 + LibNFC.maximumResponseLength))
        }
        guard !error.isOfLine, status & 0x3F != 0 else { throw error }
        return [status & 0x3F]
      }
      guard count > 0 else { throw Failure(code: Failure.timeout) }
      return answer(of: count)
    }

    /// The bit of a status that says that more follows (UM0701-02, 7.1).
    static let moreInformation: UInt8 = 0x40

    /// Sends a command of the chip itself.
    ///
    /// - Parameter rawTimeout: in milliseconds, as libnfc's driver takes it.
    func chipCommand(
      _ command: [UInt8], rawTimeout: Int32
    ) throws(Failure) -> [UInt8] {
      try checkLength(command, LibNFC.maximumCommandLength)
      guard let call = LibNFC.chipCommand else { throw Failure(code: Failure.notSupported) }
      if traits.reportsSilenceAsAnswer {
        // Such a driver returns the error of an earlier call, which only calls of libnfc's public
        // functions clear.
        try set(NP_EASY_FRAMING, isEasyFraming)
      }
      let start = ContinuousClock.now
      let answer = answer(
        of: try check(
          call(device, command, command.count, buffer, Self.bufferSize, rawTimeout)))
      if answer.isEmpty { try checkAnswer(since: start, within: rawTimeout) }
      return answer
    }
  }
}
