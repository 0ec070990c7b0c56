#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Brings a PN532 on a serial port back to the baud rate and the form of frames that libnfc expects.
///
/// The chip keeps the rate that a program has set until its power is cut (UM0701-02, 7.2.8). nfcpy
/// sets 921 600 baud and resets it only when it ends properly, so the chip of a killed nfcpy
/// answers nobody: libnfc 1.8.0 does not support that rate (uart.c, `uart_set_speed`).
///
/// A chip that has missed the command which ended LowVbat mode is asked once more as well: some boards miss the first
/// one after power-up (nfc-tools/libnfc issue 429), and what a chip accepts before it is not published.
///
/// A chip that a program has asked to send frames without preamble and postamble does so until its supply is cut, too,
/// and libnfc recognizes none of them (7.2.9; `pn53x_check_ack_frame`). It is asked to send both again.
struct LineRate {
  struct Rate {
    let baud: Int
    /// The parameter of SetSerialBaudRate.
    let code: UInt8
    /// The constant of termios(3).
    let speed: speed_t
  }

  /// Those of UM0701-02, 7.2.8, that a terminal has, the likeliest first.
  private static let rates: [Rate] = {
    #if canImport(Glibc)
    let fast = [(921_600, UInt8(0x07), B921600), (460_800, 0x06, B460800)]
    #else
    let fast: [(Int, UInt8, Int32)] = [(921_600, 0x07, 921_600), (460_800, 0x06, 460_800)]
    #endif
    let slow = [
      (230_400, UInt8(0x05), B230400), (115_200, 0x04, B115200), (57_600, 0x03, B57600),
      (38_400, 0x02, B38400), (19_200, 0x01, B19200), (9600, 0x00, B9600),
    ]
    return (fast + slow).map { Rate(baud: $0.0, code: $0.1, speed: speed_t($0.2)) }
  }()

  /// The rate after power-up, and libnfc's when none is named.
  static let ordinary = 115_200

  /// The time to wait for the chip at one rate, in milliseconds: a USB adapter holds received bytes
  /// for 16 ms, and at 9600 baud, command and answer take 50.
  private static let patience: Int32 = 90

  let descriptor: Int32
  let wanted: Rate

  /// - Parameters:
  ///   - descriptor: our descriptor of the port, which nobody else has open.
  ///   - baud: the rate to bring the chip to; `nil` for libnfc's own.
  init?(on descriptor: Int32, to baud: Int?) {
    guard let wanted = Self.rates.first(where: { $0.baud == baud ?? Self.ordinary }) else {
      return nil
    }
    self.descriptor = descriptor
    self.wanted = wanted
  }

  /// Searches for a chip at each rate except the one after power-up, unless that is the wanted
  /// rate. The wanted rate comes first, because libnfc asks only once, and what an interrupted
  /// program has left on the line may spoil the answer. Blocks; without an answer, for less than a
  /// second.
  ///
  /// - Parameter isCancelled: whether to end early.
  /// - Returns: whether a chip has answered, is at the wanted rate now, and sends whole frames.
  func restore(unless isCancelled: () -> Bool) -> Bool {
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else { return false }
    defer {
      tcflush(descriptor, TCIOFLUSH)
      tcsetattr(descriptor, TCSANOW, &before)
    }
    let others = Self.rates.filter { $0.baud != wanted.baud && $0.baud != Self.ordinary }
    for rate in [wanted] + others {
      guard !isCancelled(), set(rate.speed) else { return false }
      if rate.baud == wanted.baud, endsLowVoltageMode() { return restoresPreambles() }
      if restoresRate() { return restoresPreambles() }
    }
    return false
  }

  func set(_ speed: speed_t) -> Bool {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else { return false }
    cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    cfsetispeed(&settings, speed)
    cfsetospeed(&settings, speed)
    guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { return false }
    tcflush(descriptor, TCIOFLUSH)
    return true
  }

  // MARK: Frames, UM0701-02, 6.2.1

  /// The same as libnfc's: edges that wake a sleeping chip, and zeros for the time that this takes.
  static let wakeUp: [UInt8] = [0x55, 0x55] + [UInt8](repeating: 0x00, count: 14)
  static let acknowledge = preamble + startCode + [0x00, 0xFF] + postamble
  static let preamble: [UInt8] = [0x00]
  static let postamble: [UInt8] = [0x00]
  private static let startCode: [UInt8] = [0x00, 0xFF]
  static let (hostToChip, chipToHost): (UInt8, UInt8) = (0xD4, 0xD5)
  private static let setSerialBaudRate: UInt8 = 0x10
  /// Normal mode (7.2.10).
  private static let samConfiguration: [UInt8] = [0x14, 0x01]
  /// What the chip has after power-up, and what libnfc sets: it answers ATR_REQ and sends RATS by itself.
  private static let setParameters: [UInt8] = [0x12, 0x14]

  /// A frame without preamble and postamble.
  static func frame(_ data: [UInt8]) -> [UInt8] {
    let length = UInt8(truncatingIfNeeded: data.count)
    let sum = data.reduce(0, &+)
    return startCode + [length, 0 &- length] + data + [0 &- sum]
  }

  /// Returns whether the chip answers a command, with a preamble or without.
  private func answers(_ command: [UInt8]) -> Bool {
    let frame = Self.preamble + Self.frame([Self.hostToChip] + command) + Self.postamble
    return send(Self.wakeUp + frame) && waits(for: Self.frame([Self.chipToHost, command[0] + 1]))
  }

  /// SAMConfiguration, which ends LowVbat mode (AN10609_3, appendix on C106).
  private func endsLowVoltageMode() -> Bool { answers(Self.samConfiguration) }

  private func restoresPreambles() -> Bool { answers(Self.setParameters) }

  /// The chip changes its rate when the host has acknowledged its answer (7.2.8).
  private func restoresRate() -> Bool {
    guard answers([Self.setSerialBaudRate, wanted.code]), send(Self.acknowledge) else {
      return false
    }
    tcdrain(descriptor)
    // The chip reads this at the old rate; the next command uses the new one.
    pause(milliseconds: 10)
    return set(wanted.speed)
  }

  func send(_ bytes: [UInt8]) -> Bool {
    write(descriptor, bytes, bytes.count) == bytes.count
  }

  /// Returns whether these bytes arrive, ignoring noise before them.
  private func waits(for wanted: [UInt8]) -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + .milliseconds(Int(Self.patience))
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 256)
    while clock.now < deadline {
      let left = Int32((deadline - clock.now) / .milliseconds(1)) + 1
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&event, 1, max(1, left)) > 0 else { continue }
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return false }
      received = Array((received + buffer.prefix(count)).suffix(2 * buffer.count))
      if Self.contains(received, wanted) { return true }
    }
    return false
  }

  static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }
}
