#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The session bus of D-Bus.
enum DesktopBus {
  /// Whether there seems to be a session bus: its address is in the environment, or it is at systemd's path
  /// (D-Bus specification, "Well-known Message Bus Instances").
  static var isReachable: Bool {
    if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address.pointee != 0 { return true }
    guard let folder = getenv("XDG_RUNTIME_DIR") else { return false }
    return access(String(cString: folder) + "/bus", R_OK | W_OK) == 0
  }
}
