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

  /// `nfc` in `XDG_RUNTIME_DIR`, which disappears with the session (XDG Base Directory
  /// Specification), or else in `/tmp` under the user's number.
  package static var path: String {
    if let folder = getenv("XDG_RUNTIME_DIR"), folder.pointee != 0 {
      return String(cString: folder) + "/nfc"
    }
    return "/tmp/nfc-\(getuid())"
  }

  /// Creates the folder if it is missing.
  ///
  /// - Throws: ``Unusable`` if others can write to it, or it belongs to another user: they could
  ///   intercept what is meant for this user's programs.
  @discardableResult
  package static func make() throws(Unusable) -> String {
    let path = path
    mkdir(path, 0o700)
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == getuid(), status.st_mode & 0o022 == 0
    else { throw Unusable(path: path) }
    return path
  }
}
