#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `nfc-mqtt`: publishes messages for `nfc watch`. It is a separate program, so that only those who
/// use a broker need libmosquitto.
@main
enum EntryPoint {
  static func main() {
    // The caller ends this program by closing its standard input.
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
    Mosquitto.start()
    guard var bridge = Bridge() else {
      Output.put(
        Array("nfc-mqtt: this program is started by nfc watch --mqtt\n".utf8), to: STDERR_FILENO)
      exit(EX_USAGE)
    }
    bridge.run()
  }
}

enum Output {
  /// Writes a line immediately. Ends this program if nobody reads it.
  static func report(_ report: Report) {
    if !put(report.line, to: STDOUT_FILENO) { exit(EXIT_SUCCESS) }
  }

  /// Writes all bytes. Returns `false` if nobody reads them.
  @discardableResult
  static func put(_ bytes: some Collection<UInt8>, to descriptor: Int32) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 || errno == EINTR else { return false }
      rest = rest.dropFirst(max(count, 0))
    }
    return true
  }
}
