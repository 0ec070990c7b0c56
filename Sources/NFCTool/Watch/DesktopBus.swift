#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The session bus of D-Bus.
enum DesktopBus {
  /// Whether there seems to be one: its address is named, or it is where systemd puts it (D-Bus
  /// specification, "Well-known Message Bus Instances").
  static var isReachable: Bool {
    if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address.pointee != 0 { return true }
    guard let folder = getenv("XDG_RUNTIME_DIR") else { return false }
    return access(String(cString: folder) + "/bus", R_OK | W_OK) == 0
  }
}
