import SwiftNFCJSONText
import NFC

/// Details of an NFC Barcode. Polling already returns its complete content.
extension TagDetails {
  /// The content of a barcode (Thinfilm NFC Barcode Protocol, tag functional specification 3.4). The second
  /// byte indicates the type of the data. FE ends a URL that does not fill the memory. The last two bytes of
  /// the memory are the checksum.
  private enum Barcode {
    static let prefixes: [UInt8: String] = [
      0x01: "http://www.", 0x02: "https://www.", 0x03: "http://", 0x04: "https://",
    ]
    static let formatMask: UInt8 = 0x0F
    static let headerSize = 2
    static let checkSize = 2
    static let terminator: UInt8 = 0xFE
  }

  mutating func readBarcode(_ data: [UInt8]) {
    guard data.count > Barcode.headerSize + Barcode.checkSize,
      let prefix = Barcode.prefixes[data[1] & Barcode.formatMask]
    else { return }
    let payload = data.dropFirst(Barcode.headerSize).dropLast(Barcode.checkSize)
      .prefix { $0 != Barcode.terminator }
    guard let text = String(validating: payload, as: UTF8.self), !text.isEmpty else { return }
    let link = prefix + text
    facts.append(("link", link))
    members.append(JSONValue.Member(key: "uri", value: .string(link)))
  }
}
