import NFC

#if canImport(Glibc)
import Glibc
private let readFile = Glibc.read
#else
import Darwin
private let readFile = Darwin.read
#endif

/// Files that the command line names.
enum File {
  /// More than any tag holds, and than any JSON of it needs.
  private static let maximumLength = 1 << 24

  /// The bytes of a file.
  static func read(_ path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw failure("read", path, errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = readFile(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count < 0 {
        guard errno == EINTR else { throw failure("read", path, errno) }
        continue
      }
      bytes += buffer.prefix(count)
      guard bytes.count <= maximumLength else {
        throw Failure(.content, "\(path) is too long", advice: "check the name of the file")
      }
    }
  }

  /// Makes a file of these bytes, in place of one that is there.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let descriptor = try create(path)
    defer { close(descriptor) }
    if let number = Output.write(bytes, to: descriptor) { throw failure("write", path, number) }
  }

  /// Opens a new, empty file that others cannot read; gives its descriptor.
  static func create(_ path: String) throws -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o600)
    guard descriptor >= 0 else { throw failure("write", path, errno) }
    return descriptor
  }

  private static func failure(_ verb: String, _ path: String, _ number: Int32) -> Failure {
    let status: ExitStatus =
      switch number {
      case EACCES, EPERM, EROFS: .notAllowed
      case ENOENT, ENOTDIR, EISDIR, ENXIO, ELOOP, ENAMETOOLONG: .notThere
      default: .lost
      }
    return Failure(
      status, "cannot \(verb) \(path): \(String(cString: strerror(number)))",
      advice: "check the name of the file")
  }
}
