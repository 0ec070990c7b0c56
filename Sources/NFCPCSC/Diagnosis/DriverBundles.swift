import SwiftNFCSystemFacts

/// The USB readers that the installed drivers of pcscd support, from the lists in their
/// `Info.plist`.
package struct DriverBundles {
  private static let folder = "/usr/lib/pcsc/drivers"

  /// By vendor and product number, as `072F:223B`.
  private let names: [String: String]

  /// Whether no driver for USB readers is installed.
  var isEmpty: Bool { names.isEmpty }

  package init(_ files: SystemFiles) {
    var names: [String: String] = [:]
    for bundle in files.names(in: Self.folder) ?? [] where bundle.hasSuffix(".bundle") {
      let text = files.text("\(Self.folder)/\(bundle)/Contents/Info.plist") ?? ""
      let vendors = Self.strings(of: "ifdVendorID", in: text).map(Self.number)
      let products = Self.strings(of: "ifdProductID", in: text).map(Self.number)
      let titles = Self.strings(of: "ifdFriendlyName", in: text)
      for ((vendor, product), title) in zip(zip(vendors, products), titles) {
        guard let vendor, let product else { continue }
        names[USBDevice.identifiers(vendor, product)] = title
      }
    }
    self.names = names
  }

  /// Returns what pcscd calls a reader, before interface, serial number and slot; `nil` if it has
  /// no driver for it.
  package func name(of device: USBDevice) -> String? { name(device.identifiers) }

  func name(_ identifiers: String) -> String? { names[identifiers] }

  private static func number(_ text: String) -> UInt16? {
    UInt16(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
  }

  /// Returns the strings of the array after a key of a property list.
  private static func strings(of key: String, in text: String) -> [String] {
    guard let start = text.firstRange(of: "<key>\(key)</key>")?.upperBound,
      let end = text[start...].firstRange(of: "</array>")?.lowerBound
    else { return [] }
    let (opening, closing) = ("<string>", "</string>")
    return text[start..<end].split(separator: opening, omittingEmptySubsequences: false).dropFirst()
      .map { part in
        let content = part.firstRange(of: closing).map { part[..<$0.lowerBound] } ?? part
        return String(content).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
          .replacing("&quot;", with: "\"").replacing("&apos;", with: "'")
          .replacing("&amp;", with: "&")
      }
  }
}
