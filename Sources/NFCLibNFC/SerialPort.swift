import NFCCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A look at a serial port before libnfc opens it: libnfc has one answer for all that can be wrong.
enum SerialPort {
  /// libnfc marks a port that it uses by this bit of `c_iflag`, which means nothing to the kernel
  /// (`CCLAIMED` in its `buses/uart.c`). A program that is killed leaves it set, and the port could
  /// not be opened again until it is unplugged.
  private static let claimed: tcflag_t = 0x8000_0000

  static func prepare(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw failure(path, errno == ENOENT ? .readerNotFound : .readerUnavailable)
    }
    guard status.st_mode & S_IFMT == S_IFCHR else {
      throw NFCError(
        .readerNotFound,
        "\(path) is \(status.st_mode & S_IFMT == S_IFDIR ? "a directory" : "a file"), not a serial port"
      )
    }
    let descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, .readerUnavailable) }
    defer { close(descriptor) }
    // libnfc waits by select(2), whose sets end at descriptor 1023 and which is not asked first.
    guard descriptor < Int32(FD_SETSIZE) - 16 else {
      throw NFCError(
        .readerUnavailable, "this program has too many files open for libnfc (\(descriptor))")
    }
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else {
      throw NFCError(.readerNotFound, "\(path) is not a serial port")
    }
    guard settings.c_iflag & claimed != 0 else { return }
    if let holder = holder(of: status.st_rdev) {
      throw NFCError(.readerUnavailable, "\(path) is in use by \(holder)")
    }
    settings.c_iflag &= ~claimed
    tcsetattr(descriptor, TCSANOW, &settings)
  }

  private static func failure(_ path: String, _ code: NFCError.Code) -> NFCError {
    let number = errno
    let hint =
      number == EACCES
      ? "; its group (often dialout) may, so join it and log in again" : ""
    return NFCError(
      code, "cannot open \(path)\(hint)", cause: .system(number, String(cString: strerror(number))))
  }

  /// A process, this one or another, that has the device open, as far as /proc shows it.
  private static func holder(of device: dev_t) -> String? {
    for process in entries("/proc") where process.allSatisfy(\.isNumber) {
      let directory = "/proc/\(process)/fd"
      for descriptor in entries(directory) {
        var status = stat()
        let name = "\(directory)/\(descriptor)"
        guard stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFCHR,
          status.st_rdev == device
        else { continue }
        if Int32(process) == getpid() {
          // The descriptor that this look itself has open.
          guard openCount(of: device, in: directory) > 1 else { continue }
          return "this program"
        }
        return "\(command(process)) (process \(process))"
      }
    }
    return nil
  }

  private static func openCount(of device: dev_t, in directory: String) -> Int {
    entries(directory).count { descriptor in
      var status = stat()
      return stat("\(directory)/\(descriptor)", &status) == 0
        && status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == device
    }
  }

  private static func command(_ process: String) -> String {
    let descriptor = open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "another program" }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)).filter { $0 >= 0x20 }, as: UTF8.self)
  }

  private static func entries(_ path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
