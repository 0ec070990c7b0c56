/// A USB device as sysfs shows it, to every login.
package struct USBDevice: Hashable {
  private static let folder = "/sys/bus/usb/devices"

  /// The kernel's name for its port, as `1-2.3`; it stays when the device is plugged in again.
  package let port: String
  package let vendor: UInt16
  package let product: UInt16
  /// The name that the device reports.
  package let ownName: String?
  /// Bus and number in three digits each, `001:004`.
  package let address: String

  /// `/dev/bus/usb/001/004`.
  package var node: String {
    "/dev/bus/usb/" + address.split(separator: ":").joined(separator: "/")
  }
  /// `072F:2200`.
  package var identifiers: String { Self.identifiers(vendor, product) }

  package static func identifiers(_ vendor: UInt16, _ product: UInt16) -> String {
    digits(vendor) + ":" + digits(product)
  }

  package static func digits(_ identifier: UInt16) -> String {
    let text = String(identifier, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - text.count) + text
  }

  /// Returns all devices that are present; `nil` if the system does not show them.
  package static func all(_ files: SystemFiles) -> [USBDevice]? {
    files.names(in: folder)?.compactMap { USBDevice($0, files) }
  }

  private init?(_ name: String, _ files: SystemFiles) {
    let path = Self.folder + "/" + name
    guard !name.contains(":"), let vendor = files.number(path + "/idVendor", radix: 16),
      let product = files.number(path + "/idProduct", radix: 16),
      let vendor = UInt16(exactly: vendor), let product = UInt16(exactly: product),
      let bus = files.number(path + "/busnum"), let number = files.number(path + "/devnum")
    else { return nil }
    port = name
    self.vendor = vendor
    self.product = product
    let names = [files.line(path + "/manufacturer"), files.line(path + "/product")]
    ownName =
      names.compactMap(\.self).isEmpty ? nil : names.compactMap(\.self).joined(separator: " ")
    address = [bus, number].map(Self.threeDigits).joined(separator: ":")
  }

  private static func threeDigits(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, 3 - text.count)) + text
  }

  // MARK: How the system uses it

  private func interfaces(_ files: SystemFiles) -> [String] {
    (files.names(in: Self.folder) ?? []).filter { $0.hasPrefix(port + ":") }
  }

  /// Returns the driver of interface 0: a module of the kernel, or `usbfs` for a program.
  package func driver(_ files: SystemFiles) -> String? {
    interfaces(files).first { $0.hasSuffix(".0") }.flatMap {
      files.linkName("\(Self.folder)/\($0)/driver")
    }
  }

  /// Returns whether one of its interfaces is a keyboard (HID 1.11, 4.2 and 4.3: class 03, protocol 01).
  package func isKeyboard(_ files: SystemFiles) -> Bool {
    interfaces(files).contains { interface in
      let path = "\(Self.folder)/\(interface)"
      return files.number(path + "/bInterfaceClass", radix: 16) == 0x03
        && [0x01, nil].contains(files.number(path + "/bInterfaceProtocol", radix: 16))
    }
  }

  /// Returns the serial ports of the device.
  package func ports(_ files: SystemFiles) -> [String] {
    interfaces(files).flatMap { interface in
      let path = "\(Self.folder)/\(interface)"
      // usb-serial has its ports in the interface's folder, cdc_acm in one below.
      return (files.names(in: path) ?? []).filter { $0.hasPrefix("ttyUSB") }
        + (files.names(in: path + "/tty") ?? []).filter { $0.hasPrefix("ttyACM") }
    }.map { "/dev/" + $0 }
  }

  /// Returns whether the system has put it to sleep, and may do so again.
  package func isSuspended(_ files: SystemFiles) -> Bool {
    files.line("\(Self.folder)/\(port)/power/control") == "auto"
      && files.line("\(Self.folder)/\(port)/power/runtime_status") == "suspended"
  }

  package var powerSwitch: String { "\(Self.folder)/\(port)/power/control" }

  /// How to start a container that is to have all USB devices. docker-run(1): `--device` passes only devices that
  /// are present at the start.
  package static let passThroughToContainer =
    "start the container with -v /dev/bus/usb:/dev/bus/usb --device-cgroup-rule='c 189:* rmw'"
}
