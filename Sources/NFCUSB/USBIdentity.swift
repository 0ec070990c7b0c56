/// A USB device: its location and what it reports about itself.
package struct USBIdentity: Hashable, Sendable {
  package let vendor: UInt16
  package let product: UInt16
  /// The bus, and the number that the kernel has given the device on it. The number changes each
  /// time the device is plugged in.
  package let bus: UInt8
  package let number: UInt8
  /// The kernel's name for the socket, `1-2.3`: bus, port of the root hub, ports of further hubs.
  /// It does not change while the device uses the same socket. `nil` for a root hub.
  package let port: String?
  /// The serial number, which distinguishes two devices of one model; many readers have none.
  package let serialNumber: String?
  package let manufacturerName: String?
  package let productName: String?

  package init(
    vendor: UInt16, product: UInt16, bus: UInt8, number: UInt8, ports: [UInt8],
    serialNumber: String? = nil, manufacturerName: String? = nil, productName: String? = nil
  ) {
    self.vendor = vendor
    self.product = product
    self.bus = bus
    self.number = number
    port = Self.port(bus: bus, ports)
    self.serialNumber = serialNumber
    self.manufacturerName = manufacturerName
    self.productName = productName
  }

  /// Linux, drivers/usb/core/usb.c, `usb_alloc_dev`: the bus, a dash, and the ports with dots between them.
  static func port(bus: UInt8, _ ports: [UInt8]) -> String? {
    ports.isEmpty ? nil : "\(bus)-" + ports.map(String.init).joined(separator: ".")
  }

  /// Bus and number with three digits each and a colon between them, the form that libnfc compares:
  /// `001:004`.
  package var address: String { Self.threeDigits(bus) + ":" + Self.threeDigits(number) }

  /// The device node, `/dev/bus/usb/001/004`.
  package var node: String {
    "/dev/bus/usb/\(Self.threeDigits(bus))/\(Self.threeDigits(number))"
  }

  /// Vendor and product, `072F:2200`.
  package var identifiers: String { Self.digits(vendor) + ":" + Self.digits(product) }

  /// The names of the maker and the product as reported by the device; `nil` if it reports neither.
  package var ownName: String? {
    let names = [manufacturerName, productName].compactMap(\.self)
    return names.isEmpty ? nil : names.joined(separator: " ")
  }

  package static func digits(_ identifier: UInt16) -> String {
    let text = String(identifier, radix: 16, uppercase: true)
    return String(repeating: "0", count: 4 - text.count) + text
  }

  private static func threeDigits(_ number: UInt8) -> String {
    let text = String(number)
    return String(repeating: "0", count: 3 - text.count) + text
  }
}
