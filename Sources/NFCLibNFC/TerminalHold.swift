#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Keeps the number of a pseudo-terminal from being given to another one, for as long as a reader that was on it is
/// waited for.
///
/// A reader that is unplugged comes back under its port's name. A pseudo-terminal never does: when both its ends
/// are closed the kernel gives its number to the next one that is made, which is a person's terminal as likely as
/// a reader. While this is held its name leads to it, or to nothing (Linux, `fs/devpts`). A symbolic link may be
/// led to another one meanwhile. Real serial ports are not held: an adapter would come back under another name.
final class TerminalHold {
  private static let folder = "/dev/pts/"
  private let descriptor: Int32
  private let path: String

  /// - Returns: `nil` for what is no pseudo-terminal.
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
