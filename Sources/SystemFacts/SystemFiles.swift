#if canImport(Glibc)
import Glibc
private let readFile = Glibc.read
#else
import Darwin
private let readFile = Darwin.read
#endif

/// The files in which Linux describes its devices and settings; in tests, invented ones below
/// another root.
///
/// Any kind of file is tolerated: only regular files are opened, and only the beginning of a large
/// one is read.
package struct SystemFiles: Sendable {
  /// Nothing that is looked at here is longer; libccid's list of readers has 58 kB.
  private static let longestFile = 1 << 20

  /// The prefix of every path.
  package let root: String
  package let login: Login
  private let environment: @Sendable (String) -> String?

  /// The files of the system that the program runs on.
  package static var own: SystemFiles {
    SystemFiles(root: "", login: .own) { name in getenv(name).map { String(cString: $0) } }
  }

  package init(
    root: String, login: Login, environment: @escaping @Sendable (String) -> String?
  ) {
    self.root = root
    self.login = login
    self.environment = environment
  }

  /// Returns the value of an environment variable.
  package func variable(_ name: String) -> String? { environment(name) }

  // MARK: Content

  /// Returns the bytes of a regular file; `nil` if it cannot be read.
  package func bytes(_ path: String) -> [UInt8]? {
    // Opening a device could do something to it.
    guard node(path)?.kind == .file else { return nil }
    let descriptor = open(root + path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < Self.longestFile {
      let count = readFile(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    return bytes
  }

  package func text(_ path: String) -> String? {
    bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the first line of a file without surrounding blanks; `nil` if it is empty.
  package func line(_ path: String) -> String? {
    guard let line = text(path)?.split(whereSeparator: \.isNewline).first else { return nil }
    let trimmed = line.trimmed
    return trimmed.isEmpty ? nil : trimmed
  }

  package func number(_ path: String, radix: Int = 10) -> Int? {
    line(path).flatMap { Int($0, radix: radix) }
  }

  // MARK: Names

  /// Returns the names in a folder, in order; `nil` if it cannot be read.
  package func names(in path: String) -> [String]? { Folder.names(in: root + path)?.sorted() }

  /// Returns the target of a link, as it is written.
  package func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(root + path, &buffer, buffer.count)
    guard count >= 0 else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the last part of a link's target.
  package func linkName(_ path: String) -> String? {
    link(path)?.split(separator: "/").last.map(String.init)
  }

  // MARK: Nodes

  /// The properties of a file that are known without opening it.
  package struct Node: Hashable, Sendable {
    package enum Kind { case file, folder, characterDevice, socket, other }

    package let kind: Kind
    package let permissions: UInt32
    package let owner: uid_t
    package let group: gid_t
    private let device: UInt64
    private let number: UInt64
    private let represented: UInt64

    init(_ status: stat) {
      kind =
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        case S_IFCHR: .characterDevice
        case S_IFSOCK: .socket
        default: .other
        }
      permissions = UInt32(status.st_mode & 0o777)
      owner = status.st_uid
      group = status.st_gid
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(truncatingIfNeeded: status.st_ino)
      represented = UInt64(truncatingIfNeeded: status.st_rdev)
    }

    /// Returns whether both refer to one device: a container has its own nodes for it.
    package func isSame(as other: Node) -> Bool {
      if kind == .characterDevice, other.kind == .characterDevice {
        return represented == other.represented
      }
      return device == other.device && number == other.number
    }
  }

  /// Returns the node that a path leads to, following links; `nil` if it cannot be examined.
  package func node(_ path: String) -> Node? {
    var status = stat()
    return stat(root + path, &status) == 0 ? Node(status) : nil
  }

  package func exists(_ path: String) -> Bool { node(path) != nil }
}

extension StringProtocol {
  /// Without blanks at both ends.
  package var trimmed: String {
    let characters = drop { $0.isWhitespace }
    guard let end = characters.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(characters[...end])
  }
}
