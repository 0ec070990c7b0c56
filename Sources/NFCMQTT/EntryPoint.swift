import SwiftNFCChildProcesses
import SwiftNFCMQTTMessages

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
      Descriptor.write(
        "nfc-mqtt: this program is started by nfc watch --mqtt\n".utf8, to: STDERR_FILENO)
      exit(EX_USAGE)
    }
    bridge.run()
  }
}

enum Output {
  /// Writes a line immediately. Ends this program if nobody reads it.
  static func report(_ report: MQTTReport) {
    if !Descriptor.write(Array((report.line + "\n").utf8), to: STDOUT_FILENO) { exit(EXIT_SUCCESS) }
  }
}
