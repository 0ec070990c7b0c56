#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The folder of one user's sockets and locks.
package enum RuntimeFolder {
  /// The reason why the folder cannot be used.
  package struct Unusable: Error, CustomStringConvertible {
    package let path: String
    package var description: String {
      "\(path) cannot be used: only this user may have access to it"
    }
  }

  /// `nfc` in `XDG_RUNTIME_DIR`, which disappears with the session (XDG Base Directory Specification), or in the folder
  /// that systemd creates for it, or else `nfc/run` among what programs of this user remember. Never in a folder in
  /// which others can create files, and so take the name first.
  package static var path: String {
    if let folder = getenv("XDG_RUNTIME_DIR"), folder.pointee != 0 {
      return String(cString: folder) + "/nfc"
    }
    return path(user: getuid(), in: "/run/user", state: UserFolder.state())
  }

  static func path(user: uid_t, in folders: String, state: String) -> String {
    let folder = "\(folders)/\(user)"
    return isOwn(folder) ? "\(folder)/nfc" : "\(state)/nfc/run"
  }

  /// Creates the folder if it is missing.
  ///
  /// - Throws: ``Unusable`` if others can write to it, or it belongs to another user: they could
  ///   intercept what is meant for this user's programs.
  @discardableResult
  package static func make() throws(Unusable) -> String {
    let path = path
    make(path)
    guard isOwn(path) else { throw Unusable(path: path) }
    return path
  }

  private static func make(_ path: String) {
    guard mkdir(path, 0o700) != 0, errno == ENOENT, let end = path.lastIndex(of: "/"),
      end > path.startIndex
    else { return }
    make(String(path[..<end]))
    mkdir(path, 0o700)
  }

  /// Whether a path is a folder of this user in which others cannot write.
  private static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && status.st_uid == getuid() && status.st_mode & 0o022 == 0
  }

  // MARK: Remains

  /// The age in seconds at which a socket has been bound to its file for certain.
  private static let youngest = 5

  /// Removes the locks and sockets of processes that were killed.
  package static func removeRemains() {
    guard let folder = try? make() else { return }
    for name in names(in: folder) {
      let path = "\(folder)/\(name)"
      if name.hasSuffix(".lock") {
        removeLock(path)
      } else if name.hasSuffix(".socket"), age(of: path) > youngest,
        LocalSocket.isAbandoned(path)
      {
        unlink(path)
      }
    }
  }

  private static func removeLock(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0,
      FileIdentity(of: path) == FileIdentity(of: descriptor)
    else { return }
    unlink(path)
  }

  /// Returns the age of a file in seconds.
  private static func age(of path: String) -> Int {
    var status = stat()
    guard lstat(path, &status) == 0 else { return 0 }
    #if canImport(Glibc)
    let time = status.st_mtim.tv_sec
    #else
    let time = status.st_mtimespec.tv_sec
    #endif
    return Int(now() - time)
  }

  private static func now() -> time_t { time(nil) }

  private static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names
  }
}
