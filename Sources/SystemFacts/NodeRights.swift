#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Why this user may not use a device node, and how it could.
package struct NodeRights {
  private let files: SystemFiles
  private let accounts: Accounts

  /// A USB device, and the rules that may give somebody access to its node.
  package struct USBAccess {
    let device: USBDevice
    let rules: SettingsFolders
    /// The group that is to have the device if no rule names one.
    let group: String
    /// The package that has a rule for the device, if one is known.
    let source: String?

    package init(
      device: USBDevice, rules: SettingsFolders, group: String, rulesOf source: String? = nil
    ) {
      self.device = device
      self.rules = rules
      self.group = group
      self.source = source
    }
  }

  /// What this login may not do, for people, and how it could.
  package struct Refusal {
    package let detail: String
    package let advice: String
  }

  package init(_ files: SystemFiles) {
    self.files = files
    accounts = Accounts(files)
  }

  /// Returns why this login may not use a node; `nil` if it may.
  ///
  /// - Parameter usb: the USB device whose node it is, if it is one's.
  package func refusal(_ path: String, _ usb: USBAccess? = nil) -> Refusal? {
    guard let number = files.login.refusal(files.root + path), let node = files.node(path) else {
      return nil
    }
    return Refusal(
      detail: "this login may not read and write \(path) (\(description(of: node)))",
      advice: advice(number, path, node, usb))
  }

  private func description(of node: SystemFiles.Node) -> String {
    let owner = accounts.user(node.owner) ?? String(node.owner)
    let group = accounts.group(node.group)?.name ?? String(node.group)
    let mode = String(node.permissions, radix: 8)
    return
      "\(owner):\(group), mode 0\(String(repeating: "0", count: max(0, 3 - mode.count)))\(mode)"
  }

  private func advice(
    _ number: Int32, _ path: String, _ node: SystemFiles.Node, _ usb: USBAccess?
  ) -> String {
    if number == EROFS { return "the file system is mounted read-only" }
    // Denied although the mode allows it: by rules for devices, as containers have them.
    if number == EPERM {
      return usb == nil
        ? "start the container with --device \(path)" : USBDevice.passThroughToContainer
    }
    let groupMay = node.permissions & 0o060 == 0o060
    if groupMay, let group = accounts.group(node.group), group.name != "root" {
      return joining(group)
    }
    let (step, group) = usb.map(restoring) ?? (Self.ownRule(for: path), Self.portsGroup)
    let apply =
      files.exists("/run/udev/control")
      ? "sudo udevadm control --reload, and plug it in again (or sudo udevadm trigger --action=add)"
      : "no udev runs here, so give the rights where it does: on the host, or when the node is made"
    let missing = accounts.group(named: group).flatMap {
      files.login.groupIDs.contains($0.id) ? nil : joining($0)
    }
    return ([step, apply] + [missing].compactMap(\.self)).joined(separator: "; ")
  }

  private func joining(_ group: Accounts.Group) -> String {
    guard !files.login.groupIDs.contains(group.id) else {
      return "the group \(group.name) should do, but something else forbids it: try as root"
    }
    if let user = accounts.user(files.login.userID), group.members.contains(user) {
      return "\(user) is in the group \(group.name), but was not when this login began: "
        + "log out and in again"
    }
    return "sudo adduser $USER \(group.name), then log out and in again"
  }

  // MARK: udev

  /// The group of serial ports.
  private static let portsGroup = "dialout"

  private static func ownRule(_ match: String, group: String) -> String {
    "echo '\(match), MODE=\"0660\", GROUP=\"\(group)\"' "
      + "| sudo tee -a /etc/udev/rules.d/93-nfc-reader.rules"
  }

  private static func ownRule(for path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    return ownRule("KERNEL==\"\(name)\"", group: portsGroup)
  }

  /// Returns the step that makes udev give a USB reader to a group, and the group.
  private func restoring(_ usb: USBAccess) -> (step: String, group: String) {
    let device = usb.device
    if let rule = usb.rules.access(vendor: device.vendor, product: device.product) {
      let group = rule.group ?? usb.group
      return (
        rule.group != nil && accounts.group(named: group) == nil
          ? "sudo groupadd --system \(group), which \(rule.path) requires"
          : "\(rule.path) has a rule that did not take effect", group
      )
    }
    if let source = usb.source {
      return ("sudo apt install --reinstall \(source), whose udev rules are missing", usb.group)
    }
    let (vendor, product) = (USBDevice.digits(device.vendor), USBDevice.digits(device.product))
    return (
      Self.ownRule(
        "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"\(vendor.lowercased())\", "
          + "ATTR{idProduct}==\"\(product.lowercased())\"", group: usb.group),
      usb.group
    )
  }
}
