import JSONText
import NFC

/// NFC Barcode: the search itself returns its whole content.
extension TagDetails {
  /// Thinfilm NFC Barcode Protocol, tag functional specification 3.4: the second byte says what follows; FE ends
  /// a URL that does not fill the memory, whose last two bytes are the check.
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
    facts.append(("link", ArgumentText.shown(link)))
    members.append(JSONValue.Member(key: "uri", value: .string(link)))
  }
}
