#if canImport(Glibc)
import Glibc
private let readInput = Glibc.read
#else
import Darwin
private let readInput = Darwin.read
#endif

/// Asks at a terminal for a line that is not shown while it is typed.
enum SecretPrompt {
  private static let longestLine = 256

  /// Returns the line. The terminal shows input again afterwards, also if the process is asked to end meanwhile.
  static func line(_ prompt: String) throws -> String {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else {
      throw Failure(.usage, "nothing can be asked: standard input is not a terminal")
    }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    silent.c_lflag |= tcflag_t(ECHONL)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) }
    _ = Output.write(prompt, to: STDERR_FILENO)
    var bytes: [UInt8] = []
    while true {
      try File.wait(for: STDIN_FILENO, POLLIN)
      var byte: UInt8 = 0
      let count = readInput(STDIN_FILENO, &byte, 1)
      if count < 0 {
        guard errno == EINTR || errno == EAGAIN else {
          throw Failure(.lost, "the terminal cannot be read: \(String(cString: strerror(errno)))")
        }
        continue
      }
      if count == 0 || byte == 0x0A { break }
      bytes.append(byte)
      guard bytes.count <= longestLine else {
        throw Failure(.usage, "a line has at most \(longestLine) characters")
      }
    }
    defer { for index in bytes.indices { bytes[index] = 0 } }
    return String(decoding: bytes, as: UTF8.self)
  }
}
