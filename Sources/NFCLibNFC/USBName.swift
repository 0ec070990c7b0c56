import SwiftNFCCore
import SwiftNFCUSB

/// A name for a reader on USB.
enum USBName: Hashable {
  /// libnfc's own name: bus and number, `001:004`.
  case address(String)
  /// The socket, `1-2.3`.
  case port(String)
  /// The serial number from the maker.
  case serialNumber(String)

  /// The drivers for USB devices; the last one represents both others.
  static let schemes = ["acr122_usb", "pn53x_usb", anyDriver]
  private static let anyDriver = "usb"
  private static let serialPrefix = "serial="

  /// Creates a name; `nil` for the address of another kind of reader, and for an invalid one.
  init?(_ address: ReaderAddress) {
    guard Self.schemes.contains(address.scheme), let rest = address.rest else { return nil }
    if rest.hasPrefix(Self.serialPrefix), rest != Self.serialPrefix {
      self = .serialNumber(String(rest.dropFirst(Self.serialPrefix.count)))
      return
    }
    if Self.isPort(rest) {
      self = .port(rest)
      return
    }
    let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ UInt8($0) != nil && $0.count == 3 }) else {
      return nil
    }
    self = .address(rest)
  }

  /// Returns the bus, a dash, and numbers with dots between them.
  private static func isPort(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let bus = parts.first, let ports = parts.last, UInt8(bus) != nil else {
      return false
    }
    return ports.split(separator: ".", omittingEmptySubsequences: false)
      .allSatisfy { UInt8($0) != nil }
  }

  /// The address with this name.
  var address: ReaderAddress {
    switch self {
    case .address(let text), .port(let text): ReaderAddress("\(Self.anyDriver):\(text)")
    case .serialNumber(let number):
      ReaderAddress("\(Self.anyDriver):\(Self.serialPrefix)\(number)")
    }
  }

  private func fits(_ device: USBIdentity) -> Bool {
    switch self {
    case .address(let text): device.address == text
    case .port(let port): device.port == port
    case .serialNumber(let number): device.serialNumber == number
    }
  }

  /// Returns the device of that name.
  ///
  /// - Throws: `readerNotFound` if there is no such reader or more than one, or it does not belong
  ///   to the named driver.
  func device(
    for address: ReaderAddress, among devices: [USBIdentity] = USBDevices.all()
  ) throws -> USBIdentity {
    let found = devices.filter(fits)
    guard let device = found.first else {
      throw NFCError(.readerNotFound, "no USB device is at \(address)")
    }
    guard found.count == 1 else {
      let ports = found.compactMap { $0.port.map { USBName.port($0).address.description } }
      throw NFCError(
        .readerNotFound,
        "\(found.count) USB devices have this serial number; name one by its port: "
          + ports.joined(separator: " or "))
    }
    let driver = USBModel.of(vendor: device.vendor, product: device.product)?.libnfcDriver
    guard address.scheme == Self.anyDriver || driver == nil || address.scheme == driver else {
      throw NFCError(
        .readerNotFound,
        "the reader at \(address) is driven by \(driver ?? ""), not by \(address.scheme)")
    }
    return device
  }
}

extension USBAccess.Obstacle {
  /// Returns the problem that prevents a reader from being opened.
  func error(at connectionString: String, _ device: USBIdentity) -> NFCError {
    switch self {
    case .notThere: NFCError(.readerNotFound, "no USB device is at \(connectionString)")
    case .noRights:
      NFCError(
        .readerUnavailable,
        "this user may not use \(connectionString): it has no permission to write to \(device.node)"
      )
    case .kernelDriver:
      NFCError(
        .readerUnavailable,
        "a module of the kernel has \(connectionString), and this login may not take it away")
    case .inUse:
      NFCError(.readerUnavailable, "another program has \(connectionString); end that first")
    case .other(let text):
      NFCError(.readerUnavailable, "\(connectionString) cannot be used: \(text)")
    }
  }
}
