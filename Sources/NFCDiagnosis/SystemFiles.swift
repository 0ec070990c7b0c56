import NFCLibNFC

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
struct SystemFiles: Sendable {
  /// Nothing that is looked at here is longer; libccid's list of readers has 58 kB.
  private static let longestFile = 1 << 20

  /// The prefix of every path.
  let root: String
  let environment: [String: String]
  let login: Login

  /// The files of the system that the program runs on.
  static var own: SystemFiles {
    let names = ["PCSCLITE_CSOCK_NAME"] + LibNFCConfiguration.variables
    var environment: [String: String] = [:]
    for name in names {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    return SystemFiles(root: "", environment: environment, login: .own)
  }

  // MARK: Content

  /// Returns the bytes of a regular file; `nil` if it cannot be read.
  func bytes(_ path: String) -> [UInt8]? {
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

  func text(_ path: String) -> String? {
    bytes(path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the first line of a file without surrounding blanks; `nil` if it is empty.
  func line(_ path: String) -> String? {
    guard let line = text(path)?.split(whereSeparator: \.isNewline).first else { return nil }
    let trimmed = line.trimmed
    return trimmed.isEmpty ? nil : trimmed
  }

  func number(_ path: String, radix: Int = 10) -> Int? {
    line(path).flatMap { Int($0, radix: radix) }
  }

  // MARK: Names

  /// Returns the names in a folder, in order; `nil` if it cannot be read.
  func names(in path: String) -> [String]? {
    guard let stream = opendir(root + path) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Returns the target of a link, as it is written.
  func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(root + path, &buffer, buffer.count)
    guard count >= 0 else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the last part of a link's target.
  func linkName(_ path: String) -> String? {
    link(path)?.split(separator: "/").last.map(String.init)
  }

  // MARK: Nodes

  /// The properties of a file that are known without opening it.
  struct Node: Hashable, Sendable {
    enum Kind { case file, folder, characterDevice, socket, other }

    let kind: Kind
    let permissions: UInt32
    let owner: uid_t
    let group: gid_t
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
    func isSame(as other: Node) -> Bool {
      if kind == .characterDevice, other.kind == .characterDevice {
        return represented == other.represented
      }
      return device == other.device && number == other.number
    }
  }

  /// Returns the node that a path leads to, following links; `nil` if it cannot be examined.
  func node(_ path: String) -> Node? {
    var status = stat()
    return stat(root + path, &status) == 0 ? Node(status) : nil
  }

  func exists(_ path: String) -> Bool { node(path) != nil }
}

extension SystemFiles: ConfigurationFiles {
  func isRegularFile(_ path: String) -> Bool? { node(path).map { $0.kind == .file } }
}

extension StringProtocol {
  /// Without blanks at both ends.
  var trimmed: String {
    let characters = drop { $0.isWhitespace }
    guard let end = characters.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(characters[...end])
  }
}
