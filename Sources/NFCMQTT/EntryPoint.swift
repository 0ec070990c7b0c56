import Foundation

/// `nfc-mqtt`: publishes messages for `nfc watch`. It is a separate program, so that only those who
/// use a broker need libmosquitto.
@main
enum EntryPoint {
  static func main() {
    // The caller ends this program by closing its standard input.
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { signal(number, SIG_IGN) }
    Mosquitto.start()
    guard var bridge = Bridge() else {
      FileHandle.standardError.write(
        Data("nfc-mqtt: this program is started by nfc watch --mqtt\n".utf8))
      exit(EX_USAGE)
    }
    bridge.run()
  }
}

enum Output {
  /// Writes a line immediately. Does nothing if nobody reads it.
  static func write(_ report: Report) {
    guard var line = try? JSONEncoder().encode(report) else { return }
    line.append(0x0A)
    let isWritten = line.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Foundation.write(
          STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0 {
          guard errno == EINTR else { return false }
        } else {
          rest = rest.dropFirst(count)
        }
      }
      return true
    }
    if !isWritten { exit(EXIT_SUCCESS) }
  }
}
