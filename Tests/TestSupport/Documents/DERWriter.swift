/// Objects of ASN.1 in DER (ITU-T X.690), as issuers of documents write them.
package enum DERWriter {
  package static func object(_ tag: [UInt8], _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    var rest = content.count
    while rest > 0 {
      length.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    let header =
      content.count < 0x80 ? [UInt8(content.count)] : [0x80 | UInt8(length.count)] + length
    return tag + header + content
  }

  package static func object(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { object([tag], content) }

  package static func sequence(_ parts: [UInt8]...) -> [UInt8] {
    object(0x30, parts.flatMap(\.self))
  }

  /// A set, whose elements are in the order of their bytes.
  package static func set(_ parts: [[UInt8]]) -> [UInt8] {
    object(0x31, parts.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self))
  }

  package static func integer(_ value: Int) -> [UInt8] {
    integer([UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)])
  }

  /// A number that is not negative.
  package static func integer(_ bytes: [UInt8]) -> [UInt8] {
    let number = Array(bytes.drop { $0 == 0 })
    return object(0x02, (number.first ?? 0x80) & 0x80 != 0 ? [0] + number : number)
  }

  /// An object identifier, with dots between its numbers.
  package static func identifier(_ text: String) -> [UInt8] {
    let numbers = text.split(separator: ".").compactMap { Int($0) }
    let parts = [numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2)
    let bytes = parts.flatMap { number -> [UInt8] in
      var bytes = [UInt8(number & 0x7F)]
      var rest = number >> 7
      while rest > 0 {
        bytes.insert(0x80 | UInt8(rest & 0x7F), at: 0)
        rest >>= 7
      }
      return bytes
    }
    return object(0x06, bytes)
  }

  package static func octets(_ bytes: [UInt8]) -> [UInt8] { object(0x04, bytes) }
  package static func bits(_ bytes: [UInt8]) -> [UInt8] { object(0x03, [0] + bytes) }
  package static let null: [UInt8] = [0x05, 0x00]

  /// A time of this century: YYMMDDhhmmss.
  package static func time(_ digits: String) -> [UInt8] {
    object(0x17, Array((digits + "Z").utf8))
  }
}
