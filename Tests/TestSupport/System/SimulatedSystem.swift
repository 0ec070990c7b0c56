import Foundation
import SwiftNFCSystemFacts

/// A folder with files as Linux has them, to be looked at in place of the system's own.
package final class SimulatedSystem {
  /// A login that is nobody's in particular, with an account of this name.
  package static let userID: uid_t = 4711
  package static let user = "ada"

  package let root: URL
  package var environment: [String: String] = [:]
  /// The groups of the login.
  package var groupIDs: [gid_t] = []

  package init() throws {
    root = FileManager.default.temporaryDirectory.appending(path: "nfc-doctor-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    try folder("/run/lock")
    try file(
      "/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n\(Self.user):x:\(Self.userID):100::/:\n")
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  package func url(_ path: String) -> URL { root.appending(path: String(path.dropFirst())) }

  // MARK: Files

  package func file(_ path: String, _ content: String = "", mode: Int? = nil) throws {
    try file(path, Array(content.utf8), mode: mode)
  }

  package func file(_ path: String, _ content: [UInt8], mode: Int? = nil) throws {
    try folder((path as NSString).deletingLastPathComponent)
    try Data(content).write(to: url(path))
    if let mode {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url(path).path)
    }
  }

  package func folder(_ path: String) throws {
    try FileManager.default.createDirectory(at: url(path), withIntermediateDirectories: true)
  }

  package func link(_ path: String, to target: String) throws {
    try folder((path as NSString).deletingLastPathComponent)
    try FileManager.default.createSymbolicLink(
      atPath: url(path).path, withDestinationPath: target)
  }

  // MARK: Devices, programs, groups

  /// A USB device, and its node with the rights of all unless another mode is given.
  package func usb(
    _ port: String, _ vendor: String, _ product: String, address: String = "001:004",
    name: String? = nil, driver: String? = nil, interfaceClass: String? = nil,
    interfaceProtocol: String? = nil, mode: Int? = 0o666
  ) throws {
    let folder = "/sys/bus/usb/devices/\(port)"
    let numbers = address.split(separator: ":").compactMap { Int($0) }
    try file(folder + "/idVendor", vendor + "\n")
    try file(folder + "/idProduct", product + "\n")
    try file(folder + "/busnum", "\(numbers[0])\n")
    try file(folder + "/devnum", "\(numbers[1])\n")
    if let name { try file(folder + "/product", name + "\n") }
    try self.folder(folder + ":1.0")
    if let interfaceClass { try file(folder + ":1.0/bInterfaceClass", interfaceClass + "\n") }
    if let interfaceProtocol {
      try file(folder + ":1.0/bInterfaceProtocol", interfaceProtocol + "\n")
    }
    if let driver { try link(folder + ":1.0/driver", to: "../../../bus/usb/drivers/\(driver)") }
    if let mode { try file(node(address), mode: mode) }
  }

  package func node(_ address: String) -> String {
    "/dev/bus/usb/" + address.replacing(":", with: "/")
  }

  /// What is no regular file: every system has this one.
  package func serialPort(_ path: String) throws { try link(path, to: "/dev/null") }

  package func process(_ id: Int, _ command: String, holding path: String? = nil) throws {
    try file("/proc/\(id)/comm", command + "\n")
    if let path { try link("/proc/\(id)/fd/7", to: url(path).path) }
  }

  /// Gives the group that new files get a name.
  package func nameGroup(_ name: String, members: String = "") throws {
    try file("/etc/group", "\(name):x:\(getegid()):\(members)\n")
  }

  /// A driver of pcscd that knows one reader.
  package func bundle(_ vendor: String, _ product: String, _ name: String) throws {
    func array(_ key: String, _ value: String) -> String {
      "<key>\(key)</key>\n<array>\n<string>\(value)</string>\n</array>\n"
    }
    try file(
      "/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist",
      "<plist><dict>\n" + array("ifdVendorID", vendor) + array("ifdProductID", product)
        + array("ifdFriendlyName", name) + "</dict></plist>\n")
  }

  // MARK: The look at it

  package var files: SystemFiles {
    let groups = groupIDs
    let login = Login(userID: Self.userID, groupIDs: groups) { path in
      var status = stat()
      guard stat(path, &status) == 0 else { return errno }
      let both: mode_t = 0o6
      let granted =
        groups.contains(status.st_gid) ? status.st_mode >> 3 & both : status.st_mode & both
      return granted == both ? nil : EACCES
    }
    return SystemFiles(root: root.path, login: login) { [environment] in environment[$0] }
  }
}
