#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The USB adapter of a serial port, as far as it can be distinguished from others.
///
/// The kernel gives a port's name to the next adapter that is plugged in: `/dev/ttyUSB0` may refer
/// to another device when it returns. The stable facts are in sysfs, in the folder of the USB
/// device that the port belongs to (Linux, Documentation/ABI, sysfs-bus-usb).
struct SerialAdapter: Hashable, Sendable {
  let vendor: String
  let product: String
  /// The serial number, which distinguishes two adapters of one model; many have none.
  let serialNumber: String?
  /// The kernel's name for the socket, `1-2.3`.
  let socket: String

  private static let (vendorFile, productFile, serialFile) = ("idVendor", "idProduct", "serial")
  /// The maximum number of folders from a port to the root of the bus.
  private static let deepest = 32

  /// - Parameters:
  ///   - path: the port's node, or a link to it.
  ///   - system: where sysfs is.
  /// - Returns: `nil` for a port that is not on a USB adapter: one of the board, a pseudo-terminal.
  init?(of path: String, system: String = "/sys") {
    guard let node = Self.resolved(path), let name = node.split(separator: "/").last,
      var folder = Self.resolved("\(system)/class/tty/\(name)/device")
    else { return nil }
    for _ in 0..<Self.deepest {
      if let vendor = Self.text("\(folder)/\(Self.vendorFile)"),
        let product = Self.text("\(folder)/\(Self.productFile)"),
        let socket = folder.split(separator: "/").last
      {
        self.vendor = vendor
        self.product = product
        self.socket = String(socket)
        serialNumber = Self.text("\(folder)/\(Self.serialFile)")
        return
      }
      guard let end = folder.lastIndex(of: "/"), end > folder.startIndex else { return nil }
      folder = String(folder[..<end])
    }
    return nil
  }

  init(vendor: String, product: String, serialNumber: String?, socket: String) {
    self.vendor = vendor
    self.product = product
    self.serialNumber = serialNumber
    self.socket = socket
  }

  /// Returns whether this is the same adapter, plugged in again: by its serial number, in any
  /// socket; without one, by the model and the socket.
  func isSame(as other: SerialAdapter) -> Bool {
    guard vendor == other.vendor, product == other.product, serialNumber == other.serialNumber
    else { return false }
    return serialNumber != nil || socket == other.socket
  }

  /// A name with which a person can identify it.
  var name: String {
    let place = serialNumber.map { "serial number \($0)" } ?? "at \(socket)"
    return "USB \(vendor):\(product), \(place)"
  }

  private static func resolved(_ path: String) -> String? {
    guard let text = realpath(path, nil) else { return nil }
    defer { free(text) }
    return String(cString: text)
  }

  private static let longestText = 256

  /// Returns the first line of a file; `nil` if there is none, or it is empty.
  private static func text(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: longestText)
    let count = fread(&buffer, 1, buffer.count, file)
    let line = buffer.prefix(count).prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
