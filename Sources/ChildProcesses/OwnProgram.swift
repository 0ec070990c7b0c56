#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The executable of this process.
package enum OwnProgram {
  /// The absolute path of the executable, without symbolic links, or `nil` if the system does not report it.
  package static var path: String? {
    #if canImport(Glibc)
    let name = "/proc/self/exe"
    #else
    var size = UInt32(MAXPATHLEN)
    var name = [CChar](repeating: 0, count: Int(MAXPATHLEN))
    guard _NSGetExecutablePath(&name, &size) == 0 else { return nil }
    #endif
    return realpath(name, nil).map { pointer in
      defer { free(pointer) }
      return String(cString: pointer)
    }
  }

  /// The directory that contains the executable.
  package static var folder: String? {
    path.flatMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
  }

  /// Returns the path of a program in the same directory, or `nil` if there is none.
  package static func sibling(_ name: String) -> String? {
    guard let path = folder.map({ "\($0)/\(name)" }), isExecutable(path) else { return nil }
    return path
  }

  /// Returns whether a path is that of a file that this process can execute.
  package static func isExecutable(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && access(path, X_OK) == 0
  }
}
