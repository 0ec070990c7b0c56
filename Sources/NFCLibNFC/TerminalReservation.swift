#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Prevents the number of a pseudo-terminal from being reused while a reader that was on it is
/// expected to return.
///
/// A reader that is unplugged returns under its port's name. A pseudo-terminal never does: when
/// both its ends are closed, the kernel gives its number to the next one, which may be a person's
/// terminal instead of a reader. While this object exists, the name refers to the old one, or to
/// nothing (Linux, `fs/devpts`). A symbolic link may meanwhile be redirected. Real serial ports are
/// not held: an adapter would return under another name.
final class TerminalReservation {
  private static let folder = "/dev/pts/"
  private let descriptor: Int32
  private let path: String

  /// - Returns: `nil` for a path that is not a pseudo-terminal.
  init?(_ path: String) {
    guard let resolved = Self.resolved(path), resolved.hasPrefix(Self.folder) else { return nil }
    self.path = resolved
    descriptor = open(resolved, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  private static func resolved(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  /// Returns whether a path leads to this pseudo-terminal or to nothing, and not to another one.
  func isStillNamed(_ path: String) -> Bool { [self.path, nil].contains(Self.resolved(path)) }

  deinit { close(descriptor) }

  /// Whether its other end has been closed.
  var isHungUp: Bool {
    var event = pollfd(fd: descriptor, events: 0, revents: 0)
    return poll(&event, 1, 0) > 0 && Int32(event.revents) & POLLHUP != 0
  }
}
