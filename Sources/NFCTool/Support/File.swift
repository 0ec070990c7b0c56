import NFC

#if canImport(Glibc)
import Glibc
private let readFile = Glibc.read
#else
import Darwin
private let readFile = Darwin.read
#endif

/// Reads and writes the files that the command line names. `-` is standard input or output.
///
/// A name is used byte for byte (``ArgumentText``). No call waits for a pipe after the process has been asked
/// to end.
enum File {
  /// The maximum size in bytes, which is more than the memory of any tag, and more than the JSON for it.
  private static let maximumLength = 1 << 24
  /// The name of standard input or output.
  static let standard = "-"
  /// The interval in milliseconds at which the request to end the process is checked.
  private static let pause: Int32 = 50

  /// Returns the file's name for people.
  static func name(_ path: String, forWriting: Bool = false) -> String {
    guard path == standard else { return ArgumentText.shown(path) }
    return forWriting ? "standard output" : "standard input"
  }

  /// Returns the content of a file.
  static func read(_ path: String) throws -> [UInt8] {
    let isStandard = path == standard
    let descriptor =
      isStandard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw failure("read", path, errno) }
    defer { if !isStandard { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      try wait(for: descriptor, POLLIN)
      let count = readFile(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count < 0 {
        guard errno == EINTR || errno == EAGAIN else { throw failure("read", path, errno) }
        continue
      }
      bytes += buffer.prefix(count)
      guard bytes.count <= maximumLength else {
        throw Failure(
          .content, "\(name(path)) is longer than \(maximumLength) bytes",
          advice: "check the name of the file")
      }
    }
  }

  /// Reads a text file.
  ///
  /// - Throws: `content` if the file is not UTF-8.
  static func readText(_ path: String) throws -> String {
    let bytes = try read(path)
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes) else {
      throw Failure(.content, "\(name(path)) is not UTF-8 text")
    }
    return text
  }

  /// The minimum number of digits of a password.
  private static let shortestSecret = 8

  /// Reads a text file with keys or a password.
  ///
  /// A missing file whose name has the form of a secret, with or without a place before it, is more likely one
  /// that was given instead of a file: it is not part of the error.
  static func readSecrets(_ path: String) throws -> String {
    try checkName(ofSecrets: path)
    return try readText(path)
  }

  /// Reads a file with keys of any form; see ``readSecrets(_:)``.
  static func readSecretBytes(_ path: String) throws -> [UInt8] {
    try checkName(ofSecrets: path)
    return try read(path)
  }

  private static func checkName(ofSecrets path: String) throws {
    let digits = path.split(separator: ":" as Character).last ?? ""
    if digits.count >= shortestSecret, digits.allSatisfy(\.isHexDigit), !exists(path) {
      throw Failure(
        .notThere, "the file with the secret is not there",
        advice: "check its name; a key itself is given with another option, which --help shows")
    }
  }

  /// Refuses files that hold something and would be overwritten: what cannot be read again, such as the backup of
  /// another tag, would be lost. An empty file, as `mktemp` creates it, a pipe or a device is not refused.
  ///
  /// - Parameter isForced: whether `--force` is given.
  /// - Throws: ``Failure`` `usage`.
  static func checkNew(_ paths: String?..., isForced: Bool) throws {
    guard !isForced else { return }
    for path in paths.compactMap(\.self) where path != standard {
      var status = stat()
      guard stat(systemName(of: path), &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_size > 0
      else { continue }
      throw Failure(
        .usage, "\(name(path)) is there already and is not overwritten",
        advice: "give another name, or add --force")
    }
  }

  /// Creates a file with these bytes, and replaces an existing one. On a full disk, an existing file is as it was, and
  /// a new one is not created.
  ///
  /// - Parameter isPublic: whether the file has the permissions of the umask, or those that it had; otherwise only its
  ///   owner may read it, whether it is new or not.
  static func write(_ bytes: [UInt8], to path: String, isPublic: Bool = false) throws {
    guard path != standard else { return try Output.bytes(bytes) }
    let isNew = !exists(path)
    let descriptor = try create(path, isPublic: isPublic, keepsContent: true)
    defer { close(descriptor) }
    do {
      let oldSize = size(of: descriptor)
      if oldSize != nil, let number = reserve(bytes.count, in: descriptor) {
        throw failure("write", path, number)
      }
      if let number = try Output.writeAll(bytes, to: descriptor) {
        throw failure("write", path, number)
      }
      if let oldSize, oldSize > bytes.count, ftruncate(descriptor, off_t(bytes.count)) != 0 {
        throw failure("write", path, errno)
      }
    } catch {
      // Half a file could be taken for a whole one.
      if isNew { unlink(systemName(of: path)) }
      throw error
    }
  }

  /// Returns the size of a regular file, or `nil` for anything else.
  private static func size(of descriptor: Int32) -> Int? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Makes sure that the disk has room for a file before its old content is overwritten, where the file system can.
  ///
  /// - Returns: the error number of the system if there is no room. The file then is as it was.
  private static func reserve(_ count: Int, in descriptor: Int32) -> Int32? {
    #if canImport(Glibc)
    guard count > 0, let oldSize = size(of: descriptor) else { return nil }
    let number = posix_fallocate(descriptor, 0, off_t(count))
    guard [ENOSPC, EDQUOT, EFBIG].contains(number) else { return nil }
    // The reservation may have been made in part.
    _ = ftruncate(descriptor, off_t(oldSize))
    return number
    #else
    return nil
    #endif
  }

  /// Replaces a file with these bytes, or does not change it. Creates the folders in its path that are missing.
  static func replace(_ bytes: [UInt8], at path: String) throws {
    if let number = makeFolder(of: path) { throw failure("write", path, number) }
    let new = "\(path).\(getpid())"
    do {
      try write(bytes, to: new)
      guard rename(systemName(of: new), systemName(of: path)) == 0 else {
        throw failure("write", path, errno)
      }
    } catch {
      unlink(systemName(of: new))
      throw error
    }
  }

  /// Creates the folders in a path that are missing, accessible only to this user (XDG Base Directory
  /// Specification).
  ///
  /// - Returns: the error number of the system, or `nil` if all folders are there.
  static func makeFolder(of path: String) -> Int32? {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/").dropLast() {
      made += "\(part)/"
      let name = systemName(of: made)
      if mkdir(name, 0o700) != 0, errno != EEXIST {
        let number = errno
        var status = stat()
        guard stat(name, &status) == 0 else { return number }
      }
    }
    return nil
  }

  /// Creates an empty file, and returns its descriptor. Unless it is public, other users cannot read it, also if it
  /// existed before.
  ///
  /// - Parameter keepsContent: whether an existing file is opened as it is, and not emptied.
  /// - Throws: ``Failure`` `notAllowed` for a file of another user, who could read what is written: it is not changed.
  static func create(
    _ path: String, isPublic: Bool = false, keepsContent: Bool = false
  ) throws -> Int32 {
    while true {
      // A file is emptied only after its permissions are known.
      let descriptor = open(
        path,
        O_WRONLY | O_CREAT | (isPublic && !keepsContent ? O_TRUNC : 0) | O_CLOEXEC | O_NOCTTY
          | O_NONBLOCK, isPublic ? 0o666 : 0o600)
      if descriptor >= 0 {
        do {
          if !isPublic { try keepForOwner(descriptor, path, empties: !keepsContent) }
          return descriptor
        } catch {
          close(descriptor)
          throw error
        }
      }
      // This is a pipe whose other end has not been opened yet.
      guard errno == ENXIO, isPipe(path) else { throw failure("write", path, errno) }
      try checkInterruption()
      usleep(UInt32(pause) * 1000)
    }
  }

  /// Makes a file readable by its owner only, and then empties it. Pipes and devices stay as they are.
  private static func keepForOwner(
    _ descriptor: Int32, _ path: String, empties: Bool
  ) throws {
    guard keepFromOthers(descriptor) else {
      throw Failure(
        .notAllowed, "\(name(path)) belongs to another user, who could read the keys in it",
        advice: "name a file that does not exist yet")
    }
    if empties { try empty(descriptor, path) }
  }

  /// Removes the content of an open file. Pipes and devices stay as they are.
  static func empty(_ descriptor: Int32, _ path: String) throws {
    guard size(of: descriptor) != nil else { return }
    guard ftruncate(descriptor, 0) == 0 else { throw failure("write", path, errno) }
  }

  static func remove(_ path: String) { unlink(systemName(of: path)) }

  /// Returns whether two names are of one regular file.
  static func isSame(_ path: String, _ other: String) -> Bool {
    guard path != other else { return true }
    var (first, second) = (stat(), stat())
    guard stat(systemName(of: path), &first) == 0, stat(systemName(of: other), &second) == 0,
      first.st_mode & S_IFMT == S_IFREG
    else { return false }
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }

  /// Makes an open file readable by its owner only, if it is a regular file.
  ///
  /// - Returns: `false` for a file of another user that stays readable. On a file system without permissions, the
  ///   file is left as it is.
  static func keepFromOthers(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    // The administrator may write to everyone's files.
    guard status.st_uid == geteuid() || geteuid() == 0 else { return false }
    if status.st_mode & (S_IRWXG | S_IRWXO) != 0 { fchmod(descriptor, status.st_mode & S_IRWXU) }
    return true
  }

  static func close(_ descriptor: Int32) {
    #if canImport(Glibc)
    _ = Glibc.close(descriptor)
    #else
    _ = Darwin.close(descriptor)
    #endif
  }

  /// Returns the name of a file for the system, byte for byte, with its terminating zero.
  static func systemName(of path: String) -> [CChar] {
    ArgumentText.bytes(path).map { CChar(bitPattern: $0) } + [0]
  }

  private static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
    let name = systemName(of: path)
    #if canImport(Glibc)
    return Glibc.open(name, flags, mode)
    #else
    return Darwin.open(name, flags, mode)
    #endif
  }

  /// Returns whether a file with this name exists.
  static func exists(_ path: String) -> Bool { access(systemName(of: path), F_OK) == 0 }

  private static func isPipe(_ path: String) -> Bool {
    mode(of: path).map { $0 & S_IFMT == S_IFIFO } ?? false
  }

  /// Returns whether other users than the owner may read a file.
  static func isReadableByOthers(_ path: String) -> Bool {
    mode(of: path).map { $0 & (S_IRGRP | S_IROTH) != 0 } ?? false
  }

  /// Returns the kind and the permissions of a file, or `nil` if there is none.
  private static func mode(of path: String) -> mode_t? {
    var information = stat()
    return stat(systemName(of: path), &information) == 0 ? information.st_mode : nil
  }

  /// Waits until reading from or writing to a descriptor does not block.
  ///
  /// - Throws: `CancellationError` once the process has been asked to end.
  static func wait(for descriptor: Int32, _ events: Int32) throws {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      try checkInterruption()
      let count = poll(&entry, 1, pause)
      if count > 0 || count < 0 && errno != EINTR { return }
    }
  }

  private static func checkInterruption() throws {
    if Interruption.hasHappened || Task.isCancelled { throw CancellationError() }
  }

  /// Returns the failure for a file that could not be read or written.
  static func failure(_ verb: String, _ path: String, _ number: Int32) -> Failure {
    let status: ExitStatus =
      switch number {
      case EACCES, EPERM, EROFS: .notAllowed
      case ENOENT, ENOTDIR, EISDIR, ENXIO, ELOOP, ENAMETOOLONG: .notThere
      default: .lost
      }
    return Failure(
      status,
      "cannot \(verb) \(name(path, forWriting: verb == "write")): "
        + String(cString: strerror(number)),
      advice: advice(verb, number))
  }

  private static func advice(_ verb: String, _ number: Int32) -> String? {
    switch number {
    case EACCES, EPERM, EROFS:
      verb == "write"
        ? "choose a directory that you may write to" : "ask its owner for permission to read it"
    case ENOSPC, EDQUOT, EFBIG: "free some space, or choose another disk"
    case EISDIR: "name a file in it"
    case ENOENT where verb == "write", ENOTDIR: "check the name of the directory"
    case ENOENT, ENXIO, ELOOP, ENAMETOOLONG: "check the name of the file"
    default: nil
    }
  }
}
