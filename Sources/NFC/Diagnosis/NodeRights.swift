#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Why this login may not use a device node, and how it could.
struct NodeRights {
  private typealias Finding = ReaderDiagnosis.Finding

  let files: SystemFiles
  let accounts: Accounts

  /// What makes a node anew with the rights that udev's rules give. A plain `udevadm trigger` sends
  /// "change", which libnfc's rules skip.
  static let applyRules =
    "sudo udevadm control --reload, and plug it in again (or sudo udevadm trigger --action=add)"
  /// The group of libnfc's udev rules.
  private static let readersGroup = "plugdev"

  /// - Parameters:
  ///   - rule: what udev's rules do about the node, if it is a USB device's.
  ///   - device: the USB device whose node it is.
  func finding(
    _ path: String, device: USBDevice? = nil, rules: SettingsFolders? = nil
  ) -> ReaderDiagnosis.Finding? {
    guard let number = files.login.refusal(files.root + path), let node = files.node(path) else {
      return nil
    }
    let group = accounts.group(node.group)
    let detail = "this login may not read and write \(path) (\(description(of: node)))"
    return Finding(
      .noPermission, detail,
      advice: advice(number, node, group, device.map { ($0, rules) }))
  }

  private func description(of node: SystemFiles.Node) -> String {
    let owner = accounts.user(node.owner) ?? String(node.owner)
    let group = accounts.group(node.group)?.name ?? String(node.group)
    let mode = String(node.permissions, radix: 8)
    return
      "\(owner):\(group), mode 0\(String(repeating: "0", count: max(0, 3 - mode.count)))\(mode)"
  }

  private func advice(
    _ number: Int32, _ node: SystemFiles.Node, _ group: Accounts.Group?,
    _ usb: (device: USBDevice, rules: SettingsFolders?)?
  ) -> String {
    if number == EROFS { return "the file system is mounted for reading alone" }
    // Denied although the mode allows it: by rules for devices, as containers have them.
    if number == EPERM {
      return "in a container, start that with --device-cgroup-rule='c 189:* rmw' or --device"
    }
    let groupMay = node.permissions & 0o060 == 0o060
    if groupMay, let group, group.name != "root" { return joining(group) }
    guard let usb else {
      return "sudo chgrp dialout and sudo chmod g+rw give it to the group dialout"
    }
    return advice(usb.device, usb.rules)
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

  // MARK: USB

  private func advice(_ device: USBDevice, _ rules: SettingsFolders?) -> String {
    var steps: [String] = []
    if let rule = rules?.access(vendor: device.vendor, product: device.product) {
      if let name = rule.group, accounts.group(named: name) == nil {
        steps.append("sudo groupadd --system \(name), which \(rule.path) wants")
      } else {
        steps.append("\(rule.path) has a rule that did not take effect")
      }
    } else if USBModel.of(device)?.isInLibNFCRules == true {
      steps.append("sudo apt install --reinstall libnfc6, whose udev rules are missing")
    } else {
      let (vendor, product) = (USBDevice.digits(device.vendor), USBDevice.digits(device.product))
      let rule =
        "SUBSYSTEM==\"usb\", ATTR{idVendor}==\"\(vendor.lowercased())\", "
        + "ATTR{idProduct}==\"\(product.lowercased())\", MODE=\"0664\", "
        + "GROUP=\"\(Self.readersGroup)\""
      steps.append("echo '\(rule)' | sudo tee /etc/udev/rules.d/93-nfc-reader.rules")
    }
    steps.append(
      files.exists("/run/udev/control")
        ? Self.applyRules
        : "no udev runs here, so give the rights where it does: on the host, or when the node is made"
    )
    let group =
      rules?.access(vendor: device.vendor, product: device.product)?.group ?? Self.readersGroup
    if let joined = accounts.group(named: group), !files.login.groupIDs.contains(joined.id) {
      steps.append(joining(joined))
    }
    return steps.joined(separator: "; ")
  }
}
