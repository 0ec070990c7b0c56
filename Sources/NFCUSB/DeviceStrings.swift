#if canImport(Glibc)
import Glibc
private let readFile = Glibc.read
#else
import Darwin
private let readFile = Darwin.read
#endif

/// The names and the serial number that a device reported when it was plugged in.
///
/// Linux shows them to every user in sysfs (Documentation/ABI/testing/sysfs-bus-usb). Reading them
/// from the device would require opening it, which needs permission and disturbs whoever is using
/// it.
struct DeviceStrings {
  private static let folder = "/sys/bus/usb/devices"
  /// A string descriptor has at most 126 characters (USB 2.0, 9.6.7).
  private static let longest = 512

  let serialNumber: String?
  let manufacturerName: String?
  let productName: String?

  init(port: String) {
    func line(_ name: String) -> String? { Self.line("\(Self.folder)/\(port)/\(name)") }
    serialNumber = line("serial")
    manufacturerName = line("manufacturer")
    productName = line("product")
  }

  /// Returns the first line of a file; `nil` if the file does not exist. Characters that are not
  /// printable are omitted, because the text comes from the device and is shown to people.
  private static func line(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: longest)
    let count = readFile(descriptor, &buffer, buffer.count)
    guard count > 0 else { return nil }
    let text = String(
      decoding: buffer.prefix(count).prefix { $0 != 0x0A && $0 != 0 }, as: UTF8.self)
    let printable = String(
      String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.isPrintable }))
    let words = printable.split(separator: " ").joined(separator: " ")
    return words.isEmpty ? nil : words
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isPrintable: Bool {
    switch generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
      .unassigned:
      false
    default: true
    }
  }
}
