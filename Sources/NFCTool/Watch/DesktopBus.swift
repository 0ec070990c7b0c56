#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    if let address = getenv("DBUS_SESSION_BUS_ADDRESS"), address.pointee != 0 {
      // Several addresses are tried one after the other.
      return String(cString: address).split(separator: ";").contains(where: isReachable)
    }
    guard let folder = getenv("XDG_RUNTIME_DIR") else { return false }
    return access(String(cString: folder) + "/bus", R_OK | W_OK) == 0
  }

  /// Whether there may be a bus at an address. Only the path of a socket can be looked at (D-Bus specification,
  /// "Server Addresses"); bytes in it may be written as % and two digits.
  private static func isReachable(_ address: Substring) -> Bool {
    let prefix = "unix:path="
    guard address.hasPrefix(prefix) else { return true }
    let path = String(address.dropFirst(prefix.count).prefix { $0 != "," })
    return access(path.removingPercentEncoding ?? path, R_OK | W_OK) == 0
  }
}
