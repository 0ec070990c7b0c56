import SwiftNFCCore
import SwiftNFCSystemFacts

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The descriptors of USB devices, as libusb 0.1 reads them from the devices' nodes.
///
/// libnfc's driver for the ACR122U follows them without checking that there are any: it uses the first interface of the
/// first configuration, and divides by the packet size of its endpoints (libnfc 1.8.0, `acr122_usb_scan`,
/// `acr122_usb_get_end_points` and `acr122_usb_bulk_write`). What libusb 0.1 has not found, it leaves as memory that
/// nobody has written (`usb_parse_configuration`). Each ends the process, so a device with such descriptors must not be
/// seen by libnfc at all. The driver for PN533 readers has the endpoints of its models in a table.
enum USBDescriptors {
  // Descriptor types and fields of USB 2.0, 9.6.
  private enum Kind: UInt8 {
    case device = 1
    case configuration = 2
    case interface = 4
    case endpoint = 5

    /// The length of such a descriptor.
    var length: Int {
      switch self {
      case .device: 18
      case .configuration, .interface: 9
      case .endpoint: 7
      }
    }
  }

  private static let bulk: UInt8 = 2
  private static let inDirection: UInt8 = 0x80
  /// `USB_MAXCONFIG`, `USB_MAXINTERFACES` and `USB_MAXENDPOINTS` of libusb 0.1.
  private static let (mostConfigurations, mostInterfaces, mostEndpoints) = (8, 32, 32)
  private static let longest = 4096

  /// Returns whether libnfc's driver for the ACR122U can follow descriptors, which begin with that of the device: the
  /// first configuration is there as a whole, and has an interface with the endpoints that it announces, among them one
  /// bulk endpoint for each direction.
  static func areSound(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > Kind.device.length, bytes[0] == Kind.device.length,
      bytes[1] == Kind.device.rawValue, (1...mostConfigurations).contains(Int(bytes[17]))
    else { return false }
    let rest = bytes.dropFirst(Kind.device.length)
    guard rest.count >= Kind.configuration.length else { return false }
    let length = Int(bytes[20]) | Int(bytes[21]) << 8
    guard bytes[18] == Kind.configuration.length, bytes[19] == Kind.configuration.rawValue,
      (Kind.configuration.length...rest.count).contains(length),
      (1...mostInterfaces).contains(Int(bytes[22])),
      let endpoints = endpoints(in: Array(rest.prefix(length).dropFirst(Kind.configuration.length)))
    else { return false }
    let bulk = endpoints.filter { $0.attributes == Self.bulk }
    return bulk.allSatisfy { $0.packetSize > 0 }
      && bulk.contains { $0.address & inDirection != 0 }
      && bulk.contains { $0.address & inDirection == 0 }
  }

  private struct Endpoint {
    let address: UInt8
    let attributes: UInt8
    let packetSize: Int
  }

  /// Returns the endpoints of the first interface; `nil` if it does not have those that it announces. Descriptors of
  /// other kinds may stand between.
  private static func endpoints(in bytes: [UInt8]) -> [Endpoint]? {
    var rest = bytes[...]
    var announced: Int?
    var found: [Endpoint] = []
    while announced.map({ found.count < $0 }) ?? true {
      guard let length = rest.first.map(Int.init), length >= 2, length <= rest.count else {
        return nil
      }
      let descriptor = Array(rest.prefix(length))
      rest = rest.dropFirst(length)
      switch Kind(rawValue: descriptor[1]) {
      case .interface where announced == nil && length >= Kind.interface.length:
        announced = Int(descriptor[4])
        guard descriptor[4] <= mostEndpoints else { return nil }
      case .endpoint where announced != nil && length >= Kind.endpoint.length:
        found.append(
          Endpoint(
            address: descriptor[2], attributes: descriptor[3],
            packetSize: Int(descriptor[4]) | Int(descriptor[5]) << 8))
      case nil: continue
      default: return nil
      }
    }
    return found
  }

  /// Refuses a device that libnfc must not open. If its descriptors cannot be read, libnfc does not find it either.
  ///
  /// - Throws: `readerUnavailable`.
  static func check(_ connectionString: String, _ node: String) throws(NFCError) {
    guard let bytes = bytes(of: node), !areSound(bytes) else { return }
    throw NFCError(
      .readerUnavailable,
      "the USB descriptors of the reader at \(connectionString) are broken; plug it in again, and if that does not "
        + "help, it is defective")
  }

  /// Whether libnfc can search the USB devices that are plugged in now: those that its driver for the ACR122U accepts
  /// have sound descriptors.
  static var areSoundOfAll: Bool {
    let folder = "/dev/bus/usb"
    return (Folder.names(in: folder) ?? []).allSatisfy { bus in
      (Folder.names(in: "\(folder)/\(bus)") ?? []).allSatisfy { number in
        guard let bytes = bytes(of: "\(folder)/\(bus)/\(number)"), bytes.count >= 12
        else { return true }
        let (vendor, product) = (word(bytes, at: 8), word(bytes, at: 10))
        return !USBModel.followsDescriptors(vendor: vendor, product: product) || areSound(bytes)
      }
    }
  }

  private static func word(_ bytes: [UInt8], at index: Int) -> UInt16 {
    UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
  }

  private static func bytes(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: longest)
    let count = read(descriptor, &bytes, bytes.count)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }
}
