#if canImport(Glibc)
import Glibc

/// A pseudo-terminal that can be waited on.
///
/// This process keeps only the master open. When the last program on the other side exits, even by
/// SIGKILL, the kernel discards the terminal settings that it made. libnfc uses those settings to mark a
/// port as taken, and would otherwise refuse the port permanently.
final class PseudoTerminal: Sendable {
  /// The event that ended a wait.
  enum Event {
    case bytes([UInt8])
    case timeout
    /// ``wake()`` was called.
    case woken
    /// No program has opened the other side.
    case hungUp
  }

  /// A system call that failed.
  struct Failure: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    var description: String { "\(call): \(String(cString: strerror(code)))" }
  }

  /// The name that other programs open.
  let path: String
  private let master: Int32
  /// The pipe that is written to in order to end a wait from another thread.
  private let wakeWriter: Int32
  private let wakeReader: Int32
  /// The interval at which to check whether a program has opened the other side. There is no event for
  /// it, and a wait on a master without a peer returns at once. libnfc pauses for 50 ms after it has
  /// opened a port, so no program is delayed by this interval.
  private static let idlePeriodMilliseconds: Int32 = 10

  /// The ioctl(2) requests of <asm-generic/ioctls.h>, whose macros Swift cannot import.
  private static let unlock: UInt = 0x4004_5431
  private static let number: UInt = 0x8004_5430
  /// TCGETS2, which reports speeds as numbers (<asm-generic/termbits.h>).
  private static let settings: UInt = 0x802C_542A
  /// The offset of c_ospeed in struct termios2, and the size of that structure.
  private static let (placeOfSpeed, sizeOfSettings) = (40, 44)

  init() throws(Failure) {
    var opened: [Int32] = []
    func check(_ result: Int32, _ call: String) throws(Failure) -> Int32 {
      guard result < 0 else { return result }
      let code = errno
      for descriptor in opened { close(descriptor) }
      throw Failure(call: call, code: code)
    }
    master = try check(open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK), "/dev/ptmx")
    opened.append(master)
    var isLocked: Int32 = 0
    _ = try check(ioctl(master, Self.unlock, &isLocked), "TIOCSPTLCK")
    var number: UInt32 = 0
    _ = try check(ioctl(master, Self.number, &number), "TIOCGPTN")
    path = "/dev/pts/\(number)"
    var ends: [Int32] = [-1, -1]
    _ = try check(pipe(&ends), "pipe")
    opened += ends
    for end in ends {
      _ = try check(fcntl(end, F_SETFD, FD_CLOEXEC), "F_SETFD")
      _ = try check(fcntl(end, F_SETFL, O_NONBLOCK), "F_SETFL")
    }
    wakeReader = ends[0]
    wakeWriter = ends[1]
  }

  deinit {
    for descriptor in [master, wakeReader, wakeWriter] { close(descriptor) }
  }

  /// Ends a wait in another thread.
  func wake() {
    var byte: UInt8 = 0
    _ = write(wakeWriter, &byte, 1)
  }

  /// Waits for bytes, at most for this time; `nil` waits until ``wake()`` is called.
  ///
  /// - Parameter endsWhenHungUp: whether to end with ``Event/hungUp`` if no program has opened the other
  ///   side, instead of waiting for one.
  func wait(milliseconds: Int32?, endsWhenHungUp: Bool = false) -> Event {
    var buffer = [UInt8](repeating: 0, count: 1024)
    var left = milliseconds
    while true {
      let count = read(master, &buffer, buffer.count)
      if count > 0 { return .bytes(Array(buffer.prefix(count))) }
      // EIO: no program has the other side open.
      let isOpen = !(count < 0 && errno == EIO)
      if !isOpen, endsWhenHungUp { return .hungUp }
      var descriptors = [
        pollfd(fd: wakeReader, events: Int16(POLLIN), revents: 0),
        pollfd(fd: master, events: Int16(POLLIN), revents: 0),
      ]
      let period = isOpen ? left ?? -1 : min(left ?? .max, Self.idlePeriodMilliseconds)
      let ready = poll(&descriptors, isOpen ? 2 : 1, period)
      if descriptors[0].revents != 0 {
        _ = read(wakeReader, &buffer, buffer.count)
        return .woken
      }
      guard ready == 0 else { continue }
      if let limit = left {
        guard limit > period else { return .timeout }
        left = limit - period
      }
    }
  }

  /// Waits for this time, or until bytes arrive, which it leaves for ``wait(milliseconds:endsWhenHungUp:)``.
  ///
  /// - Returns: whether bytes have arrived.
  func receives(within time: Duration) -> Bool {
    let end = ContinuousClock.now + time
    while true {
      let left = max(.zero, end - .now)
      let milliseconds = Int32(clamping: Int(left / .milliseconds(1)))
      var descriptor = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      let ready = poll(&descriptor, 1, milliseconds)
      if ready > 0 {
        guard Int32(descriptor.revents) & POLLIN == 0 else { return true }
        // Nobody has the other side open, and nothing more arrives from there.
        usleep(UInt32(clamping: Int(left / .microseconds(1))))
        return false
      }
      guard milliseconds > 0 else {
        usleep(UInt32(clamping: Int(max(.zero, end - .now) / .microseconds(1))))
        return false
      }
    }
  }

  /// The baud rate set by the program on the other side.
  var baudRate: Int? {
    var buffer = [UInt8](repeating: 0, count: Self.sizeOfSettings)
    guard ioctl(master, Self.settings, &buffer) == 0 else { return nil }
    return buffer[Self.placeOfSpeed...].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Writes all bytes, as long as a program reads them.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        var descriptor = pollfd(fd: master, events: Int16(POLLOUT), revents: 0)
        guard poll(&descriptor, 1, 1000) > 0, Int32(descriptor.revents) & POLLHUP == 0 else {
          return
        }
      } else {
        return
      }
    }
  }
}
#endif
